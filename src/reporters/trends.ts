import type { CheckReport, Example, HabitTrend, MistakeTrend, Seen, Trends } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";
import { coverage, verdictLines } from "./closing.ts";
import { paragraph } from "./layout.ts";
import { markdownClosing, markdownHeading } from "./markdown.ts";
import { codeMarkdown, sentenceMarkdown } from "./markdown-escapes.ts";
import { counted, placeInFile } from "./numbers.ts";
import { changeTitle } from "./sentences.ts";
import { statistics } from "./statistics.ts";
import { type Style, styleFor } from "./style.ts";
import { sumOf } from "./summing.ts";
import type { TextContext } from "./text.ts";
import type { CheckVerdict } from "./verdict.ts";
import { printable } from "./visible.ts";

/** Rows of one status that people are shown; the JSON report has all. */
const shown = 10;

/** New mistakes of one known habit that people are shown. */
const shownParts = 3;

type Status = NonNullable<Seen["status"]> | "all";

/** What people read of the trends: a habit of the client, or a mistake that is a part of none. */
export interface TrendRow {
  readonly trend: Seen & Example;
  /** What the client does wrong, and what to change; absent for a mistake that is a part of no habit. */
  readonly habit?: Pick<HabitTrend, "title" | "change" | "changeIn">;
  /** What is new in a habit that was known. */
  readonly newParts: readonly MistakeTrend[];
}

/** The rows by status, in order; without a report from before, all in one group. */
export function trendRows({ habits, mistakes }: Trends): Map<Status, TrendRow[]> {
  const parts = groupBy(mistakes, ({ habit }) => habit);
  const rows = habits.map((trend): TrendRow => {
    const { status, title } = trend;
    const own = status === "known" ? (parts.get(title) ?? []) : [];
    return { trend, habit: trend, newParts: own.filter((part) => part.status === "new") };
  });
  const others = (parts.get(undefined) ?? []).map((trend): TrendRow => ({ trend, newParts: [] }));
  const order: readonly Status[] = ["all", "new", "known", "gone"];
  const byStatus = groupBy([...rows, ...others], ({ trend }): Status => trend.status ?? "all");
  return new Map([...byStatus].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** `since last.json: 2 new, 1 known, 3 gone`; how many there are without a report from before. */
export function trendsTitle(trends: Trends): string {
  const { since } = trends;
  const rows = trendRows(trends);
  const number = (status: Status): number => rows.get(status)?.length ?? 0;
  if (!since) return `${counted(number("all"), "kind")} of mistake in ${counted(trends.files.count, "file")}`;
  const gone = since.saysGone
    ? `, ${number("gone")} gone`
    : "; what is gone cannot be said: files are missing";
  return `since ${since.path}: ${number("new")} new, ${number("known")} known${gone}`;
}

/** In how many files, and when: `in 2 of 9 files, before in 1 of 8 · 2026-01-05 to 2026-01-07`, in UTC. */
export function seenText({ files, filesBefore = 0, status, first, last }: Seen, of: Trends["files"]): string {
  const before = `in ${filesBefore} of ${of.before ?? 0}`;
  const now = `in ${files} of ${counted(of.count, "file")}`;
  const where =
    status === "gone" ? `before ${before}` : status === "known" ? `${now}, before ${before}` : now;
  const days = [first, last].map((time) => time?.slice(0, 10));
  const when =
    days[0] === undefined ? "" : days[0] === days[1] ? ` · ${days[0]}` : ` · ${days[0]} to ${days[1]}`;
  return `${where}${when}`;
}

/** The trends for people, line by line, and the verdict. */
export function* trendsText(report: CheckReport, trends: Trends, context: TextContext): Iterable<string> {
  const style = styleFor(context);
  yield style.bold(style.safe(trendsTitle(trends)));
  yield "";
  for (const [status, rows] of trendRows(trends)) {
    for (const row of rows.slice(0, shown)) yield* rowText(status, row, trends.files, style);
    if (rows.length > shown) yield* [`and ${rows.length - shown} more: --format json`, ""];
  }
  if (context.statistics) yield* statistics(report, context.statistics, style);
  const { summary } = report;
  const found = summary.error + summary.warning + summary.info;
  if (found > 0 && context.all !== true)
    yield* paragraph([`findings: ${sumOf(summary)} (--all prints them)`], style.proseWidth, "  ");
  yield* coverage(report, context.all === true, context.skippedFiles ?? 0, style);
  yield* verdictLines(report, context.verdict, style);
}

function* rowText(status: Status, row: TrendRow, files: Trends["files"], style: Style): Iterable<string> {
  const { trend, habit, newParts } = row;
  const { severity, rule, message, location } = trend;
  const indent = "  ";
  const indented = (text: string): string[] =>
    paragraph([`${indent}${style.safe(text)}`], style.proseWidth, `${indent}  `);
  yield* paragraph(
    [
      status === "all" ? "" : `${status.padEnd(5)} `,
      [severity, style.severity[severity]],
      style.rule(rule),
      ` ${seenText(trend, files)}`,
    ],
    style.proseWidth,
    indent,
  );
  if (habit) yield* indented(`${habit.title}.`);
  yield* indented(`${placeInFile(location)}: ${message}`);
  for (const part of newParts.slice(0, shownParts))
    yield* indented(`new in it, ${seenText(part, files)}: ${placeInFile(part.location)}: ${part.message}`);
  if (newParts.length > shownParts)
    yield* indented(`and ${newParts.length - shownParts} more that are new in it`);
  if (habit && status !== "gone" && status !== "known" && habit.change !== "")
    yield* indented(`${changeTitle(habit)}: ${habit.change}`);
  yield "";
}

/** The trends as Markdown with the verdict, in chunks with line feeds. */
export function* trendsMarkdown(
  report: CheckReport,
  trends: Trends,
  verdict: CheckVerdict,
): Iterable<string> {
  yield `${markdownHeading(report, verdict)}\n`;
  yield `**${sentenceMarkdown(printable(trendsTitle(trends), false))}**\n`;
  const rows = trendRows(trends);
  if (rows.size > 0) yield "\n| | What | For example | Files | Rule |\n| --- | --- | --- | --- | --- |\n";
  let left = 0;
  for (const [status, group] of rows) {
    for (const { trend, habit, newParts } of group.slice(0, shown)) {
      const word = status === "all" ? trend.severity : `**${status}** ${trend.severity}`;
      const advice =
        habit && status !== "known" && status !== "gone" ? [`${changeTitle(habit)}: ${habit.change}`] : [];
      const parts = newParts
        .slice(0, shownParts)
        .map(
          (part) =>
            `New in it, ${seenText(part, trends.files)}: ${placeInFile(part.location)}: ${part.message}`,
        );
      const what = [...(habit ? [`${habit.title}.`] : []), ...parts, ...advice].map(cell).join("<br>");
      const example = `${codeMarkdown(placeInFile(trend.location), true)} ${cell(trend.message)}`;
      yield `| ${word} | ${what} | ${example} | ${seenText(trend, trends.files)} | ${codeMarkdown(trend.rule, true)} |\n`;
    }
    left += Math.max(0, group.length - shown);
  }
  if (left > 0) yield `\n${left} more: \`--format json\`\n`;
  yield markdownClosing(report, verdict);
}

function cell(sentence: string): string {
  return sentenceMarkdown(printable(sentence, false), true);
}
