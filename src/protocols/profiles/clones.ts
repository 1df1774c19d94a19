import type { Demands } from "../../conversation/exchange.ts";
import { neededWithSignatures } from "../openai-chat/reasoning.ts";

/** What a provider demands where it serves a protocol as its owner does. */
export const asItsProtocol: Partial<Demands> = {};
/** Clones of the chat API accept ids of any length; the limits are OpenAI's and Azure's own. */
export const clone: Partial<Demands> = { maxIdLength: Number.POSITIVE_INFINITY };
/** Clones of the Responses API create item ids in their own form. */
export const responsesClone: Partial<Demands> = { ...clone, itemPrefixes: undefined, looksIdsUp: false };
/** Clones of the Messages API take more, and leave out most checks of its own blocks. */
export const messagesClone: Partial<Demands> = {
  isStrict: false,
  pairsHosted: false,
  needsSeals: false,
  refusesThinkingPrefill: false,
};
/** A clone of the chat API in front of Gemini. */
export const geminiClone: Partial<Demands> = { ...clone, reasoning: neededWithSignatures };
