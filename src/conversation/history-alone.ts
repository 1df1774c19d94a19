import type { Exchange, Request } from "./exchange.ts";

/**
 * Whether nothing shows that somebody sent a history: no reply, no address, no setting, and no model outside
 * of a record. Training examples, templates of prompts and stored chats look so, and so does a request of
 * which only the messages were kept.
 */
export function isHistoryAlone(exchange: SentFacts): boolean {
  const { request } = exchange;
  if (request === undefined || showsSending(exchange)) return false;
  return request.model === undefined || request.isOfRecord === true;
}

/**
 * Whether the log has an address, an answer or a setting of a request. Without them it may be what a program
 * keeps, perhaps with the name of its model.
 */
export function showsSending({ request, reply, url, status, headers }: SentFacts): boolean {
  if (reply || url !== undefined || status !== undefined || headers["host"] !== undefined) return true;
  if (!request) return false;
  const { maxTokens, isStreaming, toolChoice, settings, links } = request;
  return (
    maxTokens !== undefined ||
    isStreaming ||
    toolChoice !== undefined ||
    Object.values(links).some((link) => link !== undefined) ||
    Object.values(settings).some((setting) => setting !== undefined && setting !== false)
  );
}

/** What of an exchange shows that it was sent. */
interface SentFacts extends Pick<Exchange, "request" | "reply" | "headers"> {
  readonly url?: string | undefined;
  readonly status?: number | undefined;
}

/**
 * A list of nothing but the model's messages and tool results: what one step added to a history, as a node of
 * a graph returns it.
 */
export function lacksInput({ history }: Request): boolean {
  for (let at = 0; at < history.length; at++)
    if (history.items(at).some(({ kind, role }) => kind !== "result" && role !== "assistant")) return false;
  return history.length > 0;
}

/** A list of nothing but tool results, copied out of a history. */
export function holdsOnlyResults({ history }: Request): boolean {
  for (let at = 0; at < history.length; at++)
    if (history.items(at).some(({ kind }) => kind !== "result")) return false;
  return history.length > 0;
}

/** Whether members beside a history are about a task and how it ended, or a chat; no API has such ones. */
export function isOfRecord(members: object): boolean {
  return Object.keys(members).some((key) => ofRecord.test(key));
}

const ofRecord =
  /^(?:(?:task|instance|sample|problem|episode|trajectory|dialogue|question)_?(?:id|name)?|format|dataset|split|score|reward|resolved|success|title|(?:created|updated)_?at)$/i;

/** The session, chat or trajectory that members beside a history name. */
export function namedSession(members: Readonly<Record<string, unknown>>): string | undefined {
  const key = Object.keys(members).find((name) => ofSession.test(name));
  const value = key === undefined ? undefined : members[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

const ofSession = /^(?:session|conversation|chat|thread|dialogue|trajectory|episode|instance)_?id$/i;
