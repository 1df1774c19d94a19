import {
  type Conversation,
  isTranscript,
  type Placed,
  replyItems,
  type Step,
} from "../conversation/conversation.ts";
import type { ComparedRun, RunPair } from "./adopt.ts";
import { pairConversations } from "./conversations.ts";
import { createNames, isCompared, isModels, type Names, type SideName } from "./item-identity.ts";
import { compareItems } from "./items.ts";
import { settingsComparer } from "./settings.ts";
import {
  aloneStep,
  type CompareContext,
  type ComparedRow,
  type CompareOptions,
  type HalfComparison,
  StepComparer,
  type StepComparison,
} from "./step-comparer.ts";
import { alignSteps } from "./steps.ts";

export interface RunComparison {
  readonly left: ComparedRun | undefined;
  readonly right: ComparedRun | undefined;
  readonly likeness: number;
  readonly steps: readonly StepComparison[];
}

export interface Comparison {
  readonly runs: readonly RunComparison[];
  /** The logs speak different protocols. */
  readonly isAcross: boolean;
  /** What was not compared, or only in part; one sentence each. */
  readonly notCompared: readonly string[];
  /** The names of all items, for callers that look inside changed items. */
  readonly names: Names;
}

/** The maximum number of items to compare. 10,000 items a side need a fraction of it. */
const maxLooked = 4_000_000;

/** Compares the conversations of two logs, step by step. */
export function compareLogs(
  left: readonly Conversation[],
  right: readonly Conversation[],
  options: CompareOptions,
): Comparison {
  const protocols = (all: readonly Conversation[]) =>
    [...new Set(all.map(({ protocol }) => protocol))].sort().join(" ");
  const isAcross = protocols(left) !== protocols(right);
  const isPartial = [...left, ...right].some(({ steps }) => steps.some((step) => step.isPartial));
  const names = createNames({ isStrict: options.isStrict, isAcross, isPartial });
  const budget = { left: maxLooked, isBounded: false };
  const settings = settingsComparer({ isStrict: options.isStrict, isAcross });
  const context: CompareContext = { ...options, isAcross, names, budget, settings };
  const runs = pairConversations(left, right).map((pair) => compareRuns(pair, context));
  return { runs, isAcross, notCompared: notComparedOf(runs, isAcross, isPartial, budget.isBounded), names };
}

function compareRuns({ left, right, likeness }: RunPair, context: CompareContext): RunComparison {
  for (const step of left?.steps ?? []) context.names.learn("left", step);
  for (const step of right?.steps ?? []) context.names.learn("right", step);
  if (!left || !right) {
    const steps = (left ?? right)?.steps.map((step) =>
      aloneStep({ left: left && step, right: right && step }),
    );
    return { left, right, likeness, steps: steps ?? [] };
  }
  if (isTranscript(left) || isTranscript(right) || hasRequests(left) !== hasRequests(right))
    return { left, right, likeness, steps: compareItemByItem(left, right, context) };
  const comparer = new StepComparer(context, hasReplies(left) && hasReplies(right));
  const steps = alignSteps(left.steps, right.steps).map((pair) => comparer.compare(pair));
  return { left, right, likeness, steps };
}

function hasReplies({ steps }: ComparedRun): boolean {
  return steps.some(({ reply }) => reply);
}

function hasRequests({ steps }: ComparedRun): boolean {
  return steps.some(({ request }) => request);
}

/** The items of a run, each once, as in a transcript. */
function saidIn(side: SideName, { steps }: ComparedRun, { names, isAcross }: CompareContext): Placed[] {
  return steps
    .flatMap((step) => [...step.added, ...replyItems(step)])
    .map((placed) => names.resolved(side, placed))
    .filter((placed) => placed.item.role !== "system" && isCompared(placed, isAcross));
}

/** Compares item by item if a run has no requests. The model's items count as reply, the rest as request. */
function compareItemByItem(left: ComparedRun, right: ComparedRun, context: CompareContext): StepComparison[] {
  const { names, isStrict, budget } = context;
  const [a, b] = [saidIn("left", left, context), saidIn("right", right, context)];
  const { rows: found, isBounded } = compareItems(a, b, names);
  if (isBounded) budget.isBounded = true;
  const groups: { left: Step | undefined; right: Step | undefined; rows: ComparedRow[] }[] = [];
  for (const row of found) {
    const last = groups.at(-1);
    const isNext =
      !last || (row.left ? row.left.step !== last.left : row.right?.step !== last.right && !last.left);
    const group = isNext ? { left: row.left?.step, right: row.right?.step, rows: [] } : last;
    if (isNext) groups.push(group);
    group.right ??= row.right?.step;
    const isMinor =
      !isStrict && row.mark === "changed" && row.left?.item.kind === "message" && isModels(row.left);
    group.rows.push({
      ...row,
      isKnown: false,
      isMinor: isMinor || (row.left ?? row.right)?.item.kind === "reasoning",
      isModelsUnseen: false,
    });
  }
  const half = (rows: readonly ComparedRow[]): HalfComparison => {
    const differences = rows.filter(({ mark }) => mark !== "same");
    const state = differences.some(({ isMinor }) => !isMinor)
      ? "different"
      : differences.length > 0
        ? "minor"
        : "same";
    return { state, rows, settings: [], outcome: undefined };
  };
  const isReplys = ({ left: one, right: other }: ComparedRow): boolean =>
    (one !== undefined && isModels(one)) || (other !== undefined && isModels(other));
  return groups.map((group) => {
    const request: ComparedRow[] = [];
    const reply: ComparedRow[] = [];
    for (const row of group.rows) (isReplys(row) ? reply : request).push(row);
    return {
      left: group.left,
      right: group.right,
      request: half(request),
      reply: half(reply),
      isRecovered: false,
    };
  });
}

function notComparedOf(
  runs: readonly RunComparison[],
  isAcross: boolean,
  isPartial: boolean,
  isBounded: boolean,
): string[] {
  const list: string[] = [];
  if (isAcross) list.push("models, parameters and protocol-specific items: the logs use different protocols");
  if (isPartial) list.push("which call a result answers: the server stores part of the histories");
  for (const { left, right, steps } of runs) {
    if (!left || !right) continue;
    if (hasReplies(left) !== hasReplies(right))
      list.push(`replies: the ${hasReplies(left) ? "passing" : "failing"} log has none`);
    if (isTranscript(left) !== isTranscript(right))
      list.push(
        `what was sent: the ${isTranscript(left) ? "failing" : "passing"} log is a transcript, so each item was compared once`,
      );
    const open = steps.filter((step) => step.left && step.right && step.request.state === "uncompared");
    const first = open[0];
    if (!first) continue;
    if (!first.left?.request || !first.right?.request)
      list.push(`requests: the ${first.left?.request ? "passing" : "failing"} log has none`);
    else list.push(`the histories of ${open.length} steps from step ${first.left.number} on: too many items`);
  }
  if (isBounded) list.push("very long differing sections: their items were compared only in order");
  return [...new Set(list)];
}
