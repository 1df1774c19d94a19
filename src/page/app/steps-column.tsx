import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { countText, durationText } from "../../show/words.ts";
import type { PageConversation, PageStep } from "../data.ts";
import { atAGlance } from "./glance.ts";
import { SeverityIcon } from "./icons.tsx";
import { LogText } from "./log-text.tsx";
import { type State, usePage } from "./state.ts";
import { groupOf, type LoopPart, loopLanes, loopParts, type TimelineRow } from "./timeline.ts";
import { Windowed } from "./windowed.tsx";

const rowHeight = 28;

/** The run as a list of steps. */
export function StepsColumn() {
  const state = usePage();
  const rows = state.rows.value;
  const current = useComputed(() => {
    const { conversation, step } = state.place.value;
    return state.rows.value.findIndex(
      (row) => row.is === "step" && row.conversation === conversation && row.step === step,
    );
  }).value;
  const longest = useMemo(() => longestDuration(state.data.conversations), [state]);
  const lanes = useMemo(() => new Map<number, ReturnType<typeof loopLanes>>(), [state]);
  const lanesOf = (index: number): ReturnType<typeof loopLanes> => {
    const conversation = state.data.conversations[index];
    const known = lanes.get(index) ?? (conversation ? loopLanes(conversation) : []);
    lanes.set(index, known);
    return known;
  };
  const view = useRef({ top: 0, height: 0 });
  const map = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    drawMap(map.current, state, view.current);
  }, [rows, state.theme.value]);
  if (rows.length === 0)
    return (
      <div class="empty">
        {state.data.conversations.length === 0 ? "This log has no conversation." : "No step matches."}
      </div>
    );
  return (
    <div
      class={`steps-list${state.data.conversations.some(({ loops }) => loops.length > 0) ? " has-loops" : ""}`}
    >
      <Windowed
        count={rows.length}
        rowHeight={rowHeight}
        current={current}
        onScroll={(top, height) => {
          view.current = { top, height };
          drawMap(map.current, state, view.current);
        }}
        attributes={{
          role: "tree",
          "aria-label": "Steps",
          "aria-activedescendant": current >= 0 ? `row-${current}` : undefined,
        }}
        row={(index) => {
          const row = rows[index];
          return row && <AnyRow key={index} index={index} row={row} longest={longest} lanes={lanesOf} />;
        }}
      />
      <div
        class="map"
        aria-hidden="true"
        onClick={(event) => {
          const { height, top } = event.currentTarget.getBoundingClientRect();
          const list = event.currentTarget.previousElementSibling;
          if (list)
            list.scrollTop = ((event.clientY - top) / height) * list.scrollHeight - list.clientHeight / 2;
        }}
      >
        <canvas ref={map} />
      </div>
    </div>
  );
}

function longestDuration(conversations: readonly PageConversation[]): number {
  let longest = 0;
  for (const { steps } of conversations)
    for (const { durationMs } of steps) longest = Math.max(longest, durationMs ?? 0);
  return longest;
}

interface RowProps {
  readonly index: number;
  readonly row: TimelineRow;
  readonly longest: number;
  readonly lanes: (conversation: number) => ReturnType<typeof loopLanes>;
}

