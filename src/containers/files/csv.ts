import { createPool } from "../../reading/shared.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { type Segment, segmentedView, type View, wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import {
  type Container,
  type Defect,
  type Recording,
  type Skipped,
  wholeFile,
} from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { type Context, contextWithin, noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { halfOfKey } from "../payloads/unread-bodies.ts";

const QUOTE = 34;
const TAB = 9;
const COMMA = 44;
const SEMICOLON = 59;

/** Tables exported from databases, gateways and tracing tools: one record per row, with JSON in its cells. */
export const csv: Container = {
  name: "csv",
  summary:
    "tables with JSON cells, separated by commas, semicolons or tabs: exports of databases and gateways",
  signs: "a first line of names, and rows whose cells begin with a brace or are events",
  maxSize: wholeFile,
  recognize(head) {
    const feed = head.indexOf(10);
    const separator = feed < 0 ? undefined : separatorOf(head);
    if (separator === undefined) return 0;
    const mark = String.fromCharCode(separator);
    // JSON in a quoted cell has its quotes doubled.
    const rest = head.toString("latin1", feed, Math.min(head.length, feed + (32 << 10)));
    const starts = [`${mark}"{""`, `${mark}"[{""`, `\n"{""`, ...(separator === TAB ? [`\t{"`, `\t[{"`] : [])];
    const streams = [`${mark}"data: {""`, `${mark}"event: `, `${mark}"HTTP/1.1 `];
    return [...starts, ...streams].some((start) => rest.includes(start)) ? level.veryStrong : 0;
  },
  read: readTable,
};

/** The separator of the names in the first line; `undefined` if it is not a line of names. */
function separatorOf(head: Buffer): number | undefined {
  const first = head.toString("utf8", textStart(head), head.indexOf(10)).trimEnd();
  // No name begins so, and nearly every log does: Unicode classes take a millisecond to compile.
  if (first.startsWith("{") || first.startsWith("[")) return undefined;
  for (const separator of [TAB, COMMA, SEMICOLON]) {
    const names = first.split(String.fromCharCode(separator));
    if (names.length > 1 && names.every((name) => /^"?[\p{L}_][\p{L}\p{N}_ .:/()-]{0,60}"?$/u.test(name)))
      return separator;
  }
  return undefined;
}

/** The range of a cell without the quotes around it. */
interface Cell {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** `open`: the file ends before its closing quote; `broken`: more stands behind that quote. */
  readonly flaw?: "open" | "broken";
}

function readTable(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  const search = payloadSearch(recognizer, createPool(), defects);
  const { parents } = search;
  return { container: "csv", kind: "requests", candidates: candidates(), parents, defects, skipped };

  function* candidates(): Generator<PayloadCandidate> {
    const view = wholeView(source);
    const bytes = source.read(0, source.size);
    const separator = separatorOf(bytes) ?? COMMA;
    const [names = [], ...rows] = rowsOf(bytes, separator, textStart(bytes));
    const keys = names.map((cell) => textOf(bytes, cell));
    for (const [index, cells] of rows.entries()) {
      reportFlaw(cells);
      const texts = cells.map((cell) => (isBody(bytes, cell) ? undefined : textOf(bytes, cell)));
      const scalars = texts.flatMap((text, column): [string, unknown][] =>
        text === undefined || text === "" ? [] : [[keys[column] ?? "", text]],
      );
      const context = contextWithin(noContext, scalars);
      const found = cells.flatMap((cell, column) => {
        const half = halfOfKey(keys[column] ?? "");
        const own = { ...context, ...(half && { half }) };
        const text = texts[column];
        const inside = text === undefined ? searchCell(cell, own, index) : [];
        const origin = { source, start: cell.start, end: cell.end };
        if (half && inside.length === 0)
          search.noteBody({ head: textOf(bytes, cell), half, context: own, origin });
        return inside;
      });
      search.settle(found);
      const first = cells[0];
      if (found.length === 0 && first)
        skipped.push({
          origin: { source, start: first.start, end: cells.at(-1)?.end ?? first.end },
          reason: "no model traffic in this row",
        });
      yield* found;
    }

    function searchCell(cell: Cell, context: Context, index: number): PayloadCandidate[] {
      const { view: own, bytes: text } = cellView(view, bytes, cell);
      const at = { view: own, bytes: text, shift: 0, level: 0 };
      return search.searchText(at, 0, text.length, context, index);
    }
  }

  /** The quotes of a row that are wrong: what they hold was taken for one cell, or for several rows. */
  function reportFlaw(cells: readonly Cell[]): void {
    const wrong = cells.find(({ flaw }) => flaw);
    if (!wrong) return;
    const isOpen = wrong.flaw === "open";
    defects.push({
      kind: isOpen ? "unfinished" : "broken",
      origin: { source, start: wrong.start, end: wrong.end },
      message: isOpen
        ? "the cell lacks its closing quote"
        : "more text follows the closing quote of this cell",
    });
  }
}

/** The non-empty rows as cells. Line feeds inside quotes belong to the cell. */
function* rowsOf(bytes: Buffer, separator: number, from: number): Generator<Cell[]> {
  let row: Cell[] = [];
  for (let at = from; at < bytes.length; ) {
    const isQuoted = bytes[at] === QUOTE;
    let end = at;
    let start = at;
    let flaw: Cell["flaw"];
    if (isQuoted) {
      start = at + 1;
      end = closingQuote(bytes, start);
      at = end + 1;
      if (end >= bytes.length) flaw = "open";
    }
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== 10) at++;
    if (!isQuoted) end = bytes[at - 1] === 13 && at > start ? at - 1 : at;
    else if (bytes.toString("latin1", end + 1, Math.min(at, end + 80)).trim() !== "") flaw = "broken";
    row.push({ start, end, isQuoted, ...(flaw && { flaw }) });
    if (bytes[at] !== separator) {
      if (row.length > 1 || end > start) yield row;
      row = [];
    }
    at++;
  }
  if (row.length > 0) yield row;
}

