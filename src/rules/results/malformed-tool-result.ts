import { isCall, isResult, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { enteredItems } from "../../conversation/new-items.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { isJson } from "../../reading/parse.ts";
import { soRejected } from "../habit.ts";
import { type ProviderFacts, providerFacts, rejects } from "../provider.ts";
import { defineRule, type Report, refused } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "malformed-tool-result",
  summary: "A result whose content the provider rejects or drops, or that contains no result",
  ground: "refused",
  severity: "error",
  needs: "wire",
  looksAt: ["calls", "results"],
  traits: ["causes-loops", "refuses-call"],
  messages: {
    content: ({ tool, seen, ...facts }: Facts) =>
      `the content of ${tool}'s result is of type ${seen}, which ${rejects(facts)}`,
    unserialised: ({ tool, seen }: Facts) =>
      `the result of ${tool} is \`${seen}\`: a value that was never serialised`,
    glued: ({ tool, seen }: Facts) =>
      `the result of ${tool} contains several results, \`${seen}\`, while other calls have none`,
    asUserText: ({ tool, seen }: Facts) => `the result of ${tool} is sent as a user message, \`${seen}\``,
  },

  habit: {
    title: "The client sends tool results in a form that does not reach the model",
    consequence:
      "So the provider rejects the request, or the model sees nothing useful where the result should be",
    change: ({ idiom }) =>
      `send the result as text, and serialise objects with \`JSON.stringify\`${idiom.result}`,
  },

  kindHabits: {
    content: {
      title: "The client sends tool results in a form that the API does not take",
      consequence: soRejected(),
      change: ({ idiom }) =>
        `send the result as text, an empty one for nothing, and serialise objects with \`JSON.stringify\`${idiom.result}`,
    },
    glued: {
      title: "The client merges the results of several calls into one",
      consequence:
        "So the other calls have no result, and the model cannot tell which text answers which call",
      change: ({ idiom }) => `send one result per call${idiom.result}`,
    },
    asUserText: {
      title: "The client sends a tool result as user text",
      consequence: "So the call has no result, and the model takes the output for a user request",
      change: ({ idiom }) => `send it as the result of its call${idiom.result}`,
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const placed of enteredItems(step)) {
        if (!isResult(placed)) continue;
        const tool = toolOf(step, placed);
        const options = { callIds: placed.item.callId === undefined ? [] : [placed.item.callId] };
        const flaw = placed.item.flaws?.find(({ kind }) => kind === "bad-content");
        if (flaw)
          yield report(
            "content",
            { tool, seen: flaw.detail ?? "", ...providerFacts(step.exchange) },
            placed,
            {
              ...options,
              below: flaw.pointer,
              severity: refused(step.exchange),
              fix: { safety: "safe", title: "writes the content in the form that the API takes" },
            },
          );
        else if (/^(?:\[object \w+\]|undefined)$/.test(placed.item.text.trim()))
          yield report("unserialised", { tool, seen: placed.item.text.trim() }, placed, {
            ...options,
            severity: "warning",
          });
        else if (isGlued(placed.item.text) && step.pairing.unanswered.length > 0)
          yield report("glued", { tool, seen: short(placed.item.text, 40) }, placed, {
            callIds: [...options.callIds, ...step.pairing.unanswered.flatMap(({ item }) => item.id ?? [])],
          });
      }
      const spoken = spokenResult(step) ?? spokenForDropped(step);
      if (spoken) yield asUserText(spoken, report);
    }
  },
});

interface Facts extends ProviderFacts {
  readonly tool: string;
  readonly seen: string;
}

function toolOf(step: Step, placed: Placed<ToolResult>): string {
  const pair = pairOfResult(step, placed.item);
  const name = pair?.call.item.name ?? placed.item.name;
  return name === undefined ? "the tool" : toolName(name);
}

/** Two adjacent JSON objects. */
function isGlued(text: string): boolean {
  const joint = text.indexOf("}{");
  if (joint < 0 || !text.startsWith("{")) return false;
  return isJson(text.slice(0, joint + 1)) && isJson(text.slice(joint + 1));
}

/** A result that a user message repeats as text, and the call that it belongs to. */
interface Spoken {
  readonly placed: Placed;
  readonly call: Placed<ToolCall>;
}

/** A text that a client wrote around the result of a tool. */
function isSpoken(text: string): boolean {
  return (
    /^\W{0,4}(?:tool|function)[ _](?:result|output|response)\b/i.test(text.trim()) ||
    text.includes("<tool_response>")
  );
}

/**
 * A new user message that looks like the result of the reply's call, which itself is not in the history, nor
 * as a text of the model.
 */
function spokenForDropped(step: Step): Spoken | undefined {
  if (step.relation !== "continuation") return undefined;
  const call = step.missing.filter(isCall).find(({ item, part }) => part === "response" && !item.isHosted);
  if (!call) return undefined;
  const { name } = call.item;
  const names = ({ item }: Placed): boolean => item.kind === "message" && item.text.includes(name);
  if (step.added.some((placed) => placed.item.role === "assistant" && names(placed))) return undefined;
  const spoken = step.added.find(
    ({ item }) =>
      item.kind === "message" && item.role === "user" && item.text.includes(name) && isSpoken(item.text),
  );
  return spoken && { placed: spoken, call };
}

/** A user message that looks like the result of a call without one. */
function spokenResult(step: Step): Spoken | undefined {
  const open = step.pairing.unanswered.at(-1);
  if (open?.part !== "request") return undefined;
  for (const placed of placedItems(step, undefined, open.element + 1)) {
    const { item } = placed;
    if (item.kind !== "message" || item.role !== "user") continue;
    return isSpoken(item.text) ? { placed, call: open } : undefined;
  }
  return undefined;
}

function asUserText(
  { placed, call }: Spoken,
  report: (kind: "asUserText", data: Facts, target: Placed, options: object) => Report,
): Report {
  const text = placed.item.kind === "message" ? placed.item.text : "";
  return report("asUserText", { tool: toolName(call.item.name), seen: short(text, 40) }, placed, {
    severity: "warning",
    notes: [{ message: "the call is here", at: call }],
    callIds: call.item.id === undefined ? [] : [call.item.id],
  });
}