function AnyRow({ index, row, longest, lanes }: RowProps) {
  const state = usePage();
  const { data } = state;
  if (row.is === "step") return <StepRow index={index} row={row} longest={longest} lanes={lanes} />;
  const group = groupOf(row);
  const common = {
    id: `row-${index}`,
    role: "treeitem" as const,
    "aria-level": row.depth + (row.is === "turn" ? 2 : 1),
    style: { paddingLeft: `${row.depth * 14}px` },
  };
  if (row.is === "file")
    return (
      <div class="row file" {...common}>
        <span class="title">
          <LogText text={data.files[row.file]?.path ?? ""} />
        </span>
      </div>
    );
  const conversation = data.conversations[row.conversation];
  if (!conversation) return null;
  const isFolded = state.folded.value.has(group);
  const fold = { onClick: () => state.toggleGroup(group), "aria-expanded": !isFolded };
  if (row.is === "conversation")
    return (
      <div class="row conversation" {...common} {...fold}>
        <Chevron isFolded={isFolded} />
        <b>{conversation.name}</b>
        <span class="title">
          {conversation.calledBy && "sub-agent of "}
          {conversation.calledBy && <LogText text={conversation.calledBy.tool} />}
          {!conversation.calledBy && <LogText text={conversation.opening ?? conversation.protocol} />}
        </span>
        <span class="count">{countText(conversation.steps.length, "step")}</span>
      </div>
    );
  return (
    <div class="row turn" {...common} {...fold}>
      <Chevron isFolded={isFolded} />
      <span class="title">
        <LogText text={openingOf(state, conversation, row.step)} />
      </span>
      <Loops parts={loopParts(lanes(row.conversation), row.step, true)} />
    </div>
  );
}

function Chevron({ isFolded }: { readonly isFolded: boolean }) {
  return (
    <span class="chevron" aria-hidden="true">
      {isFolded ? "▸" : "▾"}
    </span>
  );
}

/** What the user said that began this turn. */
function openingOf({ data }: State, conversation: PageConversation, at: number): string {
  const step = conversation.steps[at];
  for (const { item } of [...(step?.request?.added ?? [])].reverse()) {
    const known = data.items[item];
    if (known?.kind === "message" && known.role === "user") return known.preview;
  }
  return at === 0 && conversation.opening ? conversation.opening : `Turn ${step?.turn ?? ""}`;
}

function StepRow({
  index,
  row,
  longest,
  lanes,
}: RowProps & { readonly row: TimelineRow & { readonly is: "step" } }) {
  const state = usePage();
  const { place } = state;
  const conversation = state.data.conversations[row.conversation];
  const step = conversation?.steps[row.step];
  if (!conversation || !step) return null;
  const isInView = row.conversation === place.value.conversation;
  const isCurrent = isInView && row.step === place.value.step;
  const worst = worstOf(state, step.findings);
  const hasFailed = step.reply?.error !== undefined || (step.status ?? 200) >= 400;
  const carried = worst ? null : hasFailed ? "error" : worstOf(state, step.also);
  const share = longest > 0 && step.durationMs !== undefined ? Math.sqrt(step.durationMs / longest) : 0;
  return (
    <div
      class={`row step-row${isCurrent ? " is-current" : ""}${step.isAside ? " is-aside" : ""}`}
      id={`row-${index}`}
      role="treeitem"
      aria-level={row.depth + 3}
      aria-selected={isCurrent}
      data-step={isInView && !state.isListHidden ? step.number : undefined}
      style={{ paddingLeft: `${row.depth * 14}px` }}
      onClick={() => state.goTo({ conversation: row.conversation, step: row.step })}
    >
      <span class="number">{step.number}</span>
      <span class="mark">
        {worst && <SeverityIcon severity={worst} />}
        {carried && (
          <span
            class={`carried ${carried}`}
            title={hasFailed ? "the request failed" : "a finding points here"}
          />
        )}
      </span>
      <StepContent step={step} />
      {share > 0 && step.durationMs !== undefined && (
        <span class="duration" title={durationText(step.durationMs)}>
          <span style={{ width: `${Math.max(4, share * 100)}%` }} />
        </span>
      )}
      <Loops parts={loopParts(lanes(row.conversation), row.step, false)} />
    </div>
  );
}

const ranks = { error: 2, warning: 1, info: 0 } as const;

/** The worst severity of these findings that the filters want. */
function worstOf(state: State, findings: readonly number[] = []): keyof typeof ranks | null {
  let worst: keyof typeof ranks | null = null;
  for (const index of findings) {
    const severity = state.data.findings[index]?.severity;
    if (!severity || !state.wantedFindings.value.has(index)) continue;
    if (!worst || ranks[severity] > ranks[worst]) worst = severity;
  }
  return worst;
}

