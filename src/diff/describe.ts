import { type Placed, pointerOf, type Step } from "../conversation/conversation.ts";
import { itemOrigin as bytesOf } from "../conversation/places.ts";
import type { Location } from "../findings/report.ts";
import type { Run } from "../log/open.ts";
import { logReport } from "../log/report.ts";
import { linesOf, type Origin } from "../reading/origin.ts";
import { shownItem } from "../show/items.ts";
import type { Comparison } from "./compare.ts";
import { ignoredIn } from "./ignored.ts";
import { diffedParts, valueParts } from "./item-diff.ts";
import type { Names } from "./item-identity.ts";
import { sentenceOf, whatDiffers } from "./phrases.ts";
import type {
  DiffReport,
  DivergenceReport,
  HalfReport,
  IgnoredReport,
  RowReport,
  SettingReport,
  StepPlace,
  StepReport,
} from "./report.ts";
import type { SettingDifference } from "./settings.ts";
import type { ComparedRow, HalfComparison, StepComparison } from "./step-comparer.ts";
import { stepsBefore } from "./steps-before.ts";
import { isDifferent, news, type Parting, partingOrigin, type Verdict } from "./verdict.ts";

/** A comparison as plain data. `context` is the number of equal items kept around each difference. */
export function describeDiff(
  comparison: Comparison,
  verdict: Verdict,
  logs: { readonly left: Run; readonly right: Run },
  context: number,
): DiffReport {
  const { names, runs, notCompared } = comparison;
  const numbering = numberingOf(comparison);
  const divergence = (parting: Parting): DivergenceReport => divergenceOf(parting, names, numbering);
  const ignored = ignoredIn(comparison);
  const partings = new Set(
    [verdict.first, ...verdict.causes, verdict.replies].map((parting) => parting?.step),
  );
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    left: logReport(logs.left),
    right: logReport(logs.right),
    same: verdict.first === undefined,
    verdict: sentences(verdict, names, numbering, new Set(ignored.map(({ kind }) => kind))),
    firstDivergence: verdict.first ? divergence(verdict.first) : null,
    alsoCauses: verdict.causes.map(divergence),
    repliesPart: verdict.replies ? divergence(verdict.replies) : null,
    conversations: runs.map(({ left, right, steps }) => ({
      left: left?.conversations.map(({ name }) => name) ?? [],
      right: right?.conversations.map(({ name }) => name) ?? [],
      same: !steps.some(isDifferent) && steps.every(({ reply }) => reply.state !== "minor"),
    })),
    steps: runs.flatMap(({ steps }, pair) =>
      steps.map((step) =>
        stepReport(step, pair, partings.has(step), verdict.reasonsOf(step), { names, numbering, context }),
      ),
    ),
    ignored,
    notCompared,
  };
}

/** Returns the number of a step in its run, which may span several conversations. Counts from 1. */
type Numbering = (step: Step) => number;

function numberingOf({ runs }: Comparison): Numbering {
  const numbers = new Map<Step, number>();
  for (const { left, right } of runs)
    for (const run of [left, right])
      for (const [index, step] of (run?.steps ?? []).entries()) numbers.set(step, index + 1);
  return (step) => numbers.get(step) ?? step.number;
}

/** The step number in the failing run, or in the passing run if the failing one lacks the step. */
function numberIn({ left, right }: StepComparison, numbering: Numbering): number {
  const step = left ?? right;
  return step ? numbering(step) : 1;
}

