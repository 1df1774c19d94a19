import { type Conversation, type Placed, replyItems, type Step } from "../conversation/conversation.ts";
import type { FinishMeaning } from "../conversation/exchange.ts";
import { pairConversations, type Run, type RunPair } from "./conversations.ts";
import { createNames, isCompared, isModels, type Names, type SideName } from "./item-identity.ts";
import { compareItems, type ItemRow } from "./items.ts";
import { type SettingDifference, settingsComparer } from "./settings.ts";
import { alignSteps, requestItems, type StepPair } from "./steps.ts";

export interface CompareOptions {
  /** Compare what is volatile, too: dates, ids, white space, the spelling of arguments, a model's choice of words. */
  readonly isStrict: boolean;
}

/** How one half of a step, its request or its reply, stands to its counterpart. */
export interface HalfComparison {
  /**
   * `same`; `minor`: a model's other words for the same; `carried`: only what an earlier step had already; `different`;
   * `uncompared`: one of the logs does not have it, or the work became too much.
   */
  readonly state: "same" | "minor" | "carried" | "different" | "uncompared";
  /** In the order of reading, equal items included; rows from `firstElement` on. */
  readonly rows: readonly Row[];
  readonly settings: readonly SettingDifference[];
  /** What the reply came to, where that differs. */
  readonly outcome: Outcome | undefined;
}

/** A row, and whether it is news. */
export interface Row extends ItemRow {
  /** An earlier step had the same difference. */
  readonly isKnown: boolean;
  /** A model's other words, or its thoughts. */
  readonly isMinor: boolean;
  /** The log lacks the reply that this is a part of, so that only the next request shows what the model said. */
  readonly isModelsUnseen: boolean;
}

/** What two replies came to. */
export interface Outcome {
  readonly left: string;
  readonly right: string;
}

/** Steps of both runs beside each other, compared. */
export interface StepComparison extends StepPair {
  readonly request: HalfComparison;
  readonly reply: HalfComparison;
  /** A failed attempt that was made again; the other run got through at once. */
  readonly isRecovered: boolean;
}

export interface RunComparison {
  readonly left: Run | undefined;
  readonly right: Run | undefined;
  readonly likeness: number;
  readonly steps: readonly StepComparison[];
}

export interface Comparison {
  readonly runs: readonly RunComparison[];
  /** The logs speak different protocols. */
  readonly isAcross: boolean;
  /** What was not compared, or not in every way; a sentence each. */
  readonly notCompared: readonly string[];
  /** What items are called, for whoever looks inside changed ones. */
  readonly names: Names;
}

/** So many items are looked at in all; then steps are no more compared item by item. Ten thousand items a side take a fraction of it. */
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
  const runs = pairConversations(left, right).map((pair) =>
    compareRuns(pair, { ...options, isAcross, names, budget, settings }),
  );
  return { runs, isAcross, notCompared: notComparedOf(runs, isAcross, isPartial, budget.isBounded), names };
}

interface Context extends CompareOptions {
  readonly isAcross: boolean;
  readonly names: Names;
  readonly budget: { left: number; isBounded: boolean };
  readonly settings: ReturnType<typeof settingsComparer>;
}

function compareRuns({ left, right, likeness }: RunPair, context: Context): RunComparison {
  for (const step of left?.steps ?? []) context.names.learn("left", step);
  for (const step of right?.steps ?? []) context.names.learn("right", step);
  if (!left || !right) {
    const steps = (left ?? right)?.steps.map((step) => alone({ left: left && step, right: right && step }));
    return { left, right, likeness, steps: steps ?? [] };
  }
  if (isTranscript(left) || isTranscript(right) || hasRequests(left) !== hasRequests(right))
    return { left, right, likeness, steps: compareItemByItem(left, right, context) };
  const compare = stepComparer(context, hasReplies(left) && hasReplies(right));
  return { left, right, likeness, steps: alignSteps(left.steps, right.steps).map(compare) };
}

function hasReplies({ steps }: Run): boolean {
  return steps.some(({ reply }) => reply);
}

function hasRequests({ steps }: Run): boolean {
  return steps.some(({ request }) => request);
}

function isTranscript({ conversations }: Run): boolean {
  return conversations.some(({ kind }) => kind === "transcript");
}

/** What was said in a run, each item once, as a transcript has it. */
function saidIn(side: SideName, { steps }: Run, { names, isAcross }: Context): Placed[] {
  return steps
    .flatMap((step) => [...step.added, ...replyItems(step)])
    .map((placed) => names.resolved(side, placed))
    .filter((placed) => placed.item.role !== "system" && isCompared(placed, isAcross));
}

/**
 * Compares runs of which one does not show what was sent: each item once. What a model wrote counts as reply, the rest as request, in the
 * step where it stands.
 */
