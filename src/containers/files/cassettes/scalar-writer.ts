import type { Segment } from "../../../reading/view.ts";

const LF = 10;
const CR = 13;

/** The decoded text of a YAML scalar, with the mapping to the file. */
export interface ScalarText {
  readonly bytes: Buffer;
  /** In order, as `segmentedView` of the file takes them. */
  readonly segments: readonly Segment[];
  /** The length that `yaml`, reading latin1, must report; `undefined` for an unclosed scalar. */
  readonly units: number | undefined;
}

/** Collects the text of a scalar. Offsets count from the start of its token. */
export interface ScalarWriter {
  /** Adds bytes verbatim. */
  raw(from: number, to: number): void;
  /** Adds text that is written differently at `from`. */
  text(text: string, from: number): void;
  endsWithFeed(): boolean;
  finish(isClosed: boolean): ScalarText;
}

/** A writer for the token `raw`, which begins at `base` in the file. */
export function scalarWriter(raw: Buffer, base: number): ScalarWriter {
  // Escapes grow by at most half: \L is two bytes and stands for three.
  const out = Buffer.allocUnsafe(raw.length * 2 + 2);
  const segments: { at: number; from: number; length: number }[] = [];
  let at = 0;
  let units = 0;
  return {
    raw(from, to) {
      if (to <= from) return;
      const last = segments.at(-1);
      if (
        last &&
        last.length > 0 &&
        last.from + last.length === base + from &&
        last.at + last.length === at
      ) {
        last.length += to - from;
      } else {
        segments.push({ at, from: base + from, length: to - from });
      }
      raw.copy(out, at, from, to);
      at += to - from;
      units += to - from;
    },
    text(text, from) {
      segments.push({ at, from: base + from, length: 0 });
      at += out.write(text, at);
      units += text.length;
    },
    endsWithFeed: () => at > 0 && out[at - 1] === LF,
    finish: (isClosed) => ({ bytes: out.subarray(0, at), segments, units: isClosed ? units : undefined }),
  };
}

/** End of the line whose line feed is at `feed`. */
export function lineEnd(raw: Buffer, from: number, feed: number): number {
  return feed > from && raw[feed - 1] === CR ? feed - 1 : feed;
}
