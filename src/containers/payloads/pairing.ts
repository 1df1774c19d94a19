import type { Element } from "../../reading/shared.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Frame, RequestCopy } from "../../traffic/payload.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { begun, continued, isPiece, joined, type PiecedStream, withWholeStreams } from "./segment-streams.ts";

type RequestCandidate = Extract<PayloadCandidate, { part: "request" }>;
type ReplyCandidate = Extract<PayloadCandidate, { part: "reply" | "stream" }>;
type EventCandidate = Extract<PayloadCandidate, { part: "event" }>;

/** A request and the reply that belongs to it; one of them may be missing. */
export interface Pair {
  readonly request?: RequestCandidate;
  readonly reply?: ReplyCandidate;
  /** How the two were found to belong together: they stand in one record, carry the same id, or follow each other. */
  readonly by?: "record" | "id" | "order";
}

/** A request, and by what it was found. */
interface Claim {
  readonly request: RequestCandidate;
  readonly by: "id" | "order";
}

/** The events of one reply, in the order of the log. */
interface OpenStream {
  readonly events: [EventCandidate, ...EventCandidate[]];
  /** The reply that they belong to, as soon as one of them says so. */
  id: string | undefined;
  /** A stream answers what was waiting when it began: later requests may stand in the log before its end is known. */
  readonly claimed: Claim | undefined;
}

/** So many requests may wait for their replies at once, and so many streams be under way; real clients have a dozen. */
const maxWaiting = 64;

/**
 * Pairs requests with replies: within one record; across records by an id that both carry; else by order.
 * Events that stand alone are gathered into streams first. A payload that one record holds twice is one payload.
 */
export function* pairUp(candidates: Iterable<PayloadCandidate>, recognizer: Recognizer): Generator<Pair> {
  let early: Pair | undefined;
  let count = 0;
  for (const pair of pairInOrder(candidates, recognizer)) {
    // People paste the error first, and then the request that met with it.
    if (++count === 1 && !pair.request && isBareError(pair.reply)) {
      early = pair;
      continue;
    }
    if (early && count === 2 && pair.request && !pair.reply) {
      early = { ...pair, ...early, by: "order" };
      continue;
    }
    if (early && count > 2 && early.request) {
      // There is more in the log, so that it is no such paste.
      yield { reply: early.reply as ReplyCandidate };
      yield { request: early.request };
      early = undefined;
    } else if (early) {
      yield early;
      early = undefined;
    }
    yield pair;
  }
  if (early) yield early;
}

/** An error by itself, of which nothing tells when and to whom it was said. */
function isBareError(reply: ReplyCandidate | undefined): boolean {
  return (
    reply?.part === "reply" &&
    reply.certainty < 0.5 &&
    reply.record.url === undefined &&
    reply.record.ids.size === 0
  );
}

