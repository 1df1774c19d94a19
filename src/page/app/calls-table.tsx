import { useMemo, useState } from "preact/hooks";
import { bytesText, countText } from "../../show/words.ts";
import type { PageConversation, PageData, PageItem } from "../data.ts";
import { atAGlance } from "./glance.ts";
import { LogText } from "./log-text.tsx";
import { usePage } from "./state.ts";
import { Windowed } from "./windowed.tsx";

interface Call {
  readonly step: number;
  readonly item: PageItem;
  readonly result: PageItem | undefined;
  /** Which time it is that the tool is called with the same arguments, from 1. */
  readonly time: number;
}

function callsOf(data: PageData, conversation: PageConversation): Call[] {
  const times = new Map<string, number>();
  return conversation.steps.flatMap(({ reply }, step) =>
    (reply?.items ?? []).flatMap((occurrence) => {
      const item = data.items[occurrence.item];
      if (item?.kind !== "call") return [];
      const key = `${item.tool} ${item.preview} ${item.bytes}`;
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      return [
        { step, item, result: item.partner === undefined ? undefined : data.items[item.partner], time },
      ];
    }),
  );
}

export interface ToolTotals {
  readonly tool: string;
  readonly calls: number;
  readonly repeats: number;
  readonly resultBytes: number;
}

/** What each tool of a conversation was used for, most used first. */
export function toolTotals(data: PageData, conversation: PageConversation): ToolTotals[] {
  const totals = new Map<string, ToolTotals>();
  for (const { item, result, time } of callsOf(data, conversation)) {
    const tool = item.tool ?? "?";
    const known = totals.get(tool) ?? { tool, calls: 0, repeats: 0, resultBytes: 0 };
    totals.set(tool, {
      tool,
      calls: known.calls + 1,
      repeats: known.repeats + (time > 1 ? 1 : 0),
      resultBytes: known.resultBytes + (result?.bytes ?? 0),
    });
  }
  return [...totals.values()].sort((a, b) => b.calls - a.calls);
}

/** All calls of the conversation in view, with their results. */
export function CallsTable() {
  const state = usePage();
  const conversation = state.conversation.value;
  const [tool, setTool] = useState<string | null>(null);
  const calls = useMemo(() => (conversation ? callsOf(state.data, conversation) : []), [conversation]);
  const tools = useMemo(() => (conversation ? toolTotals(state.data, conversation) : []), [conversation]);
  if (!conversation) return null;
  const shown = tool === null ? calls : calls.filter(({ item }) => (item.tool ?? "?") === tool);
  return (
    <section class="calls" aria-label="Calls">
      <header class="step-head">
        <h2>{countText(calls.length, "call")}</h2>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            state.view.value = "sent";
          }}
        >
          Back to step {state.step.value?.number} <kbd>t</kbd>
        </button>
      </header>
      <div class="chips" role="group" aria-label="Tools">
        {tools.map((each) => (
          <button
            key={each.tool}
            type="button"
            aria-pressed={tool === each.tool}
            onClick={() => setTool(tool === each.tool ? null : each.tool)}
          >
            <LogText text={each.tool} /> <span class="count">{each.calls}</span>
          </button>
        ))}
      </div>
      {shown.length === 0 && <p class="empty">This conversation has no calls.</p>}
      <Windowed
        count={shown.length}
        rowHeight={28}
        current={-1}
        attributes={{ role: "list", "aria-label": "Calls" }}
        row={(index) => {
          const call = shown[index];
          if (!call) return null;
          const { step, item, result, time } = call;
          return (
            <div class="call-row" role="listitem" key={index}>
              <button
                type="button"
                class="link number"
                onClick={() => state.goTo({ conversation: state.place.value.conversation, step })}
              >
                {conversation.steps[step]?.number}
              </button>
              <span class="arguments">
                <b class="tool">
                  <LogText text={item.tool ?? "?"} />
                </b>
                {time > 1 && <span class="count">{nth(time)} time </span>}
                <LogText text={atAGlance(item.preview)} />
              </span>
              <span class="result">
                {result ? <LogText text={result.preview} /> : <i>no result in the log</i>}
              </span>
              <span class="size">{result && bytesText(result.bytes)}</span>
            </div>
          );
        }}
      />
    </section>
  );
}

/** `2nd`, `3rd`, `11th`. */
function nth(number: number): string {
  const isTeen = number % 100 > 10 && number % 100 < 14;
  const ending = isTeen ? undefined : ["st", "nd", "rd"][(number % 10) - 1];
  return `${number}${ending ?? "th"}`;
}
