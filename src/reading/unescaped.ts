import { escapeWriter, unescapeBytes } from "./escapes.ts";
import { segmentedView, type View } from "./view.ts";

/** A view of `raw`, the bytes of `base` from `from` on, with one round of escapes undone. */
export function unescapedView(base: View, raw: Buffer, from: number): View {
  const { bytes, segments } = unescapeBytes(raw);
  const placed = segments.map((segment) => ({ ...segment, from: segment.from + from }));
  return segmentedView(base, bytes, placed, () => {
    const escaped = escapeWriter(base.read(from, from + raw.length), () => textAround(base, from));
    return (patch) => Buffer.from(escaped(patch.bytes.toString("utf8")));
  });
}

/** How many bytes around a text to search for its writer's style of escapes. */
const reach = 1 << 18;

/** The bytes around a position of a view. */
export function textAround(view: View, at: number): Buffer {
  return view.read(Math.max(0, at - reach), Math.min(view.size, at + reach));
}
