import { isJson } from "../../reading/parse.ts";
import type { Segments } from "../../reading/segments.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sqlParts, writtenInSql } from "../../reading/sql-rows.ts";
import { wholeView } from "../../reading/view.ts";
import type { Defect } from "../../traffic/container.ts";
import { TAB } from "./csv-names.ts";

const QUOTE = 34;
const LINE_FEED = 10;

/**
 * How a cell spells its text: as it is; between quotes, with those in it doubled; or with backslashes in
 * place of what separates cells and rows, as `mysql --batch` does.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4180
 * @see https://dev.mysql.com/doc/refman/8.4/en/mysql-command-options.html#option_mysql_batch
 */
export type CellNotation = "plain" | "quoted" | "escaped";

/** The range of a cell without the quotes around it. */
export interface Cell {
  readonly start: number;
  readonly end: number;
  readonly notation: CellNotation;
  /** `open`: the file ends before its closing quote; `broken`: more stands behind that quote. */
  readonly flaw?: "open" | "broken";
}

/** The non-empty rows as cells. Line feeds inside quotes belong to the cell. */
export function* tableRows(bytes: Buffer, separator: number, from: number): Generator<Cell[]> {
  let row: Cell[] = [];
  const unquoted = separator === TAB ? unquotedNotation(bytes, from) : undefined;
  for (let at = from; at < bytes.length; ) {
    const isQuoted = bytes[at] === QUOTE && unquoted === undefined;
    let end = at;
    let start = at;
    let flaw: Cell["flaw"];
    if (isQuoted) {
      start = at + 1;
      end = closingQuote(bytes, start);
      at = end + 1;
      if (end >= bytes.length) flaw = "open";
    }
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== LINE_FEED) at++;
    if (!isQuoted) end = bytes[at - 1] === 13 && at > start ? at - 1 : at;
    else if (bytes.toString("latin1", end + 1, Math.min(at, end + 80)).trim() !== "") flaw = "broken";
    row.push({ start, end, notation: isQuoted ? "quoted" : (unquoted ?? "plain"), ...(flaw && { flaw }) });
    if (bytes[at] !== separator) {
      if (row.length > 1 || end > start) yield row;
      row = [];
    }
    at++;
  }
  if (row.length > 0) yield row;
}

/** How many bytes are looked at for JSON that no quotes surround. */
const shownBytes = 1 << 20;

/**
 * The notation of a table with JSON between its tabs, which quotes no cell. Most JSON is valid whether its
 * backslashes are doubled or not, so what is valid in one way alone decides, or a stream in one line.
 */
function unquotedNotation(bytes: Buffer, from: number): CellNotation | undefined {
  const cells = bytes.toString("latin1", from, from + shownBytes).split(/\r?[\t\n]/);
  const whole = from + shownBytes < bytes.length ? cells.slice(0, -1) : cells;
  let isUnquoted = false;
  for (const cell of whole) {
    if (escapedStream.test(cell)) return "escaped";
    if (!/^(?:\{"|\[\{")/.test(cell)) continue;
    const isPlain = isJson(cell);
    const isEscaped = cell.includes("\\") ? isJson(unescaped(cell)) : isPlain;
    if (isPlain !== isEscaped) return isPlain ? "plain" : "escaped";
    if (!isPlain && holdsEscapedLines(cell)) return "escaped";
    isUnquoted ||= isPlain;
  }
  return isUnquoted ? "plain" : undefined;
}

/** The beginning of a stream whose line ends are written as `\\n`, and whose quotes are not doubled. */
const escapedStream =
  /^(?:event: ?[\w.]{1,60}(?:\\r)?\\ndata:|data: ?\{"[^"].*\}(?:(?:\\r)?\\n){2}(?:$|data:|event:))/;

/** Whether a cell is several lines of JSON, as some streams are, with their line ends escaped. */
function holdsEscapedLines(cell: string): boolean {
  const end = cell.indexOf('}\\n{"') + 1;
  return end > 0 && isJson(unescaped(cell.slice(0, end)));
}

