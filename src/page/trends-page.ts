import { createHash } from "node:crypto";
import type { CheckReport, Trends } from "../findings/report.ts";
import { incompleteOf } from "../reporters/incomplete.ts";
import { placeInFile } from "../reporters/numbers.ts";
import { changeTitle } from "../reporters/sentences.ts";
import { seenText, type TrendRow, trendRows, trendsTitle } from "../reporters/trends.ts";
import type { CheckVerdict } from "../reporters/verdict.ts";
import { shownLine } from "./items.ts";
import { escaped, html, type Markup, prose } from "./markup.ts";

/** Rows of one status; the JSON report has all. */
const shownRows = 200;

/** New mistakes of one known habit. */
const shownParts = 10;

const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f6f3, #131416);
  --panel: light-dark(#fffefc, #1a1b1e);
  --ink: light-dark(#1d1c1a, #e4e2dd);
  --quiet: light-dark(#63605a, #a09d97);
  --hair: light-dark(#e3e1db, #2d2f34);
  --error: light-dark(#b3261e, #ff8f80);
  --warning: light-dark(#855400, #e6b455);
  --info: light-dark(#45627f, #93b3d3);
  --good: light-dark(#2c6b2f, #86c98a);
  background: var(--ground);
  color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .25rem 0; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .85em; }
article { background: var(--panel); border: 1px solid var(--hair); border-left: 4px solid var(--info); border-radius: 4px; padding: .6rem .9rem; margin: .6rem 0; }
[data-severity="error"] { border-left-color: var(--error); }
[data-severity="warning"] { border-left-color: var(--warning); }
[data-status="gone"] { border-left-color: var(--good); }
.meta, .place { color: var(--quiet); }
.change { white-space: pre-wrap; }
ul { margin: .25rem 0; padding-left: 1.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--hair); }
th { white-space: nowrap; }
`;

const titles = {
  all: "What was found",
  new: "New",
  known: "Known",
  gone: "Gone",
} as const;

/**
 * A page about what several logs have in common, in chunks: what is new, known and gone, each with an example
 * and what to change, and how often each rule found something. It has no scripts, and loads nothing from
 * anywhere.
 */
export function* trendsPage(report: CheckReport, trends: Trends, verdict: CheckVerdict): Iterable<string> {
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;
  const title = shownLine(trendsTitle(trends));
  yield `<!doctype html>
<html lang="en" data-kind="trends" data-ready="true">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${title} · toollint`)}</title>
<style>${style}</style>
</head>
<body>
<main>
`;
  yield html`<h1>${title}</h1>
<p data-outcome="${verdict.isPassed ? "passes" : "fails"}"><strong>${shownLine(verdict.counts)}</strong> · ${prose(shownLine(verdict.outcome))}</p>
${incompleteOf(report).map((clause) => html`<p>${shownLine(clause)}</p>\n`)}`.html;
  for (const [status, rows] of trendRows(trends)) {
    yield html`<h2>${titles[status]} (${rows.length})</h2>\n`.html;
    for (const row of rows.slice(0, shownRows)) yield article(row, trends).html;
    if (rows.length > shownRows)
      yield html`<p>${rows.length - shownRows} more: <code>--format json</code></p>\n`.html;
  }
  yield* ruleTable(trends);
  yield "</main>\n</body>\n</html>\n";
}

function article({ trend, habit, newParts }: TrendRow, { files }: Trends): Markup {
  const { severity, rule, message, status } = trend;
  return html`<article data-severity="${severity}" data-status="${status ?? ""}">
<h3>${prose(shownLine(habit ? habit.title : message))}</h3>
<p class="meta">${severity} · <code>${rule}</code> · ${seenText(trend, files)}</p>
${example(trend, habit ? message : undefined)}
${newParts.length > 0 && html`<p>New in it:</p>\n<ul>${newParts.slice(0, shownParts).map((part) => html`<li>${prose(shownLine(part.message))} <span class="meta">${seenText(part, files)}</span>${example(part, undefined)}</li>\n`)}${newParts.length > shownParts && html`<li>${newParts.length - shownParts} more</li>`}</ul>`}
${habit && habit.change !== "" && status !== "gone" && html`<p class="change"><strong>${changeTitle(habit)}:</strong> ${prose(shownLine(habit.change))}</p>`}
</article>
`;
}

function example({ location }: TrendRow["trend"], message: string | undefined): Markup {
  return html`<p class="place"><code>${shownLine(placeInFile(location))}</code>${message !== undefined && html`: ${prose(shownLine(message))}`}</p>`;
}

function* ruleTable({ rules, files }: Trends): Iterable<string> {
  if (rules.length === 0) return;
  yield html`<h2>Rules</h2>
<table>
<thead><tr><th scope="col">rule</th><th scope="col">findings</th><th scope="col">seen</th></tr></thead>
<tbody>
`.html;
  for (const trend of rules) {
    const count = trend.status === undefined ? `${trend.count}` : `${trend.count}, before ${trend.before}`;
    yield html`<tr><td><code>${trend.rule}</code></td><td>${count}</td><td>${seenText(trend, files)}</td></tr>\n`
      .html;
  }
  yield "</tbody>\n</table>\n";
}
