import { defineRule, refused } from "./rule.ts";

export default defineRule({
  name: "unanswered-tool-call",
  summary: "A call in the history that no result answers",
  ground: "lost",
  severity: "error",
  needs: "requests",
  messages: {
    noResult: ({ tool, callId }: Facts) =>
      `call \`${callId}\` to \`${tool}\` has no result anywhere in this request`,
    atEnd: ({ tool, callId }: Facts) =>
      `the request ends with call \`${callId}\` to \`${tool}\` and has no result for it`,
    inChain: ({ tool, callId }: Facts) =>
      `the previous response's call \`${callId}\` to \`${tool}\` is not answered by this request`,
  },

  *check({ steps }, report) {
    /** Calls with which a request ended: where the next requests go on behind them, they are still the same mistake. */
    const ended = new Set<string>();
    for (const step of steps) {
      const { exchange, request, pairing, relation } = step;
      if (!request || step.isPartial || request.settings.isProbe) continue;
      for (const call of pairing.unanswered) {
        const facts = { tool: call.item.name, callId: call.item.id ?? call.item.name };
        const options = {
          callIds: [facts.callId],
          identity: `call ${facts.callId} ${call.item.pointer}`,
          severity: exchange.demands.refusesUnanswered ? ("error" as const) : refused(exchange),
          fix: { safety: "inventing", title: "adds a result that says that none was kept" } as const,
        };
        if (call.part === "response") {
          // Another attempt from an earlier point leaves the calls of the abandoned one behind.
          if (relation !== "continuation") continue;
          yield report(
            "inChain",
            facts,
            { step, part: "request", pointer: request.historyPointer },
            { ...options, notes: [{ message: "the call was made here", at: call }] },
          );
          continue;
        }
        if (call.element === request.history.length - 1) ended.add(options.identity);
        const kind = ended.has(options.identity) ? "atEnd" : "noResult";
        yield report(kind, facts, { ...call, step }, options);
      }
    }
  },
});

interface Facts {
  readonly tool: string;
  readonly callId: string;
}
