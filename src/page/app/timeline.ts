import type { PageConversation, PageData, PageFinding, PageLoop, PageStep } from "../data.ts";

/** A row of the left column. `depth` counts the sub-agents that enclose it. */
export type TimelineRow =
  | { readonly is: "file"; readonly file: number; readonly depth: number }
  | { readonly is: "conversation"; readonly conversation: number; readonly depth: number }
  | { readonly is: "turn"; readonly conversation: number; readonly step: number; readonly depth: number }
  | { readonly is: "step"; readonly conversation: number; readonly step: number; readonly depth: number };

/** What the reader wants to see; empty texts want everything. */
export interface Filters {
  readonly rule: string;
  readonly severity: string;
  readonly tool: string;
  readonly role: string;
}

export const noFilters: Filters = { rule: "", severity: "", tool: "", role: "" };

/** Name of a group that can be folded. */
export function groupOf(row: TimelineRow): string {
  if (row.is === "file") return `f${row.file}`;
  return row.is === "conversation" ? `c${row.conversation}` : `c${row.conversation}t${row.step}`;
}

export function isFindingWanted(finding: PageFinding, { rule, severity, tool }: Filters): boolean {
  return (
    (rule === "" || finding.rule === rule) &&
    (severity === "" || finding.severity === severity) &&
    (tool === "" || finding.tool === undefined || finding.tool === tool)
  );
}

function isStepWanted(data: PageData, step: PageStep, filters: Filters): boolean {
  const { rule, severity, tool, role } = filters;
  if (rule !== "" || severity !== "") {
    const findings = [...(step.findings ?? []), ...(step.also ?? [])];
    const isFound = findings.some((index) => {
      const finding = data.findings[index];
      return finding !== undefined && isFindingWanted(finding, { ...filters, tool: "" });
    });
    if (!isFound) return false;
  }
  if (tool === "" && role === "") return true;
  return [...(step.request?.added ?? []), ...(step.reply?.items ?? [])].some((occurrence) => {
    const item = data.items[occurrence.item];
    return item !== undefined && (tool === "" || item.tool === tool) && (role === "" || item.role === role);
  });
}

/**
 * The rows in reading order: files, conversations where there are several, turns, steps; a sub-agent's
 * conversation follows the step that called it.
 */
export function rowsOf(data: PageData, filters: Filters, folded: ReadonlySet<string>): TimelineRow[] {
  const rows: TimelineRow[] = [];
  const called = new Map<string, number[]>();
  const roots: number[] = [];
  for (const [index, { calledBy }] of data.conversations.entries()) {
    // Only an earlier conversation can call it: so no conversation encloses itself.
    if (calledBy && calledBy.conversation < index) {
      const key = `${calledBy.conversation} ${calledBy.step}`;
      called.set(key, [...(called.get(key) ?? []), index]);
    } else roots.push(index);
  }
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const several = data.conversations.length > 1;
  const append = (index: number, depth: number): void => {
    const conversation = data.conversations[index];
    if (!conversation) return;
    if (several) {
      const row: TimelineRow = { is: "conversation", conversation: index, depth };
      rows.push(row);
      if (folded.has(groupOf(row))) return;
    }
    const from = rows.length;
    let isFolded = false;
    let turn = Number.NaN;
    for (const [at, step] of conversation.steps.entries()) {
      const isWanted = !isFiltered || isStepWanted(data, step, filters);
      if (isWanted && step.turn !== turn) {
        turn = step.turn;
        const row: TimelineRow = { is: "turn", conversation: index, step: at, depth };
        if (conversation.totals.turns > 1 || at === 0) rows.push(row);
        isFolded = folded.has(groupOf(row));
      }
      if (isFolded) continue;
      if (isWanted) rows.push({ is: "step", conversation: index, step: at, depth });
      for (const agent of called.get(`${index} ${at}`) ?? []) append(agent, depth + 1);
    }
    if (several && rows.length === from) rows.pop();
  };
  let file = -1;
  for (const index of roots) {
    const next = data.conversations[index]?.file ?? 0;
    if (data.files.length > 1 && next !== file) rows.push({ is: "file", file: next, depth: 0 });
    file = next;
    append(index, 0);
  }
  return rows;
}

/** A part of a loop's bracket in a row: lane 0 is the outermost. */
export interface LoopPart {
  readonly lane: number;
  readonly part: "start" | "repeat" | "between" | "end";
  readonly loop: PageLoop;
}

/** Brackets that a row has room for. */
const maxLanes = 3;

/** Gives the loops of a conversation their lanes, so that those in one lane do not overlap. */
export function loopLanes({ loops }: PageConversation): { loop: PageLoop; lane: number }[] {
  const ends: number[] = [];
  const placed: { loop: PageLoop; lane: number }[] = [];
  const byStart = [...loops].sort((a, b) => (a.steps[0] ?? 0) - (b.steps[0] ?? 0));
  for (const loop of byStart) {
    const start = loop.steps[0];
    const end = loop.steps.at(-1);
    if (start === undefined || end === undefined || end === start) continue;
    let lane = ends.findIndex((last) => last < start);
    if (lane < 0) lane = ends.length;
    if (lane >= maxLanes) continue;
    ends[lane] = end;
    placed.push({ loop, lane });
  }
  return placed;
}

/** What a row of `step` draws of these loops; a row above the step itself (`isAbove`) only carries on. */
export function loopParts(
  lanes: readonly { readonly loop: PageLoop; readonly lane: number }[],
  step: number,
  isAbove: boolean,
): LoopPart[] {
  return lanes.flatMap(({ loop, lane }): LoopPart[] => {
    const start = loop.steps[0] ?? 0;
    const end = loop.steps.at(-1) ?? 0;
    if (step < start || step > end || (isAbove && step === start)) return [];
    if (isAbove) return [{ lane, part: "between", loop }];
    if (step === start) return [{ lane, part: "start", loop }];
    if (step === end) return [{ lane, part: "end", loop }];
    return [{ lane, part: loop.steps.includes(step) ? "repeat" : "between", loop }];
  });
}
