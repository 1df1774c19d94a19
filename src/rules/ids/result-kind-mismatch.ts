import type { Exchange } from "../../conversation/exchange.ts";
import type { Severity } from "../../findings/finding.ts";
import { defineRule, refused } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "result-kind-mismatch",
  summary: "A result of another kind or name than its call",
  ground: "refused",
  severity: "error",
  needs: "requests",
  traits: ["refuses-call"],
  messages: {
    kind: ({ tool, callKind, resultKind }: KindFacts) =>
      `the \`${callKind}\` to \`${short(tool)}\` is answered by a \`${resultKind}\``,
    name: ({ tool, seen }: NameFacts) =>
      `the result of \`${short(tool)}\` says that it is the result of \`${short(seen)}\``,
  },

  habit: {
    title: "The client answers calls with the wrong kind of result",
    consequence: "So the result does not pair with its call, and is refused or not read",
    change: "answer every kind of call with its own kind of result, under the tool's own name",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const { call, result, what } of step.pairing.misnamed) {
        const callId = call.item.id ?? "";
        const options = {
          notes: [{ message: "the call stands here", at: call }],
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
              fix: { safety: "safe", title: "gives the result the kind that answers its call" },
            },
          );
        else
          yield report("name", { ...facts, seen: result.item.name ?? "" }, result, {
            ...options,
            severity: severityOfName(step.exchange),
            fix: { safety: "safe", title: "writes the name of the call" },
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