/** The verdict: where the runs part, on whose side and why; then what else differs, and what follows. */
function sentences(
  verdict: Verdict,
  names: Names,
  numbering: Numbering,
  ignored: ReadonlySet<IgnoredReport["kind"]>,
): string[] {
  const { first, causes, replies, history, isUnrelated } = verdict;
  if (!first)
    return [
      `The runs are the same${ignored.size > 0 ? ", except for ids and other values that change with every run" : ""}.`,
    ];
  const step = numberIn(first.step, numbering);
  const mentioned = new Set<string>();
  const unmentioned = (all: readonly string[]): string[] => all.filter((one) => !mentioned.has(one));
  /** The differences at a parting and the rules that explain them, without those already mentioned. */
  const describeParting = (parting: Parting): string => {
    const what = unmentioned(whatDiffers(parting, names));
    const rules = unmentioned(parting.reasons);
    for (const one of [...what, ...rules]) mentioned.add(one);
    return `${sentenceOf(what)}${ruleText(rules)}`;
  };
  const whatFirst = whatDiffers(first, names);
  for (const one of [...whatFirst, ...first.reasons]) mentioned.add(one);
  const what = capitalized(sentenceOf(whatFirst));
  const asked = verdict.evidence === "transcript" ? "before the model's reply" : "in the client's request";
  const at = `at step ${step}, ${first.side === "request" ? asked : "in the model's reply"}`;
  const story: string[] = [];
  const unrelated = isUnrelated
    ? ["These look like different tasks: the comparison shows the most similar conversations."]
    : [];
  if (first.isMinor)
    return [
      `The runs do the same; only their wording differs ${at}.`,
      `${what}; ${whyText(verdict, names, step)}.`,
      ...unrelated,
    ];
  if (first.side === "reply" && (ignored.has("dates and times") || ignored.has("ids in texts")))
    story.push("Dates or ids in texts differ: `--show-ignored` lists them.");
  for (const cause of causes.slice(0, 2)) {
    const more = describeParting(cause);
    if (more !== "")
      story.push(`The request of step ${numberIn(cause.step, numbering)} also differs: ${more}.`);
  }
  if (causes.length > 2)
    story.push(`${causes.length - 2} more requests differ${replies ? " before the replies diverge" : ""}.`);
  if (replies && replies !== first)
    story.push(
      `So the replies diverge at step ${numberIn(replies.step, numbering)}: ${describeParting(replies)}.`,
    );
  else if (history && !causes.includes(history))
    story.push(
      `The histories diverge at step ${numberIn(history.step, numbering)}: ${describeParting(history)}.`,
    );
  else if (first.side === "request" && !first.isAlone && !replies)
    story.push("The replies are the same anyway.");
  return [
    ...unrelated,
    `The runs diverge ${at}${ruleText(first.reasons)}.`,
    isUnrelated ? `${what}.` : `${what}; ${whyText(verdict, names, step)}.`,
    ...(story.length > 0 ? [story.join(" ")] : []),
  ];
}

const whose = {
  client: "the client caused it, not chance",
  tools: "the tools caused it: they returned something else",
  user: "the user caused it by saying something else",
} as const;

function whyText(verdict: Verdict, names: Names, step: number): string {
  const { first, evidence, isLikeBefore } = verdict;
  if (evidence === "nothing")
    return "the logs have no requests, so either the client or the model may have caused it";
  if (evidence === "transcript" && first?.side === "reply")
    return "everything before is the same; a transcript does not show what was sent, so either the client or chance may have caused it";
  if (!first || first.side === "reply")
    return "the requests are equal up to this point, so the model or chance caused it, not the client";
  const so = whose[partingOrigin(first, names)];
  if (isLikeBefore) return `before that, only wording and retries differ, so ${so}`;
  return step > 1 ? `everything before is the same, so ${so}` : `they differ from the start, so ${so}`;
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}

function ruleText(rules: readonly string[]): string {
  return rules.length > 0 ? ` (${rules.slice(0, 3).join(", ")})` : "";
}

function divergenceOf(parting: Parting, names: Names, numbering: Numbering): DivergenceReport {
  const { step, side, isMinor, reasons } = parting;
  return {
    step: numberIn(step, numbering),
    side,
    isMinor,
    what: sentenceOf(whatDiffers(parting, names)),
    reasons,
    left: placeOfParting(parting, "left"),
    right: placeOfParting(parting, "right"),
  };
}

/** The first item that differs; else the request or reply that lacks it, or the end of the run. */
function placeOfParting({ run, step, side }: Parting, which: "left" | "right"): Location | null {
  const own = step[which];
  if (!own) {
    const before = stepsBefore(run, step)[which];
    return before ? wholeLocation(before, before.reply ? "reply" : "request") : null;
  }
  const half = side === "request" || step.reply.state === "uncompared" ? step.request : step.reply;
  const setting = half.settings[0];
  if (setting && side === "request")
    return settingLocation(own, which === "left" ? setting.leftPointer : setting.rightPointer);
  const row = news(half).find((one) => one[which]) ?? news(half)[0];
  const placed = row?.[which];
  return placed ? itemLocation(placed) : wholeLocation(own, side);
}

function itemLocation(placed: Placed): Location | null {
  const origin = bytesOf(placed);
  return origin ? location(placed.step, placed.part, pointerOf(placed), origin) : null;
}

function settingLocation(step: Step, pointer: string): Location | null {
  return step.request ? location(step, "request", pointer, step.request.place.locate(pointer)) : null;
}