function unescaped(text: string): string {
  const parts = [...sqlParts(text, { start: 0, end: text.length, notation: "copy" })];
  return parts.map(({ start, end, means }) => means?.toString("latin1") ?? text.slice(start, end)).join("");
}

/** Copies what a cell says. */
export function copyCell(plain: Segments, bytes: Buffer, { start, end, notation }: Cell): void {
  if (notation === "plain") plain.copy(start, end);
  else if (notation === "quoted") {
    const own = bytes.subarray(0, end);
    for (let at = start; at < end; ) {
      const quote = own.indexOf('""', at);
      // Keeps the first of two quotes.
      const stop = quote < 0 ? end : quote + 1;
      plain.copy(at, stop);
      at = stop === end ? end : stop + 1;
    }
  } else {
    const text = bytes.toString("latin1", start, end);
    for (const part of sqlParts(text, { start: 0, end: text.length, notation: "copy" })) {
      const [from, to] = [start + part.start, start + part.end];
      if (part.means) plain.write(part.means, from, to);
      else plain.copy(from, to);
    }
  }
}

/** A text as a cell spells it; `undefined` if it would end the cell. */
export function writtenInCell(text: Buffer, notation: CellNotation, separator: number): Buffer | undefined {
  if (notation === "quoted") return Buffer.from(text.toString("utf8").replaceAll('"', '""'));
  if (notation === "escaped") return Buffer.from(writtenInSql(text.toString("utf8"), "copy") ?? "");
  return text.includes(separator) || text.includes(LINE_FEED) ? undefined : text;
}

function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at >= 0 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at < 0 ? bytes.length : at;
}

export function cellText(bytes: Buffer, { start, end, notation }: Cell): string {
  const text = bytes.toString("utf8", start, Math.min(end, start + 2048));
  return notation === "quoted" ? text.replaceAll('""', '"') : text;
}

/** Bytes of a cell that show what it holds. */
const headLength = 200;

/** How JSON begins in percent-encoding, and in base64, perhaps compressed. */
const encodedBody = /^(?:%7B%|%5B%7B|eyJ|eyA|ew[ok]|W3s|Wwo|ZGF0YT|ZXZlbn|H4sI|KLUv)/i;

/** A body in such an encoding is not shorter. */
const fewestEncoded = 64;

/** Whether a cell holds JSON, a stream of events, or an HTTP message. */
export function isBody(bytes: Buffer, { start, end }: Cell): boolean {
  if (end - start >= fewestEncoded && encodedBody.test(bytes.toString("latin1", start, start + 8)))
    return true;
  return (
    end - start > 12 &&
    /^(?:\xef\xbb\xbf)?\s*"?(?:[[{]|data:|event:|HTTP\/\d|[A-Z]{3,7} \S+ HTTP\/)/.test(
      bytes.toString("latin1", start, Math.min(end, start + headLength)),
    )
  );
}

/**
 * What is wrong with a row under `names` names: its quotes, so that what they hold was taken for one cell or
 * for several rows; or the number of its cells, as where two rows run together.
 */
export function flawIn(source: ByteSource, cells: readonly Cell[], names: number): Defect | undefined {
  const wrong = cells.find(({ flaw }) => flaw);
  if (!wrong) return surplusIn(source, cells, names);
  const isOpen = wrong.flaw === "open";
  return {
    kind: isOpen ? "unfinished" : "broken",
    origin: wholeView(source).origin(wrong.start, wrong.end),
    message: isOpen ? "the cell lacks its closing quote" : "more text follows the closing quote of this cell",
  };
}

function surplusIn(source: ByteSource, cells: readonly Cell[], names: number): Defect | undefined {
  const [first] = cells.slice(names).filter(({ start, end }) => end > start);
  if (!first) return undefined;
  const end = cells.at(-1)?.end ?? first.end;
  const message = `the row has ${cells.length} cells, and the first line names ${names}: two rows may have run together`;
  return { kind: "broken", origin: wholeView(source).origin(first.start, end), message };
}
