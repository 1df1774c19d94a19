import { listed } from "../reporters/layout.ts";
import { ranges } from "../reporters/numbers.ts";
import { cut } from "../reporters/width.ts";
import { labelWidth, type Pen, safe, singleLine } from "../show/entry.ts";
import type { ShownItem } from "../show/shown.ts";
import { countText } from "../show/words.ts";
import type { DiffReport, HalfReport, PairReport, StepReport } from "./report.ts";
import { narrowRow, parts, setting, wideRow } from "./text-items.ts";

/** The minimum terminal width for printing the runs side by side. */
const wide = 140;
/** The maximum number of consequences, which take one line each. */
const shownConsequences = 6;
/** The maximum number of partings printed in full. */
const shownPartings = 4;
/** The maximum number of rows printed for one half. */
const shownRows = 40;

/** Prints steps with relevant differences in full; equal steps and consequences take one line each. */
class StepPrinter {
  private readonly report: DiffReport;
  private readonly pen: Pen;
  /** Equal steps that have not been printed yet, to count them in one line. */
  private same: StepReport[] = [];
  /** Consequences of a parting that have not been printed yet. */
  private following: StepReport[] = [];
  /** The consequences directly follow a parting. */
  private isAfterParting = false;

  constructor(report: DiffReport, pen: Pen) {
    this.report = report;
    this.pen = pen;
  }

  *lines(steps: readonly StepReport[], isAsked: boolean): Generator<string> {
    const detailed = new Set(isAsked ? steps : detailedSteps(this.report));
    let pair = steps[0]?.pair ?? 0;
    for (const step of steps) {
      if (step.pair !== pair) {
        pair = step.pair;
        yield* this.heading(pair);
      }
      if (detailed.has(step)) {
        yield* this.flush();
        yield "";
        yield* wholeStep(step, this.pen);
        this.isAfterParting = !isAsked;
      } else if (isSame(step)) {
        yield* this.flushFollowing();
        // All of them are alike: looking at each for every step took seconds for ten thousand steps.
        const [first = step] = this.same;
        if (isCarried(first) !== isCarried(step)) yield* this.flushSame();
        this.same.push(step);
      } else {
        yield* this.flushSame();
        this.following.push(step);
      }
    }
    yield* this.flush();
  }

  private *heading(pair: number): Generator<string> {
    yield* this.flush();
    this.isAfterParting = false;
    yield "";
    yield this.pen.paint.bold(pairText(this.report.conversations[pair]));
  }

  private *flush(): Generator<string> {
    yield* this.flushSame();
    yield* this.flushFollowing();
  }

  private *flushSame(): Generator<string> {
    const { same, pen } = this;
    if (same.length === 0) return;
    this.same = [];
    yield "";
    const words = same.some(isCarried) ? "nothing new differs" : "the same";
    yield pen.paint.dim(`${stepsText(same)}  ${words}`);
  }

  private *flushFollowing(): Generator<string> {
    const { following, pen } = this;
    if (following.length === 0) return;
    this.following = [];
    yield "";
    if (this.isAfterParting) yield pen.paint.bold("Then");
    this.isAfterParting = false;
    const isLong = following.length > shownConsequences + 1 && !following.every(isAlone);
    const shown = isLong ? following.slice(0, shownConsequences) : following;
    yield* shortSteps(shown, pen);
    const rest = following.length - shown.length;
    if (rest > 0) yield pen.paint.dim(`   … and ${countText(rest, "more step")} (\`--step N\` shows one)`);
  }
}

/** Prints the steps of a comparison, line by line. */
export function stepLines(
  report: DiffReport,
  steps: readonly StepReport[],
  isAsked: boolean,
  pen: Pen,
): Generator<string> {
  return new StepPrinter(report, pen).lines(steps, isAsked);
}

/** `c1 + c2 ↔ c1`: which conversations correspond. */
export function pairText(pair: PairReport | undefined): string {
  if (!pair) return "";
  if (pair.right.length === 0) return `${pair.left.join(" + ")} only in the failing log`;
  if (pair.left.length === 0) return `${pair.right.join(" + ")} only in the passing log`;
  return `${pair.left.join(" + ")} ↔ ${pair.right.join(" + ")}`;
}

function isSame({ left, right, request, reply }: StepReport): boolean {
  return (
    left !== null &&
    right !== null &&
    [request, reply].every(({ state }) => state === "same" || state === "carried" || state === "uncompared")
  );
}

function isCarried({ request }: StepReport): boolean {
  return request.state === "carried";
}

function isAlone({ left, right }: StepReport): boolean {
  return left === null || right === null;
}

/** The partings and other causes on the client's side; all other steps are consequences. */
function detailedSteps({ steps }: DiffReport): StepReport[] {
  return steps.filter(({ isParting }) => isParting).slice(0, shownPartings);
}

