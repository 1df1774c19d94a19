import { isUtf8 } from "node:buffer";
import { largest } from "../../reading/lists.ts";
import type { Origin } from "../../reading/origin.ts";
import { locateText, type Span } from "../../reading/place.ts";
import type { View } from "../../reading/view.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { Extent } from "../../traffic/place.ts";

/** A part of a text of events that ends where an event does. */
interface Window {
  /** Its range in bytes of the view. */
  readonly start: number;
  readonly end: number;
  /** The UTF-16 units of the text before it. */
  readonly units: number;
}

/** A part of the text, as it is read. */
export interface WindowText {
  readonly text: string;
  readonly window: Window;
  /** The first byte of the view in it that is not UTF-8; absent where all are. */
  readonly isBroken: boolean;
}

/** Splits a text into frames, whose extents count in UTF-16 units from `base` on. */
type FramesOf = (text: string, base: number) => readonly Frame[];

const windowSize = 64 << 10;

/**
 * The events of a long text, of which only a part is in memory at a time. Extents count in UTF-16 units of
 * the whole text, as if it were one string, which can be longer than a string.
 */
export class EventWindows {
  readonly #view: View;
  readonly #framesOf: FramesOf;
  /** Where an event may end. */
  readonly #ends: readonly Buffer[];
  readonly #windows: Window[] = [];
  /** The spans of the parts that were searched last, which keep their texts. */
  #spans: { readonly window: Window; readonly span: Span }[] = [];
  readonly #size: number;

  /** @param ends what ends an event: a blank line, or a line end where each line is one */
  constructor(view: View, framesOf: FramesOf, ends: readonly string[], size = windowSize) {
    this.#view = view;
    this.#framesOf = framesOf;
    this.#ends = ends.map((end) => Buffer.from(end));
    this.#size = size;
  }

  /** All events. Iterate once; `onText` is told of each part of the text before its events. */
  *frames(onText: (part: WindowText) => void): Generator<Frame> {
    let units = 0;
    for (let start = 0; start < this.#view.size; ) {
      const bytes = this.#windowAt(start);
      // The file became shorter while it was read.
      if (bytes.length === 0) return;
      const window = { start, end: start + bytes.length, units };
      this.#windows.push(window);
      const text = bytes.toString("utf8");
      onText({ text, window, isBroken: !isUtf8(bytes) });
      yield* this.#framesOf(text, units);
      units += text.length;
      start = window.end;
    }
  }

  /** The events whose extents lie in a range that {@link frames} has passed, read again. */
  *between({ start, end }: Extent): Generator<Frame> {
    for (let index = this.#indexAt(start); index < this.#windows.length; index++) {
      const window = this.#windows[index] as Window;
      if (window.units > end) return;
      const text = this.#view.read(window.start, window.end).toString("utf8");
      for (const frame of this.#framesOf(text, window.units))
        if (frame.extent.start >= start && frame.extent.end <= end) yield frame;
    }
  }

  /** The bytes of a range of the text. */
  locateAt({ start, end }: Extent): Origin {
    const from = this.#offsetAt(start);
    return this.#view.origin(from, Math.max(from, this.#offsetAt(end)));
  }

  #offsetAt(units: number): number {
    const window = this.#windows[this.#indexAt(units)];
    if (!window) return 0;
    const known = this.#spans.find((each) => each.window === window);
    const { start, end } = window;
    const made = known ?? { window, span: { view: this.#view, start, end, level: 0 } };
    if (!known) this.#spans = [made, ...this.#spans].slice(0, 2);
    const local = units - window.units;
    return locateText(made.span, local, local).start;
  }

  /** The index of the part that holds a position. */
  #indexAt(units: number): number {
    let low = 0;
    let high = this.#windows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#windows[middle]?.units ?? 0) <= units) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The bytes from `start` on, up to the last end of an event in them; longer where they hold none. */
  #windowAt(start: number): Buffer {
    const { size } = this.#view;
    for (let length = this.#size; ; length *= 2) {
      const bytes = this.#view.read(start, Math.min(size, start + length));
      if (start + length >= size || bytes.length < length) return bytes;
      const end = largest(this.#ends.map((mark) => endOfLast(bytes, mark)));
      if (end > 0) return bytes.subarray(0, end);
    }
  }
}

function endOfLast(bytes: Buffer, mark: Buffer): number {
  const at = bytes.lastIndexOf(mark);
  return at < 0 ? 0 : at + mark.length;
}
