import { groupBy } from "../../reading/group-by.ts";
import { fields, isFields } from "../../reading/values.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import {
  distinctEvents,
  distinctReplies,
  distinctRequests,
  type EventCandidate,
  type ReplyCandidate,
  type RequestCandidate,
} from "./copies.ts";
import { EventStreams } from "./event-streams.ts";
import type { EndedStream } from "./open-streams.ts";
import { isSegment, type SegmentCandidate, SegmentStreams, withWholeStreams } from "./segment-streams.ts";
import { type Claim, isBare, WaitingRequests } from "./waiting-requests.ts";

/** A request and its reply; one of them may be missing. */
export interface Pair {
  readonly request?: RequestCandidate;
  readonly reply?: ReplyCandidate;
  /** How the two were matched: they share a record or an id, or follow each other. */
  readonly by?: "record" | "id" | "order";
}

/**
 * Pairs requests with replies: within a record, then by an id that both carry, else by order. Events with
 * records of their own are first joined to streams, and copies of a payload within a record are merged.
 */
export function* pairUp(candidates: Iterable<PayloadCandidate>, recognizer: Recognizer): Generator<Pair> {
  const held: Pair[] = [];
  let isPaste = true;
  for (const pair of pairInOrder(candidates, recognizer)) {
    if (isPaste) held.push(pair);
    else yield pair;
    if (held.length <= 2) continue;
    isPaste = false;
    yield* held.splice(0);
  }
  yield* asPasted(held);
}

/**
 * All that a log holds, if that is a request and what somebody pasted with it: the error that it caused,
 * often before it, or the message of the model, behind it.
 */
function asPasted(pairs: readonly Pair[]): readonly Pair[] {
  const [{ reply, ...others } = {}, { request, reply: own } = {}] = pairs;
  if (!reply || others.request || !request || own) return pairs;
  if (isBareError(reply)) return [{ request, reply, by: "order" }];
  return isLone(reply) && answers(reply, request)
    ? [{ request, reply: { ...reply, isLone: false }, by: "order" }]
    : pairs;
}

/** Whether a message that stands alone may answer a request: it comes after it, and was not sent in it. */
function answers(reply: PayloadCandidate & { readonly part: "reply" }, request: RequestCandidate): boolean {
  if (reply.protocol !== request.protocol || reply.start < request.start) return false;
  const { view, start, end } = request.body.place.span;
  const sent = view.read(start, end).toString("utf8");
  // The values that tell one message from another, as JSON has them: ids, arguments, words.
  const strings = JSON.stringify(reply.value).match(/"(?:[^"\\]|\\.)*":?/g) ?? [];
  const own = strings.filter((text) => text.length > 4 && !/:$|^"[a-z_]*"$/.test(text));
  return !own.every((text) => sent.includes(text));
}

/** An error without a url or an id to link it to a request. */
function isBareError(reply: ReplyCandidate | undefined): boolean {
  return (
    reply?.part === "reply" &&
    reply.isLone !== true &&
    (reply.certainty < threshold.leading || isFields(fields(reply.value)["error"])) &&
    reply.record.url === undefined &&
    reply.record.ids.size === 0
  );
}

/** Whether a candidate is a message without its exchange, which nothing in the log asks for. */
function isLone(candidate: PayloadCandidate): candidate is PayloadCandidate & { readonly part: "reply" } {
  return candidate.part === "reply" && candidate.isLone === true;
}

