import picocolors from "picocolors";
import type { DiagnosisReport } from "../findings/report.ts";
import type { LogReport } from "../log/report.ts";
import { listed, paragraph } from "../reporters/layout.ts";
import { ranges } from "../reporters/numbers.ts";
import { protocolNames } from "../reporters/protocol-names.ts";
import { changes } from "../reporters/sentences.ts";
import { styleFor } from "../reporters/style.ts";
import { visible } from "../reporters/visible.ts";
import { cut, widthOf } from "../reporters/width.ts";
import { aligned, labelWidth, oneLine, type Pen, safe } from "../show/entry.ts";
import type { ShownItem } from "../show/shown.ts";
import { countText, sizeText } from "../show/words.ts";
import type { Part } from "./item-diff.ts";
import type { DiffReport, HalfReport, PairReport, RowReport, SettingReport, StepReport } from "./report.ts";
import { excerptOf, stretchesOf } from "./stretches.ts";

/** How a comparison is printed. */
export interface DiffStyle {
  readonly color: boolean;
  readonly width: number;
  /** Write credentials as they are. */
  readonly showValues: boolean;
  /** Only this step, by its number in the failing run. */
  readonly step?: number;
  /** List what was set aside as volatile. */
  readonly showsIgnored: boolean;
}

/** From this width on, the runs stand side by side. */
const wide = 140;
/** Steps that only follow are told in a line each, so many of them. */
const shownConsequences = 6;
/** Steps at which the runs part that are printed whole. */
const shownPartings = 4;
/** Rows of one half that are printed. */
const shownRows = 40;
/** Differences inside one item that are printed. */
const shownParts = 6;
/** Values this short stand side by side on one line. */
const shortPart = 28;

/** The comparison for people, line by line: where the runs part and why, then the steps that differ. */
export function* printed(
  report: DiffReport,
  diagnoses: readonly DiagnosisReport[],
  style: DiffStyle,
): Generator<string> {
  const pen: Pen = { ...style, isFull: false, paint: picocolors.createColors(style.color) };
  const [head = "", ...why] = report.verdict;
  yield* paragraph([[safe(pen, head), pen.paint.bold]], pen.width);
  for (const each of why) yield* paragraph([safe(pen, each)], pen.width);
  yield "";
  yield* logs(report, pen);
  const steps =
    style.step === undefined
      ? report.steps
      : report.steps.filter(({ left, right }) => (left ?? right)?.step === style.step);
  if (style.step !== undefined || !report.same)
    yield* stepLines(report, steps, style.step !== undefined, pen);
  if (style.showsIgnored) yield* ignored(report, pen);
  yield* closing(report, diagnoses, pen);
}

function* logs({ left, right, conversations }: DiffReport, pen: Pen): Generator<string> {
  const names = (side: "left" | "right") => conversations.flatMap((pair) => pair[side]);
  const room = Math.max(widthOf(visible(left.path)), widthOf(visible(right.path)));
  const lines = (word: string, log: LogReport, side: "left" | "right"): string[] => {
    const path = safe(pen, log.path);
    const parts = [log.container, ...protocolNames(log.protocols), countText(log.exchanges, "exchange")];
    if (log.conversations > 1) parts.push(countText(names(side).length, "conversation"));
    const whole = `${word}  ${path}${" ".repeat(Math.max(2, room - widthOf(path) + 2))}${parts.join(" · ")}`;
    // A path is there to be copied: it is never cut.
    return widthOf(whole) <= pen.width ? [whole] : [`${word}  ${path}`, `         ${parts.join(" · ")}`];
  };
  for (const each of [...lines("failing", left, "left"), ...lines("passing", right, "right")])
    yield pen.paint.dim(each);
  if (
    conversations.length > 1 ||
    conversations.some((pair) => pair.left.length > 1 || pair.right.length > 1)
  ) {
    const pairs = conversations.map((pair) => `${pairText(pair)}${pair.same ? " the same" : ""}`);
    for (const each of listed(
      ["compared", ...pairs.slice(0, 12), ...(pairs.length > 12 ? [`${pairs.length - 12} more`] : [])],
      pen.width,
    ))
      yield pen.paint.dim(each);
  }
}

/** `c1 + c2 ↔ c1`: which conversations stand for each other. */
function pairText(pair: PairReport | undefined): string {
  if (!pair) return "";
  if (pair.right.length === 0) return `${pair.left.join(" + ")} only in the failing log`;
  if (pair.left.length === 0) return `${pair.right.join(" + ")} only in the passing log`;
  return `${pair.left.join(" + ")} ↔ ${pair.right.join(" + ")}`;
}

