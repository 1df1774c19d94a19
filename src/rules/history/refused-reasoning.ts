import { activeBranch } from "../../conversation/active-branch.ts";
import type { Placed, Step } from "../../conversation/conversation.ts";
import type { Demands, Request } from "../../conversation/exchange.ts";
import type { Reasoning } from "../../conversation/item.ts";
import { newItems } from "../../conversation/new-items.ts";
import { soRejected } from "../habit.ts";
import { matchErrorText } from "../match-error-text.ts";
import { type ProviderFacts, providerFacts, rejects } from "../provider.ts";
import { defineRule, refused, type Spot } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "refused-reasoning",
  summary: "Reasoning that this request must not contain",
  ground: "refused",
  severity: "error",
  needs: "history",
  looksAt: ["reasoning"],
  messages: {
    last: (_: Facts) =>
      "the history ends with an assistant message that contains thinking, but thinking is off in this request",
    seal: (_: Facts) => "the history contains signed reasoning, which this model rejects",
    member: ({ member, ...facts }: Facts) =>
      `reasoning is sent as \`${short(member)}\`, a member that ${rejects(facts)}`,
    foreign: ({ made, model }: Facts) =>
      `signed or encrypted reasoning of \`${short(made)}\` is sent to \`${short(model)}\`, which cannot read it`,
    inSession: (_: Facts) =>
      "the provider rejected this session's reasoning, and every request sends it again",
  },

  habit: {
    title: "The client sends reasoning that this request must not contain",
    consequence: soRejected("So the server rejects the request or ignores the reasoning"),
    change: "send reasoning back unchanged, and only to the model and account that produced it",
  },

  *check(conversation, report) {
    const { steps, kind } = conversation;
    if (kind === "transcript") {
      const live = activeBranch(conversation);
      const refusal = live && newestRefusal(live);
      const [first] = live && refusal ? reasoningOf(live) : [];
      if (first && refusal)
        yield report("inSession", { member: "", made: "", model: "" }, first, {
          severity: "warning",
          notes: [{ message: "it was rejected here", at: refusal }],
          fix: { safety: "lossy", title: "removes the model's reasoning" },
        });
      return;
    }
    /** The model that sealed each item of reasoning. */
    const makers = new Map<string, { readonly model: string; readonly placed: Placed }>();
    for (const step of steps) {
      const { request, exchange } = step;
      const demands = exchange.demands;
      if (request && !request.isCut) {
        const severity = refused(exchange);
        const facts = { member: "", made: "", model: request.model ?? "" };
        const idle = lastReasoning(step, request, demands);
        if (idle)
          yield report("last", facts, idle, {
            severity,
            fix: { safety: "lossy", title: "removes the thinking" },
          });
        for (const placed of reasoningOf(step)) {
          const member = placed.item.pointer.split("/").at(-1) ?? "";
          const maker = placed.item.seal === undefined ? undefined : makers.get(placed.item.seal);
          const fix = { safety: "lossy" as const, title: "removes the reasoning" };
          if (demands.refusesSeals && placed.item.seal !== undefined)
            yield report("seal", facts, placed, { severity, identity: "seal", fix });
          else if (demands.refusedReasoningMembers?.includes(member))
            yield report("member", { ...facts, member, ...providerFacts(exchange) }, placed, {
              severity,
              identity: member,
              fix,
            });
          else if (maker && request.model !== undefined && isOtherFamily(maker.model, request.model))
            yield report("foreign", { ...facts, made: maker.model }, placed, {
              // Most servers drop what they cannot read; only a rejection proves otherwise.
              severity: exchange.status === 400 ? "error" : "info",
              identity: `${maker.model} ${request.model}`,
              notes: [{ message: "it was made here", at: maker.placed }],
              fix,
            });
        }
      }
      const made = step.reply?.model ?? request?.model;
      for (const item of step.reply?.items ?? [])
        if (item.kind === "reasoning" && item.seal !== undefined && made !== undefined)
          makers.set(item.seal, { model: made, placed: { item, step, part: "response", element: -1 } });
    }
  },
});

interface Facts extends ProviderFacts {
  readonly member: string;
  readonly made: string;
  readonly model: string;
}

/** The newest reply of a session, if it rejects reasoning. The session is then stuck. */
function newestRefusal(last: Step): Spot | undefined {
  let step: Step | undefined = last;
  while (step && !step.reply) step = step.parent;
  const error = step?.reply?.error;
  const rule = error && matchErrorText(error.message)?.rule;
  // Blocks that "cannot be modified" were modified, or the provider believes so.
  if (!step || !error || (rule !== "refused-reasoning" && rule !== "rewritten-history")) return undefined;
  return { step, part: "response", pointer: error.pointer };
}

function* reasoningOf(step: Step): Generator<Placed<Reasoning>> {
  for (const placed of newItems(step)) {
    const { item } = placed;
    if (item.kind === "reasoning") yield { ...placed, item };
  }
}

/**
 * Reasoning in the final assistant message, which is rejected unless the request enables reasoning. A message
 * that ends with a hosted tool is excluded: it is a pause that continues from there.
 */
function lastReasoning(step: Step, { history, settings }: Request, demands: Demands): Placed | undefined {
  const last = history.length - 1;
  const isOn = settings.reasoning === true || settings.reasoning === "adaptive";
  if (!demands.refusesIdleReasoning || isOn || last < 0 || history.role(last) !== "assistant")
    return undefined;
  const items = history.items(last);
  const end = items.at(-1);
  if (end?.kind !== "message" && end?.kind !== "reasoning") return undefined;
  const item = items.find(({ kind }) => kind === "reasoning");
  return item && { item, step, part: "request", element: last };
}

/** `gpt-5` and `claude-sonnet-4-5`, but not two models of one vendor, which may share keys. */
function isOtherFamily(made: string, used: string): boolean {
  const [a, b] = [familyOf(made), familyOf(used)];
  return a !== "" && b !== "" && !made.toLowerCase().includes(b) && !used.toLowerCase().includes(a);
}

function familyOf(model: string): string {
  return /[a-z]{2,}/.exec((model.split("/").at(-1) ?? "").toLowerCase())?.[0] ?? "";
}
