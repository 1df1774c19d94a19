import { isCall, type Placed, replyItems, type Step } from "../../conversation/conversation.ts";
import { sameElement } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { newItems } from "../../conversation/new-items.ts";
import { continuesStored, serverHistory } from "../../conversation/server-history.ts";
import type { Fix } from "../../findings/finding.ts";
import { type ProviderFacts, providerFacts, providerName } from "../provider.ts";
import { hasSucceeded, refusalOf } from "../requests/refusal.ts";
import { defineRule, refused, type Spot } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "unresolvable-reference",
  summary: "A reference to a response or an item that the server does not store",
  ground: "refused",
  severity: "error",
  needs: "wire",
  looksAt: ["names", "links"],
  messages: {
    response: ({ id }: Facts) =>
      `the request continues response \`${short(id)}\`, which was created with \`store: false\``,
    ignored: ({ id, ...facts }: Facts) =>
      `the request continues response \`${short(id)}\`, but ${providerName(facts, "this server")} stores no responses`,
    both: ({ id }: Facts) =>
      `the request continues response \`${short(id)}\` and names a conversation; only one of the two is allowed`,
    item: ({ id }: Facts) =>
      `\`${short(id)}\` is an item of a response that was created with \`store: false\``,
    reasoning: ({ id }: Facts) =>
      `reasoning \`${short(id)}\` is sent as a bare id, but its response was created with \`store: false\``,
    sealless: ({ id }: Facts) =>
      `reasoning \`${id}\` is sent as a bare id, but the request has \`store: false\`, so the server cannot look it up`,
    unstored: ({ id }: Facts) =>
      `\`${id}\` is sent as a reference, but the request has \`store: false\`, so the server cannot look it up`,
    call: ({ id, tool }: Facts & { readonly tool: string }) =>
      `the call to ${toolName(tool)} is sent as a reference (\`${short(id)}\`), but its result is sent in full`,
  },

  habit: {
    title: "The client refers to items or responses that the server does not store",
    consequence: "So the server cannot rebuild the history and rejects the request",
    change: "send the items themselves, or store responses and refer only to ids that this account received",
  },

  advice: {
    ignored: () => "send the whole history in every request, since this server stores no responses",
    both: () => "continue either the response or the conversation",
    call: () => "send the call itself, directly before its result",
  },

  *check({ steps }, report) {
    /** The reply items of the log, by item id. */
    const makers = new Map<string, Placed>();
    for (const step of steps) {
      const severity = refused(step.exchange);
      const link = brokenLink(step);
      if (link) {
        const fix = link.kind === "both" ? undefined : inFull(step);
        yield report(link.kind, { id: link.id, ...providerFacts(step.exchange) }, link.spot, {
          severity: link.kind === "ignored" ? "error" : severity,
          ...(link.before && { notes: [{ message: "the response was created here", at: link.before }] }),
          callIds: answeredIds(step),
          ...(fix && { fix }),
        });
      }
      for (const placed of newItems(step)) {
        const { item } = placed;
        if ((item.kind !== "reference" && item.kind !== "reasoning") || item.id === undefined) continue;
        const maker = makers.get(item.id);
        if (!maker) {
          if (isUnresolvable(placed, step))
            yield report(item.kind === "reasoning" ? "sealless" : "unstored", { id: item.id }, placed, {
              // An earlier request may have stored the item, unless the server says that it has none.
              severity: refusalOf(step)?.match?.rule === "unresolvable-reference" ? "error" : "warning",
              identity: item.id,
            });
          continue;
        }
        const isUnstored = maker.step.request?.settings.isUnstored === true;
        const options = {
          identity: item.id,
          notes: [{ message: "the reply had the item here", at: maker }],
          // Reasoning without its seal in the log cannot be sent in full.
          ...((item.kind === "reference" || (maker.item.kind === "reasoning" && maker.item.seal)) && {
            fix: { safety: "safe" as const, title: "sends the item in full" },
          }),
        };
        if (item.kind === "reasoning") {
          const isWhole = isWritten(placed, step) && sealOf(maker) === undefined;
          if (isUnstored && item.seal === undefined && !isWhole)
            yield report("reasoning", { id: item.id }, placed, { ...options, severity });
        } else if (isUnstored) yield report("item", { id: item.id }, placed, { ...options, severity });
        else if (isCall(maker) && isResultSent(step, maker) && !hasSucceeded(step))
          yield report("call", { id: item.id, tool: maker.item.name }, placed, {
            ...options,
            // Reported to break the pairing; whether the server looks the call up is unknown.
            severity: severity === "error" ? "warning" : severity,
            callIds: maker.item.id === undefined ? [] : [maker.item.id],
          });
      }
      for (const placed of replyItems(step)) {
        const { item } = placed;
        const id =
          item.kind === "call" || item.kind === "message"
            ? item.itemId
            : item.kind === "reasoning"
              ? item.id
              : undefined;
        if (id !== undefined) makers.set(id, placed);
      }
    }
  },
});