function wholeLocation(step: Step, side: "request" | "reply"): Location | null {
  const place =
    (side === "request" ? step.request : step.reply)?.place ?? step.request?.place ?? step.reply?.place;
  const pointer = side === "request" ? (step.request?.historyPointer ?? "") : "";
  return place
    ? location(step, side === "request" ? "request" : "response", pointer, place.locate(pointer))
    : null;
}

function location(step: Step, part: "request" | "response", pointer: string, origin: Origin): Location {
  const lines = linesOf(origin.source);
  const start = lines.at(origin.start);
  const end = lines.at(Math.max(origin.start, origin.end));
  const isTranscript = step.conversation.kind === "transcript";
  return {
    file: step.exchange.file,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    ...(!isTranscript && { exchange: step.exchange.number }),
    part: isTranscript ? "transcript" : part,
    pointer,
    conversation: step.conversation.name,
    step: step.number,
  };
}

/** What all step reports share. */
interface Describing {
  readonly names: Names;
  readonly numbering: Numbering;
  readonly context: number;
}

function stepReport(
  step: StepComparison,
  pair: number,
  isParting: boolean,
  reasons: readonly string[],
  { names, numbering, context }: Describing,
): StepReport {
  const { left, right, request, reply } = step;
  return {
    pair,
    isParting,
    reasons,
    left: left ? stepPlace(left, numbering) : null,
    right: right ? stepPlace(right, numbering) : null,
    request: halfReport(step, request, names, context),
    reply: halfReport(step, reply, names, context),
  };
}

function stepPlace(step: Step, numbering: Numbering): StepPlace {
  const origin = (step.request ?? step.reply)?.place.origin;
  return {
    conversation: step.conversation.name,
    step: numbering(step),
    exchange: step.exchange.number,
    line: origin ? linesOf(origin.source).lineAt(origin.start) : 1,
  };
}

/** Reports of halves without differences. Logs may have tens of thousands of steps, most of them equal. */
const quietHalves = {
  same: quietHalf("same"),
  carried: quietHalf("carried"),
  uncompared: quietHalf("uncompared"),
} as const;

function quietHalf(state: HalfReport["state"]): HalfReport {
  return { state, settings: [], items: [], outcome: null };
}

function halfReport(
  { left, right }: StepComparison,
  { state, rows, settings, outcome }: HalfComparison,
  names: Names,
  context: number,
): HalfReport {
  const isQuiet = state === "same" || state === "carried" || state === "uncompared";
  if (isQuiet && settings.length === 0 && !outcome) return quietHalves[state];
  return {
    state,
    settings: settings.map((setting) => settingReport(setting, left, right)),
    items: isQuiet ? [] : rowReports(rows, names, context),
    outcome: outcome ?? null,
  };
}

function settingReport(
  difference: SettingDifference,
  left: Step | undefined,
  right: Step | undefined,
): SettingReport {
  const { setting, name } = difference;
  return {
    setting,
    name: name ?? null,
    parts: valueParts("", difference.left, difference.right),
    left: left && difference.left !== undefined ? settingLocation(left, difference.leftPointer) : null,
    right: right && difference.right !== undefined ? settingLocation(right, difference.rightPointer) : null,
  };
}

/** The rows that differ, with some equal ones around them. */
function rowReports(rows: readonly ComparedRow[], names: Names, context: number): RowReport[] {
  const kept = new Set<number>();
  for (const [index, row] of rows.entries()) {
    if (row.mark === "same") continue;
    for (let near = Math.max(0, index - context); near <= Math.min(rows.length - 1, index + context); near++)
      kept.add(near);
  }
  // A line for one skipped item would take as much room as the item.
  const isIn = (index: number): boolean => index < 0 || index >= rows.length || kept.has(index);
  const single = kept.size > 0 ? [...rows.keys()].filter((index) => isIn(index - 1) && isIn(index + 1)) : [];
  for (const index of single) kept.add(index);
  const reports: RowReport[] = [];
  let skipped = 0;
  const flush = (): void => {
    if (skipped > 0)
      reports.push({
        mark: "skipped",
        left: null,
        right: null,
        parts: [],
        isKnown: false,
        isMinor: false,
        count: skipped,
      });
    skipped = 0;
  };
  for (const [index, row] of rows.entries()) {
    if (!kept.has(index)) {
      skipped++;
      continue;
    }
    flush();
    const { mark, left, right, isKnown, isMinor } = row;
    reports.push({
      mark,
      left: left ? shownItem(left) : null,
      right: right ? shownItem(right) : null,
      parts: mark === "changed" || mark === "moved" ? diffedParts(row, names) : [],
      isKnown,
      isMinor,
      count: 0,
    });
  }
  flush();
  return reports;
}
