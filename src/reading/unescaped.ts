import { escapeWriter, unescapeBytes } from "./escapes.ts";
import { textAround } from "./surroundings.ts";
import { segmentedView, type View } from "./view.ts";

/** A view of `raw`, the bytes of `base` from `from` on, with one round of escapes undone. */
export function unescapedView(base: View, raw: Buffer, from: number): View {
  const { bytes, segments } = unescapeBytes(raw);
  const placed = segments.map((segment) => ({ ...segment, from: segment.from + from }));
  return segmentedView(base, bytes, placed, () => {
    const escaped = escapeWriter(base.read(from, from + raw.length), textAround(base, from));
    return (patch) => Buffer.from(escaped(patch.bytes.toString("utf8")));
  });
}
