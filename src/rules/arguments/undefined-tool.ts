import { isCall, type Placed, type Step } from "../../conversation/conversation.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isSurelySent, newItems } from "../../conversation/new-items.ts";
import { clientCalls, resultFor } from "../../conversation/reply-followups.ts";
import { storedBefore } from "../../conversation/server-history.ts";
import { type ProviderFacts, providerFacts, providerName } from "../provider.ts";
import { misspelt } from "../requests/nearest.ts";
import { hasSucceeded } from "../requests/refusal.ts";
import { defineRule, refused } from "../rule.ts";
import { toolName } from "../words.ts";

export default defineRule({
  name: "undefined-tool",
  summary: "A call to a tool that the request does not offer",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls", "results"],
  follows: [{ rules: ["leaked-control-tokens", "dropped-tools", "malformed-stream"], by: "exchange" }],
  messages: {
    near: ({ tool, meant }: Facts & { readonly meant: string }) =>
      `the model calls ${toolName(tool)}, which the request does not offer; it offers ${toolName(meant)}`,
    unknown: ({ tool, offered, names = [] }: Facts) =>
      `the model calls ${toolName(tool)}, but the request offers only ${offer(names, offered)}`,
    reference: ({ tool, ...facts }: Facts) =>
      `a result names the tool ${toolName(tool)}, which the request does not define; ${providerName(facts)} requires a definition`,
    run: ({ tool }: Facts) =>
      `the model calls ${toolName(tool)}, which the request does not offer, and the client runs it anyway`,
  },

  habit: {
    title: "The model calls tools that the request does not offer",
    consequence: "So these calls fail, or run a tool that the request did not describe",
    change:
      "offer the same tools in every request of a conversation, and answer an unknown tool name with an error that lists the available tools",
  },

  advice: {
    near: ({ tool, meant }) =>
      `answer a call to ${toolName(tool)} with an error that names ${toolName(meant)}`,
    unknown: ({ tool }) =>
      `offer ${toolName(tool)} in the request, or answer the call with an error that lists the offered tools`,
    reference: ({ tool }) => `define ${toolName(tool)} in every request whose history has its result`,
    run: ({ tool }) => `offer ${toolName(tool)} in the request, or run only what the request offers`,
  },

  *check({ steps }, report) {
    const loadedNames = loadedNamesBySteps();
    for (const step of steps) {
      for (const { result, name, pointer } of danglingReferences(step))
        yield report(
          "reference",
          { tool: name, offered: 0, callId: undefined, ...providerFacts(step.exchange) },
          result,
          {
            below: pointer,
            severity: refused(step.exchange),
            identity: `reference ${name}`,
          },
        );
      const loaded = loadedNames(step);
      const names = offeredBy(step);
      if (!names || step.exchange.isCut || step.request?.isCut) continue;
      for (const name of loaded) names.add(name);
      const seen = new Set<string>();
      let plainNames: ReadonlyMap<string, string> | undefined;
      for (const call of [...callsOfNewestTurn(step), ...clientCalls(step)]) {
        const { name, id, toolset } = call.item;
        if (seen.has(name) || names.has(name) || !isClean(name) || toolset !== undefined) continue;
        seen.add(name);
        const facts = { tool: name, offered: names.size, names: [...names].slice(0, namedTools), callId: id };
        plainNames ??= byPlainName(names);
        const meant = meantName(name, plainNames);
        const result = call.part === "response" ? resultFor(step, call.item) : undefined;
        const isRun = result !== undefined && !isRefusal(result);
        const options = {
          // An earlier request may have offered other tools. What the client runs is no loss.
          severity: call.part === "request" || isRun ? ("info" as const) : ("warning" as const),
          notes: result ? [{ message: "the client's answer", at: result }] : [],
          callIds: id === undefined ? [] : [id],
          identity: `${name} ${call.part}`,
        };
        if (isRun) yield report("run", facts, call, options);
        else if (meant === undefined) yield report("unknown", facts, call, options);
        else yield report("near", { ...facts, meant }, call, options);
      }
    }
  },
});

/** References of new results to tools that the request does not define. MCP servers define their own. */
function danglingReferences(step: Step) {
  const { tools } = step.request ?? {};
  if (!tools || !step.exchange.demands.isStrict || !isSurelySent(step) || hasSucceeded(step)) return [];
  if (tools.some(({ isHosted, name }) => isHosted && /mcp/i.test(name))) return [];
  const names = new Set(tools.map(({ name }) => name));
  return newItems(step).flatMap((result) =>
    result.item.kind === "result"
      ? (result.item.references ?? [])
          .filter(({ name }) => !names.has(name))
          .map(({ name, pointer }) => ({ result, name, pointer }))
      : [],
  );
}

