import { wrap } from "../../reporters/width.ts";

/** Wraps text at its spaces to `width`; the first line begins with `first`, the others with `rest`. */
export function wrapped(text: string, width: number, first = "", rest = first): string[] {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return [];
  const lines = wrap(line, width - rest.length, width - first.length);
  return lines.map(({ start, end }, index) => `${index === 0 ? first : rest}${line.slice(start, end)}`);
}
