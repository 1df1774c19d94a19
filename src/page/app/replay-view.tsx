import { countText } from "../../show/words.ts";
import type { PageReplay } from "../data.ts";
import { LogText, LongContent, Prose } from "./log-text.tsx";
import { usePage } from "./state.ts";

/** The runs of a replay next to each other, each with its outcome. */
export function ReplayView() {
  const { data } = usePage();
  if (!data.replay) return null;
  const { runs, url } = data.replay;
  return (
    <section class="replay" aria-labelledby="replay-title">
      <header class="step-head">
        <h2 id="replay-title">{countText(runs.length, "run")}</h2>
        <p class="facts">
          request {data.conversations[0]?.steps[data.replay.step]?.number ?? "?"} sent to{" "}
          <LogText text={url} />
        </p>
      </header>
      <div class="runs">
        {(["broken", "repaired"] as const).map((history) =>
          runs
            .filter((run) => run.history === history)
            .map((run, index) => <Run key={`${history} ${index}`} run={run} number={index + 1} />),
        )}
      </div>
    </section>
  );
}

function Run({ run, number }: { readonly run: PageReplay["runs"][number]; readonly number: number }) {
  return (
    <section class={`run ${run.history}`} aria-label={`Run ${number} with the ${run.history} history`}>
      <h3>
        {run.history === "repaired" ? "Repaired history" : "Broken history"}{" "}
        <span class="count">run {number}</span>
      </h3>
      <p class="outcome">
        <Prose text={run.outcome} />
      </p>
      <ol class="rounds">
        {run.rounds.map((round, index) => (
          <li key={index}>
            <p class="round-head">
              Round {index + 1}
              <span class={round.status >= 400 ? "failure" : "count"}>
                {round.status >= 400 ? `HTTP ${round.status}` : (round.stopReason ?? "")}
              </span>
            </p>
            {round.calls.map(({ name, arguments: text }, at) => (
              <pre class="log" key={at}>
                <b class="tool">
                  <LogText text={name} />
                </b>{" "}
                <LogText text={text} />
              </pre>
            ))}
            {round.text !== "" && <LongContent content={round.text} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
