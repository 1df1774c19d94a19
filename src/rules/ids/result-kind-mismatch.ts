import type { Exchange } from "../../conversation/exchange.ts";
import type { Severity } from "../../findings/finding.ts";
import { defineRule, refused } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "result-kind-mismatch",
  summary: "A result whose type or tool name does not fit its call",
  ground: "refused",
  severity: "error",
  needs: "requests",
  looksAt: ["results"],
  traits: ["refuses-call"],
  messages: {
    kind: ({ tool, callKind, resultKind }: KindFacts) =>
      `the \`${callKind}\` to ${toolName(tool)} is answered with a \`${resultKind}\``,
    name: ({ tool, seen }: NameFacts) =>
      `the result of ${toolName(tool)} carries the tool name \`${short(seen)}\``,
  },

  habit: {
    title: "The client answers calls with the wrong kind of result",
    consequence: "So the server cannot pair the result with its call, and rejects or ignores it",
    change: "answer each type of call with its matching type of result, and use the tool's own name",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const { call, result, what } of step.pairing.misnamed) {
        const callId = call.item.id ?? "";
        const options = {
          notes: [{ message: "the call is here", at: call }],
          callIds: callId === "" ? [] : [callId],
        };
        const facts = { callId, tool: call.item.name };
        if (what === "kind")
          yield report(
            "kind",
            { ...facts, callKind: call.item.wireType, resultKind: result.item.wireType },
            result,
            {
              ...options,
              severity: refused(step.exchange),
              fix: { safety: "safe", title: "gives the result the type that matches its call" },
            },
          );
        else
          yield report("name", { ...facts, seen: result.item.name ?? "" }, result, {
            ...options,
            severity: severityOfName(step.exchange),
            fix: { safety: "safe", title: "writes the call's tool name" },
          });
      }
    }
  },
});

interface KindFacts {
  readonly callId: string;
  readonly tool: string;
  readonly callKind: string;
  readonly resultKind: string;
}

interface NameFacts {
  readonly callId: string;
  readonly tool: string;
  readonly seen: string;
}

/**
 * If ids pair results, a wrong name is harmless; if names do, it misleads the model. Gemini answers such
 * requests: https://github.com/docker/cagent/blob/main/e2e/testdata/cassettes/TestExec_Gemini_ToolCall.yaml
 */
function severityOfName({ demands }: Exchange): Severity {
  return demands.pairsBy === "id" ? "info" : "warning";
}
