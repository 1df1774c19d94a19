import { escapeWriter, unescapeBytes } from "./escapes.ts";
import { segmentedView, type View } from "./view.ts";

/** The text that stands escaped in a JSON string: `raw`, the bytes of `base` from `from` on, with one round of escapes undone. */
export function unescapedView(base: View, raw: Buffer, from: number): View {
  const { bytes, pieces } = unescapeBytes(raw);
  const placed = pieces.map((piece) => ({ ...piece, from: piece.from + from }));
  return segmentedView(base, bytes, placed, () => {
    const escaped = escapeWriter(base.read(from, from + raw.length), () => textAround(base, from));
    return (patch) => Buffer.from(escaped(patch.bytes.toString("utf8")));
  });
}

/** So far around a text is looked for how its writer spells what does not occur in the text itself. */
const reach = 1 << 18;

/** What stands before and behind a place of a view. */
export function textAround(view: View, at: number): Buffer {
  return view.read(Math.max(0, at - reach), Math.min(view.size, at + reach));
}