/** More offered tools are counted, not named. */
const namedTools = 3;

/** The offered tools: all names, or their number. */
function offer(names: readonly string[], offered: number): string {
  return names.length < offered ? `${offered} others` : names.map((name) => toolName(name, 40)).join(" and ");
}

interface Facts extends ProviderFacts {
  readonly tool: string;
  /** How many tools the request offers. */
  readonly offered: number;
  /** The first of them. */
  readonly names?: readonly string[];
  readonly callId: string | undefined;
}

/** The names of the offered tools; `undefined` if there may be tools that the request does not name. */
function offeredBy({ request, isPartial }: Step): Set<string> | undefined {
  const tools = request?.tools;
  if (!tools || tools.length === 0 || isPartial || request.settings.hasStoredPrompt) return undefined;
  // Hosted tools provide others: those of MCP servers, or those that a tool search finds. A recorder may keep
  // dots of a tool, and then nobody knows which it was.
  return tools.some(({ isHosted, name }) =>
    isHosted ? /mcp|search|discover|connector/i.test(name) : name.trim() === "",
  )
    ? undefined
    : new Set(tools.map(({ name }) => name));
}

/**
 * Returns the tools that searches of a step's reply, and of the replies that the server keeps for it, have
 * loaded. Takes the steps in sending order; a chain of thousands of replies is followed once.
 */
function loadedNamesBySteps(): (step: Step) => ReadonlySet<string> {
  const byStep = new Map<Step, ReadonlySet<string>>();
  /** Steps without the whole history that the server keeps for them in the log. */
  const isMissing = new Set<Step>();
  return (step) => {
    const before = storedBefore(step);
    if (before === "missing" || (before !== "none" && isMissing.has(before.step))) isMissing.add(step);
    const isKept = typeof before === "object" && !isMissing.has(before.step);
    const kept = (isKept ? byStep.get(before.step) : undefined) ?? none;
    const own = (step.reply?.items ?? []).flatMap((item) =>
      item.kind === "result" ? (item.loads ?? []) : [],
    );
    const names = own.length === 0 ? kept : new Set([...kept, ...own]);
    byStep.set(step, names);
    return names;
  };
}

const none: ReadonlySet<string> = new Set();

/** The client says that it has no such tool, or that the call failed. */
function isRefusal({ item }: Placed): boolean {
  return (
    item.kind === "result" &&
    (item.isError === true ||
      /\b(?:error|exception|unknown|unsupported|undefined|invalid|unavailable|not (?:a |an )?(?:known|valid|found|available|supported|defined|registered|implemented|exist)|no (?:such )?(?:tool|function)|does(?: not|n't) exist|failed)\b/i.test(
        item.text.slice(0, 300),
      ))
  );
}

/** Calls of an assistant turn whose reply is not in the log. Older turns may have had other tools. */
function callsOfNewestTurn({ added, request, parent }: Step): Placed<ToolCall>[] {
  if (parent?.reply) return [];
  const length = request?.history.length ?? 0;
  const calls = added.filter(isCall).filter(({ item }) => !item.isHosted);
  const newest = calls.at(-1);
  const isNewest =
    newest !== undefined &&
    added.every(
      (placed) =>
        placed.element <= newest.element || placed.item.kind === "result" || placed.element >= length,
    );
  return isNewest ? calls.filter(({ element }) => element === newest.element) : [];
}

/** A plain name. Other rules report leaked tokens and the wrapper of parallel calls. */
function isClean(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u.test(name) && !/multi_tool_use/.test(name);
}

/** The tool that was probably meant: the same name but for case, separators or a prefix. */
function meantName(name: string, offered: ReadonlyMap<string, string>): string | undefined {
  const wanted = plainName(name);
  const same = offered.get(wanted);
  if (same !== undefined || wanted.length < 4) return same;
  for (const [plain, other] of offered)
    if (plain.length >= 4 && (wanted.endsWith(plain) || plain.endsWith(wanted))) return other;
  const spelt = misspelt(wanted, offered.keys());
  return spelt === undefined ? undefined : offered.get(spelt);
}

/** Names by their form without case and separators; the first of equal ones wins. */
function byPlainName(names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const name of names) {
    const plain = plainName(name);
    if (!named.has(plain)) named.set(plain, name);
  }
  return named;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
