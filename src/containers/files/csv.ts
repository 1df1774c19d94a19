import { Segments } from "../../reading/segments.ts";
import { createPool } from "../../reading/shared.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { segmentedView, type View, wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Container, Defect, Recording, Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { type Context, contextWithin, noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { halfOfKey } from "../payloads/unread-bodies.ts";
import { type Cell, cellText, copyCell, flawIn, isBody, tableRows, writtenInCell } from "./csv-cells.ts";
import { csvData } from "./csv-data.ts";
import { printedLines } from "./csv-lines.ts";
import { COMMA, separatorOf } from "./csv-names.ts";
import { readPrinted } from "./program-output.ts";

/** The reader of {@link csvData}. */
export const csv: Container = {
  ...csvData,
  read(source, recognizer) {
    const lines = printedLines(source);
    if (!lines) return readTable(source, recognizer);
    const { isNewestFirst } = lines;
    const read = { ...readPrinted(lines.source, recognizer, "csv"), isNewestFirst };
    if (lines.flaws.length === 0) return read;
    return {
      ...read,
      // The others are known only when the lines have been read.
      get defects() {
        return [...lines.flaws, ...read.defects];
      },
    };
  },
};

const wordsBeforeJson = /^[^\n{[]{1,300}(?=(?:\{|\[\{)\s*")/;

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
    const [names = [], ...rows] = tableRows(bytes, separator, textStart(bytes));
    const keys = names.map((cell) => cellText(bytes, cell));
    for (const [index, cells] of rows.entries()) {
      const flaw = flawIn(source, cells, keys.length);
      if (flaw) defects.push(flaw);
      const texts = cells.map((cell) => (isBody(bytes, cell) ? undefined : cellText(bytes, cell)));
      const scalars = texts.flatMap((text, column): [string, unknown][] =>
        text === undefined || text === "" ? [] : [[keys[column] ?? "", text]],
      );
      const context = contextWithin(noContext, scalars);
      const found = cells.flatMap((cell, column) => {
        const half = halfOfKey(keys[column] ?? "");
        const own = { ...context, ...(half && { half }) };
        const text = texts[column];
        const words = text === undefined ? "" : wordsBefore(text, cell);
        const inside = words === undefined ? [] : searchCell(cell, words, own, index);
        const origin = { source, start: cell.start, end: cell.end };
        if (half && inside.length === 0)
          search.noteBody({ head: cellText(bytes, cell), half, context: own, origin });
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

    /** The words before the JSON that ends a cell, as in a line of a log. */
    function wordsBefore(text: string, { end }: Cell): string | undefined {
      const last = bytes.toString("latin1", Math.max(0, end - 40), end).trimEnd();
      return /[}\]]$/.test(last) ? wordsBeforeJson.exec(text)?.[0] : undefined;
    }

    function searchCell(cell: Cell, words: string, context: Context, index: number): PayloadCandidate[] {
      const { view: own, bytes: text } = cellView(view, bytes, cell, separator);
      const at = { view: own, bytes: text, shift: 0, level: 0 };
      return search.searchText(at, Buffer.byteLength(words), text.length, context, index);
    }
  }
}

/** What a cell says; edits are spelt as the cell is. */
function cellView(base: View, bytes: Buffer, cell: Cell, separator: number): { view: View; bytes: Buffer } {
  const plain = new Segments(bytes);
  copyCell(plain, bytes, cell);
  const own = plain.bytes;
  const view = segmentedView(
    base,
    own,
    plain.segments,
    () => (patch) => writtenInCell(patch.bytes, cell.notation, separator),
  );
  return { view, bytes: own };
}