function* pairInOrder(candidates: Iterable<PayloadCandidate>, recognizer: Recognizer): Generator<Pair> {
  const pairing = new Pairing(recognizer);
  let part: number | undefined;
  for (const record of records(candidates)) {
    const own = record[0]?.record.part;
    if (own !== part) yield* pairing.finish();
    part = own;
    yield* pairing.takeRecord(record);
  }
  yield* pairing.finish();
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

/**
 * The replies in the order of their requests. A proxy's record holds two exchanges, with its client and with
 * the provider: the client's request comes first and its reply last. If they speak two APIs, these tell.
 */
function inOrderOf(
  requests: readonly RequestCandidate[],
  replies: readonly ReplyCandidate[],
): readonly ReplyCandidate[] {
  if (requests.length < 2 || requests.length !== replies.length) return replies;
  const byProtocol = groupBy(replies, ({ protocol }) => protocol);
  const rest = new Map(Array.from(byProtocol, ([protocol, own]) => [protocol, own.values()]));
  const ordered = requests.map(({ protocol }) => rest.get(protocol)?.next().value);
  return ordered.every((reply) => reply !== undefined) ? ordered : replies;
}

/** Each span of a record counts as a record. */
export function isSameRecord(a: RecordContext, b: RecordContext): boolean {
  return a.index === b.index && a.span === b.span && a.part === b.part;
}

/** The state while a log is walked: requests without a reply, and replies that may still grow. */
class Pairing {
  private readonly recognizer: Recognizer;
  private readonly waiting: WaitingRequests;
  private readonly events: EventStreams;
  private readonly segments: SegmentStreams;

  constructor(recognizer: Recognizer) {
    this.recognizer = recognizer;
    this.waiting = new WaitingRequests(recognizer);
    this.events = new EventStreams(recognizer);
    this.segments = new SegmentStreams(recognizer);
  }

  *takeRecord(candidates: readonly PayloadCandidate[]): Generator<Pair> {
    const [only] = candidates;
    // Most records of long logs hold one request.
    if (only?.part === "request" && candidates.length === 1) {
      if (this.events.areOpen || this.segments.areOpen) yield* this.interrupt();
      yield* this.wait(only);
      return;
    }
    const found = candidates.filter((candidate) => !isLone(candidate));
    yield* candidates.filter(isLone).map((reply) => ({ reply }));
    const hasRequest = found.some(({ part }) => part === "request");
    const record = this.events.withLastEvents(hasRequest ? withWholeStreams(found, this.recognizer) : found);
    const requests = distinctRequests(record.filter((candidate) => candidate.part === "request"));
    const segments = record.filter(isSegment);
    const events = distinctEvents(record.filter((candidate) => candidate.part === "event"));
    const replies = distinctReplies(
      record.filter((candidate) => candidate.part === "reply" || candidate.part === "stream"),
      requests.length,
    );
    // Some loggers repeat the request with each event.
    const isNew = requests.length > 0 && (events.length === 0 || !this.events.goesOnFor(requests));
    if (isNew) yield* this.interrupt();
    yield* this.pairWithin(requests, inOrderOf(requests, replies));
    for (const segment of segments) yield* this.takeSegment(segment);
    for (const event of events) yield* this.takeEvent(event, isNew);
  }

  *finish(): Generator<Pair> {
    yield* this.settleAll(this.events.end(() => true));
    yield* this.settleAll(this.segments.end(() => true));
    for (const request of this.waiting.takeAll()) yield { request };
  }

  /** A request between two parts ends the stream before it, unless ids say otherwise. */
  private *interrupt(): Generator<Pair> {
    yield* this.settleAll(this.events.end(({ replyId }) => replyId === undefined));
    yield* this.settleAll(this.segments.end(({ claim }) => claim?.by !== "id"));
  }

  private *pairWithin(
    requests: readonly RequestCandidate[],
    replies: readonly ReplyCandidate[],
  ): Generator<Pair> {
    const paired = Math.min(requests.length, replies.length);
    const asking = requests.slice(0, paired).map((request) => this.waiting.withEarlierCopy(request));
    for (const [place, request] of asking.entries())
      yield { request, reply: replies[place] as ReplyCandidate, by: "record" };
    for (const request of requests.slice(paired)) yield* this.wait(request);
    for (const reply of replies.slice(paired)) yield* this.settle(reply, this.waiting.claim(reply));
  }

  private *wait(request: RequestCandidate): Generator<Pair> {
    this.waiting.add(request);
    for (const given of this.waiting.giveUp()) yield { request: given };
  }

  private *takeSegment(segment: SegmentCandidate): Generator<Pair> {
    if (this.segments.goOn(segment, this.waiting.awaits(segment.record))) return;
    yield* this.settleAll(this.segments.end(({ isEnded }) => isEnded));
    this.segments.begin(segment, segment.frames ? this.waiting.claim(segment) : undefined);
    yield* this.settleAll(this.segments.endOldest());
  }

  private *takeEvent(event: EventCandidate, isOfNewRequest: boolean): Generator<Pair> {
    if (!this.events.goOn(event, isOfNewRequest)) this.events.begin(event, this.waiting.claim(event));
    yield* this.settleAll(this.events.end(({ isEnded }) => isEnded));
    yield* this.settleAll(this.events.endOldest());
  }

  private *settleAll(streams: readonly EndedStream[]): Generator<Pair> {
    for (const { first, reply, claim } of streams) {
      if (reply) yield* this.settle(reply, claim ?? this.waiting.claim(reply));
      // The parts made no stream, so the request has no reply.
      else if (claim) yield { request: claim.request };
      else this.waiting.noteUnknown(first);
    }
  }

  private *settle(reply: ReplyCandidate, claim: Claim | undefined): Generator<Pair> {
    // All services have similar errors, so one from an address that is no model's is ignored.
    if (claim || reply.certainty >= threshold.leading || (!isBare(reply) && reply.record.url === undefined))
      yield { ...claim, reply };
  }
}