function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at >= 0 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at < 0 ? bytes.length : at;
}

/** Bytes of a cell that show what it holds. */
const headLength = 200;

/** Whether a cell holds JSON, a stream of events, or an HTTP message. */
function isBody(bytes: Buffer, { start, end }: Cell): boolean {
  return (
    end - start > 12 &&
    /^(?:\xef\xbb\xbf)?\s*(?:[[{]|data:|event:|HTTP\/\d|[A-Z]{3,7} \S+ HTTP\/)/.test(
      bytes.toString("latin1", start, Math.min(end, start + headLength)),
    )
  );
}

function textOf(bytes: Buffer, { start, end, isQuoted }: Cell): string {
  const text = bytes.toString("utf8", start, Math.min(end, start + 2048));
  return isQuoted ? text.replaceAll('""', '"') : text;
}

/** The content of a cell with doubled quotes undone; edits double the quotes of their text. */
function cellView(base: View, bytes: Buffer, { start, end, isQuoted }: Cell): { view: View; bytes: Buffer } {
  const segments: Segment[] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  const raw = bytes.subarray(0, end);
  for (let at = start; at < end; ) {
    const quote = isQuoted ? raw.indexOf('""', at) : -1;
    // Keeps the first of two quotes.
    const stop = quote < 0 ? end : quote + 1;
    segments.push({ at: length, from: at, length: stop - at });
    chunks.push(bytes.subarray(at, stop));
    length += stop - at;
    at = stop === end ? end : stop + 1;
  }
  const own = Buffer.concat(chunks, length);
  const doubled = (text: Buffer): Buffer =>
    isQuoted ? Buffer.from(text.toString("utf8").replaceAll('"', '""')) : text;
  return { view: segmentedView(base, own, segments, () => (patch) => doubled(patch.bytes)), bytes: own };
}
