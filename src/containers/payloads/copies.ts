import { groupBy } from "../../reading/group-by.ts";
import type { Element } from "../../reading/shared-run.ts";
import { fields, isFields } from "../../reading/values.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { RequestCopy } from "../../traffic/payload.ts";

/** Merges copies of a payload in one record: as the tool saw it and as sent, or as stream and whole reply. */

export type RequestCandidate = Extract<PayloadCandidate, { part: "request" }>;
export type EventCandidate = Extract<PayloadCandidate, { part: "event" }>;
export type ReplyCandidate = Extract<PayloadCandidate, { part: "reply" | "stream" }>;

/** The distinct requests of a record, each with the places of its copies. */
export function distinctRequests(all: readonly RequestCandidate[]): readonly RequestCandidate[] {
  const requests = wireFirst(all);
  if (requests.length < 2) return requests;
  const keys = requestKeys();
  const alike = groupBy(requests, keys.ofEnds);
  const shortened = new Set(
    [...alike].filter(([, group]) => group.length > 1 && group.some(isShortened)).map(([ends]) => ends),
  );
  const keyOf = (request: RequestCandidate): string => {
    const ends = keys.ofEnds(request);
    return (alike.get(ends)?.length ?? 0) < 2 || shortened.has(ends) ? ends : keys.ofAll(request);
  };
  return [...groupBy(requests, keyOf).values()].map(([first, ...copies]) =>
    withCopies(first as RequestCandidate, copies),
  );
}

/**
 * The distinct replies to the requests of a record. Equal texts count as one, and so do a stream and a whole
 * reply to the same request.
 */
export function distinctReplies(all: readonly ReplyCandidate[], requests: number): readonly ReplyCandidate[] {
  const whole = all.filter((reply) => reply.part === "stream" || !reply.isCount);
  const replies = wireFirst(whole.length > 0 ? whole : all);
  if (replies.length < 2) return replies;
  const byText = new Map<string, ReplyCandidate>();
  for (const reply of replies) {
    const isStream = reply.part === "stream";
    const error = isStream ? undefined : errorMessage(reply.value);
    const text = error ?? JSON.stringify(isStream ? reply.frames.map(({ data }) => data) : reply.value);
    if (!byText.has(text)) byText.set(text, reply);
  }
  const distinct = [...byText.values()];
  // Records within each other have a reply for each request.
  if (requests > 1 && distinct.length <= requests) return distinct;
  const other = distinct.findIndex(({ part }) => part !== distinct[0]?.part);
  return other < 0 ? distinct : distinct.slice(0, other);
}

/**
 * The message of an error body. An SDK keeps the body as text and, beside it, the members that its schema
 * names: `{responseBody: "{…}", data: {error: {message}}}`.
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-api-call-error
 */
function errorMessage(value: unknown): string | undefined {
  const { message } = fields(fields(value)["error"]);
  return typeof message === "string" ? message : undefined;
}

/**
 * The distinct events of a record: one may be there parsed and as text, or as a gateway got it and passed it
 * on. In a list, equal events follow each other.
 */
export function distinctEvents(events: readonly EventCandidate[]): readonly EventCandidate[] {
  if (events.length < 2) return events;
  const texts = new Set<string>();
  return events.filter(({ protocol, frame, within }) => {
    if (within === "list") return true;
    const text = `${protocol} ${JSON.stringify(frame.value)}`;
    const isCopy = texts.has(text);
    texts.add(text);
    return !isCopy;
  });
}

/** The wire form takes precedence over a tool's report of it in the same record. */
function wireFirst<T extends PayloadCandidate>(list: readonly T[]): readonly T[] {
  const wire = list.filter(({ fidelity }) => fidelity === "wire");
  return wire.length > 0 ? wire : list;
}

/** The request with the places of its copies added. */
export function withCopies(request: RequestCandidate, copies: readonly RequestCandidate[]): RequestCandidate {
  if (copies.length === 0) return request;
  const added = copies.map(
    ({ place, body }): RequestCopy => ({
      place,
      history: [request.body.historyPointer ?? "", body.historyPointer ?? ""],
    }),
  );
  return { ...request, copies: [...(request.copies ?? []), ...added] };
}

/** Whether requests are equal: same protocol, and equal histories. */
export function isSameRequest(a: RequestCandidate, b: RequestCandidate): boolean {
  const { ofEnds, ofAll } = requestKeys();
  return ofEnds(a) === ofEnds(b) && (isShortened(a) || isShortened(b) || ofAll(a) === ofAll(b));
}

/** Whether the tool that kept the request wrote something else, such as dots, for a part of its history. */
function isShortened({ body: { run } }: RequestCandidate): boolean {
  for (let place = 0; place < (run?.length ?? 0); place++)
    if (!isFields(run?.element(place).value)) return true;
  return false;
}

/**
 * Functions that give copies the same key, so that requests need no pairwise comparison. Most requests differ
 * in the length, the first or the last element of their histories, and need not be read further; those of
 * one agent begin with one prompt, and many end with the same words.
 */
function requestKeys(): Readonly<Record<"ofEnds" | "ofAll", (request: RequestCandidate) => string>> {
  const numbers = new Map<string, number>();
  const known = new Map<Element, number>();
  const numberOf = (value: unknown): number => {
    const text = JSON.stringify(value) ?? "";
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const elementNumber = (element: Element): number => {
    const number = known.get(element) ?? numberOf(element.value);
    known.set(element, number);
    return number;
  };
  const keyBy =
    (places: (length: number) => readonly number[]) =>
    ({ protocol, body: { run, fields } }: RequestCandidate): string => {
      const marks =
        run && run.length > 0
          ? places(run.length).map((place) => elementNumber(run.element(place)))
          : [numberOf(fields)];
      return [protocol, run?.length, ...marks].join(" ");
    };
  return {
    ofEnds: keyBy((length) => [0, length - 1]),
    ofAll: keyBy((length) => Array.from({ length }, (_, place) => place)),
  };
}
