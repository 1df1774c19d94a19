import { blanks } from "./blanks.ts";
import type { Copy } from "./copy.ts";
import { frames } from "./frames.ts";
import { lineNumbers } from "./line-numbers.ts";
import { patchSigns } from "./patch-signs.ts";
import { psqlRecords } from "./psql-records.ts";
import { entities, markdownEscapes, typographicQuotes } from "./written-characters.ts";

export { type Copy, longestCopy } from "./copy.ts";

/** In the order in which they are tried. */
export const copies: readonly Copy[] = [
  patchSigns,
  psqlRecords,
  frames,
  lineNumbers,
  blanks,
  entities,
  typographicQuotes,
  markdownEscapes,
];
