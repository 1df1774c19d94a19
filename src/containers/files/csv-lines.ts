import { rangeAround } from "../../reading/lists.ts";
import { rewrittenSource } from "../../reading/rewritten-source.ts";
import { Segments } from "../../reading/segments.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import type { Defect } from "../../traffic/container.ts";
import { halfOfKey } from "../payloads/unread-bodies.ts";
import { type Cell, cellText, copyCell, flawIn, isBody, tableRows, writtenInCell } from "./csv-cells.ts";
import { lineNames, timeNames } from "./csv-data.ts";
import { separatorOf } from "./csv-names.ts";

/** Rows that show what a column holds. */
const shownRows = 2000;

/** JSON in a line of a log: behind words, or one line of a longer value. */
const jsonInLine = /[{[]\s*$|[{[]\s*["']|^\s*"[\w$-]+" ?:|^\s*\{'|^(?:data|event):/;

/** Members of bodies, as a column of attributes may hold them. */
const memberOfBody = /"{1,2}(?:messages|contents|choices|candidates|input|output)"{1,2} ?:/;

/** The lines as a log of their own, and what is wrong with the table. */
interface PrintedLines {
  readonly source: ByteSource;
  readonly isNewestFirst: boolean;
  readonly flaws: readonly Defect[];
}

/**
 * What a program printed, from a table with a row for each line; `undefined` for any other table. Services
 * list the newest line first: then the rows are read from the last to the first.
 */
export function printedLines(source: ByteSource): PrintedLines | undefined {
  const bytes = source.read(0, source.size);
  const separator = separatorOf(bytes);
  if (separator === undefined) return undefined;
  const [names = [], ...rows] = tableRows(bytes, separator, textStart(bytes));
  const column = columnOfLines(bytes, names, rows);
  if (column === undefined) return undefined;
  const time = names.findIndex((name) => timeNames.test(cellText(bytes, name)));
  const inFile = rows.flatMap((row) => row[column] ?? []);
  const [first, last] = [rows[0]?.[time], rows.at(-1)?.[time]];
  const isNewestFirst =
    first !== undefined && last !== undefined && isLater(cellText(bytes, first), cellText(bytes, last));
  const plain = new Segments(bytes);
  for (const cell of isNewestFirst ? inFile.toReversed() : inFile) copyLine(plain, bytes, cell);
  const lines = rewrittenSource(source, plain, ({ bytes: own }, from) => {
    const cell = rangeAround(inFile, from - 1) ?? rangeAround(inFile, from);
    return writtenInCell(own, cell?.notation ?? "plain", separator);
  });
  return {
    source: lines,
    isNewestFirst,
    flaws: rows.flatMap((row) => flawIn(source, row, names.length) ?? []),
  };
}

/** The column of lines; `undefined` where another one holds the bodies, which says more. */
function columnOfLines(
  bytes: Buffer,
  names: readonly Cell[],
  rows: readonly (readonly Cell[])[],
): number | undefined {
  const keys = names.map((name) => cellText(bytes, name));
  const isTimed = keys.some((key) => timeNames.test(key));
  const shown = rows.slice(0, shownRows);
  const holds = (column: number, form: RegExp): boolean =>
    shown.some((row) => row[column] && form.test(cellText(bytes, row[column])));
  // Without times, a column that holds bodies alone may be anything: the contents of messages, say.
  const isLines = (index: number): boolean =>
    shown.some(
      (row) =>
        row[index] && jsonInLine.test(cellText(bytes, row[index])) && (isTimed || !isBody(bytes, row[index])),
    );
  const column = keys.findIndex((key, index) => lineNames.test(key) && isLines(index));
  if (column < 0) return undefined;
  const isBodies = (key: string, index: number): boolean =>
    index !== column &&
    shown.some((row) => row[index] && isBody(bytes, row[index])) &&
    (halfOfKey(key) !== undefined || holds(index, memberOfBody));
  return keys.some(isBodies) ? undefined : column;
}

/** Whether the first of two times is the later one. */
function isLater(first: string, second: string): boolean {
  const [one, other] = [first, second].map((time) =>
    /^\d+(?:\.\d+)?$/.test(time) ? Number(time) : Date.parse(time),
  );
  return one !== undefined && other !== undefined && one > other;
}

/** A cell as a line. */
function copyLine(plain: Segments, bytes: Buffer, cell: Cell): void {
  copyCell(plain, bytes, cell);
  if (bytes[cell.end - 1] !== LINE_FEED) plain.write(lineEnd, cell.end, cell.end);
}

const LINE_FEED = 10;
const lineEnd = Buffer.from("\n");
