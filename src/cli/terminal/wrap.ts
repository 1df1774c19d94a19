import { wrap } from "../../reporters/width.ts";

/** A text broken at its spaces so that no line is wider than `width`, the first line behind `first`, all others behind `rest`. */
export function wrapped(text: string, width: number, first = "", rest = first): string[] {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return [];
  const lines = wrap(line, width - rest.length, width - first.length);
  return lines.map(({ start, end }, index) => `${index === 0 ? first : rest}${line.slice(start, end)}`);
}
