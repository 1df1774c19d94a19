import { textOfLength } from "../utf8.ts";
import { type Copy, inSameLines, type Substitute, substituted } from "./copy.ts";

/** What `cat -n`, `nl`, `grep -n`, `less -N`, `bat`, editors and the tools of agents put before a line. */
const numbered = /^(?:[ \t]{0,12}(\d{1,7})(?:\t|: ?|→| {0,4}(?:│|\|) ?)| {2,7}(\d{1,5}) )/;

/** Fewer lines may begin with numbers of their own. */
const leastLines = 3;

/** What may stand around the lines: the command, and the frame that `bat` draws. */
const mostOthers = 4;

/** A line before the rows of a table, whose numbers are a column of it. */
const namesColumns = /\bFROM stdin\b|^\w{1,64}\t\w/i;

/** Lines of a log with the numbers that a program showed before them. */
export const lineNumbers: Copy = {
  reason: "line numbers",
  isCertain: true,
  restore(source) {
    const head = source.read(0, Math.min(source.size, 4096)).toString("utf8");
    if (!head.split("\n").some((line) => numbered.test(line))) return undefined;
    const numbers: Substitute[] = [];
    const widths = new Set<number>();
    let expected: number | undefined;
    let othersAfter = 0;
    let othersBefore = 0;
    let at = 0;
    for (const line of textOfLength(source.read(0, source.size)).split("\n")) {
      const found = numbered.exec(line);
      if (found && (expected === undefined || numberOf(found) === expected)) {
        // Numbers that end and begin again are not those of lines.
        if (othersAfter > 0) return undefined;
        numbers.push({ start: at, end: at + Buffer.byteLength(found[0]), text: "" });
        expected = numberOf(found) + 1;
        widths.add(cellsAfter(line, found));
      } else if (line.trim() !== "") {
        if (expected === undefined && namesColumns.test(line)) return undefined;
        if (expected === undefined) othersBefore++;
        else othersAfter++;
        if (othersBefore > mostOthers || othersAfter > mostOthers) return undefined;
      }
      at += Buffer.byteLength(line) + 1;
    }
    const isTable = widths.size === 1 && !widths.has(0);
    return numbers.length < leastLines || isTable ? undefined : substituted(source, numbers, inSameLines);
  },
};

/**
 * How many cells stand behind a number. Rows of a table have equally many, and their numbers are a column of
 * it: a dump of a database, or what its client printed. Bars also stand within texts of JSON.
 */
function cellsAfter(line: string, [mark]: RegExpExecArray): number {
  const cells = line.slice(mark.length);
  if (/^\d+\t$/.test(mark)) return cells.split("\t").length - 1;
  return /^\d+\|$/.test(mark) ? cells.split(/[}\]"]\|/).length - 1 : 0;
}

function numberOf([, marked, aligned]: RegExpExecArray): number {
  return Number(marked ?? aligned);
}
