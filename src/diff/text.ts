import picocolors from "picocolors";
import type { DiagnosisReport } from "../findings/report.ts";
import type { LogReport } from "../log/report.ts";
import { listed, paragraph } from "../reporters/layout.ts";
import { protocolNames } from "../reporters/protocol-names.ts";
import { changes } from "../reporters/sentences.ts";
import { styleFor } from "../reporters/style.ts";
import { visible } from "../reporters/visible.ts";
import { cut, widthOf } from "../reporters/width.ts";
import { type Pen, safe, singleLine } from "../show/entry.ts";
import { countText } from "../show/words.ts";
import type { DiffReport } from "./report.ts";
import { pairText, stepLines } from "./text-steps.ts";

/** Options for printing a comparison. */
export interface DiffStyle {
  readonly color: boolean;
  readonly width: number;
  /** Print credentials unmasked. */
  readonly showValues: boolean;
  /** Print only this step, by its number in the failing run. */
  readonly step?: number;
  /** List the differences ignored as volatile. */
  readonly showsIgnored: boolean;
}

/** Prints the comparison line by line: where the runs part and why, then the steps that differ. */
export function* printedDiff(
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
  yield* closing(report, diagnoses, pen, style.showsIgnored);
}

function* logs({ left, right, conversations }: DiffReport, pen: Pen): Generator<string> {
  const names = (side: "left" | "right") => conversations.flatMap((pair) => pair[side]);
  const room = Math.max(widthOf(visible(left.path)), widthOf(visible(right.path)));
  const lines = (word: string, log: LogReport, side: "left" | "right"): string[] => {
    const path = safe(pen, log.path);
    const parts = [log.container, ...protocolNames(log.protocols), countText(log.exchanges, "exchange")];
    if (log.conversations > 1) parts.push(countText(names(side).length, "conversation"));
    const whole = `${word}  ${path}${" ".repeat(Math.max(2, room - widthOf(path) + 2))}${parts.join(" · ")}`;
    // Never cut a path: people copy it.
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

function* ignored({ ignored: all }: DiffReport, pen: Pen): Generator<string> {
  yield "";
  yield pen.paint.bold("Ignored (`--strict` counts those inside items)");
  if (all.length === 0) yield "   nothing";
  for (const { kind, count, example } of all) {
    const values = [example.left, example.right].map((value) => cut(safe(pen, singleLine(value)), 32));
    yield cut(`   ${kind.padEnd(24)} ${`${count}`.padStart(4)}   ${values.join(" ↔ ")}`, pen.width);
  }
}

function* closing(
  report: DiffReport,
  diagnoses: readonly DiagnosisReport[],
  pen: Pen,
  showsIgnored: boolean,
): Generator<string> {
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
  if (kinds.length > 0)
    lines.push(`ignored: ${kinds.join(", ")}${showsIgnored ? "" : " (--show-ignored lists them)"}`);
  const [rule] = [...(firstDivergence?.reasons ?? []), ...(repliesPart?.reasons ?? [])];
  if (rule !== undefined) lines.push(`Learn: toollint explain ${rule}`);
  if (lines.length === 0) return;
  if (advice.length === 0 && notCompared.length === 0 && !same) yield "";
  for (const line of lines) yield* listed(line.split(" · "), pen.width).map((each) => pen.paint.dim(each));
}
