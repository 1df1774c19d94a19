import { plainText } from "../../reading/escapes.ts";
import { originOf, type Span } from "../../reading/place.ts";
import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { RecognizedPayload, Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { codedFrames, looksCoded, ndjsonFrames, recognizeFrames, sseFrames } from "./frames.ts";
import { peekAt } from "./peek.ts";
import { isCut, type Slice, spanOf, streamPlace } from "./slice.ts";

/**
 * Streams whose frames are adjacent in the log: a text or an array is one stream, a file may hold several.
 * open-streams.ts joins streams whose parts have records of their own.
 */

type Stream = Extract<PayloadCandidate, { part: "stream" }>;

/** A text that is a stream of events or lines; a single line is not one. */
export function textStream(
  recognizer: Recognizer,
  at: Slice,
  start: number,
  end: number,
  framing: "sse" | "ndjson",
  record: RecordContext,
  isCut: boolean,
): Stream | undefined {
  const text = plainText(at.bytes, start, end, at.level);
  if (framing === "ndjson" && !text.trim().includes("\n")) return undefined;
  const frames =
    framing === "ndjson"
      ? ndjsonFrames(text)
      : looksCoded(text.slice(0, 4096))
        ? codedFrames(text)
        : sseFrames(text);
  const recognition = recognizeFrames(recognizer, frames, record.url);
  const span: Span = { view: at.view, start: start + at.shift, end: end + at.shift, level: at.level };
  return recognition && streamAt(span, recognition, frames, framing, record, isCut);
}

/** An array whose elements are all events: a list of chunks, or a stream in the form of one JSON array. */
export function arrayStream(
  recognizer: Recognizer,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): Stream | undefined {
  const items = node.items ?? [];
  if (items.length === 0 || items[0]?.kind !== "object") return undefined;
  if (!recognizer.recognize(peekAt(at, items[0]), record.url)) return undefined;
  // The first events may be generic; a distinctive one follows soon.
  const first = items
    .slice(0, 12)
    .map((item) => (item.kind === "object" ? recognizer.recognize(peekAt(at, item), record.url) : undefined))
    .find((found) => found !== undefined && found.certainty >= threshold.leading);
  if (!first || first.part === "request" || first.part === "exchange") return undefined;
  if (first.part === "reply" && items.length === 1) return undefined;
  if (items.some((item) => item.kind !== "object")) return undefined;
  let from = node.start;
  let position = 0;
  const frames = items.map((item): Frame => {
    const data = plainText(at.bytes, item.start, item.end, at.level);
    const start = position + plainText(at.bytes, from, item.start, at.level).length;
    from = item.end;
    position = start + data.length;
    return { value: readValue(at.bytes, item, at.level), data, extent: { start, end: position } };
  });
  // Adjacent replies belong to several exchanges, unless they are chunks of one reply and share its id.
  if (first.part === "reply") {
    const ids = new Set(frames.map((frame) => recognizer.replyId(first.protocol, frame)));
    if (ids.size > 1 || ids.has(undefined)) return undefined;
  }
  return streamAt(spanOf(at, node), first, frames, "array", record, isCut(at, node));
}

function streamAt(
  span: Span,
  { protocol, certainty, fidelity }: Pick<RecognizedPayload, "protocol" | "certainty" | "fidelity">,
  frames: readonly Frame[],
  framing: Stream["framing"],
  record: RecordContext,
  isCut: boolean,
): Stream {
  const { start } = originOf(span);
  const place = streamPlace(span);
  return { part: "stream", protocol, certainty, fidelity, record, start, place, isCut, frames, framing };
}

/**
 * Cuts a sequence of frames into the streams of single replies. A stream ends at its last event; usage
 * chunks, `[DONE]` and frames with the same reply id after it still belong to it. `place` locates the
 * extents of frames; `record` gives the context of the stream that begins with a frame; `onLost` is told of
 * each frame that no stream has.
 */
export function* cutStreams(
  frames: readonly Frame[],
  recognizer: Recognizer,
  place: PayloadPlace,
  record: (first: Frame) => RecordContext,
  isCut = false,
  onLost?: (frame: Frame) => void,
): Generator<Stream> {
  let from = 0;
  while (from < frames.length) {
    const recognition = recognizeFrames(recognizer, frames.slice(from, from + 12), undefined);
    const first = frames[from];
    if (!first) return;
    if (!recognition) {
      onLost?.(first);
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
    const isOther = own !== undefined && own !== id;
    const reply = { first: frames[from] as Frame, last: frames[to - 1] ?? frame };
    const goesOn = to > from && isOther && recognizer.continuesReply(protocol, frame, reply);
    if (to > from && isOther && id !== undefined && !goesOn) break;
    if (isEnded && !isDone && (own === undefined || isOther) && !goesOn) break;
    id ??= own;
    if (isDone) {
      to++;
      break;
    }
    isEnded ||= recognizer.isTerminal(protocol, frame);
  }
  return to;
}
