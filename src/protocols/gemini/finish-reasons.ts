import type { FinishMeaning } from "../../conversation/reply.ts";

/** Calls end with STOP, too. @see https://ai.google.dev/api/generate-content#FinishReason */
const meanings = new Map(
  Object.entries<FinishMeaning>({
    STOP: "answer",
    MAX_TOKENS: "length",
    SAFETY: "filter",
    RECITATION: "filter",
    LANGUAGE: "filter",
    BLOCKLIST: "filter",
    PROHIBITED_CONTENT: "filter",
    SPII: "filter",
    IMAGE_SAFETY: "filter",
    IMAGE_PROHIBITED_CONTENT: "filter",
    IMAGE_RECITATION: "filter",
    MALFORMED_FUNCTION_CALL: "malformed-call",
    UNEXPECTED_TOOL_CALL: "malformed-call",
    TOO_MANY_TOOL_CALLS: "malformed-call",
    OTHER: "other",
    FINISH_REASON_UNSPECIFIED: "other",
    NO_IMAGE: "other",
    IMAGE_OTHER: "other",
    CONTINUATION: "other",
  }),
);

/** What Gemini's reason means; `undefined` for an unknown one. */
export function meaningOf(reason: string): FinishMeaning | undefined {
  return meanings.get(reason);
}
