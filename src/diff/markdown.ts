import type { DiagnosisReport, Location } from "../findings/report.ts";
import { codeMarkdown, sentenceMarkdown } from "../reporters/markdown-escapes.ts";
import { counted } from "../reporters/numbers.ts";
import { changeTitle } from "../reporters/sentences.ts";
import { maskedStart } from "../reporters/visible.ts";
import type { DiffReport, HalfReport, RowReport, StepReport } from "./report.ts";

/** Limits that keep a comment readable: rows per half, steps, and characters per value. */
const shownRows = 20;
const shownSteps = 12;
const longest = 160;

/** The comparison as Markdown, in chunks. Log text never becomes markup; credentials are masked. */
export function* diffMarkdown(report: DiffReport, diagnoses: readonly DiagnosisReport[]): Generator<string> {
  const { verdict, left, right, firstDivergence, steps, notCompared, same } = report;
  const [head = "", ...why] = verdict;
  yield `### toollint diff: ${same ? "the same" : "different"}\n\n**${sentenceMarkdown(head)}**\n`;
  for (const each of why) yield `\n${sentenceMarkdown(each)}\n`;
  yield `\n- failing: ${codeMarkdown(left.path)}${placeText(firstDivergence?.left)}\n`;
  yield `- passing: ${codeMarkdown(right.path)}${placeText(firstDivergence?.right)}\n`;
  for (const diagnosis of diagnoses)
    if (diagnosis.change !== "") yield `- ${changeTitle(diagnosis)}: ${sentenceMarkdown(diagnosis.change)}\n`;
  const differing = steps.filter(
    ({ left: one, right: other, request, reply }) =>
      !one || !other || [request, reply].some(({ state }) => state === "different"),
  );
  if (differing.length > 0) {
    yield `\n<details>\n<summary>${counted(differing.length, "step")} with differences</summary>\n`;
    for (const step of differing.slice(0, shownSteps)) yield* stepPart(step);
    if (differing.length > shownSteps)
      yield `\n… and ${counted(differing.length - shownSteps, "more step")}\n`;
    yield "\n</details>\n";
  }
  for (const each of notCompared) yield `\nNot compared: ${sentenceMarkdown(each)}\n`;
}

function placeText(location: Location | null | undefined): string {
  if (!location) return "";
  const exchange = location.exchange === undefined ? "" : `, exchange ${location.exchange}`;
  return `, line ${location.line}${exchange}${location.pointer ? `, ${codeMarkdown(location.pointer)}` : ""}`;
}

function* stepPart({ left, right, request, reply }: StepReport): Generator<string> {
  const place = left ?? right;
  yield `\n**Step ${place?.step ?? ""}**`;
  if (!left || !right) {
    yield `: only in the ${left ? "failing" : "passing"} run\n`;
    return;
  }
  yield `\n\n| | where | what | failing | passing |\n|---|---|---|---|---|\n`;
  yield* rowsOf("request", request);
  yield* rowsOf("reply", reply);
}

function* rowsOf(where: string, { settings, items, outcome }: HalfReport): Generator<string> {
  const line = (mark: string, what: string, left: string | null, right: string | null): string =>
    `| ${mark} | ${where} | ${what} | ${cell(left)} | ${cell(right)} |\n`;
  for (const { setting, name, parts } of settings)
    for (const part of parts.slice(0, 4))
      yield line("changed", codeMarkdown(`${name ?? setting}${part.pointer}`, true), part.left, part.right);
  const shown = items.filter(({ mark }) => mark !== "same" && mark !== "skipped").slice(0, shownRows);
  for (const row of shown) {
    yield line(row.mark, codeMarkdown(nameOf(row), true), row.left?.text ?? null, row.right?.text ?? null);
    for (const part of row.parts.slice(0, 4))
      yield line("", codeMarkdown(`${part.name}${part.pointer}`, true), part.left, part.right);
  }
  if (outcome) yield line("changed", "the reply", outcome.left, outcome.right);
}

function nameOf({ left, right }: RowReport): string {
  const item = left ?? right;
  if (!item) return "";
  return [
    item.kind === "message" ? item.role : item.kind,
    ...(item.tool === undefined ? [] : [item.tool]),
  ].join(" ");
}

function cell(value: string | null): string {
  if (value === null) return "";
  const line = maskedStart(value, longest * 20).replace(/\s+/g, " ");
  return codeMarkdown(line.length > longest ? `${line.slice(0, longest - 1)}…` : line, true);
}
