import { callerOf } from "../conversation/callers.ts";
import {
  type Conversation,
  type Placed,
  placedItems,
  replyItems,
  type Step,
} from "../conversation/conversation.ts";
import type { Request } from "../conversation/exchange.ts";
import { keyOf } from "../conversation/identity.ts";
import type { ToolCall } from "../conversation/item.ts";
import { differentResults, repeatedRounds } from "../conversation/loops.ts";
import type { Reply, Usage } from "../conversation/reply.ts";
import type { Round } from "../conversation/rounds.ts";
import { linesOf } from "../reading/origin.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { pairingRemarks, shownItem } from "./items.ts";
import type {
  Described,
  ShownConversation,
  ShownRepeat,
  ShownReply,
  ShownRequest,
  ShownStep,
  Tokens,
  Totals,
} from "./shown.ts";

/** What to describe of a log; by default everything. */
export interface Selection {
  /** Only this conversation (`c2`). */
  readonly conversation?: string;
  readonly exchanges?: { readonly from: number; readonly to: number };
}

/** Conversations as plain data, step by step. Only selected steps are examined. */
export function describe(
  conversations: readonly Conversation[],
  selection: Selection = {},
): ShownConversation[] {
  return selected(conversations, selection).map((chosen) => describeConversation(chosen, shownItem));
}

/** A conversation, and those of its steps that were selected. */
export interface Selected {
  readonly conversation: Conversation;
  readonly steps: readonly Step[];
}

/** The conversations with selected steps. */
export function selected(
  conversations: readonly Conversation[],
  { conversation: name, exchanges }: Selection = {},
): Selected[] {
  return conversations
    .filter((conversation) => name === undefined || conversation.name === name)
    .map((conversation) => ({
      conversation,
      steps: conversation.steps.filter(
        ({ exchange }) =>
          !exchanges || (exchange.number >= exchanges.from && exchange.number <= exchanges.to),
      ),
    }))
    .filter(({ steps }) => steps.length > 0);
}

/** Describes an item in its place; `remarks` come from the pairing of its step. */
export type DescribeItem<T extends Described> = (placed: Placed, remarks?: readonly string[]) => T;

/** A conversation as plain data, with each item as `item` describes it. */
export function describeConversation<T extends Described>(
  { conversation, steps }: Selected,
  item: DescribeItem<T>,
): ShownConversation<T> {
  return {
    name: conversation.name,
    protocol: conversation.protocol,
    opening: openingOf(conversation),
    calledBy: calledBy(conversation),
    totals: totalsOf(conversation),
    steps: steps.map((step) => shownStep(step, item)),
    repeats: repeatedRounds(conversation).map(shownRepeat),
  };
}

function calledBy(conversation: Conversation): ShownConversation["calledBy"] {
  const call = callerOf(conversation);
  if (!call) return null;
  const { step, item } = call;
  return {
    conversation: step.conversation.name,
    exchange: step.exchange.number,
    tool: item.name,
    callId: item.id ?? null,
  };
}

function openingOf({ steps }: Conversation): string | null {
  for (const step of steps) {
    for (const { item } of added(step))
      if (item.kind === "message" && item.role === "user" && item.text.trim() !== "") return item.text;
  }
  return null;
}

function totalsOf({ steps }: Conversation): Totals {
  const usages = steps.flatMap(({ reply }) => reply?.usage ?? []);
  return {
    steps: steps.length,
    turns: Math.max(0, ...steps.map(({ turn }) => turn)),
    calls: steps.reduce(
      (total, { reply }) => total + (reply?.items.filter(({ kind }) => kind === "call").length ?? 0),
      0,
    ),
    tokens: usages.length > 0 ? usages.map(tokensOf).reduce(plus) : null,
    durationMs: sum(steps.map(({ exchange }) => exchange.durationMs)),
  };
}

function shownRepeat(rounds: readonly Round[]): ShownRepeat {
  const [first, ...again] = rounds;
  return {
    calls: (first?.calls ?? []).map(({ call }) => ({
      tool: call.item.name,
      arguments: call.item.argumentsText,
    })),
    exchanges: rounds.map(({ step }) => step.exchange.number),
    results: differentResults(rounds),
    cost: {
      tokens: sum(
        again.map(
          ({ step: { reply } }) => reply?.usage && (reply.usage.input ?? 0) + (reply.usage.output ?? 0),
        ),
      ),
      durationMs: sum(again.map(({ step }) => step.exchange.durationMs)),
    },
  };
}

