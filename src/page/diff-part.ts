import type { Conversation } from "../conversation/conversation.ts";
import type { Diffed } from "../diff/diff.ts";
import type { DiffReport, HalfReport, StepReport } from "../diff/report.ts";
import { printedDiff } from "../diff/text.ts";
import { partsOf } from "../reporters/sentences.ts";
import type { PageConversations } from "./conversations.ts";
import type { PageDiff } from "./data.ts";
import { shownLine } from "./items.ts";
import { html, prose } from "./markup.ts";

/** The conversations to show next to each other: those that part, or else the first that correspond. */
export function comparedConversations({ report, left, right }: Diffed): {
  readonly pair: number;
  readonly left: Conversation | undefined;
  readonly right: Conversation | undefined;
} {
  const steps = report?.steps ?? [];
  const parting = report?.firstDivergence;
  const step =
    steps.find((one) => one.isParting && one.left && one.right && isAt(one, parting?.step)) ??
    steps.find((one) => one.isParting && one.left && one.right) ??
    steps.find((one) => one.left && one.right) ??
    steps[0];
  const named = (all: readonly Conversation[], name: string | undefined) =>
    all.find((conversation) => conversation.name === name);
  return {
    pair: step?.pair ?? 0,
    left: named(left.conversations, step?.left?.conversation),
    right: named(right.conversations, step?.right?.conversation),
  };
}

function isAt({ left, right }: StepReport, step: number | undefined): boolean {
  return (left ?? right)?.step === step;
}

/** The aligned steps of two conversations, of which the page has the left one first. */
export function pageDiff(
  report: DiffReport,
  pair: number,
  { conversations }: PageConversations,
  isAlone: { readonly left: boolean; readonly right: boolean },
): PageDiff {
  const leftAt = isAlone.right ? -1 : 0;
  const rightAt = isAlone.left ? -1 : leftAt + 1;
  const indexOf = (at: number, place: StepReport["left"]): number => {
    const own = conversations[at];
    if (!place || place.conversation !== own?.name) return -1;
    return own.steps.findIndex(({ exchange }) => exchange === place.exchange);
  };
  const chosen = report.steps.filter((step) => step.pair === pair);
  const rows = chosen.flatMap((step) => {
    const [left, right] = [indexOf(leftAt, step.left), indexOf(rightAt, step.right)];
    if (left < 0 && right < 0) return [];
    const state = left < 0 ? "only-right" : right < 0 ? "only-left" : isSame(step) ? "same" : "different";
    return [{ step, row: { left, right, state, differences: wordsOf(step, report) } as const }];
  });
  return {
    rows: rows.map(({ row }) => row),
    first: rows.findIndex(({ step }) => step.isParting),
    verdict: report.verdict.map(shownLine),
  };
}

function isSame({ request, reply }: StepReport): boolean {
  return [request, reply].every(({ state }) => state === "same" || state === "uncompared");
}

/** Differences of a step in words, at most this many of one half. */
const shownWords = 6;

function wordsOf(step: StepReport, report: DiffReport): string[] {
  const number = (step.left ?? step.right)?.step;
  const partings = [report.firstDivergence, ...report.alsoCauses, report.repliesPart];
  const said = step.isParting
    ? partings.flatMap((one) => (one && one.step === number ? [`${one.side}: ${one.what}`] : []))
    : [];
  const words =
    said.length > 0 ? said : [...halfWords("request", step.request), ...halfWords("reply", step.reply)];
  return [...new Set(words)].map(shownLine);
}

const marks = { missing: "lacks", added: "has also", changed: "has another", moved: "has elsewhere" };

function halfWords(side: string, { state, settings, items, outcome }: HalfReport): string[] {
  if (state === "carried") return [`${side}: carries differences of earlier steps`];
  if (state === "minor") return [`${side}: other wording only`];
  const rows = items.flatMap(({ mark, left, right, isKnown }) => {
    const item = left ?? right;
    if (mark === "same" || mark === "skipped" || isKnown || !item) return [];
    const what = item.kind === "message" ? `${item.role} message` : item.kind;
    return [`${side} ${marks[mark]} ${what}${item.tool === undefined ? "" : ` ${item.tool}`}`];
  });
  const all = [
    ...settings.map(({ setting, name }) => `${side}: other ${setting}${name === null ? "" : ` ${name}`}`),
    ...rows,
    ...(outcome ? [`${side}: ${outcome.left} ↔ ${outcome.right}`] : []),
  ];
  const more = all.length - shownWords;
  return more > 0 ? [...all.slice(0, shownWords), `${side}: ${more} more differences`] : all;
}

/** Columns of the printed comparison. */
const width = 120;

/** Where the runs part, for readers without scripts. */
export function* diffPart({ diagnoses }: Diffed, report: DiffReport): Generator<string> {
  const [first = "The runs are the same.", ...others] = report.verdict;
  const changes = [...new Set(diagnoses.map(({ change }) => change))].filter((change) => change !== "");
  yield html`<section id="verdict" data-outcome="${report.same ? "passes" : "fails"}">
<h1>${prose(shownLine(first))}</h1>
${others.map(
  (sentence) => html`<p>${prose(shownLine(sentence))}</p>
`,
)}${changes.map((change) => {
  const { words, code } = partsOf(shownLine(change));
  return html`<div class="change"><p><strong>Change in the client:</strong> ${prose(words)}</p>${code !== undefined && html`<pre data-copy>${code}</pre>`}</div>
`;
})}<p class="about">${shownLine(`${report.left.path} ↔ ${report.right.path}`)}</p>
</section>
<section id="outline">
<h2>The comparison</h2>
<pre class="report">`.html;
  const look = { color: false, width, showValues: false, showsIgnored: false };
  for (const line of printedDiff(report, diagnoses, look)) yield html`${line}\n`.html;
  yield "</pre>\n</section>\n";
}
