import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Frame } from "../../traffic/payload.ts";
import { type EventCandidate, isSameRequest, type ReplyCandidate, type RequestCandidate } from "./copies.ts";
import { type OpenStream, OpenStreams } from "./open-streams.ts";
import type { Claim } from "./waiting-requests.ts";

/** Streams whose events have one record each. */
export class EventStreams extends OpenStreams<EventCandidate> {
  goOn(event: EventCandidate, isOfNewRequest: boolean): boolean {
    const replyId = this.recognizer.replyId(event.protocol, event.frame);
    const stream = this.find(event, replyId, isOfNewRequest);
    if (!stream) return false;
    stream.parts.push(event);
    stream.replyId ??= replyId;
    stream.isEnded = this.isLast(event);
    return true;
  }

  /** Whether the newest stream answers one of the requests, or is not known to answer another. */
  goesOnFor(requests: readonly RequestCandidate[]): boolean {
    const claim = [...this.open].at(-1)?.claim;
    return !claim || requests.some((request) => isSameRequest(claim.request, request));
  }

  begin(event: EventCandidate, claim: Claim | undefined): void {
    this.open.add({
      parts: [event],
      claim,
      protocol: event.protocol,
      replyId: this.recognizer.replyId(event.protocol, event.frame),
      ids: event.record.ids,
      isEnded: this.isLast(event),
    });
  }

  /**
   * The candidates of a record, in which the last event of a stream is one. That of some streams looks like a
   * whole reply (Ollama's `done: true`, a Gemini chunk with its finish reason): it is an event while a stream
   * is open, which an earlier record or this one began.
   */
  withLastEvents(candidates: readonly PayloadCandidate[]): readonly PayloadCandidate[] {
    const open = [...this.open].map(({ protocol, replyId }) => ({ protocol, replyId }));
    return candidates.map((candidate) => {
      const { protocol } = candidate;
      const isOpen = open.some((stream) => stream.protocol === protocol);
      const event = candidate.part === "reply" && isOpen ? asEvent(candidate) : candidate;
      if (event.part !== "event") return candidate;
      const isLast = this.isLast(event);
      if (event !== candidate && !isLast) return candidate;
      const replyId = this.recognizer.replyId(protocol, event.frame);
      const own = open.findIndex((stream) => stream.protocol === protocol && stream.replyId === replyId);
      if (isLast && own >= 0) open.splice(own, 1);
      else if (!isLast && own < 0) open.push({ protocol, replyId });
      return event;
    });
  }

  private isLast({ protocol, frame }: EventCandidate): boolean {
    return this.recognizer.isTerminal(protocol, frame);
  }

  /**
   * The stream with the event's reply id; without one, a stream with a common record id, else the newest. An
   * id that no stream has belongs to the only stream that is open, if the event can begin none. The event
   * beside a new request begins a stream, unless ids say otherwise.
   */
  private find(
    event: EventCandidate,
    replyId: string | undefined,
    isOfNewRequest: boolean,
  ): OpenStream<EventCandidate> | undefined {
    const same = [...this.open].filter(({ protocol }) => protocol === event.protocol);
    if (replyId !== undefined)
      return (
        same.find((stream) => stream.replyId === replyId) ??
        (isOfNewRequest ? undefined : same.find(({ replyId: id }) => id === undefined)) ??
        (same.length === 1 && !isOfNewRequest ? same : []).find(({ parts }) => {
          const last = parts.at(-1)?.frame ?? parts[0].frame;
          return this.recognizer.continuesReply(event.protocol, event.frame, { first: parts[0].frame, last });
        })
      );
    const { ids } = event.record;
    const sharing = same.findLast((stream) => [...ids].some(([key, value]) => stream.ids.get(key) === value));
    return sharing ?? (isOfNewRequest ? undefined : same.at(-1));
  }

  /** Joins events to one stream. Positions count through their data, separated by one character. */
  protected join(events: OpenStream<EventCandidate>["parts"]): ReplyCandidate | undefined {
    // Generic event names such as `finish` and `step-start` alone do not make a stream.
    if (!events.some(({ certainty }) => certainty >= threshold.leading)) return undefined;
    const [first] = events;
    const last = events.at(-1) ?? first;
    const frames: Frame[] = [];
    let at = 0;
    for (const { frame } of events) {
      frames.push({ ...frame, extent: { start: at, end: at + frame.data.length } });
      at += frame.data.length + 1;
    }
    const excerpt = excerptOf(events);
    const eventAt = (position: number): EventCandidate =>
      events[frames.findLastIndex(({ extent }) => extent.start <= position)] ?? first;
    return {
      ...first,
      part: "stream",
      frames,
      framing: "ndjson",
      place: {
        span: first.place.span,
        locate: (pointer) => first.place.locate(pointer),
        get origin() {
          return { ...first.place.origin, end: last.place.origin.end };
        },
        locateAt: ({ start, end }) => {
          const from = eventAt(start).place.origin;
          const to = eventAt(Math.max(start, end - 1)).place.origin;
          return { ...from, end: Math.max(from.end, to.end) };
        },
      },
      // What Node left out of a chunk, the reply lacks.
      isCut: events.some((event) => event.isCut),
      ...(excerpt && { excerpt }),
    };
  }
}

function asEvent(reply: PayloadCandidate & { readonly part: "reply" }): EventCandidate {
  const data = JSON.stringify(reply.value);
  return {
    ...reply,
    part: "event",
    frame: { value: reply.value, data, extent: { start: 0, end: data.length } },
  };
}

function excerptOf(events: readonly EventCandidate[]): "record" | "blocks" | "mixed" | undefined {
  if (events.every(({ within }) => within === "block")) return "blocks";
  const isOfOne = ({ record, within }: EventCandidate): boolean =>
    within !== "list" && record.index === events[0]?.record.index;
  if (events.every(isOfOne)) return "record";
  const leavesGap = ({ record }: EventCandidate, place: number): boolean => {
    const before = events[place - 1]?.record.index ?? record.index;
    return record.index > before + 1;
  };
  return events.some(leavesGap) ? "mixed" : undefined;
}