/** The sum of the known numbers; `null` if there are none. */
function sum(numbers: readonly (number | undefined)[]): number | null {
  const known = numbers.filter((number) => number !== undefined);
  return known.length > 0 ? known.reduce((total, number) => total + number, 0) : null;
}

function tokensOf({ input = 0, output = 0, cached = 0 }: Usage): Tokens {
  return { input, output, cached };
}

function plus(a: Tokens, b: Tokens): Tokens {
  return { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}

function shownStep<T extends Described>(step: Step, item: DescribeItem<T>): ShownStep<T> {
  const { exchange, request, reply } = step;
  return {
    step: step.number,
    exchange: exchange.number,
    turn: step.turn,
    relation: step.relation,
    isAside: step.isAside,
    after: step.parent?.exchange.number ?? null,
    model: request?.model ?? reply?.model ?? null,
    time: exchange.time === undefined ? null : timeText(exchange.time),
    durationMs: exchange.durationMs ?? null,
    status: exchange.status ?? null,
    isAborted: exchange.isAborted,
    isPartial: step.isPartial,
    request: request ? shownRequest(step, request, item) : null,
    reply: reply ? shownReply(step, reply, item) : null,
  };
}

/** An application's own events contain calls together with their results. */
function isAnswered(call: ToolCall, { items }: Reply): boolean {
  return items.some(
    (item) =>
      item.kind === "result" && (call.id === undefined ? item.name === call.name : item.callId === call.id),
  );
}

/** Logs may contain times outside the calendar. */
function timeText(time: number): string | null {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The file name is only informative if a log spans several files. */
function fileOf({ conversation }: Step, { origin }: PayloadPlace): { file?: string } {
  return origin.source.name === conversation.log.file ? {} : { file: origin.source.name };
}

function lineOf({ origin }: PayloadPlace): number {
  return linesOf(origin.source).at(origin.start).line;
}

/** The items new in a request. A compacted history has nothing to compare with, so all of them are. */
function added(step: Step): readonly Placed[] {
  return step.relation === "compaction" && step.added.length === 0 ? [...placedItems(step)] : step.added;
}

function shownRequest<T extends Described>(
  step: Step,
  request: Request,
  item: DescribeItem<T>,
): ShownRequest<T> {
  const remarks = pairingRemarks(step);
  const shown = (placed: Placed) => item(placed, remarks.get(placed.item));
  // A request beside the conversation has a frame of its own, so nothing is gone from it.
  const before = step.isAside ? undefined : step.parent?.request;
  const tools = request.tools?.map(({ name }) => name);
  const toolsBefore = before?.tools?.map(({ name }) => name);
  return {
    ...fileOf(step, request.place),
    line: lineOf(request.place),
    length: request.history.length,
    ...(request.system !== before?.system && { system: request.system ?? null }),
    ...(tools?.join("\n") !== toolsBefore?.join("\n") && { tools: tools ?? null }),
    added: added(step).map(shown),
    gone: step.missing.map((placed) => item(placed)),
    loss: step.loss?.extent ?? null,
    changed: step.changed
      .map(({ what, before, after }) => ({ what, before: item(before), after: shown(after) }))
      .sort(({ after: a }, { after: b }) => a.line - b.line || a.column - b.column),
    unanswered: unanswered(step).map((placed) => item(placed)),
    moved: step.moved.map(({ after }) => shown(after)),
  };
}

/** Calls without a result that were not yet in the previous request. */
function unanswered({ pairing, parent }: Step): readonly Placed[] {
  const known = new Set(parent?.pairing.unanswered.map(({ item }) => keyOf(item)));
  return pairing.unanswered.filter(({ item }) => !known.has(keyOf(item)));
}

function shownReply<T extends Described>(step: Step, reply: Reply, item: DescribeItem<T>): ShownReply<T> {
  const { finish, usage, error } = reply;
  return {
    ...fileOf(step, reply.place),
    line: lineOf(reply.place),
    form: reply.form,
    state: reply.state,
    items: replyItems(step).map((placed) => item(placed)),
    wantsTools: reply.items.some((one) => one.kind === "call" && !one.isHosted && !isAnswered(one, reply)),
    stop: finish ? { reason: finish.reason, meaning: finish.meaning } : null,
    tokens: usage ? tokensOf(usage) : null,
    error: error ? { message: error.message, type: error.type ?? null, code: error.code ?? null } : null,
  };
}
