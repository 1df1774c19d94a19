import type { Step } from "../conversation/conversation.ts";
import { outcomeWords } from "../replay/print.ts";
import type { ReplayReport } from "../replay/replay.ts";
import type { PageReplay } from "./data.ts";
import { shownLine } from "./items.ts";
import { html } from "./markup.ts";
import { shownText } from "./texts.ts";

/** Characters of a reply and of a call's arguments; more is in the recording of the replay. */
const shownCharacters = 20_000;

/** The runs of a replay; `step` is the one that was sent. */
export function pageReplay(report: ReplayReport, steps: readonly Step[]): PageReplay {
  return {
    url: shownLine(report.url),
    step: steps.findIndex(({ exchange }) => exchange.number === report.exchange),
    verdict: report.verdict,
    runs: report.runs.map(({ history, outcome, rounds }) => ({
      history,
      outcome: outcomeWords[outcome],
      rounds: rounds.map(({ status, calls, text, stopReason, error }) => ({
        status,
        calls: calls.map(({ name, arguments: values }) => ({
          name: shownLine(name),
          arguments: shownText(
            (typeof values === "string" ? values : (JSON.stringify(values) ?? "")).slice(0, shownCharacters),
          ),
        })),
        text: shownText((error ?? text).slice(0, shownCharacters)),
        stopReason: stopReason === undefined ? null : shownLine(stopReason),
      })),
    })),
  };
}

/** What the model did, for readers without scripts. */
export function* replayPart(replay: PageReplay, title: string): Generator<string> {
  const { verdict, runs, url } = replay;
  yield html`<section id="verdict" data-outcome="${verdict}">
<h1>${verdict === "passes" ? "The model makes progress" : "The model makes no progress"}</h1>
<div class="outcome"><p class="counts"><strong>${runs.length} ${runs.length === 1 ? "run" : "runs"}</strong> · ${verdict}</p>
<p class="about">${[shownLine(title), url].join(" → ")}</p></div>
</section>
<section id="outline">
<h2>Runs</h2>
<ol>
`.html;
  for (const { history, outcome, rounds } of runs)
    yield html`<li>${history} history: ${outcome}<ol>
${rounds.map(
  ({
    status,
    calls,
    text,
    stopReason,
  }) => html`<li>${status}${stopReason !== null && ` · ${stopReason}`}${calls.map((call) => html`<br>▸ ${call.name} <code>${call.arguments}</code>`)}${text !== "" && html`<pre>${text}</pre>`}</li>
`,
)}</ol></li>
`.html;
  yield "</ol>\n</section>\n";
}
