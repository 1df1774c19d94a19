import { structuredPatch } from "diff";
import picocolors from "picocolors";
import type { RepairedRequest } from "../fix/fix.ts";
import { previewOf } from "../fix/preview.ts";
import { cut, widthOf } from "../reporters/width.ts";
import type { Look } from "./fix-lines.ts";

/** A request before and after its repair, as a unified diff of its items. */
export function diffOf(request: RepairedRequest, look: Look, safe: (text: string) => string): string[] {
  const paint = picocolors.createColors(look.color);
  const { before, after } = previewOf(request);
  const { exchange, step } = request;
  const name = `${exchange.file}, request ${exchange.number}`;
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 3 });
  const lines = [
    paint.bold(safe(`--- ${name}`)),
    paint.bold(safe(`+++ ${name}, repaired (${step.request?.historyPointer ?? ""})`)),
  ];
  for (const hunk of hunks) {
    lines.push(
      paint.cyan(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
      ...hunkLines(hunk.lines, look, safe),
    );
  }
  return lines;
}

function hunkLines(lines: readonly string[], look: Look, safe: (text: string) => string): string[] {
  const paint = picocolors.createColors(look.color);
  return lines.map((line, index) => {
    const sign = line[0];
    // Of a long line that changes, the place that differs has to be seen.
    const other = sign === "-" ? lines[index + 1] : sign === "+" ? lines[index - 1] : undefined;
    const isPair = other !== undefined && other[0] === (sign === "-" ? "+" : "-");
    const text = shortened(safe(line), isPair ? safe(other) : undefined, look.width);
    return sign === "-" ? paint.red(text) : sign === "+" ? paint.green(text) : text;
  });
}

/** A line that fits, cut at its end, or around the first difference from another line. */
function shortened(line: string, other: string | undefined, width: number): string {
  if (widthOf(line) <= width) return line;
  let same = 1;
  while (other !== undefined && same < line.length && line[same] === other[same]) same++;
  if (other === undefined || same < width - 20) return cut(line, width);
  const head = line.slice(0, 24);
  return cut(`${head}…${line.slice(same - 12)}`, width);
}
