import { parseDeepJson, parseJson } from "../../reading/parse.ts";
import { splitEvents } from "../../reading/sse.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { RecognizedPayload, Recognizer } from "../../traffic/recognizer.ts";
import { peekValue } from "./peek.ts";

/** Whether a text looks like server-sent events: the first line after blanks and comments is a field. */
export function looksLikeEvents(text: string): boolean {
  // The alternatives exclude each other, so the expression does not backtrack.
  return (
    /^\uFEFF?(?:[^\S\r\n]*(?::[^\r\n]*)?[\r\n])*[^\S\r\n]*(?:data|event|id|retry):/.test(
      text.slice(0, 4096),
    ) && text.includes("data:")
  );
}

/**
 * The frames of a text of server-sent events. Extents count in UTF-16 units, from `base` for the first of the
 * text.
 */
export function sseFrames(text: string, base = 0): Frame[] {
  return splitEvents(text).map((event) => {
    const { value, flaw } = jsonOf(event.data, beginsValue);
    const own = flaw ?? (event.flaw === "glued" ? ("glued" as const) : undefined);
    return {
      value,
      data: event.data,
      extent: { start: base + event.start, end: base + event.end },
      ...(event.event !== undefined && { event: event.event }),
      ...(own && { flaw: own }),
    };
  });
}

/** JSON, or what stands in its place: a map of Go, an object of Python, percent-encoding. */
const beginsValue = /^\s*(?:\{|\[\s*[{"]|map\[\w|[A-Z]\w{0,60}\(\w{1,60}=|%7[Bb])/;

/** Whether each line of a text begins with a code of one letter or digit: `0:"It"`. */
export function looksCoded(text: string): boolean {
  return (
    /^\uFEFF?[0-9a-k]:["{[][^\n]*(?:\n[0-9a-k]:["{[]|\n?$)/.test(text) && !/^[^\n]*\n[^\n:]{2,}:/.test(text)
  );
}

/** The frames of such a text, as {@link sseFrames}; the code becomes the event's name. */
export function codedFrames(text: string, base = 0): Frame[] {
  const frames: Frame[] = [];
  for (const line of text.matchAll(/^([0-9a-k]):([^\r\n]*)/gm)) {
    const [whole, event = "", data = ""] = line;
    const start = base + line.index;
    const extent = { start, end: start + whole.length };
    const value = parseJson(data);
    frames.push({ event, data, extent, ...(value === undefined ? jsonOf(data, /^/) : { value }) });
  }
  return frames;
}

/** The frames of newline-delimited JSON. Lines that are not JSON become frames without a value. */
export function ndjsonFrames(text: string): Frame[] {
  const frames: Frame[] = [];
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    const data = text.slice(start, end).trim();
    if (data !== "") {
      frames.push({ data, extent: { start, end }, ...jsonOf(data, /^\{/) });
    }
    start = end + 1;
  }
  return frames;
}

/** The JSON of a frame. Data that begins as `cutHead` and is not JSON was cut. */
function jsonOf(data: string, cutHead: RegExp): Pick<Frame, "value" | "flaw"> {
  const first = data.trimStart()[0];
  const value = first === "{" || first === "[" ? parseJson(data) : undefined;
  if (value !== undefined) return { value };
  const shallow = parseDeepJson(data);
  if (shallow !== undefined) return { value: shallow, flaw: "deep" };
  return cutHead.test(data) ? { value, flaw: "cut" } : { value };
}

type RecognizedStream = Pick<RecognizedPayload, "protocol" | "certainty" | "fidelity">;

/** What single frames were recognized as, for looks at a sequence that overlap. */
export type RecognizedEvents = Map<Frame, RecognizedPayload | undefined>;

/** The protocol of a stream, by the most certain of its first 12 frames. Those in `known` are not asked. */
export function recognizeFrames(
  recognizer: Recognizer,
  frames: readonly Frame[],
  url: string | undefined,
  known?: RecognizedEvents,
): RecognizedStream | undefined {
  let best: RecognizedStream | undefined;
  for (const frame of frames.slice(0, 12)) {
    if (typeof frame.value !== "object" || frame.value === null) continue;
    const recognition = known?.has(frame)
      ? known.get(frame)
      : recognizer.recognize(peekValue(frame.value, frame.event), url);
    known?.set(frame, recognition);
    if (
      recognition &&
      !/^(?:request|aside)$/.test(recognition.part) &&
      recognition.certainty > (best?.certainty ?? threshold.taken)
    ) {
      const { protocol, certainty, fidelity } = recognition;
      best = { protocol, certainty, fidelity };
      if (best.certainty >= threshold.conclusive) break;
    }
  }
  return best;
}
