import { isCall, placedItems, type Step } from "../../conversation/conversation.ts";
import { isHistoryAlone } from "../../conversation/history-alone.ts";
import { soRejected } from "../habit.ts";
import { type ProviderFacts, providerFacts, rejects } from "../provider.ts";
import { defineRule, refused, type Spot } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "dropped-tools",
  summary: "The tools are missing from a request that still needs them",
  ground: "misleads",
  severity: "warning",
  needs: "wire",
  looksAt: ["calls", "continuations"],
  messages: {
    gone: ({ tools, earlier }: { tools: string; earlier: number }) =>
      `this request offers no tools; request ${earlier} offered ${tools
        .split(", ")
        .map((name) => `\`${name}\``)
        .join(", ")}`,
    needed: ({ tool, ...facts }: { tool: string } & ProviderFacts) =>
      `the history calls \`${tool}\`, but the request defines no tools, which ${rejects(facts)}`,
    never: ({ tool }: { tool: string }) => `the history calls \`${tool}\`, but the request offers no tools`,
  },

  habit: {
    title: "The client sends follow-up requests without the tool definitions",
    consequence: "So the model cannot call anything, and usually writes the call as text or guesses",
    change: "send the same tools with every request; to forbid calls in one request, set the tool choice",
  },
  kindHabits: {
    needed: {
      title: "The client sends a history with calls without the tool definitions",
      consequence: soRejected(),
      change: "send the tools with every request whose history has calls",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { parent, request, reply } = step;
      if (
        !request ||
        // Of such a request, the log has only the messages.
        request.isBare ||
        offersTools(step) ||
        step.isPartial ||
        (step.isAside && !reply?.error) ||
        request.links.previousReply !== undefined ||
        request.settings.hasStoredPrompt ||
        // Requests that only compact the history need no tools.
        reply?.items.some(({ kind }) => kind === "compaction")
      )
        continue;
      const before = offersTools(parent) ? parent : undefined;
      if (step.exchange.demands.needsTools) {
        const call = [...placedItems(step)].find(isCall);
        if (call && !call.item.isHosted)
          yield report("needed", { tool: call.item.name, ...providerFacts(step.exchange) }, call, {
            severity: refused(step.exchange),
            identity: "client",
            notes: before ? [offer(before)] : [],
            fix: before
              ? { safety: "safe", title: `restores them from request ${before.exchange.number}` }
              : { safety: "inventing", title: "adds a definition of the called tool" },
          });
        continue;
      }
      if (request.toolChoice?.mode === "none") continue;
      const at = { step, part: "request", pointer: "" } as const;
      if (before?.request) {
        const stillCalls = reply?.items.some((item) => item.kind === "call" && !item.isHosted) ?? false;
        // Requests for summaries or titles have no tools; a history that starts from them is a separate one.
        const goesOn = step.children.some(({ relation }) => relation === "continuation");
        const tools = short((before.request.tools ?? []).map((tool) => tool.name).join(", "), 50);
        yield report("gone", { tools, earlier: before.exchange.number }, at, {
          // A last round without tools, to force an answer, is a common way to end a loop.
          severity: stillCalls || goesOn ? "warning" : "info",
          notes: [offer(before)],
          identity: "client",
          fix: { safety: "safe", title: `restores them from request ${before.exchange.number}` },
        });
      } else if (!parent && !isHistoryAlone(step.exchange)) {
        const call = [...placedItems(step)].find(isCall);
        if (call && !call.item.isHosted)
          yield report("never", { tool: call.item.name }, call, { severity: "info" });
      }
    }
  },
});

function offersTools(step: Step | undefined): boolean {
  return (step?.request?.tools ?? []).length > 0;
}

function offer(step: Step): { readonly message: string; readonly at: Spot } {
  const pointer = step.request?.tools?.[0]?.pointer.replace(/\/\d+$/, "") ?? "";
  return { message: "the tools were offered here", at: { step, part: "request", pointer } };
}
