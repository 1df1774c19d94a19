import { isCall, isResult, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { clientCalls } from "../../conversation/reply-followups.ts";
import { scanResult } from "../result-scan.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";
import type { Injection } from "./injection.ts";

interface Facts {
  readonly tool: string | undefined;
  readonly words: string;
  readonly callIds: readonly string[];
}

const of = ({ tool }: Facts): string =>
  tool === undefined ? "a tool result" : `a result of ${toolName(tool)}`;

export default defineRule({
  name: "injected-instructions",
  summary: "A tool result that gives the model instructions",
  ground: "misleads",
  severity: "info",
  needs: "anything",
  looksAt: ["results"],
  traits: ["explains-nothing"],
  messages: {
    instructions: (facts: Facts) =>
      `${of(facts)} gives the model instructions: \`${short(facts.words, 80)}\``,
    hidden: (facts: Facts) => `${of(facts)} contains invisible characters (${facts.words})`,
    turn: (facts: Facts) =>
      `${of(facts)} contains the chat-template token of another role, \`${short(facts.words, 40)}\``,
  },

  habit: {
    title: "A tool result gives the model instructions",
    consequence: "So the model may follow the text of a page or file instead of the user",
    change: "mark results as data, remove hidden characters, and ask the user before dangerous calls",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const result of step.added.filter(isResult)) {
        const found = scanResult(result.item).injection;
        if (!found) continue;
        const call = callOf(step, result);
        const tool = call?.name ?? result.item.name;
        const callIds = [result.item.callId ?? call?.id].flatMap((id) => id ?? []);
        const next = newCall(step);
        yield report(found.kind, { tool, words: found.words, callIds }, result, {
          callIds,
          identity: identityOf(tool, found),
          notes: next
            ? [{ message: `the reply then calls ${toolName(next.item.name)} for the first time`, at: next }]
            : [],
        });
      }
    }
  },
});

function identityOf(tool: string | undefined, { kind, words }: Injection): string {
  return `${tool ?? ""} ${kind} ${words}`;
}

function callOf(step: Step, result: Placed<ToolResult>): ToolCall | undefined {
  return pairOfResult(step, result.item)?.call.item;
}

/** A call of the reply to a tool that was never called before. */
function newCall(step: Step): Placed<ToolCall> | undefined {
  const calls = clientCalls(step);
  if (calls.length === 0) return undefined;
  const called = new Set([...placedItems(step)].filter(isCall).map(({ item }) => item.name));
  return calls.find(({ item }) => !called.has(item.name));
}
