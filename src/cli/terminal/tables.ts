import Table, { type TableConstructorOptions } from "cli-table3";
import { largest, pushAll } from "../../reading/lists.ts";

const none = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Lines of a table without borders; the last column wraps at its spaces to fit `width`. Adds no colours. */
export function table(rows: readonly (readonly string[])[], width: number): string[] {
  const last = (rows[0]?.length ?? 1) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    largest(rows.map((row) => plainLength(row[column] ?? ""))),
  );
  const taken = widths.reduce((sum, one) => sum + one + 2, 0);
  return drawn(rows, { colWidths: [...widths, Math.max(20, width - taken)], wordWrap: true });
}

/** Lines of a table without borders; the columns after the first hold numbers and end below each other. */
export function numberTable(rows: readonly (readonly string[])[]): string[] {
  const numbers = Math.max(0, (rows[0]?.length ?? 1) - 1);
  return drawn(rows, { colAligns: ["left", ...Array<"right">(numbers).fill("right")] });
}

function drawn(rows: readonly (readonly string[])[], layout: TableConstructorOptions): string[] {
  const made = new Table({
    chars: none,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    ...layout,
  });
  pushAll(
    made,
    rows.map((row) => [...row]),
  );
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}

function plainLength(cell: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
  return cell.replace(/\u001b\[[\d;]*m/g, "").length;
}