function compareItemByItem(left: Run, right: Run, context: Context): StepComparison[] {
  const { names, isStrict, budget } = context;
  const [a, b] = [saidIn("left", left, context), saidIn("right", right, context)];
  const { rows: found, isBounded } = compareItems(a, b, names);
  if (isBounded) budget.isBounded = true;
  const groups: { left: Step | undefined; right: Step | undefined; rows: Row[] }[] = [];
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
  const half = (rows: readonly Row[]): HalfComparison => {
    const differences = rows.filter(({ mark }) => mark !== "same");
    const state = differences.some(({ isMinor }) => !isMinor)
      ? "different"
      : differences.length > 0
        ? "minor"
        : "same";
    return { state, rows, settings: [], outcome: undefined };
  };
  const isReplys = ({ left: one, right: other }: Row): boolean =>
    [one, other].some((placed) => placed && isModels(placed));
  return groups.map((group) => ({
    left: group.left,
    right: group.right,
    request: half(group.rows.filter((row) => !isReplys(row))),
    reply: half(group.rows.filter(isReplys)),
    isRecovered: false,
  }));
}

const nothing: HalfComparison = { state: "same", rows: [], settings: [], outcome: undefined };
const uncompared: HalfComparison = { ...nothing, state: "uncompared" };

function alone({ left, right }: StepPair): StepComparison {
  const step = left ?? right;
  const rows = (items: readonly Placed[]): Row[] =>
    items.map((placed) => ({
      mark: left ? "added" : "missing",
      left: left ? placed : undefined,
      right: left ? undefined : placed,
      isKnown: false,
      isMinor: false,
      isModelsUnseen: false,
    }));
  return {
    left,
    right,
    request: { ...nothing, state: step?.request ? "different" : "same", rows: rows(step?.added ?? []) },
    reply: {
      ...nothing,
      state: step?.reply ? "different" : "same",
      rows: rows(step ? replyItems(step) : []),
    },
    isRecovered: step?.retriedBy !== undefined,
  };
}

