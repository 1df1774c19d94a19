import type { Exchange } from "../conversation/exchange.ts";
import { short } from "./words.ts";

/** The provider whose demands a request is judged by; empty if the log names none. */
export interface ProviderFacts {
  readonly provider?: string;
  /** The evidence, if the log does not say where the request went: "the model name `gpt-5`". */
  readonly presumedFrom?: string;
}

/** The provider of an exchange, as members of a message's facts. */
export function providerFacts({
  provider,
  judgedBy,
  isOwnProvider,
  request,
  reply,
}: Exchange): ProviderFacts {
  if (provider === undefined) return {};
  const model = request?.model ?? reply?.model;
  if (isOwnProvider) return { provider };
  if (judgedBy === "reply") return { provider, presumedFrom: "the form of its replies" };
  return judgedBy === "model" && model !== undefined
    ? { provider, presumedFrom: `the model name \`${short(model)}\`` }
    : { provider };
}

/** The provider as the subject of a sentence: "Mistral", "Mistral (presumed from the model name `x`)". */
export function providerName({ provider, presumedFrom }: ProviderFacts, unknown = "the provider"): string {
  if (provider === undefined) return unknown;
  return presumedFrom === undefined ? provider : `${provider} (presumed from ${presumedFrom})`;
}

/**
 * Who rejects an exchange's request, as a clause: "Mistral rejects the request". Absent if the request was
 * accepted, or no provider is known.
 */
export function rejectionOf(exchange: Exchange): string | undefined {
  const { reply, status, isOwnProvider } = exchange;
  const { provider } = providerFacts(exchange);
  const isAccepted = reply !== undefined && !reply.error && (status ?? 200) < 400;
  if (isAccepted && exchange.judgedBy !== "target") return undefined;
  const isRefused = status === undefined && reply?.error?.isMidStream === false;
  if (isRefused || status === 400 || status === 422)
    return `${provider ?? "the server"} rejected the request`;
  if (provider === undefined) return undefined;
  return `${provider} ${isOwnProvider ? "rejects" : "would reject"} the request`;
}

/** "Mistral rejects"; for an unknown provider "servers that check this reject". */
export function rejects(facts: ProviderFacts): string {
  return facts.provider === undefined ? "servers that check this reject" : `${providerName(facts)} rejects`;
}