interface Facts extends ProviderFacts {
  readonly id: string;
}

/**
 * A bare id in a request that stores nothing, of which the log shows no maker: `Items are not persisted when
 * store is set to false.` Open models write their reasoning out, and a server of theirs needs no lookup.
 */
function isUnresolvable(placed: Placed, step: Step): boolean {
  const { item } = placed;
  const { request, exchange } = step;
  const { itemPrefixes } = exchange.demands;
  if (!request?.settings.isUnstored || !itemPrefixes || hasSucceeded(step)) return false;
  if (continuesStored(request)) return false;
  if (item.kind === "reference") return true;
  const isBare = item.kind === "reasoning" && item.seal === undefined;
  return isBare && item.id?.startsWith(itemPrefixes.reasoning) === true && !isWritten(placed, step);
}

/** Whether reasoning is sent as text, as open models write it. */
function isWritten({ element }: Placed, { request }: Step): boolean {
  const { content } = (request?.history.element(element).value ?? {}) as { content?: unknown };
  return Array.isArray(content) && content.length > 0;
}

function sealOf({ item }: Placed): string | undefined {
  return item.kind === "reasoning" ? item.seal : undefined;
}

interface BrokenLink {
  readonly kind: "response" | "ignored" | "both";
  readonly id: string;
  readonly spot: Spot;
  readonly before: Spot | undefined;
}

/** What is wrong with the response that a request continues. */
function brokenLink(step: Step): BrokenLink | undefined {
  const { request, parent } = step;
  const id = request?.links.previousReply;
  if (!request || id === undefined) return undefined;
  const base = request.historyPointer.replace(/\/[^/]*$/, "");
  const spot: Spot = { step, part: "request", pointer: `${base}/previous_response_id` };
  const before: Spot | undefined =
    parent?.reply?.id === id ? { step: parent, part: "response", pointer: "/id" } : undefined;
  if (request.links.conversation !== undefined) return { kind: "both", id, spot, before };
  if (!step.exchange.demands.hasServerHistory) return { kind: "ignored", id, spot, before };
  const isUnstored = before !== undefined && parent?.request?.settings.isUnstored === true;
  return isUnstored ? { kind: "response", id, spot, before } : undefined;
}

/** How to send the request without the reference, if the log has the full history. */
function inFull(step: Step): Fix | undefined {
  const stored = serverHistory(step);
  const first = stored?.[0]?.step.request?.history;
  const own = step.request?.history;
  if (!stored || !first || !own || first.length === 0 || own.length === 0) return undefined;
  // A request that begins like the history may already contain it.
  if (sameElement(first, 0, own, 0)) return undefined;
  // Without the reference, reasoning is lost if the log lacks its seal.
  const isSealed = stored.every(
    ({ step: { reply }, isKept }) =>
      isKept || reply?.items.every((item) => item.kind !== "reasoning" || item.seal !== undefined),
  );
  return isSealed
    ? { safety: "safe", title: "sends the full history instead of the reference" }
    : {
        safety: "lossy",
        title: "sends the full history instead of the reference; reasoning that is not in the log is lost",
      };
}

/** The calls whose results the request sends; they are lost with the response. */
function answeredIds(step: Step): string[] {
  return step.added.flatMap(({ item }) =>
    item.kind === "result" && item.callId !== undefined ? [item.callId] : [],
  );
}

/** Calls of hosted tools may be referenced; a function call must be sent along with its result. */
function isResultSent(step: Step, call: Placed<ToolCall>): boolean {
  return (
    step.exchange.demands.callKinds.get(call.item.wireType)?.isUnreferable === true &&
    step.added.some(({ item }) => item.kind === "result" && item.callId === call.item.id)
  );
}
