import { isCall, placedItems, type Step } from "../conversation/conversation.ts";
import { defineRule } from "./rule.ts";
import { short } from "./words.ts";

export default defineRule({
  name: "dropped-tools",
  summary: "The tools are missing from a request that still needs them",
  ground: "misleads",
  severity: "warning",
  needs: "requests",
  messages: {
    gone: ({ tools, earlier }: { tools: string; earlier: number }) =>
      `this request offers no tools; request ${earlier} offered \`${tools}\``,
    never: ({ tool }: { tool: string }) => `the history calls \`${tool}\`, but the request offers no tools`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { parent, request, reply } = step;
      if (
        !request ||
        offersTools(step) ||
        step.isPartial ||
        request.links.previousReply !== undefined ||
        request.toolChoice?.mode === "none"
      )
        continue;
      const at = { step, part: "request", pointer: "" } as const;
      const before = parent && offersTools(parent) ? parent : undefined;
      if (before?.request) {
        const stillCalls = reply?.items.some((item) => item.kind === "call" && !item.isHosted) ?? false;
        const goesOn = step.children.length > 0;
        const tools = short((before.request.tools ?? []).map((tool) => tool.name).join(", "), 50);
        yield report("gone", { tools, earlier: before.exchange.number }, at, {
          // A last round without tools, to force an answer, is a known way to end a loop.
          severity: stillCalls || goesOn ? "warning" : "info",
          notes: [
            {
              message: "the tools were offered here",
              at: {
                step: before,
                part: "request",
                pointer: before.request.tools?.[0]?.pointer.replace(/\/\d+$/, "") ?? "",
              },
            },
          ],
          identity: "client",
          fix: { safety: "safe", title: `restores them from request ${before.exchange.number}` },
        });
      } else if (!parent) {
        const call = [...placedItems(step)].find(isCall);
        if (call && !call.item.isHosted)
          yield report("never", { tool: call.item.name }, call, { severity: "info" });
      }
    }
  },
});

function offersTools(step: Step): boolean {
  return (step.request?.tools ?? []).length > 0;
}
