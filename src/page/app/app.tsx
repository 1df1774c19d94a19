import { useEffect, useState } from "preact/hooks";
import { CallsTable } from "./calls-table.tsx";
import { DiffRows, DiffView } from "./diff-view.tsx";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";
import { ReplayView } from "./replay-view.tsx";
import { type Tab, usePage } from "./state.ts";
import { Findings, StaticPart } from "./static-part.tsx";
import { StepView } from "./step-view.tsx";
import { StepsColumn } from "./steps-column.tsx";
import { FilterBar, Toolbar } from "./toolbar.tsx";

/** The whole page: the verdict, and below it the run, a step of it, and the findings. */
export function App() {
  const state = usePage();
  const { data } = state;
  const tab = state.tab.value;
  const hasFindings = data.findings.length > 0;
  return (
    <div class={`layout ${data.kind}`} data-tab={tab}>
      <Toolbar />
      <main class="page">
        <Verdict />
        <Tabs />
        <div class="columns">
          <section class="column steps" aria-label="Steps">
            <div class="column-head">
              <h2>Steps</h2>
              <FilterBar />
            </div>
            {data.diff ? <DiffRows /> : <StepsColumn />}
          </section>
          <section
            class="column middle"
            id="step-view"
            tabIndex={-1}
            aria-label="Step"
            data-step={state.isListHidden ? state.step.value?.number : undefined}
          >
            <Middle />
          </section>
          {!data.diff && (
            <section class="column side" aria-label={hasFindings ? "Findings and run" : "Run"} tabIndex={0}>
              {data.kind === "check" && <Findings />}
              <Overview />
              <StaticPart id="unchecked" />
            </section>
          )}
        </div>
      </main>
      <PrintedSteps />
      <Help />
    </div>
  );
}

/** The verdict; a narrow window shows what is wrong and what to change, and the rest on demand. */
function Verdict() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="verdict" data-open={isOpen ? "" : undefined}>
      <StaticPart id="verdict" />
      <button type="button" class="fold all" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Show less" : "Show the whole verdict"}
      </button>
    </div>
  );
}

function Middle() {
  const state = usePage();
  const { conversation, step } = state.place.value;
  if (state.view.value === "calls") return <CallsTable />;
  if (state.data.diff) return <DiffView />;
  return (
    <>
      {state.data.replay && <ReplayView />}
      <StepView key={`${conversation} ${step}`} conversation={conversation} step={step} />
    </>
  );
}

/** What a narrow window shows one at a time. */
function Tabs() {
  const state = usePage();
  const { data } = state;
  const errors = data.findings.filter(({ cause }) => cause < 0).length;
  const tabs: readonly (readonly [Tab, string])[] = [
    ["steps", "Steps"],
    ["step", `Step ${state.step.value?.number ?? ""}`],
    ...(data.diff ? [] : [["findings", errors > 0 ? `Findings ${errors}` : "Run"] as const]),
  ];
  return (
    <div class="tabs" role="group" aria-label="Parts of the page">
      {tabs.map(([tab, name]) => (
        <button
          key={tab}
          type="button"
          aria-pressed={state.tab.value === tab}
          onClick={() => {
            state.tab.value = tab;
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Steps that are printed: more would be a book. */
const maxPrinted = 50;

/** The steps that the findings touch, drawn only while the page is printed. */
function PrintedSteps() {
  const { data } = usePage();
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia("print");
    const look = (): void => setPrinting(media.matches);
    const start = (): void => setPrinting(true);
    const end = (): void => setPrinting(false);
    media.addEventListener("change", look);
    addEventListener("beforeprint", start);
    addEventListener("afterprint", end);
    return () => {
      media.removeEventListener("change", look);
      removeEventListener("beforeprint", start);
      removeEventListener("afterprint", end);
    };
  }, []);
  if (!isPrinting) return null;
  const places = new Map<string, { conversation: number; step: number }>();
  for (const { conversation, step, cause } of data.findings)
    if (cause < 0 && conversation >= 0 && step >= 0)
      places.set(`${conversation} ${step}`, { conversation, step });
  const steps = [...places.values()];
  return (
    <section class="printed">
      {steps.slice(0, maxPrinted).map(({ conversation, step }) => (
        <StepView key={`${conversation} ${step}`} conversation={conversation} step={step} />
      ))}
      {steps.length > maxPrinted && <p>{steps.length - maxPrinted} more steps are not printed.</p>}
    </section>
  );
}
