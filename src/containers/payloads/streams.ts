import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { recognizeFrames } from "./frames.ts";

/**
 * Cuts a sequence of frames into the streams of single replies: a frame that ends one is followed by the first
 * of the next; usage chunks, `[DONE]` and frames with the same reply id still belong to the stream before them.
 * `place` locates the frames' extents; `record` gives the context of the stream that begins at a frame.
 */
export function* cutStreams(
  frames: readonly Frame[],
  recognizer: Recognizer,
  place: PayloadPlace,
  record: (first: Frame) => RecordContext,
  isCut = false,
): Generator<PayloadCandidate> {
  let from = 0;
  while (from < frames.length) {
    const recognition = recognizeFrames(recognizer, frames.slice(from, from + 12), undefined);
    const first = frames[from];
    if (!first) return;
    if (!recognition) {
      from++;
      continue;
    }
    const { protocol } = recognition;
    const to = streamEnd(frames, from, protocol, recognizer);
    const part = frames.slice(from, to);
    const start = first.extent.start;
    const end = part.at(-1)?.extent.end ?? start;
    const origin = place.locateAt({ start, end });
    yield {
      ...recognition,
      record: record(first),
      start: origin.start,
      place: { ...place, origin, locate: () => origin },
      isCut: isCut && to === frames.length,
      part: "stream",
      frames: part,
      framing: "sse",
    };
    from = to;
  }
}

function streamEnd(frames: readonly Frame[], from: number, protocol: string, recognizer: Recognizer): number {
  let id: string | undefined;
  let to = from;
  let isEnded = false;
  for (; to < frames.length; to++) {
    const frame = frames[to] as Frame;
    const own = recognizer.replyId(protocol, frame);
    const isDone = frame.data.trim() === "[DONE]";
    if (to > from && own !== undefined && id !== undefined && own !== id) break;
    if (isEnded && !isDone && (own === undefined || own !== id)) break;
    id ??= own;
    if (isDone) {
      to++;
      break;
    }
    isEnded ||= recognizer.isTerminal(protocol, frame);
  }
  return to;
}