function* pairInOrder(candidates: Iterable<PayloadCandidate>, recognizer: Recognizer): Generator<Pair> {
  const waiting: RequestCandidate[] = [];
  const streams = new Set<OpenStream>();
  const inPieces = new Set<PiecedStream<Claim>>();

  const settle = function* (reply: ReplyCandidate, known?: Claim): Generator<Pair> {
    const claimed = known ?? claim(waiting, reply);
    // Everybody's errors look alike: one from an address that is no model's is not a model's.
    if (claimed || reply.certainty >= 0.5 || (!isBare(reply) && reply.record.url === undefined))
      yield { ...claimed, reply };
  };

  const endStream = function* (stream: OpenStream): Generator<Pair> {
    streams.delete(stream);
    const gathered = gather(stream.events);
    if (gathered) yield* settle(gathered, stream.claimed);
  };

  const endPieces = function* (stream: PiecedStream<Claim>): Generator<Pair> {
    inPieces.delete(stream);
    const whole = joined(stream, recognizer);
    if (whole) yield* settle(whole, stream.claimed);
    // What cannot be put together after all answers nothing, and its request stays.
    else if (stream.claimed) yield { request: stream.claimed.request };
  };

  for (const found of records(candidates)) {
    const isAsking = found.some(({ part }) => part === "request");
    const record = isAsking ? withWholeStreams(found, recognizer) : found;
    const requests = withoutTwinRequests(
      wireFirst(record.filter((candidate) => candidate.part === "request")),
    );
    const own = record.map((candidate) => lastEvent(candidate, streams, recognizer) ?? candidate);
    const pieces = isAsking ? [] : own.filter(isPiece);
    const replies = withoutTwinReplies(
      wireFirst(
        own
          .filter((candidate) => candidate.part === "reply" || candidate.part === "stream")
          .filter((candidate) => !pieces.some((piece) => piece === candidate)),
      ),
    );
    const events = own.filter((candidate) => candidate.part === "event");

    // A request between two events means that the stream before it is over, unless ids say otherwise.
    if (requests.length > 0 && events.length === 0) {
      for (const stream of [...streams]) if (stream.id === undefined) yield* endStream(stream);
    }
    if (requests.length > 0)
      for (const stream of [...inPieces]) if (stream.claimed?.by !== "id") yield* endPieces(stream);
    const paired = Math.min(requests.length, replies.length);
    const asking = requests.slice(0, paired).map((request) => forgetTwin(waiting, request));
    for (const [place, request] of asking.entries())
      yield { request, reply: replies[place] as ReplyCandidate, by: "record" };
    for (const request of requests.slice(paired)) {
      waiting.push(request);
      if (waiting.length > maxWaiting) yield { request: waiting.shift() as RequestCandidate };
    }
    for (const reply of replies.slice(paired)) yield* settle(reply);
    for (const piece of pieces) {
      const isAwaited = waiting.some((request) => sharesId(request.record, piece.record, waiting));
      if (continued([...inPieces], piece, recognizer, isAwaited)) continue;
      for (const stream of [...inPieces]) if (stream.isEnded) yield* endPieces(stream);
      const stream = begun(piece, piece.part === "stream" ? claim(waiting, piece) : undefined, recognizer);
      if (stream) inPieces.add(stream);
      const [oldest] = inPieces;
      if (oldest && inPieces.size > maxWaiting) yield* endPieces(oldest);
    }
    for (const event of events) {
      const id = recognizer.replyId(event.protocol, event.frame);
      let stream = streamOf([...streams], event, id);
      if (stream) {
        stream.events.push(event);
        stream.id ??= id;
      } else {
        stream = { events: [event], id, claimed: claim(waiting, event) };
        streams.add(stream);
      }
      if (recognizer.isTerminal(event.protocol, event.frame)) yield* endStream(stream);
      const [oldest] = streams;
      if (oldest && streams.size > maxWaiting) yield* endStream(oldest);
    }
  }
  for (const stream of [...streams]) yield* endStream(stream);
  for (const stream of [...inPieces]) yield* endPieces(stream);
  for (const request of waiting) yield { request };
}

/** The last event of some streams looks like a whole reply (Ollama's `done: true`, a Gemini chunk with its reason): with its stream open, it is an event. */
function lastEvent(
  candidate: PayloadCandidate,
  streams: ReadonlySet<OpenStream>,
  recognizer: Recognizer,
): EventCandidate | undefined {
  const isOpen = ({ events }: OpenStream): boolean => events[0].protocol === candidate.protocol;
  if (candidate.part !== "reply" || ![...streams].some(isOpen)) return undefined;
  const data = JSON.stringify(candidate.value);
  const frame: Frame = { value: candidate.value, data, extent: { start: 0, end: data.length } };
  return recognizer.isTerminal(candidate.protocol, frame)
    ? { ...candidate, part: "event", frame }
    : undefined;
}

function* records(candidates: Iterable<PayloadCandidate>): Generator<PayloadCandidate[]> {
  let record: PayloadCandidate[] = [];
  for (const candidate of candidates) {
    if (record[0] && !isSameRecord(record[0].record, candidate.record)) {
      yield record;
      record = [];
    }
    record.push(candidate);
  }
  if (record.length > 0) yield record;
}

