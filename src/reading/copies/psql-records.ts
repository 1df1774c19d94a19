import { textOfLength } from "../utf8.ts";
import { type Copy, inSameLines, type Substitute, substituted } from "./copy.ts";

/** What begins a row in the expanded display of psql, in each of its styles of borders. */
const record = /^\s?[-─+┌├╞]{1,2}\[ RECORD \d{1,9} \][-─+┬┼┐┤]*\s*$/;

/** A further line of a value: no name before the bar. The line before it ends with a plus. */
const further = /^([ |│]{0,2} {1,64}[|│] ?)/;

/**
 * Rows as psql shows them below each other (`\x`), where a value goes on over several lines.
 *
 * @see https://www.postgresql.org/docs/current/app-psql.html#APP-PSQL-META-COMMAND-PSET-FORMAT
 */
export const psqlRecords: Copy = {
  reason: "rows as psql shows them",
  isCertain: true,
  restore(source) {
    const head = source.read(0, Math.min(source.size, 4096)).toString("utf8");
    if (!head.includes("[ RECORD ")) return undefined;
    const marks: Substitute[] = [];
    let inRecord = false;
    let isOpen = false;
    let at = 0;
    for (const line of textOfLength(source.read(0, source.size)).split("\n")) {
      if (record.test(line)) {
        inRecord = true;
        isOpen = false;
      } else if (inRecord) {
        const before = isOpen ? further.exec(line)?.[1] : undefined;
        if (before !== undefined) marks.push({ start: at, end: at + Buffer.byteLength(before), text: "" });
        const shown = line.trimEnd();
        isOpen = shown.endsWith("+") || shown.endsWith("↵");
        if (isOpen) {
          const value = shown.slice(0, -1).trimEnd();
          const start = at + Buffer.byteLength(value);
          marks.push({ start, end: at + Buffer.byteLength(line), text: "" });
        }
      }
      at += Buffer.byteLength(line) + 1;
    }
    return marks.length === 0 ? undefined : substituted(source, marks, inSameLines);
  },
};
