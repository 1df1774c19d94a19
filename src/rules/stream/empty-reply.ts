import type { Step } from "../../conversation/conversation.ts";
import type { Item } from "../../conversation/item.ts";
import { resentAs } from "../../conversation/reply-followups.ts";
import { defineRule } from "../rule.ts";
import { finishSpot } from "../spots.ts";
import { count, short } from "../words.ts";

interface Facts {
  readonly reason: string;
  readonly tokens: number | undefined;
}

const spent = ({ tokens }: Facts): string =>
  tokens === undefined || tokens === 0 ? "" : `, although ${count(tokens, "token")} were generated`;

export default defineRule({
  name: "empty-reply",
  summary: "A reply that ends normally without text or a call",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  follows: [
    {
      rules: [
        "text-tool-call",
        "malformed-stream",
        "truncated-stream",
        "stream-error",
        "leaked-control-tokens",
      ],
      by: "exchange",
    },
  ],
  messages: {
    nothing: (facts: Facts) =>
      `the reply ends normally (\`${short(facts.reason)}\`) but contains neither text nor a call${spent(facts)}`,
    thought: ({ reason }: Facts) =>
      `the reply ends normally (\`${short(reason)}\`) but contains only reasoning: no text and no call`,
  },

  habit: {
    title: "The model's reply is empty",
    consequence: "So the client has nothing to act on",
    change:
      "send the request again; if the reply is empty again, check the stop sequences, the token limit and the chat template",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, request, exchange } = step;
      const finish = reply?.finish;
      if (!reply || !finish || finish.meaning !== "answer" || reply.error || reply.state === "open") continue;
      if (exchange.isCut || exchange.isAborted || reply.lacking || reply.otherChoices > 0) continue;
      if (request?.settings.isProbe || reply.items.some(says)) continue;
      const facts = { reason: finish.reason, tokens: reply.usage?.output };
      const hasThought = reply.items.some((item) => item.kind === "reasoning" && item.text.trim() !== "");
      yield report(hasThought ? "thought" : "nothing", facts, finishSpot(step), {
        severity: hasThought || isContinued(step) ? "info" : "warning",
      });
    }
  },
});

/** Everything other than reasoning and blank text may be an answer. */
function says(item: Item): boolean {
  if (item.kind === "message") return item.hasMedia || item.isRefusal === true || item.text.trim() !== "";
  return item.kind !== "reasoning";
}

/** The client asked again, or continued to get its answer. */
function isContinued(step: Step): boolean {
  return resentAs(step) !== undefined || step.children.length > 0;
}
