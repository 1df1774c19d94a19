import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import type { Protocol } from "./protocol.ts";

/** All protocols; the first of equal certainty wins. */
export const protocols: readonly Protocol[] = [openaiChat, openaiResponses];
