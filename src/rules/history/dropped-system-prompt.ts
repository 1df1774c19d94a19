import type { Step } from "../../conversation/conversation.ts";
import { placedItems } from "../../conversation/conversation.ts";
import { defineRule } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "dropped-system-prompt",
  summary: "The system prompt is missing from a later request",
  ground: "misleads",
  severity: "warning",
  needs: "wire",
  looksAt: ["continuations"],
  messages: {
    gone: ({ prompt, earlier }: { prompt: string; earlier: number }) =>
      `this request has no system prompt; request ${earlier} had \`${prompt}\``,
  },

  habit: {
    title: "The client sends follow-up requests without the system prompt",
    consequence: "So the model loses its instructions in the middle of the conversation",
    change: "send the system prompt with every request of the conversation",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { parent, request } = step;
      // Threads and stored prompts keep it on the server; a compacted history may have it elsewhere.
      if (
        !request ||
        !parent?.request ||
        step.isPartial ||
        step.isAside ||
        request.settings.hasStoredPrompt ||
        // A list alone shows nothing of what stands beside it.
        (request.isBare && parent.request.system !== undefined) ||
        (request.links.previousReply !== undefined && step.exchange.demands.keepsPrompt) ||
        step.relation === "compaction"
      )
        continue;
      const prompt = systemPrompt(parent);
      if (prompt === undefined || systemPrompt(step) !== undefined) continue;
      // Later requests continue one without a prompt, so only the first that lacks it is reported.
      yield report(
        "gone",
        { prompt: short(prompt, 50), earlier: parent.exchange.number },
        { step, part: "request", pointer: "" },
        {
          notes: [
            {
              message: "the prompt was sent here",
              at: {
                step: parent,
                part: "request",
                pointer: parent.request.system === undefined ? parent.request.historyPointer : "",
              },
            },
          ],
          // The server keeps a chain's history but not its instructions; few clients miss them.
          ...(request.links.previousReply !== undefined && { severity: "info" as const }),
          identity: "client",
          fix: { safety: "safe", title: `restores it from request ${parent.exchange.number}` },
        },
      );
    }
  },
});

/** A prompt is outside the history, or among its first elements. */
function systemPrompt(step: Step): string | undefined {
  const { request } = step;
  if (request?.system !== undefined && request.system.trim() !== "") return request.system;
  for (const { item, element } of placedItems(step)) {
    if (element > 8) return undefined;
    if (item.kind === "message" && item.role === "system" && item.text.trim() !== "") return item.text;
  }
  return undefined;
}
