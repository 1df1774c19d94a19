import type { Exchange, Request } from "../conversation/exchange.ts";
import type { Endpoint } from "../protocols/endpoint.ts";
import { protocolNamed, protocols } from "../protocols/index.ts";
import { supported } from "../protocols/protocol.ts";
import { plainSpan } from "../reading/place.ts";
import { isFields } from "../reading/values.ts";

/** A request body that can be sent, without its destination. */
export interface RequestDraft {
  readonly protocol: string;
  readonly model: string | undefined;
  readonly isStreaming: boolean;
  /** The body as a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The member that holds the history. */
  readonly historyKey: string;
}

/** This request cannot be sent; the message is a sentence with the reason and the remedy. */
export class Unsendable extends Error {}

/** The endpoint of a protocol; throws {@link Unsendable} for protocols that cannot be sent. */
export function endpointOf(protocol: string): Endpoint {
  const endpoint = supported(protocolNamed(protocol)?.endpoint);
  if (endpoint) return endpoint;
  const others = protocols.flatMap(({ name, endpoint }) => (endpoint === "unsupported" ? [] : [name]));
  throw new Unsendable(
    `toollint cannot replay ${protocol} requests, which are signed or belong to no provider; it can replay ${others.join(", ")}`,
  );
}

/** The text of a request's body as recorded, all escapes undone. */
export function recordedBody({ place }: Request): string {
  const { view, start, end } = plainSpan(place.span);
  return view.read(start, end).toString("utf8");
}

/**
 * A request's body, recorded or repaired, as a draft. A gateway's envelope (`{model, project, request: {…}}`)
 * is dropped; a bare history becomes a body.
 * @throws {@link Unsendable}
 */
export function draftOf(exchange: Exchange, request: Request, text: string): RequestDraft {
  const where = `request ${exchange.number} of ${exchange.file}`;
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    throw new Unsendable(`the body of ${where} is not valid JSON: it cannot be sent`);
  }
  const keys = request.historyPointer.split("/").slice(1);
  const historyKey = keys.pop() ?? historyKeyOf(exchange.protocol);
  let body: unknown = Array.isArray(whole) ? { [historyKey]: whole } : whole;
  for (const key of keys) body = isFields(body) ? body[key] : undefined;
  if (!isFields(body)) throw new Unsendable(`the body of ${where} is not a JSON object: it cannot be sent`);
  const { model, isStreaming } = request;
  return { protocol: exchange.protocol, model, isStreaming, body, historyKey };
}

/** The member of a body that holds its history. */
export function historyKeyOf(protocol: string): string {
  return protocolNamed(protocol)?.historyKeys[0] ?? "";
}

/** A draft with more items at the end of its history. */
export function continued(draft: RequestDraft, elements: readonly unknown[]): RequestDraft {
  const history = draft.body[draft.historyKey];
  // The Responses API accepts a plain text in place of one user message.
  const before = Array.isArray(history)
    ? history
    : typeof history === "string"
      ? [{ role: "user", content: history }]
      : [];
  return { ...draft, body: { ...draft.body, [draft.historyKey]: [...before, ...elements] } };
}
