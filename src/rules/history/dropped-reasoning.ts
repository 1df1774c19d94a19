import { isCall, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import type { History, Request } from "../../conversation/exchange.ts";
import { isSurelySent, newItems } from "../../conversation/new-items.ts";
import { type Habit, soRejected } from "../habit.ts";
import { hasSucceeded } from "../requests/refusal.ts";
import { defineRule, refused } from "../rule.ts";
import { toolName } from "../words.ts";

/** The words came back, and what proves them did not. */
const signatures: Habit = {
  title: "The client drops the signatures of the model's reasoning",
  consequence: soRejected(
    "So the provider cannot verify the reasoning, and strict providers reject the request",
  ),
  change: ({ idiom }) => `send the whole reply back, with its signatures unchanged: ${idiom.append}`,
};

export default defineRule({
  name: "dropped-reasoning",
  summary: "Reasoning that must come back with its calls, but did not",
  ground: "refused",
  severity: "error",
  needs: "wire",
  looksAt: ["calls", "reasoning", "answers"],
  follows: [{ rules: ["dropped-turns", "dropped-tool-call", "merged-or-split-turns"], by: "exchange" }],
  messages: {
    first: ({ tool }: Facts) =>
      `the assistant turn that calls \`${tool}\` does not begin with its thinking, which is required while thinking is on`,
    withCalls: ({ tool }: Facts) =>
      `the assistant message that calls \`${tool}\` lacks its reasoning, which this model requires`,
    unsigned: ({ tool }: Facts) =>
      `the thinking before the call to \`${tool}\` is sent without its signature`,
    sealless: (_: object) => "thinking is sent without its signature, so the provider cannot verify it",
    signed: ({ tool }: Facts) =>
      `the call to \`${tool}\` is sent without its thought signature, which this model requires`,
    alone: ({ itemId }: Facts) =>
      `reasoning \`${itemId}\` is sent without the item that followed it in the reply`,
    bare: ({ tool, itemId }: Facts) =>
      `item \`${itemId}\` (${tool}) is sent with its id, but no reasoning item precedes it`,
    unpaired: ({ tool, itemId }: Facts) =>
      `item \`${itemId}\` (\`${tool}\`) is sent with its id but without the reasoning item that came with it`,
  },

  habit: {
    title: "The client drops the reasoning that belongs to the model's calls",
    consequence: soRejected(
      "So the model starts its reasoning over in every round, and strict providers reject the request",
    ),
    change: ({ idiom }) =>
      `send the whole reply back, with its reasoning and signatures unchanged: ${idiom.append}`,
  },

  kindHabits: { unsigned: signatures, sealless: signatures, signed: signatures },

  *check({ steps }, report) {
    for (const step of steps) {
      const { request, exchange } = step;
      if (!request || step.isPartial || (step.loss && step.loss.extent !== "note")) continue;
      const need = exchange.demands.reasoning?.(request);
      const [sealless] = exchange.demands.needsSeals && isSurelySent(step) ? unsealed(step) : [];
      if (sealless)
        yield report("sealless", {}, sealless, {
          severity: refused(exchange),
          // A client that cannot keep signatures loses all of them.
          identity: "unsigned",
        });
      // If the reply is not in the log, its reasoning is unknown.
      const isKnown = step.parent?.reply?.items.some(({ kind }) => kind === "reasoning") ?? false;
      if (need === "first-of-turn") {
        const call = bareToolTurn(step);
        if (call && (isKnown || !hasThought(step, call.element)))
          yield report("first", { tool: call.item.name }, call, {
            severity: refused(exchange),
            ...(isKnown
              ? { fix: { safety: "safe" as const, title: "restores the thinking from the reply" } }
              : exchange.demands.thinkingKey !== undefined && { fix: withoutThinking }),
          });
        for (const { thinking, received, tool } of unsigned(step))
          yield report("unsigned", { tool }, thinking, {
            severity: refused(exchange),
            notes: [{ message: "the reply had the signature here", at: received }],
            // A client that cannot keep signatures loses all of them.
            identity: "unsigned",
            fix: { safety: "safe", title: "restores the thinking from the reply" },
          });
      } else if (need === "with-calls" || need === "with-last-calls") {
        const isSure = needsNoProof(step) && exchange.demands.surelyReasons?.(request) === true;
        const member = reasoningMember(step) ?? (isSure ? "reasoning_content" : undefined);
        const isMadeUp = !isKnown && member !== undefined;
        const from = need === "with-calls" ? 0 : lastWords(request.history);
        for (const call of callsWithoutReasoning(step, isSure)) {
          if (call.element < from || saidWithoutThought(step, call)) continue;
          const facts = {
            tool: call.item.name,
            ...(isMadeUp && { member, element: call.element }),
          };
          yield report("withCalls", facts, call, {
            below: call.item.pointer,
            severity: refused(exchange),
            identity: `${call.item.id ?? call.element}`,
            ...(isKnown
              ? { fix: { safety: "safe" as const, title: "restores the reasoning from the reply" } }
              : isMadeUp && { fix: emptyReasoning }),
          });
        }
      } else if (need === "signed-calls" && needsNoProof(step)) {
        const [call] = unsignedCalls(step);
        if (call)
          yield report("signed", { tool: call.item.name }, call, {
            below: call.item.pointer,
            severity: refused(exchange),
            // A client that does not know signatures loses all of them.
            identity: "signatures",
          });
      } else if (need === "with-ids") {
        for (const { kind, at, ...facts } of halves(step, request))
          yield report(kind, facts, at, {
            // The model may have said this without a thought.
            severity: kind === "bare" ? "warning" : refused(exchange),
            identity: kind === "bare" ? "ids" : facts.itemId,
          });
        for (const { call, reasoning } of unpaired(step)) {
          yield report("unpaired", { tool: call.item.name, itemId: call.item.itemId ?? "" }, call, {
            severity: refused(exchange),
            notes: [{ message: "the reply had the reasoning here", at: reasoning }],
            fix: { safety: "safe", title: "puts the reasoning item back before it" },
          });
        }
      }
    }
  },
});

interface Facts {
  readonly tool: string;
  readonly itemId?: string;
  /** The member with the reasoning in other messages of the request. */
  readonly member?: string;
}

/** The log lacks the reasoning, so the turn must continue without it. */
const withoutThinking = { safety: "lossy", title: "turns thinking off for this request" } as const;
const emptyReasoning = {
  safety: "inventing",
  title: "adds empty reasoning: the original is not in the log",
} as const;

/** The member in which messages of a request carry their reasoning as text. */
function reasoningMember({ request }: Step): string | undefined {
  const history = request?.history;
  for (let element = 0; history && element < history.length; element++) {
    const thought = history.items(element).find(({ kind }) => kind === "reasoning");
    const [, member] = /^\/(\w+)$/.exec(thought?.pointer ?? "") ?? [];
    if (member !== undefined) return member;
  }
  return undefined;
}

type PlacedCall = Extract<ReturnType<typeof placedCall>, object>;

function placedCall(placed: Placed) {
  return isCall(placed) ? placed : undefined;
}

/** The first call of the last assistant turn, if results are sent for it and it lacks leading reasoning. */
function bareToolTurn(step: Step): PlacedCall | undefined {
  const history = step.request?.history;
  if (!history || history.length === 0) return undefined;
  let turn = history.length - 1;
  while (turn >= 0 && history.role(turn) !== "assistant") turn--;
  if (turn < 0 || turn === history.length - 1) return undefined;
  while (turn > 0 && history.role(turn - 1) === "assistant") turn--;
  const items = [...placedItems(step, history, turn)].filter((placed) => placed.item.role === "assistant");
  const call = items.map(placedCall).find((placed) => placed !== undefined && !placed.item.isHosted);
  // Providers check only turns whose results are being sent.
  const isAnswered = call !== undefined && step.pairing.pairs.some((pair) => pair.call.item === call.item);
  return isAnswered && items[0]?.item.kind !== "reasoning" ? call : undefined;
}

/**
 * Whether a message of the turn up to the one at `last` begins with reasoning. The model may think once,
 * before the first calls of a turn; between calls it thinks only where thinking is interleaved.
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking
 */
function hasThought({ request }: Step, last: number): boolean {
  const history = request?.history;
  for (let element = last; history && element >= 0; element--) {
    const items = history.items(element);
    if (history.role(element) === "assistant") {
      const isFirst = element === 0 || history.role(element - 1) !== "assistant";
      if (isFirst && items[0]?.kind === "reasoning") return true;
    } else if (!items.some(({ kind }) => kind === "result")) return false;
  }
  return false;
}

/** Reasoning of the parent's reply that is sent back with its calls but without its signature. */
function unsigned(step: Step): { thinking: Placed; received: Placed; tool: string }[] {
  const call = step.echoes.map(({ after }) => placedCall(after)).find((placed) => placed !== undefined);
  if (!call) return [];
  return step.changed.flatMap(({ before, after, what }) =>
    what === "reasoning" && before.part === "response" && isSealed(before) && !isSealed(after)
      ? [{ thinking: after, received: before, tool: call.item.name }]
      : [],
  );
}

/** New reasoning without a seal, which no reply in the log proves to have had one. */
function unsealed(step: Step): Placed[] {
  if (hasSucceeded(step)) return [];
  const known = new Set(unsigned(step).map(({ thinking }) => thinking.item));
  return newItems(step).filter(
    (placed) => placed.item.kind === "reasoning" && !isSealed(placed) && !known.has(placed.item),
  );
}

function isSealed({ item }: Placed): boolean {
  return item.kind === "reasoning" && item.seal !== undefined;
}

/**
 * Calls without reasoning in their message, if the client or server otherwise writes reasoning, or the model
 * surely does.
 */
function callsWithoutReasoning(step: Step, isSure: boolean): PlacedCall[] {
  const history = step.request?.history;
  if (!history) return [];
  const bare: PlacedCall[] = [];
  let knowsReasoning =
    isSure || (step.parent?.reply?.items.some((item) => item.kind === "reasoning") ?? false);
  for (let element = 0; element < history.length; element++) {
    const items = history.items(element);
    const hasReasoning = items.some((item) => item.kind === "reasoning");
    knowsReasoning ||= hasReasoning;
    const call = items.find((item) => item.kind === "call");
    if (!hasReasoning && call?.kind === "call" && element >= step.kept)
      bare.push({ item: call, step, part: "request", element });
  }
  return knowsReasoning ? bare : [];
}

/** The reply that made the call is in the log and has no reasoning: the model called without a thought. */
function saidWithoutThought({ parent, echoes }: Step, call: PlacedCall): boolean {
  const { reply } = parent ?? {};
  return (
    reply !== undefined &&
    echoes.some(({ after }) => after.item === call.item) &&
    !reply.items.some(({ kind }) => kind === "reasoning")
  );
}

/**
 * The provider is known, or the body stands alone, and nobody accepted it. A gateway may keep reasoning for
 * its clients.
 */
function needsNoProof(step: Step): boolean {
  const { exchange } = step;
  const isKnown = exchange.judgedBy === "host" || exchange.judgedBy === "profile" || exchange.isOwnProvider;
  const isAlone = exchange.url === undefined && exchange.headers["host"] === undefined;
  return (isKnown || isAlone) && isSurelySent(step) && !hasSucceeded(step);
}

/**
 * Items of a single request whose other half is missing: reasoning that nothing follows, and items with their
 * ids in a history without reasoning, although the model reasons before all it says.
 */
function* halves(step: Step, request: Request): Generator<Half> {
  const { demands } = step.exchange;
  const { itemPrefixes: prefixes } = demands;
  const { history, links } = request;
  if (!prefixes || !needsNoProof(step) || links.previousReply !== undefined) return;
  let bare: Half | undefined;
  let hasReasoning = links.conversation !== undefined || request.settings.hasStoredPrompt === true;
  for (let element = 0; element < history.length; element++) {
    const [item] = history.items(element);
    if (!item) continue;
    hasReasoning ||= !["message", "call", "result"].includes(item.kind);
    const at: Placed = { item, step, part: "request", element };
    if (item.kind === "reasoning") {
      const next = element + 1 < history.length ? history.role(element + 1) : "user";
      const isLast = next === "user" || next === "system" || next === "tool";
      if (isLast && element >= step.kept && item.id?.startsWith(prefixes.reasoning))
        yield { kind: "alone", at, tool: "", itemId: item.id };
    } else if (item.kind === "call" && item.itemId?.startsWith(prefixes.call))
      bare ??= { kind: "bare", at, tool: toolName(item.name), itemId: item.itemId };
    else if (
      item.kind === "message" &&
      item.role === "assistant" &&
      item.itemId?.startsWith(prefixes.message)
    )
      bare ??= { kind: "bare", at, tool: "an answer", itemId: item.itemId };
  }
  // With the earlier reply in the log, that reply shows what is missing.
  const isFirst = step.parent === undefined;
  if (bare && isFirst && !hasReasoning && demands.surelyReasons?.(request)) yield bare;
}

interface Half {
  readonly kind: "alone" | "bare";
  readonly at: Placed;
  readonly tool: string;
  readonly itemId: string;
}

/** The element with the last words of the user; 0 if there are none. */
function lastWords(history: History): number {
  for (let element = history.length - 1; element > 0; element--)
    if (history.role(element) === "user" && history.items(element).some(({ kind }) => kind === "message"))
      return element;
  return 0;
}

/** New messages since the user's last words whose first call has no signature. */
function unsignedCalls(step: Step): PlacedCall[] {
  const history = step.request?.history;
  if (!history) return [];
  const calls: PlacedCall[] = [];
  for (let element = Math.max(step.kept, lastWords(history)); element < history.length; element++) {
    const items = history.items(element);
    const call = items.find(({ kind }) => kind === "call");
    const isSigned = items.some((item) => item.kind === "reasoning" && item.seal !== undefined);
    if (call?.kind === "call" && call.isSigned !== true && !isSigned && !continuesCalls(history, element))
      calls.push({ item: call, step, part: "request", element });
  }
  return calls;
}

/**
 * Elements of the model in a row are one turn, whose first call alone is signed: Google's own client keeps
 * each chunk of a stream as an element.
 */
function continuesCalls(history: History, element: number): boolean {
  for (let before = element - 1; before >= 0 && history.role(before) === "assistant"; before--)
    if (history.items(before).some(({ kind }) => kind === "call")) return true;
  return false;
}

/** Calls of the parent's reply that are sent with their item id but without the reply's reasoning. */
function unpaired(step: Step): { call: PlacedCall; reasoning: Placed }[] {
  const gone = step.missing.filter(
    (placed) =>
      placed.part === "response" && placed.item.kind === "reasoning" && placed.item.id !== undefined,
  );
  const [reasoning] = gone;
  if (!reasoning) return [];
  return step.echoes.flatMap(({ after }) => {
    const call = placedCall(after);
    return call?.item.itemId !== undefined ? [{ call, reasoning }] : [];
  });
}
