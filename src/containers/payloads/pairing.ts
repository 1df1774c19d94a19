import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { distinctReplies, distinctRequests, type ReplyCandidate, type RequestCandidate } from "./copies.ts";
import { type EventCandidate, EventStreams } from "./event-streams.ts";
import type { EndedStream } from "./open-streams.ts";
import { isSegment, type SegmentCandidate, SegmentStreams, withWholeStreams } from "./segment-streams.ts";
import { type Claim, isBare, WaitingRequests } from "./waiting-requests.ts";

/** A request and the reply that belongs to it; one of them may be missing. */
export interface Pair {
  readonly request?: RequestCandidate;
  readonly reply?: ReplyCandidate;
  /**
   * How the two were found to belong together: they stand in one record, carry the same id, or follow each
   * other.
   */
  readonly by?: "record" | "id" | "order";
}

/**
 * Pairs requests with replies: within one record; across records by an id that both carry; else by order.
 * Events that stand alone are gathered into streams first. A payload that one record holds twice is one
 * payload.
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
    reply.certainty < threshold.leading &&
    reply.record.url === undefined &&
    reply.record.ids.size === 0
  );
}

function* pairInOrder(candidates: Iterable<PayloadCandidate>, recognizer: Recognizer): Generator<Pair> {
  const pairing = new Pairing(recognizer);
  for (const record of records(candidates)) yield* pairing.takeRecord(record);
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

/** A span of a record stands for itself. */
function isSameRecord(a: RecordContext, b: RecordContext): boolean {
  return a.index === b.index && a.span === b.span;
}

/** What is open while a log is walked: requests without their replies, and replies of which more may come. */
class Pairing {
  private readonly recognizer: Recognizer;
  private readonly waiting = new WaitingRequests();
  private readonly events: EventStreams;
  private readonly segments: SegmentStreams;

  constructor(recognizer: Recognizer) {
    this.recognizer = recognizer;
    this.events = new EventStreams(recognizer);
    this.segments = new SegmentStreams(recognizer);
  }

  *takeRecord(found: readonly PayloadCandidate[]): Generator<Pair> {
    const hasRequest = found.some(({ part }) => part === "request");
    const record = (hasRequest ? withWholeStreams(found, this.recognizer) : found).map(
      (candidate) => this.events.asLastEvent(candidate) ?? candidate,
    );
    const requests = distinctRequests(record.filter((candidate) => candidate.part === "request"));
    const segments = record.filter(isSegment);
    const events = record.filter((candidate) => candidate.part === "event");
    const replies = distinctReplies(
      record.filter((candidate) => candidate.part === "reply" || candidate.part === "stream"),
    );
    if (requests.length > 0) yield* this.interrupt(events.length > 0);
    yield* this.pairWithin(requests, replies);
    for (const segment of segments) yield* this.takeSegment(segment);
    for (const event of events) yield* this.takeEvent(event);
  }

  *finish(): Generator<Pair> {
    yield* this.settleAll(this.events.end(() => true));
    yield* this.settleAll(this.segments.end(() => true));
    for (const request of this.waiting.takeAll()) yield { request };
  }

  /** A request between two parts means that the stream before it is over, unless ids say otherwise. */
  private *interrupt(hasEvents: boolean): Generator<Pair> {
    if (!hasEvents) yield* this.settleAll(this.events.end(({ replyId }) => replyId === undefined));
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
    for (const request of requests.slice(paired)) {
      this.waiting.add(request);
      for (const given of this.waiting.giveUp()) yield { request: given };
    }
    for (const reply of replies.slice(paired)) yield* this.settle(reply, this.waiting.claim(reply));
  }

  private *takeSegment(segment: SegmentCandidate): Generator<Pair> {
    if (this.segments.goOn(segment, this.waiting.awaits(segment.record))) return;
    yield* this.settleAll(this.segments.end(({ isEnded }) => isEnded));
    this.segments.begin(segment, segment.frames ? this.waiting.claim(segment) : undefined);
    yield* this.settleAll(this.segments.endOldest());
  }

  private *takeEvent(event: EventCandidate): Generator<Pair> {
    if (!this.events.goOn(event)) this.events.begin(event, this.waiting.claim(event));
    yield* this.settleAll(this.events.end(({ isEnded }) => isEnded));
    yield* this.settleAll(this.events.endOldest());
  }

  private *settleAll(streams: readonly EndedStream[]): Generator<Pair> {
    for (const { reply, claim } of streams) {
      if (reply) yield* this.settle(reply, claim ?? this.waiting.claim(reply));
      // What makes no stream after all answers nothing, and its request stays.
      else if (claim) yield { request: claim.request };
    }
  }

  private *settle(reply: ReplyCandidate, claim: Claim | undefined): Generator<Pair> {
    // Everybody's errors look alike: one from an address that is no model's is not a model's.
    if (claim || reply.certainty >= threshold.leading || (!isBare(reply) && reply.record.url === undefined))
      yield { ...claim, reply };
  }
}
