import { type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import { contentOf } from "../../conversation/identity.ts";
import { defineRule, type Spot } from "../rule.ts";
import { count, short } from "../words.ts";

interface Facts {
  readonly part: string;
  readonly before: string;
  readonly after: string;
  readonly requests: number;
}

export default defineRule({
  name: "broken-cache-prefix",
  summary: "The beginning of the request changes every time, so nothing of it is cached",
  ground: "misleads",
  severity: "info",
  needs: "wire",
  looksAt: ["continuations"],
  messages: {
    changes: ({ part, before, after, requests }: Facts) =>
      `${part} changes in each of ${count(requests, "request")} in a row (\`${short(before, 40)}\`, then \`${short(after, 40)}\`), so the provider's prompt cache never applies`,
  },

  habit: {
    title: "The client changes the beginning of its requests in every round",
    consequence: "So no request hits the provider's prompt cache, and every token is billed again",
    change:
      "keep the system prompt, the tools and earlier turns byte for byte, and put dates and counters at the end",
  },

  *check({ steps }, report) {
    const done = new Set<Step>();
    for (const step of steps) {
      if (done.has(step)) continue;
      const run: { readonly step: Step; readonly change: Change }[] = [];
      for (let next: Step | undefined = step; next; next = next.children.find(isContinuation)) {
        const change = changeAt(next);
        if (!change || done.has(next)) break;
        done.add(next);
        run.push({ step: next, change });
      }
      const [first] = run;
      if (!first || run.length < minRequests || !run.some((each) => isWorthCaching(each.step))) continue;
      if (run.some((each) => isCached(each.step))) continue;
      const { change } = first;
      const facts = { part: change.part, ...difference(change.before, change.after), requests: run.length };
      yield report("changes", facts, change.at, {
        identity: "prefix",
        notes: change.earlier ? [{ message: "as it was before", at: change.earlier }] : [],
      });
    }
  },
});

/** Two different prefixes are a single change; a habit takes more. */
const minRequests = 3;
/** Providers cache prompts of about 1024 tokens and more. */
const minTokens = 1024;
const minBytes = 4000;

interface Change {
  readonly part: string;
  readonly before: string;
  readonly after: string;
  readonly at: Placed | Spot;
  readonly earlier: Placed | Spot | undefined;
}

function isContinuation({ relation, isPartial }: Step): boolean {
  return relation === "continuation" && !isPartial;
}

/** The first difference to the beginning of the previous request. */
function changeAt(step: Step): Change | undefined {
  const { request, parent } = step;
  const earlier = parent?.request;
  if (!request || !earlier || !parent || !isContinuation(step)) return undefined;
  const spot = (at: Step, pointer = ""): Spot => ({ step: at, part: "request", pointer });
  const tools = toolsPair(step, parent);
  if (tools) {
    const pointer = request.tools?.[0]?.pointer.replace(/\/\d+$/, "") ?? "";
    return { part: "the list of tools", ...tools, at: spot(step, pointer), earlier: spot(parent, pointer) };
  }
  if (request.system !== undefined && earlier.system !== undefined && request.system !== earlier.system)
    return {
      part: "the system prompt",
      before: earlier.system,
      after: request.system,
      at: spot(step),
      earlier: spot(parent),
    };
  const now = openingOf(step);
  const then = openingOf(parent);
  for (const [index, at] of now.entries()) {
    const old = then[index];
    if (!old || old.item.kind !== at.item.kind || contentOf(old.item) === contentOf(at.item)) continue;
    const part = at.item.role === "system" ? "the system prompt" : "the first message";
    return { part, before: contentOf(old.item), after: contentOf(at.item), at, earlier: old };
  }
  return undefined;
}

/** The first items of a history, up to the first user message. */
function openingOf(step: Step): Placed[] {
  const opening: Placed[] = [];
  for (const placed of placedItems(step)) {
    if (placed.item.kind !== "message" || placed.item.role === "assistant" || opening.length >= 4) break;
    opening.push(placed);
    if (placed.item.role === "user") break;
  }
  return opening;
}

/** The tools of two requests as text, if they differ; `dropped-tools` reports missing tools. */
function toolsPair(
  step: Step,
  parent: Step,
): { readonly before: string; readonly after: string } | undefined {
  const [now, then] = [step.request?.tools, parent.request?.tools];
  if (!now || !then || now.length === 0 || then.length === 0) return undefined;
  const isSame =
    now.length === then.length &&
    now.every((tool, index) => {
      const old = then[index];
      return (
        old?.name === tool.name &&
        (old.parameters === tool.parameters ||
          JSON.stringify(old.parameters) === JSON.stringify(tool.parameters))
      );
    });
  if (isSame) return undefined;
  const names = (tools: typeof now): string => tools.map(({ name }) => name).join(", ");
  const [before, after] = [names(then), names(now)];
  return before === after ? { before: "its schemas", after: "other schemas" } : { before, after };
}

function isWorthCaching({ request, reply }: Step): boolean {
  const tokens = reply?.usage?.input;
  if (tokens !== undefined) return tokens >= minTokens;
  const run = request?.history.run;
  return (run ? run.arrayEnd - run.arrayStart : 0) + (request?.system?.length ?? 0) >= minBytes;
}

/** The provider still found much of the request in its cache. */
function isCached({ reply }: Step): boolean {
  const { cached = 0, input = 0 } = reply?.usage ?? {};
  return cached > 0 && cached >= input / 4;
}

/** The words at the first difference of two texts. */
function difference(before: string, after: string): { readonly before: string; readonly after: string } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const from = Math.max(after.lastIndexOf(" ", start), after.lastIndexOf("\n", start), start - 30) + 1;
  const words = (text: string): string => {
    const rest = text.slice(from, from + 60);
    const end = rest.slice(start - from).search(/\s/);
    return end < 0 ? rest : rest.slice(0, start - from + end);
  };
  return { before: words(before), after: words(after) };
}