/** Steps that differ in detail; those that are the same, and those that only follow, in a line. */
function* stepLines(
  report: DiffReport,
  steps: readonly StepReport[],
  isAsked: boolean,
  pen: Pen,
): Generator<string> {
  const detailed = new Set(isAsked ? steps : detailedSteps(report));
  let same: StepReport[] = [];
  let following: StepReport[] = [];
  let isAfterParting = false;
  const flushSame = function* (): Generator<string> {
    if (same.length === 0) return;
    yield "";
    const words = same.some(isCarried) ? "no more than before" : "the same";
    yield pen.paint.dim(`${stepsText(same)}  ${words}`);
    same = [];
  };
  const flushFollowing = function* (): Generator<string> {
    if (following.length === 0) return;
    yield "";
    if (isAfterParting) yield pen.paint.bold("Then");
    isAfterParting = false;
    const isLong = following.length > shownConsequences + 1 && !following.every(isAlone);
    const shown = isLong ? following.slice(0, shownConsequences) : following;
    yield* shortSteps(shown, pen);
    const rest = following.slice(shown.length);
    if (rest.length > 0)
      yield pen.paint.dim(`   … and ${countText(rest.length, "more step")} (\`--step N\` shows one)`);
    following = [];
  };
  let pair = steps[0]?.pair ?? 0;
  for (const step of steps) {
    if (step.pair !== pair) {
      yield* flushSame();
      yield* flushFollowing();
      pair = step.pair;
      isAfterParting = false;
      yield "";
      yield pen.paint.bold(pairText(report.conversations[pair]));
    }
    if (detailed.has(step)) {
      yield* flushSame();
      yield* flushFollowing();
      yield "";
      yield* wholeStep(step, pen);
      isAfterParting = !isAsked;
    } else if (isSame(step)) {
      yield* flushFollowing();
      if (same.some(isCarried) !== isCarried(step)) yield* flushSame();
      same.push(step);
    } else {
      yield* flushSame();
      following.push(step);
    }
  }
  yield* flushSame();
  yield* flushFollowing();
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

/** Where the runs part, with what is the client's doing besides; the rest follows. */
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

/** What became of a step in one line; steps in a row that only one run has are one. */
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
      const told = [...counts].map(([call, count]) => (count > 1 ? `${call} ×${count}` : call));
      const where = first.left ? "only in the failing run" : "only in the passing run";
      yield* entryLine(stepsText(alone), [where, ...told], pen);
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

/** A call as it is told in passing. */
function callText(item: ShownItem | null, pen: Pen): string[] {
  if (item?.kind !== "call") return [];
  return [cut(safe(pen, oneLine(`${item.tool ?? ""} ${item.text.slice(0, 2000)}`)), shortCall)];
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
  carried: "no more than before",
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

function* setting(
  { setting: what, name, parts: inside, left, right }: SettingReport,
  pen: Pen,
): Generator<string> {
  const mark = left === null ? "missing" : right === null ? "added" : "changed";
  const label = name === null ? what.replace("-", " ") : `${what === "tools" ? "tool" : what} ${name}`;
  yield aligned(
    pen,
    head(mark),
    { start: safe(pen, oneLine(label)) },
    linesText(left?.line, right?.line),
    paintOf(mark, pen),
  );
  if (mark === "changed") yield* parts(inside, pen);
}

const signs = { same: "=", missing: "−", added: "+", changed: "~", moved: "↕", skipped: "⋮" } as const;

function head(mark: RowReport["mark"]): string {
  return `   ${signs[mark]} ${mark === "same" ? "" : mark}`.padEnd(labelWidth);
}

function paintOf(mark: RowReport["mark"], { paint }: Pen): (text: string) => string {
  return {
    same: paint.dim,
    missing: paint.red,
    added: paint.green,
    changed: paint.yellow,
    moved: paint.yellow,
    skipped: paint.dim,
  }[mark];
}

function linesText(left: number | undefined, right: number | undefined): string {
  return `${left === undefined ? "" : `:${left} `}↔${right === undefined ? "" : ` :${right}`}`;
}

function* narrowRow(
  { mark, left, right, parts: inside, isKnown, count }: RowReport,
  pen: Pen,
): Generator<string> {
  if (mark === "skipped") {
    yield pen.paint.dim(`   ⋮ ${countText(count, "equal item")}`);
    return;
  }
  const item = left ?? right;
  if (!item) return;
  const remark = isKnown ? "as before  " : "";
  yield aligned(
    pen,
    head(mark),
    said(item, pen),
    `${remark}${linesText(left?.line, right?.line)}`,
    paintOf(mark, pen),
  );
  yield* parts(inside, pen);
}

/** The item on the failing side, the mark, the item on the passing side. */
function* wideRow(row: RowReport, pen: Pen): Generator<string> {
  const { mark, left, right, parts: inside, count } = row;
  if (mark === "skipped") {
    yield pen.paint.dim(`   ⋮ ${countText(count, "equal item")}`);
    return;
  }
  const room = Math.floor((pen.width - 9) / 2);
  const paint = paintOf(mark, pen);
  const cell = (item: ShownItem | null): string => {
    if (!item) return " ".repeat(room);
    const place = `:${item.line}`;
    const { start, size } = said(item, pen);
    const text = cut(start, room - place.length - 1 - (size ? size.length + 1 : 0));
    const whole = size && text !== start ? `${text} ${size}` : text;
    return `${whole}${" ".repeat(Math.max(1, room - widthOf(whole) - place.length))}${pen.paint.dim(place)}`;
  };
  yield `   ${cell(left)} ${paint(signs[mark])}   ${cell(right)}`.trimEnd();
  yield* parts(inside, pen);
}

function said(item: ShownItem, pen: Pen): { start: string; size?: string } {
  const own = item.kind === "message" ? item.role : item.kind;
  const words = [own, ...(item.tool === undefined ? [] : [item.tool])].join(" ");
  const text = item.text === "" ? (item.kind === "call" ? "(no arguments)" : "(no text)") : item.text;
  const limit = pen.width * 4 + 256;
  const start = safe(pen, oneLine(`${words} ${text.slice(0, limit)}`));
  return text.length > limit || widthOf(start) > pen.width / 2 ? { start, size: sizeText(text) } : { start };
}

/** What differs inside an item: short values beside each other, long ones below, with the stretch that differs. */
function* parts(all: readonly Part[], pen: Pen): Generator<string> {
  const indent = " ".repeat(labelWidth);
  for (const { name, pointer, left, right } of all.slice(0, shownParts)) {
    const path = safe(pen, `${name}${pointer}`);
    const [one, other] = [left, right].map((value) =>
      value === null ? nothingOf(name) : safe(pen, oneLine(value.slice(0, 400))) || '""',
    );
    const isShort =
      name === "answers" ||
      ([left, right].every((value) => value === null || value.length <= shortPart) &&
        !`${left}${right}`.includes("\n"));
    if (isShort && one !== undefined && other !== undefined) {
      yield cut(`${indent}${path}${path === "" ? "" : "  "}failing ${one} · passing ${other}`, pen.width);
      continue;
    }
    if (path !== "") yield cut(`${indent}${path}`, pen.width);
    const stretches = stretchesOf(shownValue(left, pen), shownValue(right, pen));
    for (const side of ["left", "right"] as const) {
      const word = side === "left" ? "failing " : "passing ";
      const value = side === "left" ? left : right;
      yield value === null ? `${indent}${word} —` : `${indent}${word} ${emphasised(stretches, side, pen)}`;
    }
  }
  if (all.length > shownParts) yield `${indent}… and ${all.length - shownParts} more differences inside`;
}

/** What stands for a value that one side does not have. */
function nothingOf(part: string): string {
  return part === "form" ? "as it should be" : "—";
}

/** Text of a value as it may be printed; what a mask hides cannot be told apart. */
function shownValue(value: string | null, pen: Pen): string {
  return value === null ? "" : safe(pen, value.slice(0, maxShown));
}

/** So much of a value is looked at for its difference. */
const maxShown = 200_000;

/** One side's text around what differs; without colours the differing stretches stand in brackets. */
function emphasised(stretches: ReturnType<typeof stretchesOf>, side: "left" | "right", pen: Pen): string {
  const room = Math.max(20, pen.width - labelWidth - 10);
  const paint = side === "left" ? pen.paint.red : pen.paint.green;
  const marks = pen.color ? 0 : 2;
  const pieces = excerptOf(stretches, side, Math.max(16, room - marks * 3));
  let left = room;
  let line = "";
  for (const { text, isOwn } of pieces) {
    const fitted = cut(text, left - (isOwn ? marks : 0));
    if (fitted === "") break;
    left -= widthOf(fitted) + (isOwn ? marks : 0);
    line += isOwn ? (pen.color ? paint(fitted) : `[${fitted}]`) : fitted;
    if (left <= marks) break;
  }
  return line;
}

function* ignored({ ignored: all }: DiffReport, pen: Pen): Generator<string> {
  yield "";
  yield pen.paint.bold("Not counted as differences (`--strict` counts what items say)");
  if (all.length === 0) yield "   nothing";
  for (const { kind, count, example } of all) {
    const values = [example.left, example.right].map((value) => cut(safe(pen, oneLine(value)), 32));
    yield cut(`   ${kind.padEnd(24)} ${`${count}`.padStart(4)}   ${values.join(" ↔ ")}`, pen.width);
  }
}

function* closing(report: DiffReport, diagnoses: readonly DiagnosisReport[], pen: Pen): Generator<string> {
  const { notCompared, firstDivergence, repliesPart, ignored: set, same } = report;
  const style = styleFor(pen);
  const advice = changes(diagnoses, style);
  if (advice.length > 0) {
    yield "";
    yield* advice;
  }
  if (notCompared.length > 0) {
    yield "";
    for (const each of notCompared) yield* paragraph([`not compared: ${safe(pen, each)}`], pen.width, "  ");
  }
  const kinds = set.map(({ kind }) => kind);
  const lines: string[] = [];
  if (kinds.length > 0) lines.push(`not counted: ${kinds.join(", ")}`);
  const [rule] = [...(firstDivergence?.reasons ?? []), ...(repliesPart?.reasons ?? [])];
  if (rule !== undefined) lines.push(`Learn: toollint explain ${rule}`);
  if (lines.length === 0) return;
  if (advice.length === 0 && notCompared.length === 0 && !same) yield "";
  for (const line of lines) yield* listed(line.split(" · "), pen.width).map((each) => pen.paint.dim(each));
}
