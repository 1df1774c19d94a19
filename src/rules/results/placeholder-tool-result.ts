import type { Placed, Step } from "../../conversation/conversation.ts";
import { isResult } from "../../conversation/conversation.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { addedItems } from "../../conversation/new-items.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { type RoundCall, standingOf } from "../../conversation/rounds.ts";
import { scanResult } from "../result-scan.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "placeholder-tool-result",
  summary: "A placeholder sent as the result of a tool that the client itself offers",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["results"],
  traits: ["causes-loops"],
  messages: {
    stub: ({ tool, result }: { tool: string; result: string; callId: string | undefined }) =>
      `the result of ${toolName(tool)} is a placeholder, \`${short(result, 80)}\`, although the client itself offers the tool`,
  },

  habit: {
    title: "The client answers calls of a tool that it offers with a placeholder",
    consequence: "So the model gets nothing to work with, and usually tries again",
    change: "connect the tool to the code that runs it, or stop offering it",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const result of addedItems(step).filter(isResult)) {
        const text = result.item.isHosted ? undefined : scanResult(result.item).stub;
        if (text === undefined) continue;
        const call = callOf(step, result);
        const tool = call?.name ?? result.item.name;
        if (tool === undefined || !isOffered(step, tool)) continue;
        const callId = result.item.callId ?? call?.id;
        yield report("stub", { tool, result: text, callId }, result, {
          severity: step.request?.tools ? "warning" : "info",
          identity: `${tool} ${text.replace(/[\d\W]+/g, " ")}`,
          callIds: callId === undefined ? [] : [callId],
        });
      }
    }
  },
});

function callOf(step: Step, result: Placed<ToolResult>): ToolCall | undefined {
  const pair = pairOfResult(step, result.item);
  const isOurs = (entry: RoundCall): boolean => entry.result?.item === result.item;
  return (
    pair?.call.item ??
    standingOf(step)?.turn.rounds.flatMap(({ calls }) => calls.filter(isOurs))[0]?.call.item
  );
}

/** Whether a tool is offered. Without a tool list in the request, true unless another list lacks it. */
function isOffered({ request, conversation }: Step, tool: string): boolean {
  if (request?.tools) return request.tools.some(({ name }) => name === tool);
  return conversation.steps.every(
    (step) => !step.request?.tools || step.request.tools.some(({ name }) => name === tool),
  );
}
