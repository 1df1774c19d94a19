import { blanks } from "./blanks.ts";
import type { Copy } from "./copy.ts";
import { lineNumbers } from "./line-numbers.ts";
import { entities, markdownEscapes, typographicQuotes } from "./written-characters.ts";

export { type Copy, longestCopy } from "./copy.ts";

/** In the order in which they are tried. */
const common: readonly Copy[] = [lineNumbers, blanks, entities, typographicQuotes, markdownEscapes];

/** What the rarer ones show: a hunk or a plus, rows of psql, a bar at the end of a line. */
const signsOfRare = /^\+|^@@ -\d|\[ RECORD \d|[│┃║][ \t]*$/m;

/** The copies that a file may be, by its head: in the order in which they are tried, the rarer ones first. */
export async function copiesOf(head: Buffer): Promise<readonly Copy[]> {
  if (!signsOfRare.test(head.toString("utf8").replaceAll("\r", ""))) return common;
  const { rareCopies } = await import("./rare.ts");
  return [...rareCopies, ...common];
}
