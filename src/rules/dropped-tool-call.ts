import { type Placed, placedItems, type Step } from "../conversation/conversation.ts";
import type { ToolCall } from "../conversation/item.ts";
import { defineRule, type Target } from "./rule.ts";

export default defineRule({
  name: "dropped-tool-call",
  summary: "A call that the model made is missing from the next request",
  ground: "lost",
  severity: "error",
  needs: "requests",
  messages: {
    withResult: ({ tool, callId }: Facts) => `the assistant message with the call to \`${tool}\` (\`${callId}\`) was dropped; only its result is sent`,
    parallel: ({ tool, callId }: Facts) => `of the reply's parallel calls, the one to \`${tool}\` (\`${callId}\`) is missing from this request`,
    withoutResult: ({ tool, callId }: Facts) => `the reply's call to \`${tool}\` (\`${callId}\`) is missing from this request, and so is its result`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      if (step.isPartial) continue;
      const reported = new Set<string>();
      for (const { result, lostCall } of step.pairing.orphans) {
        if (!lostCall || lostCall.item.isHosted) continue;
        const callId = lostCall.item.id ?? lostCall.item.name;
        reported.add(callId);
        yield report("withResult", { tool: lostCall.item.name, callId }, result, {
          notes: [{ message: `the call to \`${lostCall.item.name}\` was made here`, at: lostCall }],
          callIds: [callId],
          fix: { safety: "safe", title: "puts the assistant message with the call back" },
        });
      }
      if (step.relation !== "continuation") continue;
      for (const call of lostCalls(step)) {
        const callId = call.item.id ?? call.item.name;
        if (reported.has(callId)) continue;
        // A client that runs only some of the parallel calls shows the model a consistent history, of which a part was never asked for.
        const isParallel = step.echoes.some(({ before }) => before.item.kind === "call" && !before.item.isHosted);
        yield report(isParallel ? "parallel" : "withoutResult", { tool: call.item.name, callId }, firstNew(step), {
          severity: isParallel ? "warning" : "error",
          notes: [{ message: `the call to \`${call.item.name}\` was made here`, at: call }],
          callIds: [callId],
          identity: `call ${callId}`,
          fix: { safety: "inventing", title: "puts the call back, with a result that says that none was kept" },
        });
      }
    }
  },
});

interface Facts {
  readonly tool: string;
  readonly callId: string;
}

/** Calls of the parent's reply that this request lacks, although that reply came through whole. */
function lostCalls(step: Step): Placed<ToolCall>[] {
  const reply = step.parent?.reply;
  if (!reply || reply.error || reply.state === "open" || step.parent?.exchange.isAborted) return [];
  const lost = step.missing.filter((placed): placed is Placed<ToolCall> => placed.part === "response" && placed.item.kind === "call" && !placed.item.isHosted);
  // A call that forces a final answer out of the model is no call to go on from.
  const choice = step.parent?.request?.toolChoice;
  const isFinal = choice?.mode === "tool" || choice?.mode === "required";
  return isFinal ? [] : lost.filter((call) => !isToldInWords(step, call));
}

/** A hand-off to another agent tells the call in a sentence: "For context: [a] called tool `transfer` …". */
function isToldInWords(step: Step, call: Placed<ToolCall>): boolean {
  return step.added.some(({ item }) => item.kind === "message" && item.role !== "system" && item.text.includes(call.item.name));
}

/** Where the call should have stood: the first item that is new, or the end of the history. */
function firstNew(step: Step): Target {
  const [first] = step.added;
  if (first) return first;
  let last: Placed | undefined;
  for (const placed of placedItems(step)) last = placed;
  return last ?? { step, part: "request", pointer: step.request?.historyPointer ?? "" };
}
