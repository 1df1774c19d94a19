import type { Placed, Step } from "../../conversation/conversation.ts";
import type { Demands, Exchange } from "../../conversation/exchange.ts";
import type { Item, ItemFlaw, ToolCall } from "../../conversation/item.ts";
import { newItems } from "../../conversation/new-items.ts";
import { pairsOfCall } from "../../conversation/pairing/pairs.ts";
import { isSameServer } from "../../conversation/same-server.ts";
import { isMaskedId } from "../../traffic/vocabulary.ts";
import { type Habit, soRejected } from "../habit.ts";
import { type ProviderFacts, providerFacts, providerName } from "../provider.ts";
import { suspected } from "../requests/refusal.ts";
import { defineRule, type Report, refused } from "../rule.ts";
import { short, toolName } from "../words.ts";

/** An item has an id of its own besides that of its call. */
const itemIds: Habit = {
  title: "The client sends items under ids that are not theirs",
  consequence: soRejected(),
  change: "send an item's own id as it came, or leave it out: only the id of the call links a result to it",
};

export default defineRule({
  name: "invalid-call-id",
  summary:
    "An id in a form that the provider rejects: missing, too long, wrong characters, or the id of something else",
  ground: "refused",
  severity: "error",
  needs: "wire",
  looksAt: ["calls", "names"],
  traits: ["refuses-call"],
  messages: {
    missing: ({ tool }: Facts) => `neither the call to ${toolName(tool)} nor its result has an id`,
    type: ({ tool, seen }: Facts) => `the id of the call to ${toolName(tool)} is ${seen}, not a string`,
    length: ({
      callId,
      length,
      most,
      ...facts
    }: Facts & { readonly length: number; readonly most: number }) =>
      `call id \`${short(callId)}\` has ${length} characters; ${accepts(facts)} at most ${most}`,
    elsewhere: ({ callId, length, most }: Facts & { readonly length: number; readonly most: number }) =>
      `call id \`${short(callId)}\` has ${length} characters; the same models on Azure accept at most ${most}`,
    rewrite: ({
      callId,
      pattern,
      profile,
    }: Facts & { readonly pattern: string; readonly profile?: string }) =>
      `call id \`${short(callId)}\` must be rewritten for ${profile ?? "the target"}, which accepts only ${formOf(pattern)}`,
    characters: ({ callId, pattern, ...facts }: Facts & { readonly pattern: string }) =>
      `call id \`${short(callId)}\` has the wrong form: ${accepts(facts)} only ${formOf(pattern)}`,
    item: ({ seen, item, prefix }: ItemFacts) =>
      `\`${short(seen)}\` is not the id of a ${item} item: those begin with \`${prefix}\``,
    swapped: ({ seen, item, prefix }: ItemFacts) =>
      `item id \`${short(seen)}\` is the id of the call; ids of ${item} items begin with \`${prefix}\``,
  },

  habit: {
    title: "The client sends call ids of the wrong form",
    consequence: soRejected(),
    change:
      "keep the ids from the reply; when a history moves to another provider, rewrite each id to a form that it accepts, in the call and in its result",
  },
  kindHabits: {
    missing: {
      title: "The client sends calls and results without ids",
      consequence: soRejected(),
      change: "give each call an id, and its result the same one",
    },
    item: itemIds,
    swapped: itemIds,
  },
  advice: {
    type: () => "send ids as strings",
  },

  *check({ steps }, report) {
    /** Ids that a server in this log generated; it accepts its own ids. */
    const minted = new Map<string, Exchange>();
    for (const step of steps) {
      if (step.exchange.demands.pairsBy === "id") {
        const isMinted = (id: string): boolean => {
          const maker = minted.get(id);
          return (
            maker !== undefined && step.exchange.judgedBy !== "target" && isSameServer(maker, step.exchange)
          );
        };
        for (const placed of newItems(step)) {
          const { item } = placed;
          if (item.kind === "call" && (!item.isHosted || patternOf(item, step.exchange.demands)))
            yield* callFaults({ ...placed, item }, step, isMinted, report);
          const fault = step.exchange.demands.itemPrefixes
            ? itemIdFault(item, step.exchange.demands)
            : undefined;
          if (fault && !isMinted(fault.seen))
            yield report(fault.seen === fault.callId ? "swapped" : "item", fault, placed, {
              severity: refused(step.exchange),
              identity: `item ${fault.seen}`,
              callIds: fault.callId === undefined ? [fault.seen] : [fault.callId, fault.seen],
              fix: { safety: "safe", title: "removes the item id" },
            });
        }
        yield* nameless(step, report);
      }
      for (const item of step.reply?.items ?? [])
        for (const id of idsOf(item)) if (!minted.has(id)) minted.set(id, step.exchange);
    }
  },
});

/** The forms of ids in words, by their patterns. */
const forms: Readonly<Record<string, string>> = {
  "^[a-zA-Z0-9]{9}$": "9 letters or digits",
  "^[a-zA-Z0-9_-]+$": "letters, digits, `_` and `-`",
  "^[a-zA-Z0-9_.:-]+$": "letters, digits, `_`, `.`, `:` and `-`",
};

