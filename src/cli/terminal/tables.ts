import Table from "cli-table3";
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
  const made = new Table({
    chars: none,
    colWidths: [...widths, Math.max(20, width - taken)],
    wordWrap: true,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
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