/** What happens in a step, on one line: its calls, or what it says. */
export function StepContent({ step }: { readonly step: PageStep }) {
  const { data } = usePage();
  const items = (step.reply?.items ?? []).flatMap(({ item }) => data.items[item] ?? []);
  const calls = items.filter(({ kind }) => kind === "call");
  const text = items.find(({ kind }) => kind === "message");
  const failure =
    step.status !== undefined && step.status >= 400
      ? `HTTP ${step.status}`
      : step.reply?.error !== undefined
        ? "error"
        : undefined;
  return (
    <span class="content">
      {failure && <span class="failure">{failure}</span>}
      {calls.length > 0 ? (
        calls.slice(0, 4).map((call, index) => (
          <span class="called" key={index}>
            <b>
              <LogText text={call.tool ?? "?"} />
            </b>
            {calls.length === 1 && <LogText text={atAGlance(call.preview)} />}
          </span>
        ))
      ) : (
        <span class="says">
          <LogText
            text={
              text?.preview ??
              step.reply?.error ??
              step.reply?.outcome ??
              (step.reply ? "(empty)" : "no reply")
            }
          />
        </span>
      )}
      {calls.length > 4 && <span class="says">+{calls.length - 4}</span>}
    </span>
  );
}

/** The parts of loops' brackets in a row. */
function Loops({ parts }: { readonly parts: readonly LoopPart[] }) {
  if (parts.length === 0) return null;
  return (
    <span class="loops" aria-hidden="true">
      {parts.map(({ lane, part, loop }) => (
        <span
          key={lane}
          class={`loop ${part}`}
          style={{ right: `${lane * 9}px` }}
          title={`the same call ${loop.steps.length} times`}
        >
          {part === "start" && <span class="times">{loop.steps.length}×</span>}
        </span>
      ))}
    </span>
  );
}

/** Draws where the findings are in the whole run, and what part of it is in view. */
function drawMap(
  canvas: HTMLCanvasElement | null,
  state: State,
  view: { top: number; height: number },
): void {
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return;
  const rows = state.rows.peek();
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  const total = rows.length * rowHeight;
  if (total <= view.height || height === 0) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  context.fillStyle = colour("--hover");
  context.fillRect(0, (view.top / total) * height, width, Math.max(6, (view.height / total) * height));
  for (const severity of ["info", "warning", "error"] as const) {
    context.fillStyle = colour(`--${severity}`);
    for (const { y, severity: each } of marksOf(state, height)) {
      if (each === severity) context.fillRect(2, y, width - 4, 2);
    }
  }
}

interface MapMark {
  readonly y: number;
  readonly severity: keyof typeof ranks;
}

/** The marks drawn last: a scroll does not change them. */
let lastMarks: { rows: readonly TimelineRow[]; height: number; marks: readonly MapMark[] } | undefined;

/** One mark for each pixel at most. */
function marksOf(state: State, height: number): readonly MapMark[] {
  const rows = state.rows.peek();
  if (lastMarks?.rows === rows && lastMarks.height === height) return lastMarks.marks;
  const marks = new Map<number, keyof typeof ranks>();
  for (const [index, row] of rows.entries()) {
    if (row.is !== "step") continue;
    const findings = state.data.conversations[row.conversation]?.steps[row.step]?.findings;
    if (!findings || findings.length === 0) continue;
    const worst = worstOf(state, findings);
    const y = Math.floor((index / rows.length) * (height - 2));
    const known = marks.get(y);
    if (worst && (!known || ranks[worst] > ranks[known])) marks.set(y, worst);
  }
  lastMarks = { rows, height, marks: [...marks].map(([y, severity]) => ({ y, severity })) };
  return lastMarks.marks;
}