function formOf(pattern: string): string {
  return (Object.hasOwn(forms, pattern) ? forms[pattern] : undefined) ?? `ids that match \`${pattern}\``;
}

function accepts(facts: ProviderFacts): string {
  return facts.provider === undefined ? "servers that check ids accept" : `${providerName(facts)} accepts`;
}

interface Facts extends ProviderFacts {
  readonly callId: string;
  readonly tool: string;
  readonly seen?: string;
}

interface ItemFacts {
  readonly seen: string;
  readonly item: string;
  readonly prefix: string;
  readonly callId: string | undefined;
}

type Reporter = (
  kind: "missing" | "type" | "length" | "elsewhere" | "characters" | "rewrite",
  data: Facts & {
    readonly length: number;
    readonly most: number;
    readonly pattern: string;
    readonly profile?: string;
  },
  target: Placed,
  options: object,
) => Report;

/** What is wrong with the id of one call. Its result has the same id, or `call-id-mismatch` reports it. */
function* callFaults(
  call: Placed<ToolCall>,
  step: Step,
  isMinted: (id: string) => boolean,
  report: Reporter,
): Generator<Report> {
  const { id = "", name: tool } = call.item;
  const { maxIdLength = Number.POSITIVE_INFINITY, maxIdLengthElsewhere = maxIdLength } =
    step.exchange.demands;
  const idPattern = patternOf(call.item, step.exchange.demands);
  const facts = {
    ...providerFacts(step.exchange),
    callId: id,
    tool,
    length: id.length,
    most: maxIdLength,
    pattern: idPattern?.source ?? "",
  };
  const options = {
    severity: suspected("invalid-call-id", call),
    callIds: id === "" ? [] : [id],
    notes: resultsOf(call).map((at) => ({ message: "its result is here", at })),
    fix: { safety: "safe", title: "writes an id of the right form into the call and its result" },
  };
  const badId = badIdOf(call.item);
  if (badId)
    yield report("type", { ...facts, seen: badId.detail ?? "" }, call, { ...options, below: badId.pointer });
  else if (id === "" || isMinted(id) || isMaskedId(id)) return;
  else if (idPattern && !idPattern.test(id) && step.exchange.judgedBy === "target")
    // All ids of the old provider have the same form, so they are one mistake.
    yield report("rewrite", { ...facts, profile: step.exchange.profile ?? "" }, call, {
      ...options,
      identity: "target",
    });
  else if (id.length > maxIdLength) yield report("length", facts, call, options);
  else if (idPattern && !idPattern.test(id)) yield report("characters", facts, call, options);
  else if (id.length > maxIdLengthElsewhere && step.exchange.judgedBy === "model")
    yield report("elsewhere", { ...facts, most: maxIdLengthElsewhere }, call, {
      ...options,
      severity: "info",
    });
}

/** Calls and results that pair although both lack an id. */
function* nameless(step: Step, report: Reporter): Generator<Report> {
  for (const { call, result } of step.pairing.mismatches) {
    if (call.item.id !== undefined || result.item.callId !== undefined || badIdOf(call.item)) continue;
    const facts = { callId: "", tool: call.item.name, length: 0, most: 0, pattern: "" };
    yield report("missing", facts, call, {
      severity: refused(step.exchange),
      notes: [{ message: "its result is here", at: result }],
      fix: { safety: "safe", title: "writes a new id into the call and its result" },
    });
  }
}

/** The pattern for the id of a call. Calls of hosted tools have one only where the provider checks them. */
function patternOf({ wireType, isHosted }: ToolCall, demands: Demands): RegExp | undefined {
  const own = demands.callKinds.get(wireType)?.idPattern;
  return isHosted ? (demands.pairsHosted ? own : undefined) : (own ?? demands.idPattern);
}

/** The flaw of an id that is no text. */
function badIdOf({ flaws }: ToolCall): ItemFlaw | undefined {
  return flaws?.find(({ kind }) => kind === "bad-id");
}

function resultsOf(call: Placed<ToolCall>): Placed[] {
  return pairsOfCall(call.step, call.item).map(({ result }) => result);
}

/** The id prefixes of items other than calls. */
const prefixes: Readonly<Record<string, string>> = { reasoning: "rs", message: "msg" };

/** An item with the id of another kind of item. Only known prefixes count: servers invent their own. */
function itemIdFault(item: Item, { callKinds }: Demands): ItemFacts | undefined {
  const [seen] = item.kind === "call" ? [item.itemId] : idsOf(item);
  const kind = item.kind === "call" ? item.wireType : item.kind;
  const prefix = item.kind === "call" ? callKinds.get(kind)?.idPrefix : prefixes[kind];
  if (seen === undefined || prefix === undefined || seen.startsWith(prefix)) return undefined;
  if (isMaskedId(seen)) return undefined;
  return { seen, item: kind, prefix, callId: item.kind === "call" ? item.id : undefined };
}

/** All ids of an item: its own, and the one for pairing. */
function idsOf(item: Item): string[] {
  if (item.kind === "call") return [item.itemId, item.id].filter((id) => id !== undefined);
  if (item.kind === "message") return item.itemId === undefined ? [] : [item.itemId];
  return item.kind === "reasoning" && item.id !== undefined ? [item.id] : [];
}
