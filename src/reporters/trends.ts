import type { Seen, Trends } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";
import { paragraph } from "./layout.ts";
import { codeMarkdown, sentenceMarkdown } from "./markdown-escapes.ts";
import { counted } from "./numbers.ts";
import type { Style } from "./style.ts";
import { printable } from "./visible.ts";

/** Mistakes of one status that people are shown; the JSON report has all. */
const shown = 10;

type Status = NonNullable<Seen["status"]> | "all";

/** Trends of one kind by status, in order; without a report from before, all in one group. */
function byStatus<T extends Seen>(trends: readonly T[]): Map<Status, T[]> {
  return groupBy(trends, ({ status }): Status => status ?? "all");
}

/** `since last.json: 2 new, 1 known, 3 gone`; how many there are without a report from before. */
export function trendsTitle({ since, findings }: Trends): string {
  const number = (status: Status): number => byStatus(findings).get(status)?.length ?? 0;
  if (!since) return `${counted(findings.length, "different mistake")}`;
  const gone = since.saysGone
    ? `, ${number("gone")} gone`
    : "; what is gone cannot be said: files are missing";
  return `since ${since.path}: ${number("new")} new, ${number("known")} known${gone}`;
}

/** How often and when: `4 times in 2 files, 1 before · 2026-01-05 to 2026-01-07`. Dates are in UTC. */
export function seenText({ count, before, files, first, last, status }: Seen): string {
  const now =
    status === "gone"
      ? `${times(before ?? 0)} before`
      : `${times(count)} in ${counted(files, "file")}${status === "known" ? `, ${before} before` : ""}`;
  const days = [first, last].map((time) => time?.slice(0, 10));
  const when =
    days[0] === undefined ? "" : days[0] === days[1] ? ` · ${days[0]}` : ` · ${days[0]} to ${days[1]}`;
  return `${now}${when}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** The trends for people, line by line. */
export function* trendsText(trends: Trends, style: Style): Iterable<string> {
  yield style.bold(style.safe(trendsTitle(trends)));
  for (const [status, group] of byStatus(trends.findings)) {
    for (const trend of group.slice(0, shown)) {
      const { severity, rule, message } = trend;
      const word = status === "all" ? "" : `${status.padEnd(5)} `;
      yield* paragraph(
        [
          word,
          [severity, style.severity[severity]],
          style.rule(rule),
          ` ${seenText(trend)} · ${style.safe(message)}`,
        ],
        style.proseWidth,
        "  ",
      );
    }
    if (group.length > shown) yield `      and ${group.length - shown} more (--format json)`;
  }
  const habits = trends.habits.filter(({ count }) => count > 0);
  if (habits.length > 0) yield "";
  for (const habit of habits.slice(0, shown))
    yield* paragraph([`${style.safe(habit.title)}: ${seenText(habit)}`], style.proseWidth, "  ");
  yield "";
}

/** The trends as Markdown, in chunks with line feeds. */
export function* trendsMarkdown(trends: Trends): Iterable<string> {
  yield `### ${sentenceMarkdown(printable(trendsTitle(trends), false))}\n`;
  if (trends.findings.length > 0) yield "\n| | What | Seen | Rule |\n| --- | --- | --- | --- |\n";
  let left = 0;
  for (const [status, group] of byStatus(trends.findings)) {
    for (const trend of group.slice(0, shown)) {
      const word = status === "all" ? trend.severity : `**${status}** ${trend.severity}`;
      const what = sentenceMarkdown(printable(trend.message, false), true);
      yield `| ${word} | ${what} | ${seenText(trend)} | ${codeMarkdown(trend.rule, true)} |\n`;
    }
    left += Math.max(0, group.length - shown);
  }
  if (left > 0) yield `\n${counted(left, "more mistake")}.\n`;
  const habits = trends.habits.filter(({ count }) => count > 0);
  if (habits.length > 0) yield "\n";
  for (const habit of habits.slice(0, shown))
    yield `- ${sentenceMarkdown(printable(habit.title, false))}: ${seenText(habit)}\n`;
  yield "\n";
}