/** A span of a record stands for itself. */
function isSameRecord(a: RecordContext, b: RecordContext): boolean {
  return a.index === b.index && a.span === b.span;
}

/** What was sent beats a tool's report of it in the same record. */
function wireFirst<T extends PayloadCandidate>(list: readonly T[]): T[] {
  const wire = list.filter(({ fidelity }) => fidelity === "wire");
  return wire.length > 0 ? wire : [...list];
}

/** A tracing tool may tell of a run twice in one batch: when it begins, and when its reply is there. */
function forgetTwin(waiting: RequestCandidate[], request: RequestCandidate): RequestCandidate {
  const twin = waiting.findIndex(
    (earlier) =>
      earlier.record.index === request.record.index &&
      earlier.record.span !== request.record.span &&
      sameRequest(earlier, request),
  );
  return twin < 0 ? request : withCopies(request, waiting.splice(twin, 1));
}

function isBare(reply: ReplyCandidate | EventCandidate): boolean {
  return reply.part === "reply" && (reply.isBare === true || reply.isRefusal === true);
}

/** The waiting request that a reply answers, taken off the list. */
function claim(waiting: RequestCandidate[], reply: ReplyCandidate | EventCandidate): Claim | undefined {
  const fits = waiting.filter((request) => isBare(reply) || mayAnswer(request, reply));
  const byId = fits.filter((request) => sharesId(request.record, reply.record, fits));
  const chosen =
    byId[0] ?? (isBare(reply) ? undefined : byOrder(fits.filter((request) => !isElsewhere(request, reply))));
  if (!chosen) return undefined;
  waiting.splice(waiting.indexOf(chosen), 1);
  return { request: chosen, by: byId[0] ? "id" : "order" };
}

/** An error body looks the same in several protocols, so its protocol proves nothing. */
function mayAnswer(request: RequestCandidate, reply: ReplyCandidate | EventCandidate): boolean {
  return request.protocol === reply.protocol || reply.certainty < 0.5 || request.certainty < 0.65;
}

/** Everybody's errors look alike: one from another address that is no model's answers no model's request. */
function isElsewhere(request: RequestCandidate, reply: ReplyCandidate | EventCandidate): boolean {
  return reply.certainty < 0.5 && reply.record.url !== undefined && reply.record.url !== request.record.url;
}

function sharesId(
  request: RecordContext,
  reply: RecordContext,
  rivals: readonly RequestCandidate[],
): boolean {
  for (const [key, value] of reply.ids) {
    if (request.ids.get(key) !== value) continue;
    // An id that several requests carry (a session, a trace) joins nothing.
    if (rivals.filter((rival) => rival.record.ids.get(key) === value).length === 1) return true;
  }
  return false;
}

/** The oldest request waits longest; but one that was sent again, or gone on from, will not be answered any more. */
function byOrder(waiting: readonly RequestCandidate[]): RequestCandidate | undefined {
  return waiting.find(
    (request, place) => !waiting.slice(place + 1).some((later) => goesOnFrom(request, later)),
  );
}

/** Whether the later history begins with the whole earlier one, told by its ends. */
function goesOnFrom(
  { body: { run: before } }: RequestCandidate,
  { body: { run: after } }: RequestCandidate,
): boolean {
  if (!before || !after || before.length === 0 || after.length < before.length) return false;
  return [0, before.length - 1].every((index) => sameElement(before.element(index), after.element(index)));
}

/** Short histories are not kept for sharing, so that equal elements may be two objects. */
function sameElement(a: Element, b: Element): boolean {
  return a === b || JSON.stringify(a.value) === JSON.stringify(b.value);
}

/** The requests of a record, each with the places of its copies. */
function withoutTwinRequests(all: readonly RequestCandidate[]): readonly RequestCandidate[] {
  if (all.length < 2) return all;
  const likeness = likenesses();
  const alike = new Map<string, [RequestCandidate, ...RequestCandidate[]]>();
  for (const request of all) {
    const key = likeness(request);
    const twins = alike.get(key);
    if (twins) twins.push(request);
    else alike.set(key, [request]);
  }
  return [...alike.values()].map(([first, ...twins]) => withCopies(first, twins));
}

