import picocolors from "picocolors";
import type { FixedRequest } from "../../fix/fixed-logs.ts";
import { previewOf } from "../../fix/preview.ts";
import { groupBy } from "../../reading/group-by.ts";
import { largest, smallest } from "../../reading/lists.ts";
import { linesOf } from "../../reading/origin.ts";
import { counted, exchanges } from "../../reporters/numbers.ts";
import { cut, widthOf } from "../../reporters/width.ts";
import type { TerminalStyle } from "../terminal/paint.ts";
import { type Hunk, hunksBetween } from "./line-hunks.ts";

/** Maximum number of diffs per run. Hundreds would hide the text below them. */
const maxShown = 20;

type Look = Pick<TerminalStyle, "color" | "width">;

/** Unified diffs of requests before and after their fix. A fix that later requests repeat is shown once. */
export function* diffsOf(
  requests: readonly FixedRequest[],
  look: Look,
  safe: (text: string) => string,
): Generator<string> {
  const paint = picocolors.createColors(look.color);
  const shown = new Map<string, Set<string>>();
  const groups: Group[] = [];
  for (const request of requests) {
    const { file, number } = request.exchange;
    const known = shown.get(file) ?? new Set();
    shown.set(file, known);
    const { before, after, elements, isRest } = previewOf(request, known);
    const hunks = hunksBetween(`${before}\n`, `${after}\n`);
    const members = request.members.filter(({ key, value }) =>
      isNew(known, `${key} ${JSON.stringify(value)}`),
    );
    const last = groups.findLast(({ first }) => first.exchange.file === file);
    if (last && hunks.length === 0 && members.length === 0) last.numbers.push(number);
    else groups.push({ first: request, hunks, elements, members, isRest, numbers: [number] });
  }
  for (const group of groups.slice(0, maxShown)) {
    const { first, hunks, elements, members, numbers } = group;
    const { exchange, step } = first;
    const isSession = step.conversation.kind === "transcript";
    const name = isSession ? exchange.file : `${exchange.file}, request ${exchange.number}`;
    const also = numbers.length > 1 ? `; the same in ${exchanges(numbers.slice(1), "request")}` : "";
    yield paint.bold(safe(`--- ${name}`));
    yield paint.bold(safe(`+++ ${name}, ${whatIsRepaired(group)}${also}`));
    for (const hunk of hunks) {
      const { oldStart, oldLines, newStart, newLines } = hunk;
      // In a session, the position of the record in its file matters.
      const place = isSession
        ? recordLine(first, elements[oldStart - 1 + firstChange(hunk)])
        : `-${oldStart},${oldLines} +${newStart},${newLines}`;
      yield paint.cyan(`@@ ${place} @@`);
      yield* hunkLines(hunk.lines, look, safe);
    }
    for (const { key, value, isGone } of members) {
      const line = shortened(
        safe(`${isGone ? "-" : "+"}"${key}": ${JSON.stringify(value)}`),
        undefined,
        look.width,
      );
      yield isGone ? paint.red(line) : paint.green(line);
    }
    yield "";
  }
  for (const [file, more] of groupBy(groups.slice(maxShown), ({ first }) => first.exchange.file)) {
    const numbers = more.flatMap((group) => group.numbers);
    const range = `${smallest(numbers)}-${largest(numbers)}`;
    yield paint.bold(
      safe(`… ${file}: ${counted(numbers.length, "more request")}, as \`--exchange ${range}\` shows`),
    );
    yield "";
  }
}

/** Requests that share one diff. */
interface Group {
  readonly first: FixedRequest;
  readonly hunks: readonly Hunk[];
  readonly elements: readonly number[];
  readonly members: FixedRequest["members"];
  /** Other places of its fix were shown before. */
  readonly isRest: boolean;
  readonly numbers: number[];
}

/** `/messages repaired`, or the fixed members outside the history. */
function whatIsRepaired({ first: { step }, hunks, members, isRest }: Group): string {
  const isSession = step.conversation.kind === "transcript";
  const history = step.request?.historyPointer || (isSession ? "the session" : "the history");
  const others = members.map(({ pointer }) => pointer);
  const isBeside = hunks.length === 0 && others.length > 0;
  const what = `${(isBeside ? others : [history, ...others]).join(" and ")} repaired`;
  if (!isRest) return what;
  return isBeside ? `${history} repaired as above, and ${what} here` : `${what} as above, and here`;
}

function isNew(known: Set<string>, change: string): boolean {
  if (known.has(change)) return false;
  known.add(change);
  return true;
}

/** The number of lines before the first change of a hunk. */
function firstChange({ lines }: Hunk): number {
  return Math.max(
    0,
    lines.findIndex((line) => /^[-+]/.test(line)),
  );
}

/** The line of an element's record; the end of the file if it has none. */
function recordLine({ exchange }: FixedRequest, element: number | undefined): string {
  const place = exchange.request?.place;
  const origin = element === undefined ? undefined : place?.locate(`/${element}`);
  return origin ? `line ${linesOf(origin.source).at(origin.start).line}` : "at the end";
}

function hunkLines(lines: readonly string[], look: Look, safe: (text: string) => string): string[] {
  const paint = picocolors.createColors(look.color);
  return lines.map((line, index) => {
    const sign = line[0];
    // If a long line changes, its difference must be visible.
    const other = sign === "-" ? lines[index + 1] : sign === "+" ? lines[index - 1] : undefined;
    const isPair = other !== undefined && other[0] === (sign === "-" ? "+" : "-");
    const text = shortened(safe(line), isPair ? safe(other) : undefined, look.width);
    return sign === "-" ? paint.red(text) : sign === "+" ? paint.green(text) : text;
  });
}

/** A line cut to fit: at its end, or around the first difference from `other`. */
function shortened(line: string, other: string | undefined, width: number): string {
  if (widthOf(line) <= width) return line;
  let same = 1;
  while (other !== undefined && same < line.length && line[same] === other[same]) same++;
  if (other === undefined || same < width - 20) return cut(line, width);
  const head = line.slice(0, 24);
  return cut(`${head}…${line.slice(same - 12)}`, width);
}
