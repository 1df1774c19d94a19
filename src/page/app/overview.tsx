import { useMemo } from "preact/hooks";
import { ranges } from "../../reporters/numbers.ts";
import { countText, durationText } from "../../show/words.ts";
import { toolTotals } from "./calls-table.tsx";
import { LogText } from "./log-text.tsx";
import { usePage } from "./state.ts";

/** The conversation in view in figures: what it did, what it cost, what it did again. */
export function Overview() {
  const state = usePage();
  const conversation = state.conversation.value;
  const tools = useMemo(() => (conversation ? toolTotals(state.data, conversation) : []), [conversation]);
  if (!conversation) return null;
  const { turns, calls, tokens, durationMs } = conversation.totals;
  const most = tools[0]?.calls ?? 1;
  const several = state.data.conversations.length > 1;
  return (
    <section class="overview" aria-labelledby="overview-title">
      <h2 id="overview-title">
        {several ? `Conversation ${conversation.name}` : "Run"}
        <span class="detail">{conversation.protocol}</span>
      </h2>
      <dl>
        <Fact name="Steps" value={conversation.steps.length.toLocaleString("en")} />
        <Fact name="Turns" value={turns.toLocaleString("en")} />
        <Fact name="Calls" value={calls.toLocaleString("en")} />
        {durationMs !== null && <Fact name="Time" value={durationText(durationMs)} />}
        {tokens && <Fact name="Tokens in" value={tokens.input.toLocaleString("en")} />}
        {tokens && tokens.cached > 0 && <Fact name="cached" value={tokens.cached.toLocaleString("en")} />}
        {tokens && <Fact name="Tokens out" value={tokens.output.toLocaleString("en")} />}
      </dl>
      {tools.length > 0 && (
        <>
          <h3>Calls by tool</h3>
          <ul class="tool-bars">
            {tools.slice(0, 12).map(({ tool, calls: count, repeats }) => (
              <li key={tool}>
                <code>
                  <LogText text={tool} />
                </code>
                <span class="bar" aria-hidden="true">
                  <span style={{ width: `${(count / most) * 100}%` }} />
                </span>
                <span class="count">
                  {count}
                  {repeats > 0 && `, ${countText(repeats, "repeat")}`}
                </span>
              </li>
            ))}
          </ul>
          {tools.length > 12 && <p class="note">and {countText(tools.length - 12, "more tool")}</p>}
          <p>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                state.view.value = "calls";
                state.tab.value = "step";
              }}
            >
              All calls <kbd>t</kbd>
            </button>
          </p>
        </>
      )}
      {conversation.loops.length > 0 && (
        <>
          <h3>The same call again</h3>
          <ul class="loop-list">
            {conversation.loops.slice(0, 20).map((loop) => (
              <li key={loop.steps.join()}>
                <code>
                  <LogText text={loop.calls.map((call) => call.tool).join(", ")} />
                </code>{" "}
                {loop.steps.length} times, in steps{" "}
                {ranges(loop.steps.map((step) => conversation.steps[step]?.number ?? step + 1))}
                {loop.cost && `; the repeats cost ${loop.cost}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <LogText text={value} />
      </dd>
    </div>
  );
}
