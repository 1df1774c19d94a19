import { isResult, type Placed, pointerOf, replyItems, type Step } from "../../conversation/conversation.ts";
import type { Item } from "../../conversation/item.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { credentialIn } from "../../secrets/find.ts";
import { scanResult } from "../result-scan.ts";
import { defineRule, type Spot } from "../rule.ts";
import { count, toolName } from "../words.ts";

export default defineRule({
  name: "exposed-secret",
  summary: "A credential in the log",
  ground: "misleads",
  severity: "info",
  needs: "anything",
  traits: ["about-log", "explains-nothing"],
  messages: {
    found: ({
      kind,
      where,
      more,
    }: {
      readonly kind: string;
      readonly where: string;
      readonly more: number;
    }) =>
      `${kind} appears in ${where}${more === 0 ? "" : `, and credentials in ${count(more, "more place")}`}`,
  },

  *check(conversation, report) {
    const { conversations } = conversation.log;
    // One finding per file suffices: review the log before you share it.
    if (conversations[0] !== conversation) return;
    const files = new Map<string, Exposed[]>();
    const steps = conversations.flatMap((each) => each.steps);
    for (const step of steps.sort((a, b) => a.exchange.position - b.exchange.position)) {
      const found = exposedIn(step);
      if (found.length === 0) continue;
      const { file } = step.exchange;
      files.set(file, [...(files.get(file) ?? []), ...found]);
    }
    for (const [file, [first, ...others]] of files) {
      if (!first) continue;
      const { kind, where, at } = first;
      yield report("found", { kind, where, more: others.length }, at, { identity: file });
    }
  },
});

interface Exposed {
  readonly kind: string;
  readonly where: string;
  readonly at: Spot;
}

/** Places with a credential that no earlier step contains. */
function exposedIn(step: Step): Exposed[] {
  const found: Exposed[] = [];
  const add = (kind: string | undefined, where: () => string, at: () => Omit<Spot, "step">): void => {
    if (kind !== undefined) found.push({ kind, where: where(), at: { step, ...at() } });
  };
  const { request, parent, exchange } = step;
  const whole = (): Omit<Spot, "step"> => ({ part: "request", pointer: "" });
  if (request && exchange.url !== undefined)
    add(credentialIn(exchange.url), () => "the request's URL", whole);
  if (request?.system !== undefined && request.system !== parent?.request?.system)
    add(credentialIn(request.system), () => "the system prompt", whole);
  const look = (placed: Placed): void => {
    const { item } = placed;
    const kind = item.kind === "result" ? scanResult(item).credential : credentialIn(textOf(item));
    if (kind === undefined) return;
    const extent = placed.part === "response" ? item.fragments?.first : undefined;
    const at = { part: placed.part, pointer: pointerOf(placed), ...(extent && { extent }) };
    add(
      kind,
      () => whereIs(placed),
      () => at,
    );
  };
  for (const placed of step.added) look(placed);
  for (const placed of replyItems(step)) look(placed);
  return found;
}

function textOf(item: Item): string {
  switch (item.kind) {
    case "call":
      return item.argumentsText;
    case "message":
    case "reasoning":
    case "compaction":
      return item.text;
    default:
      return "";
  }
}

function whereIs(placed: Placed): string {
  const { item, step } = placed;
  switch (item.kind) {
    case "call":
      return `the arguments of ${toolName(item.name)}`;
    case "result": {
      const call = isResult(placed) && pairOfResult(step, item)?.call.item;
      const tool = (call || undefined)?.name ?? item.name;
      return tool === undefined ? "a tool result" : `a result of ${toolName(tool)}`;
    }
    case "message":
      return item.role === "system"
        ? "the system prompt"
        : item.role === "assistant"
          ? "the model's text"
          : "a user message";
    case "reasoning":
      return "the model's reasoning";
    default:
      return "a summary of the history";
  }
}
