import { isFields } from "./wire.ts";

/** Parts of messages that no protocol here has, so that a history with one is not taken for another API's: Bedrock's Converse names them by their key, the Vercel AI SDK by types with a hyphen. */
export function isForeignPart(part: unknown): boolean {
  if (!isFields(part)) return false;
  if (part["type"] === undefined) return "toolUse" in part || "toolResult" in part || "text" in part;
  return part["type"] === "tool-call" || part["type"] === "tool-result" || part["type"] === "toolCall";
}