/** Compares pair after pair of one run. What a pair differs in is known to those after it. */
function stepComparer(context: Context, haveReplies: boolean): (pair: StepPair) => StepComparison {
  const { names } = context;
  const progress = createProgress();
  const parted = new Set<Step>();
  const known = {
    missing: new Set<string>(),
    changed: new Set<string>(),
    added: new Set<string>(),
    settings: new Set<string>(),
  };

  const pairOf = (left: Placed, right: Placed): string =>
    `${names.of("left", left)}\n${names.of("right", right)}`;

  const judged = (row: ItemRow, isMinor: boolean, isModelsUnseen: boolean): Row => {
    const gone = row.right && names.of("right", row.right);
    const more = row.left && names.of("left", row.left);
    const isKnown =
      (row.mark === "missing" && gone !== undefined && known.missing.has(gone)) ||
      (row.mark === "added" && more !== undefined && known.added.has(more)) ||
      (row.mark === "changed" &&
        row.left !== undefined &&
        row.right !== undefined &&
        known.changed.has(pairOf(row.left, row.right))) ||
      (row.mark === "moved" && more !== undefined && known.added.has(`moved ${more}`));
    return { ...row, isKnown, isMinor, isModelsUnseen };
  };
  const remember = ({ mark, left, right }: ItemRow): void => {
    if (mark === "missing" && right) known.missing.add(names.of("right", right));
    if (mark === "added" && left) known.added.add(names.of("left", left));
    if (mark === "moved" && left) known.added.add(`moved ${names.of("left", left)}`);
    if (mark === "changed" && left && right) known.changed.add(pairOf(left, right));
  };

  /** The equal items before the place from which on two histories are compared, for whoever reads what follows. */
  const leadOf = (left: Step, right: Step, from: Boundary): Row[] => {
    const near = (side: SideName, step: Step, end: number): Placed[] =>
      spoken(side, step, end - maxLead, context, end)
        .slice(-maxLead)
        .reverse();
    const others = near("right", right, from.right);
    const lead: Row[] = [];
    for (const [index, placed] of near("left", left, from.left).entries()) {
      const other = others[index];
      if (!other || names.of("left", placed) !== names.of("right", other)) break;
      lead.unshift({
        mark: "same",
        left: placed,
        right: other,
        isKnown: false,
        isMinor: false,
        isModelsUnseen: false,
      });
    }
    return lead;
  };

  const compareRequests = (left: Step, right: Step): HalfComparison => {
    if (!left.request || !right.request) return left.request || right.request ? uncompared : nothing;
    const settings = context
      .settings(asked(left), asked(right))
      .filter((difference) => !known.settings.has(settingKey(difference)));
    for (const difference of settings) known.settings.add(settingKey(difference));
    const from = progress.from(left, right);
    const a = spoken("left", left, from.left, context);
    const b = spoken("right", right, from.right, context);
    context.budget.left -= a.length + b.length;
    if (context.budget.left < 0) return { ...uncompared, settings };
    const { rows: found, isBounded } = compareItems(a, b, names);
    if (isBounded) context.budget.isBounded = true;
    progress.done(left, right, from, found);
    const isUnseen = (one: Placed | undefined): boolean =>
      one !== undefined && isModels(one) && !one.step.parent?.reply && one.step.parent !== undefined;
    const rows = found.map((row) => {
      const isModelsUnseen = row.mark !== "same" && !haveReplies && isUnseen(row.left ?? row.right);
      return judged(row, false, isModelsUnseen);
    });
    for (const row of rows) {
      if (row.isModelsUnseen && row.mark === "changed" && row.left && row.right)
        names.equate(row.left, row.right);
      else remember(row);
    }
    const news = rows.filter((row) => row.mark !== "same");
    const isNew = settings.length > 0 || news.some((row) => !row.isKnown);
    // What was compared before is not compared again, but still there.
    const isCarried =
      news.length > 0 || (from !== start && left.parent !== undefined && parted.has(left.parent));
    if (news.length > 0 || isCarried) parted.add(left);
    const state = isNew ? "different" : isCarried ? "carried" : "same";
    if (news.length > 0) rows.unshift(...leadOf(left, right, from));
    return { state, rows, settings, outcome: undefined };
  };

  const compareReplies = (left: Step, right: Step): HalfComparison => {
    if (!haveReplies) return uncompared;
    if (!left.reply && !right.reply) return nothing;
    const itemsOf = (step: Step) => replyItems(step).filter((placed) => isCompared(placed, context.isAcross));
    const { rows: found } = compareItems(itemsOf(left), itemsOf(right), names, { areReplies: true });
    const outcome = outcomeDifference(left, right, context.isAcross);
    const decides = (row: ItemRow): boolean =>
      [row.left, row.right].some(
        (placed) => placed && placed.item.kind !== "message" && placed.item.kind !== "reasoning",
      );
    const isOtherDecision = found.some((row) => row.mark !== "same" && decides(row));
    const isSilent = found.every((row) => !row.left) !== found.every((row) => !row.right);
    const rows = found.map((row) => judged(row, !context.isStrict && !decides(row) && !isSilent, false));
    for (const row of rows) {
      // What the models said instead of each other comes back in all later requests.
      if (row.mark === "changed" && row.left && row.right) names.equate(row.left, row.right);
      else remember(row);
    }
    const differences = rows.filter((row) => row.mark !== "same");
    const isDifferent = outcome || isOtherDecision || differences.some((row) => !row.isMinor);
    return {
      state: isDifferent ? "different" : differences.length > 0 ? "minor" : "same",
      rows,
      settings: [],
      outcome,
    };
  };

  return (pair) => {
    const { left, right } = pair;
    if (!left || !right) return alone(pair);
    const request = compareRequests(left, right);
    const reply = compareReplies(left, right);
    return { left, right, request, reply, isRecovered: false };
  };
}

/** So many equal items before the first that is compared are kept. */
const maxLead = 6;

/** Items of a history from an element up to another, without the system prompts that lead it: these are settings. */
function spoken(
  side: SideName,
  step: Step,
  from: number,
  { isAcross, names }: Context,
  to = Number.POSITIVE_INFINITY,
): Placed[] {
  const resolved = (placed: Placed): Placed => names.resolved(side, placed);
  return requestItems(step, Math.max(from, leadingSystem(step)), to, { isAcross, resolved });
}

function leadingSystem({ request }: Step): number {
  let count = 0;
  while (request && count < request.history.length && request.history.role(count) === "system") count++;
  return count;
}

/** A request with all its leading system prompts together. */
function asked(step: Step): Parameters<ReturnType<typeof settingsComparer>>[0] {
  const { request } = step;
  if (!request) throw new RangeError("a step without a request asks for nothing");
  const texts = request.system === undefined ? [] : [request.system];
  const count = leadingSystem(step);
  for (let element = 0; element < count; element++)
    for (const item of request.history.items(element)) if (item.kind === "message") texts.push(item.text);
  return {
    request,
    system: texts.length > 0 ? texts.join("\n") : undefined,
    systemPointer: request.system === undefined && count > 0 ? `${request.historyPointer}/0` : "",
  };
}

function settingKey({ setting, name, left, right }: SettingDifference): string {
  return JSON.stringify([setting, name, left, right]);
}

/** Stop reasons that let a run go on or end as it should; which of them it is, the items say. */
const usual: ReadonlySet<FinishMeaning> = new Set(["answer", "calls", "other"]);

function outcomeDifference(left: Step, right: Step, isAcross: boolean): Outcome | undefined {
  const [a, b] = [outcomeOf(left, isAcross), outcomeOf(right, isAcross)];
  if (a === b || (hasFailed(left) && hasFailed(right))) return undefined;
  return { left: a, right: b };
}

