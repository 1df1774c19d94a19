import type { HistoryWriter, ItemPlaces } from "../protocol.ts";
import { type Fields, fields, string } from "../wire.ts";

/**
 * The Vercel AI SDK's messages, as programs store and resend them: parts with `toolCallId` and `toolName`.
 * Version 4 has `args` and `result` instead of `input` and `output`.
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message
 */
export function isModelPart(item: unknown): boolean {
  const { type, toolCallId, toolName } = fields(item);
  return (
    (type === "tool-call" || type === "tool-result") &&
    typeof toolCallId === "string" &&
    typeof toolName === "string"
  );
}

export function modelPlaces(item: unknown): ItemPlaces {
  return {
    callId: "/toolCallId",
    callName: "/toolName",
    callArguments: isOld(fields(item)) ? "/args" : "/input",
    resultId: "/toolCallId",
    resultName: "/toolName",
  };
}

export const modelWriter: HistoryWriter = {
  result({ id = "", name }, text, call) {
    const said = isOld(fields(call)) ? { result: text } : { output: { type: "text", value: text } };
    const value = { type: "tool-result", toolCallId: id, toolName: name, ...said };
    return { element: { role: "tool", content: [value] }, part: { list: "/content", value } };
  },
  text: (text) => ({ element: { role: "user", content: [{ type: "text", text }] } }),
  content: (value) =>
    typeof value === "string" ? { type: "text", value } : { type: "json", value: value ?? null },
};

function isOld(part: Fields): boolean {
  return string(part["type"]) === "tool-call" && "args" in part && !("input" in part);
}