/** `step 3`, `steps 1–4 ↔ 2–5`. */
function stepsText(steps: readonly StepReport[]): string {
  const numbers = steps.map(({ left, right }) => (left ?? right)?.step ?? 0);
  const others = steps.map(({ left, right }) => (right ?? left)?.step ?? 0);
  const isShifted = numbers.some((number, index) => number !== others[index]);
  return `${numbers.length === 1 ? "step" : "steps"} ${ranges(numbers)}${isShifted ? ` ↔ ${ranges(others)}` : ""}`;
}

/** One line per step; adjacent steps that only one run has share a line. */
function* shortSteps(steps: readonly StepReport[], pen: Pen): Generator<string> {
  let alone: StepReport[] = [];
  const flush = function* (): Generator<string> {
    const [first] = alone;
    if (first) {
      const calls = alone.flatMap(({ reply }) =>
        reply.items.flatMap(({ left, right }) => callText(left ?? right, pen)),
      );
      const counts = new Map<string, number>();
      for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1);
      const counted = [...counts].map(([call, count]) => (count > 1 ? `${call} ×${count}` : call));
      const where = first.left ? "only in the failing run" : "only in the passing run";
      yield* entryLine(stepsText(alone), [where, ...counted], pen);
    }
    alone = [];
  };
  for (const step of steps) {
    const { left, right, request, reply, reasons } = step;
    const [before] = alone;
    if (left && right) {
      yield* flush();
      yield* entryLine(
        stepsText([step]),
        [
          ...halfText("request", request, pen),
          ...(request.state === "different" ? reasons : []),
          ...halfText("reply", reply, pen),
        ],
        pen,
      );
    } else {
      if (before && (before.left === null) !== (left === null)) yield* flush();
      alone.push(step);
    }
  }
  yield* flush();
}

function entryLine(head: string, words: readonly string[], pen: Pen): string[] {
  const [first = "", ...rest] = listed(
    words.map((word) => safe(pen, word)),
    pen.width - labelWidth,
  );
  const start = `   ${head.padEnd(labelWidth - 4)} `;
  return [`${start}${first}`, ...rest.map((line) => " ".repeat(labelWidth) + line)].map((line) =>
    cut(line, pen.width),
  );
}

function halfText(word: string, { state, items, settings, outcome }: HalfReport, pen: Pen): string[] {
  if (state !== "different" && state !== "minor") return [];
  if (state === "minor") return [`${word} in other words`];
  const differing = items.filter(({ mark, isKnown }) => mark !== "same" && mark !== "skipped" && !isKnown);
  const calls = (side: "left" | "right") => differing.flatMap((row) => callText(row[side], pen));
  if (word === "reply" && calls("left").length + calls("right").length > 0)
    return [
      `calls ${calls("left").join(", ") || "nothing"} instead of ${calls("right").join(", ") || "answering"}`,
    ];
  const counts = (["missing", "added", "changed", "moved"] as const).flatMap((mark) => {
    const count = differing.filter((row) => row.mark === mark).length;
    return count > 0 ? [`${count} ${mark}`] : [];
  });
  const others = settings.map(({ setting, name }) => name ?? setting);
  return [`${word}: ${[...others, ...counts, ...(outcome ? [outcome.left] : [])].join(", ")}`];
}

/** A call as mentioned in a one-line summary. */
function callText(item: ShownItem | null, pen: Pen): string[] {
  if (item?.kind !== "call") return [];
  return [cut(safe(pen, singleLine(`${item.tool ?? ""} ${item.text.slice(0, 2000)}`)), shortCall)];
}

const shortCall = 56;

function* wholeStep(step: StepReport, pen: Pen): Generator<string> {
  const { left, right, request, reply } = step;
  const place = left ?? right;
  if (left && right) {
    const lines = `failing :${left.line} ↔ passing :${right.line}`;
    yield `${pen.paint.bold(stepsText([step]))}  ${pen.paint.dim(lines)}`;
  } else {
    yield `${pen.paint.bold(`${stepsText([step])}  only in the ${left ? "failing" : "passing"} run`)}  ${pen.paint.dim(`:${place?.line ?? 1}`)}`;
  }
  yield* half("request", request, pen);
  yield* half("reply", reply, pen);
}

const stateWords: Readonly<Record<HalfReport["state"], string>> = {
  same: "the same",
  carried: "nothing new differs",
  minor: "the same in other words",
  different: "differs",
  uncompared: "not compared",
};

function* half(word: string, { state, settings, items, outcome }: HalfReport, pen: Pen): Generator<string> {
  const line = ` ${word.padEnd(8)} ${stateWords[state]}`;
  yield state === "different" ? line : pen.paint.dim(line);
  for (const each of settings) yield* setting(each, pen);
  const isWide = pen.width >= wide;
  const shown = items.slice(0, shownRows);
  for (const row of shown) yield* isWide ? wideRow(row, pen) : narrowRow(row, pen);
  if (items.length > shown.length) yield `     … and ${items.length - shown.length} more`;
  if (outcome) yield* parts([{ name: "reply", pointer: "", left: outcome.left, right: outcome.right }], pen);
}