/** Gives requests the same key that {@link sameRequest} calls the same: a record may hold too many to compare each with each. */
function likenesses(): (request: RequestCandidate) => string {
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
  return ({ protocol, body: { run, fields } }) => {
    const told =
      run && run.length > 0
        ? [run.element(0), run.element(run.length - 1)].map(elementNumber)
        : [numberOf(fields)];
    return [protocol, run?.length, ...told].join(" ");
  };
}

/** The replies of a record, each once: a stream and a whole reply are one in two forms, and so are two that say the same. */
function withoutTwinReplies(all: readonly ReplyCandidate[]): readonly ReplyCandidate[] {
  if (all.length < 2) return all;
  const parts = new Set<string>();
  const texts = new Set<string>();
  return all.filter((reply) => {
    const isStream = reply.part === "stream";
    const text = JSON.stringify(isStream ? reply.frames.map(({ data }) => data) : reply.value);
    const isTwin = parts.has(isStream ? "reply" : "stream") || texts.has(text);
    parts.add(reply.part);
    texts.add(text);
    return !isTwin;
  });
}

/** The request, with the places of its copies. */
function withCopies(request: RequestCandidate, others: readonly RequestCandidate[]): RequestCandidate {
  if (others.length === 0) return request;
  const copies = others.map(
    ({ place, body }): RequestCopy => ({
      place,
      history: [request.body.historyPointer ?? "", body.historyPointer ?? ""],
    }),
  );
  return { ...request, copies: [...(request.copies ?? []), ...copies] };
}

function sameRequest(a: RequestCandidate, b: RequestCandidate): boolean {
  const [left, right] = [a.body.run, b.body.run];
  if (a.protocol !== b.protocol || left?.length !== right?.length) return false;
  if (left && right && left.length > 0)
    return [0, left.length - 1].every((index) => sameElement(left.element(index), right.element(index)));
  return JSON.stringify(a.body.fields) === JSON.stringify(b.body.fields);
}

/** The stream that an event continues: the one with its reply id, else the newest of its protocol. */
function streamOf(
  streams: readonly OpenStream[],
  event: EventCandidate,
  id: string | undefined,
): OpenStream | undefined {
  const same = streams.filter(({ events }) => events[0].protocol === event.protocol);
  if (id !== undefined)
    return same.find((stream) => stream.id === id) ?? same.find((stream) => stream.id === undefined);
  const { ids } = event.record;
  const joined = same.filter(({ events }) =>
    [...ids].some(([key, value]) => events[0].record.ids.get(key) === value),
  );
  return joined.at(-1) ?? same.at(-1);
}

/** Events as one stream. Its positions count through the events' data, one after the other. */
function gather(stream: OpenStream["events"]): ReplyCandidate | undefined {
  const [first] = stream;
  // Words that all have, such as `finish` and `step-start`, make no stream by themselves.
  if (!stream.some(({ certainty }) => certainty >= 0.5)) return undefined;
  const frames: Frame[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const { frame } of stream) {
    starts.push(at);
    frames.push({ ...frame, extent: { start: at, end: at + frame.data.length } });
    at += frame.data.length + 1;
  }
  const eventAt = (position: number): EventCandidate =>
    stream[starts.findLastIndex((start) => start <= position)] ?? first;
  return {
    ...first,
    part: "stream",
    frames,
    framing: "ndjson",
    place: {
      ...first.place,
      get origin() {
        return { ...first.place.origin, end: stream.at(-1)?.place.origin.end ?? first.place.origin.end };
      },
      locateAt: (extent) => {
        const from = eventAt(extent.start).place.origin;
        return {
          ...from,
          end: Math.max(from.end, eventAt(Math.max(extent.start, extent.end - 1)).place.origin.end),
        };
      },
    },
    isCut: stream.at(-1)?.isCut ?? false,
  };
}
