import type { Oddities } from "./oddity.ts";
import { oddities as openaiChat } from "./openai-chat/oddities.ts";

/** The oddities of servers, by the name of their protocol. */
export const oddities: Readonly<Record<string, Oddities>> = {
  "openai-chat": openaiChat,
};
