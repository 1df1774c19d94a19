import { plainSpan, type Span } from "../../reading/place.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Frame, Frames } from "../../traffic/payload.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { ReplyCandidate } from "./copies.ts";
import { looksLikeEvents, recognizeFrames, sseFrames } from "./frames.ts";
import { type OpenStream, OpenStreams } from "./open-streams.ts";
import { joinedText } from "./segmented-text.ts";
import { streamPlace } from "./slice.ts";
import type { Claim } from "./waiting-requests.ts";

export type SegmentCandidate = Extract<PayloadCandidate, { part: "segment" }>;
type SegmentStream = OpenStream<SegmentCandidate>;

export function isSegment(candidate: PayloadCandidate): candidate is SegmentCandidate {
  return candidate.part === "segment";
}

/** Joins the segments of a record, each stream at the place of its first segment. */
export function withWholeStreams(
  record: readonly PayloadCandidate[],
  recognizer: Recognizer,
): readonly PayloadCandidate[] {
  if (!record.some(isSegment)) return record;
  const streams = new SegmentStreams(recognizer);
  for (const segment of record.filter(isSegment))
    if (!streams.goOn(segment, false)) streams.begin(segment, undefined);
  const whole = new Map(streams.end(() => true).map(({ first, reply }) => [first, reply]));
  return record.flatMap((candidate) => (isSegment(candidate) ? (whole.get(candidate) ?? []) : [candidate]));
}

/** What a segment reveals about its stream. */
interface Clues {
  readonly frames: Frames;
  readonly replyId: string | undefined;
  /** Its only content is the end mark `[DONE]`. */
  readonly isDone: boolean;
  /** A field line comes first, so it does not begin in the middle of an event. */
  readonly beginsEvent: boolean;
}

/** Streams whose records each hold a text, cut wherever the network or the logger cut it. */
export class SegmentStreams extends OpenStreams<SegmentCandidate> {
  goOn(segment: SegmentCandidate, isAwaited: boolean): boolean {
    const clues = this.cluesOf(segment);
    const stream = this.find(segment, clues, isAwaited);
    if (!stream) return false;
    const { ids } = segment.record;
    stream.parts.push(segment);
    stream.ids = new Map([...stream.ids].filter(([key, value]) => ids.get(key) === value));
    stream.replyId ??= clues.replyId;
    stream.protocol ||= segment.protocol;
    stream.isEnded ||= this.endsIn(clues, stream.protocol);
    return true;
  }

  begin(segment: SegmentCandidate, claim: Claim | undefined): void {
    const clues = this.cluesOf(segment);
    if (!segment.frames && !clues.beginsEvent) return;
    this.open.add({
      parts: [segment],
      claim,
      protocol: segment.protocol,
      replyId: clues.replyId,
      ids: segment.record.ids,
      isEnded: this.endsIn(clues, segment.protocol),
    });
  }

  /** The stream with the same reply id; else one whose records share an id with this one; else the newest. */
  private find(
    { protocol, record: { ids } }: SegmentCandidate,
    { replyId, isDone, beginsEvent }: Clues,
    isAwaited: boolean,
  ): SegmentStream | undefined {
    const fits = [...this.open].filter(
      (stream) => protocol === "" || stream.protocol === "" || protocol === stream.protocol,
    );
    const same = replyId === undefined ? undefined : fits.find((stream) => stream.replyId === replyId);
    if (same) return same;
    // After the end come only end marks and the rest of a cut end.
    const open = fits.filter(
      (stream) =>
        (!stream.isEnded || isDone || !beginsEvent) &&
        (replyId === undefined || stream.replyId === undefined),
    );
    const sharing = open.findLast((stream) => [...stream.ids].some(([key, value]) => ids.get(key) === value));
    if (sharing) return sharing;
    if (isAwaited && beginsEvent) return undefined;
    const newest = open.at(-1);
    const isElsewhere =
      newest &&
      newest.parts.length > 1 &&
      [...newest.ids].some(([key, value]) => ids.has(key) && ids.get(key) !== value);
    return isElsewhere ? undefined : newest;
  }

  protected join(segments: SegmentStream["parts"]): ReplyCandidate | undefined {
    const [first] = segments;
    if (segments.length === 1)
      return first.frames && { ...first, part: "stream", frames: first.frames, framing: "sse" };
    const { view, bytes } = joinedText(segments.map(({ place }) => place.span as Span));
    const frames = sseFrames(bytes.toString("utf8"));
    const recognition = recognizeFrames(this.recognizer, frames, first.record.url);
    if (!recognition) return undefined;
    return {
      ...recognition,
      record: first.record,
      start: first.start,
      place: streamPlace({ view, start: 0, end: bytes.length, level: 0 }),
      isCut: segments.at(-1)?.isCut ?? false,
      part: "stream",
      frames,
      framing: "sse",
    };
  }

  private cluesOf(segment: SegmentCandidate): Clues {
    const { view, start, end } = plainSpan(segment.place.span as Span);
    const text = view.read(start, end).toString("utf8");
    const frames = segment.frames ?? sseFrames(text);
    const { protocol } = segment;
    const ids = protocol === "" ? [] : frames.map((frame) => this.recognizer.replyId(protocol, frame));
    return {
      frames,
      replyId: ids.find((id) => id !== undefined),
      isDone: frames.length > 0 && frames.every(({ data }) => data.trim() === "[DONE]"),
      beginsEvent: looksLikeEvents(text),
    };
  }

  private endsIn({ frames, isDone }: Clues, protocol: string): boolean {
    // A cut event may consist of its name only; its data follows in the next segment.
    const isLast = (frame: Frame): boolean =>
      frame.value !== undefined && this.recognizer.isTerminal(protocol, frame);
    return isDone || frames.some(isLast);
  }
}
