import { isFields } from "../../wire.ts";
import { decodePart, reasoning } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Chunks of an AI Studio prompt: Gemini's parts, each with its role. */
export const aiStudio: Framework = {
  listed: { row: "exports", name: "AI Studio" },

  decode(chunk) {
    const { role: word, isThought, text } = chunk;
    if ((word !== "user" && word !== "model") || "content" in chunk || "parts" in chunk) return undefined;
    const isPart = isFields(chunk["functionCall"]) || isFields(chunk["functionResponse"]);
    if (!isPart && !Object.keys(chunk).some((key) => aiStudioKeys.test(key))) return undefined;
    const role = word === "model" ? "assistant" : word;
    if (isThought === true) return { role, items: [reasoning(text, role, "")] };
    return { role, items: decodePart(chunk, role, "") };
  },
};

const aiStudioKeys =
  /^(?:tokenCount|isThought|finishReason|driveDocument|driveImage|driveVideo|driveAudio|inlineData|executableCode|codeExecutionResult)$/;
