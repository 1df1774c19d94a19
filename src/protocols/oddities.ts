import { oddities as anthropic } from "./anthropic/oddities.ts";
import { oddities as gemini } from "./gemini/oddities.ts";
import type { Oddities } from "./oddity.ts";
import { oddities as ollama } from "./ollama/oddities.ts";
import { oddities as openaiChat } from "./openai-chat/oddities.ts";
import { oddities as openaiResponses } from "./openai-responses/oddities.ts";

/** The oddities of servers, by the name of their protocol. */
export const oddities: Readonly<Record<string, Oddities>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  ollama,
};
