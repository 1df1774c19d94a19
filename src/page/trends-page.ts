import { createHash } from "node:crypto";
import type { CheckReport, Seen, Trends } from "../findings/report.ts";
import { incompleteOf } from "../reporters/incomplete.ts";
import { seenText, trendsTitle } from "../reporters/trends.ts";
import type { CheckVerdict } from "../reporters/verdict.ts";
import { shownLine } from "./items.ts";
import { escaped, html, type Markup, prose } from "./markup.ts";

/** Rows of a table; the JSON report has all. */
const shownRows = 500;

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8886; }
td:first-child, td:nth-child(3) { white-space: nowrap; }
td { overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
@media (max-width: 40rem) { td:nth-child(3) { white-space: normal; } }
`;

/**
 * A page about what several logs have in common, in chunks: what is new, known and gone, what clients do
 * wrong, and how often each rule found something. It has no scripts, and loads nothing from anywhere.
 */
export function* trendsPage(report: CheckReport, trends: Trends, verdict: CheckVerdict): Iterable<string> {
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;
  const title = shownLine(trendsTitle(trends));
  yield `<!doctype html>
<html lang="en" data-kind="trends">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${title} · toollint`)}</title>
<style>${style}</style>
</head>
<body>
`;
  yield html`<h1>${title}</h1>
<p data-outcome="${verdict.isPassed ? "passes" : "fails"}"><strong>${shownLine(verdict.counts)}</strong> · ${prose(shownLine(verdict.outcome))}</p>
${incompleteOf(report).map((clause) => html`<p>${shownLine(clause)}</p>\n`)}`.html;
  yield* table("Mistakes", trends.findings, ["severity", "what", "seen", "rule"], (trend) => [
    trend.severity,
    prose(shownLine(trend.message)),
    seenText(trend),
    html`<code>${trend.rule}</code>`,
  ]);
  yield* table("What clients do wrong", trends.habits, ["rule", "what", "seen", "change"], (habit) => [
    html`<code>${habit.rule}</code>`,
    prose(shownLine(habit.title)),
    seenText(habit),
    prose(shownLine(habit.change)),
  ]);
  yield* table("Rules", trends.rules, ["rule", "findings", "seen"], (trend) => [
    html`<code>${trend.rule}</code>`,
    `${trend.count}`,
    seenText(trend),
  ]);
  yield "</body>\n</html>\n";
}

type Cell = string | Markup | readonly Markup[];

function* table<T extends Seen>(
  title: string,
  rows: readonly T[],
  heads: readonly string[],
  cells: (row: T) => readonly Cell[],
): Iterable<string> {
  if (rows.length === 0) return;
  const hasStatus = rows.some(({ status }) => status !== undefined);
  const all = hasStatus ? ["", ...heads] : heads;
  yield html`<h2>${title}</h2>
<table>
<thead><tr>${all.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
`.html;
  for (const row of rows.slice(0, shownRows)) {
    const own: readonly Cell[] = hasStatus ? [row.status ?? "", ...cells(row)] : cells(row);
    yield html`<tr data-status="${row.status ?? ""}">${own.map((cell) => html`<td>${cell}</td>`)}</tr>\n`
      .html;
  }
  yield "</tbody>\n</table>\n";
  if (rows.length > shownRows)
    yield html`<p>${rows.length - shownRows} more: <code>--format json</code></p>\n`.html;
}
