import { structuredPatch } from "diff";
import picocolors from "picocolors";
import { previewOf } from "../../fix/preview.ts";
import type { RepairedRequest } from "../../fix/repaired.ts";
import { groupBy } from "../../reading/group-by.ts";
import { linesOf } from "../../reading/origin.ts";
import { counted, exchanges } from "../../reporters/numbers.ts";
import { cut, widthOf } from "../../reporters/width.ts";
import type { TerminalStyle } from "../terminal/paint.ts";

/** So many diffs are shown of a run: nobody reads hundreds, and what stands below them has to be found. */
const maxShown = 20;

type Look = Pick<TerminalStyle, "color" | "width">;

/** Requests before and after their repair, as unified diffs of their items. A repair that later requests need again is shown once. */
export function* diffsOf(
  requests: readonly RepairedRequest[],
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
    const { hunks } = structuredPatch("", "", `${before}\n`, `${after}\n`, "", "", { context: 3 });
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
      // Of a session, what counts is where the records stand in its file.
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
    const range = `${Math.min(...numbers)}-${Math.max(...numbers)}`;
    yield paint.bold(
      safe(`… ${file}: ${counted(numbers.length, "more request")}, as \`--exchange ${range}\` shows`),
    );
    yield "";
  }
}

/** Requests whose repairs are told by one diff. */
interface Group {
  readonly first: RepairedRequest;
  readonly hunks: readonly Hunk[];
  readonly elements: readonly number[];
  readonly members: RepairedRequest["members"];
  /** It is repaired in other places as well, which were shown before. */
  readonly isRest: boolean;
  readonly numbers: number[];
}

/** `/messages repaired`, or the members beside it that are. */
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

/** Behind how many lines the first change of a hunk stands. */
function firstChange({ lines }: Hunk): number {
  return Math.max(
    0,
    lines.findIndex((line) => /^[-+]/.test(line)),
  );
}

/** Where the record of an element stands; at the end when there is none. */
function recordLine({ exchange }: RepairedRequest, element: number | undefined): string {
  const place = exchange.request?.place;
  const origin = element === undefined ? undefined : place?.locate(`/${element}`);
  return origin ? `line ${linesOf(origin.source).at(origin.start).line}` : "at the end";
}

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

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
