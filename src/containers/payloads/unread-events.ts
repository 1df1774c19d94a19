import { plainText } from "../../reading/escapes.ts";
import type { Origin } from "../../reading/origin.ts";
import { originOf } from "../../reading/place.ts";
import type { Defect } from "../../traffic/container.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { sseFrames } from "./frames.ts";
import type { Slice } from "./slice.ts";
import type { UnreadTexts } from "./unread.ts";
import { dueHalf } from "./unread-json.ts";

/** Notes a text of server-sent events in which no event could be read. */
export function unreadEvents(
  unread: UnreadTexts,
  at: Slice,
  start: number,
  end: number,
  context: RecordContext,
): void {
  const { view, shift, level } = at;
  const text = plainText(at.bytes, start, end, level);
  const frames = sseFrames(text);
  // Events of another kind are no defect.
  if (frames.some(({ value }) => value !== undefined) || isForeign(frames, dueHalf(context))) return;
  const isCut = frames.length <= 1;
  unread.add({
    kind: isCut ? "cut" : "broken",
    origin: originOf({ view, start: start + shift, end: end + shift, level }),
    message: isCut ? "the stream is cut off in its first event" : "no event of this stream is valid JSON",
    half: dueHalf(context) ?? "reply",
    context,
    isPayload: false,
  });
}

/**
 * Whether lines begin with `data:` and hold no events of an API: the URL of an inline file, or words about an
 * argument in code. Where a body is due, words may be its damage.
 */
function isForeign(frames: readonly Frame[], due: "request" | "reply" | undefined): boolean {
  return due === undefined
    ? frames.every(({ data }) => /^\s*[^\s[{"]/.test(data) || isTemplate.test(data))
    : frames.length > 0 && frames.every(({ data }) => inlineFile.test(data));
}

/** A list or an object in the template of a page: `[{% for row in rows %}`, `[{{ total }}]`. */
const isTemplate = /^\s*(?:\[\s*)?\{[%{]/;

/** How a `data:` URL goes on. */
const inlineFile = /^[a-z]{1,20}\/[\w.+-]{1,80}[;,]/i;

/** The events of a text that belong to no reply. */
export class LostEvents {
  #count = 0;
  #first: Frame | undefined;
  #last: Frame | undefined;
  #isOther = false;

  add(frame: Frame): void {
    if (frame.value !== undefined) this.#isOther = true;
    if (frame.flaw !== "cut" && !/"[\w.-]+"\s*:/.test(frame.data)) return;
    if (isTemplate.test(frame.data)) return;
    this.#count++;
    this.#first ??= frame;
    this.#last = frame;
  }

  /** Why they cannot be read; `undefined` if they are no JSON of ours. */
  defect(place: PayloadPlace): Defect | undefined {
    const [first, last] = [this.#first, this.#last];
    if (!first || !last || this.#isOther) return undefined;
    const isOne = this.#count === 1;
    const origin = place.locateAt({ start: first.extent.start, end: last.extent.end });
    // Programs print objects with such members: `data: {`, and the members on lines of their own.
    if (isOne && /^\s*[[{]\s*$/.test(first.data) && goesOn(origin)) return undefined;
    return {
      kind: isOne ? "cut" : "broken",
      origin,
      message: isOne ? "the stream is cut off in its first event" : "no event of this stream is valid JSON",
      half: "reply",
    };
  }
}

/** Whether more than white space follows in the log. */
function goesOn({ source, end }: Origin): boolean {
  return /\S/.test(source.read(end, Math.min(source.size, end + 4096)).toString("latin1"));
}

/** The first event of a stream that nests too deep to be read whole. */
export class DeepEvents {
  #first: Frame | undefined;

  /** The same frames, each looked at as it passes. */
  *among(frames: Iterable<Frame>): Generator<Frame> {
    for (const frame of frames) {
      if (frame.flaw === "deep") this.#first ??= frame;
      yield frame;
    }
  }

  defect(place: PayloadPlace): Defect | undefined {
    if (!this.#first) return undefined;
    const origin = place.locateAt(this.#first.extent);
    return { kind: "broken", origin, message: tooDeepEvent, half: "reply" };
  }
}

/** Bytes before a line of dots, as it is or in a string. */
const dots = ["\n...", "n...", "\n…", "n…", "data: ...", "data: …"].map((each) => Buffer.from(each));

/** Notes the first line of a stream that stands for what somebody cut out of it. */
export function unreadDots(
  unread: UnreadTexts,
  at: Slice,
  start: number,
  end: number,
  { place }: { readonly place: PayloadPlace },
  context: RecordContext,
): void {
  const bytes = at.bytes.subarray(start, end);
  if (!dots.some((each) => bytes.includes(each))) return;
  const line = /^(?:data: )?(?:\.{3}|…)[^\r\n]*/m.exec(plainText(at.bytes, start, end, at.level));
  if (!line) return;
  const origin = place.locateAt({ start: line.index, end: line.index + line[0].length });
  const message = "dots stand here for a part of the stream";
  unread.add({ kind: "broken", origin, message, half: "reply", context, isPayload: true });
}

const tooDeepEvent = "the JSON of this event is nested too deeply to be read whole";

/** Notes the first event of a stream in a record that nests too deep to be read whole. */
export function unreadDeepEvent(
  unread: UnreadTexts,
  { frames, place }: { readonly frames: Iterable<Frame>; readonly place: PayloadPlace },
  context: RecordContext,
): void {
  for (const { flaw, extent } of frames) {
    if (flaw !== "deep") continue;
    const origin = place.locateAt(extent);
    unread.add({ kind: "broken", origin, message: tooDeepEvent, half: "reply", context, isPayload: true });
    return;
  }
}