/** The request was refused, or the server failed; some logs keep what it said, others only the status. */
function hasFailed({ reply, exchange }: Step): boolean {
  return (reply?.error && !reply.error.isMidStream) || (exchange.status ?? 200) >= 400;
}

/** What became of a reply, in words; the same words for what comes to the same. */
function outcomeOf(step: Step, isAcross: boolean): string {
  const { reply, exchange, children } = step;
  if (hasFailed(step))
    return (exchange.status ?? 0) >= 400 ? `failed with status ${exchange.status}` : "failed";
  if (!reply) return "no reply";
  if (reply.error) return "failed in the middle of the stream";
  if (reply.state === "open") return "cut off";
  const { finish } = reply;
  if (!finish) return "whole";
  if (usual.has(finish.meaning)) {
    const isHollow =
      finish.meaning === "calls" && !isAcross && !reply.items.some(({ kind }) => kind === "call");
    return isHollow ? "announces calls and has none" : "whole";
  }
  const goesOn = finish.meaning === "pause" && children.length > 0;
  return goesOn ? "whole" : `stopped: ${finish.reason}`;
}

/**
 * Up to where the histories of two steps are already compared. A request repeats the one before, so that only what is new has to be
 * looked at, as long as both sides kept what was compared.
 */
function createProgress(): {
  from(left: Step, right: Step): Boundary;
  done(left: Step, right: Step, from: Boundary, rows: readonly ItemRow[]): void;
} {
  const boundaries = new Map<Step, { readonly right: Step; readonly list: readonly Boundary[] }>();
  return {
    from(left, right) {
      const before = left.parent && boundaries.get(left.parent);
      if (!before || before.right !== right.parent) return start;
      return lastWithin(before.list, left.kept, right.kept) ?? start;
    },
    done(left, right, from, rows) {
      const list = [from, ...commonBoundaries(rows)];
      const [a, b] = [left.request?.history.length ?? 0, right.request?.history.length ?? 0];
      list.push({ left: a, right: b });
      const before = left.parent && boundaries.get(left.parent);
      // Earlier boundaries stay true: what was kept was compared. A few of them are enough.
      const earlier = before && before.right === right.parent ? before.list : [];
      boundaries.set(left, {
        right,
        list: [
          ...earlier.filter((one) => one.left <= from.left && one.right <= from.right).slice(-maxEarlier),
          ...list.slice(-maxOwn),
        ],
      });
    },
  };
}

/** So many elements of either history lie before a place between two elements. */
interface Boundary {
  readonly left: number;
  readonly right: number;
}

const start: Boundary = { left: 0, right: 0 };
const maxEarlier = 12;
const maxOwn = 24;

function lastWithin(list: readonly Boundary[], left: number, right: number): Boundary | undefined {
  return list.findLast((one) => one.left <= left && one.right <= right);
}

/** Places where both histories end an element, as long as nothing stands elsewhere. */
function commonBoundaries(rows: readonly ItemRow[]): Boundary[] {
  const list: Boundary[] = [];
  for (const [index, { mark, left, right }] of rows.entries()) {
    if (mark === "moved") break;
    if (mark !== "same" || !left || !right) continue;
    const next = rows[index + 1];
    if (
      next &&
      (next.mark !== "same" || next.left?.element === left.element || next.right?.element === right.element)
    )
      continue;
    list.push({ left: left.element + 1, right: right.element + 1 });
  }
  return list;
}

function notComparedOf(
  runs: readonly RunComparison[],
  isAcross: boolean,
  isPartial: boolean,
  isBounded: boolean,
): string[] {
  const list: string[] = [];
  if (isAcross)
    list.push("models, parameters and what only one protocol can say: the logs speak different protocols");
  if (isPartial) list.push("which call a result answers: a part of the histories is held by the server");
  for (const { left, right, steps } of runs) {
    if (!left || !right) continue;
    if (hasReplies(left) !== hasReplies(right))
      list.push(`replies: the ${hasReplies(left) ? "passing" : "failing"} log has none`);
    if (isTranscript(left) !== isTranscript(right))
      list.push(
        `what was sent: the ${isTranscript(left) ? "failing" : "passing"} log is a transcript, so each item is compared once`,
      );
    const open = steps.filter((step) => step.left && step.right && step.request.state === "uncompared");
    const first = open[0];
    if (!first) continue;
    if (!first.left?.request || !first.right?.request)
      list.push(`requests: the ${first.left?.request ? "passing" : "failing"} log has none`);
    else list.push(`the histories of ${open.length} steps from step ${first.left.number} on: too many items`);
  }
  if (isBounded) list.push("where very long stretches differ, items were only compared in order");
  return [...new Set(list)];
}
