import { isCall, replyItems, type Step } from "../../conversation/conversation.ts";
import type { Request } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isSurelySent, newItems } from "../../conversation/new-items.ts";
import { echoOf, resultFor } from "../../conversation/reply-followups.ts";
import { isFields } from "../../reading/values.ts";
import { defineRule, refused } from "../rule.ts";
import { argumentFaults, isObjectText, loadValidator } from "../schema/argument-schema.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "misencoded-arguments",
  summary:
    "Arguments sent as an object where a JSON string is required, or the reverse, or JSON-encoded twice",
  ground: "misleads",
  severity: "warning",
  needs: "wire",
  looksAt: ["calls"],
  load: loadValidator,
  traits: ["refuses-call"],
  messages: {
    type: ({ tool, seen, wanted }: Facts & { readonly seen: string; readonly wanted: string }) =>
      `the arguments of ${toolName(tool)} are ${seen}; the API requires ${wanted}`,
    served: ({ tool, seen, wanted }: Facts & { readonly seen: string; readonly wanted: string }) =>
      `the server sends the arguments of ${toolName(tool)} as ${seen}; the API has ${wanted}`,
    double: ({ tool, text }: Facts & { readonly text: string }) =>
      `the arguments of ${toolName(tool)} are JSON-encoded twice: \`${short(text)}\``,
    property: ({ tool, property, wanted }: Facts & { readonly property: string; readonly wanted: string }) =>
      `argument \`${short(property, 40)}\` of ${toolName(tool)} is a JSON string; the schema requires the ${wanted} itself`,
  },

  habit: {
    title: "The client encodes call arguments wrongly",
    consequence: "So the model sees its calls in a form that it did not write, and may copy that form",
    change:
      "encode arguments exactly once: as a JSON string where the API requires a string, as an object where it requires an object",
  },

  kindHabits: {
    served: {
      title: "The server encodes call arguments in another form than the API",
      consequence: "So clients that rely on the API's form fail on the call or lose its arguments",
      change: "update the server or the proxy in front of it; until then, let the client take both forms",
      changeIn: "server",
    },
  },

  advice: {
    type: ({ wanted }) => `send the arguments of every call as ${wanted}`,
    double: () => "encode arguments once: what the reply has is JSON text already",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const call of [...newItems(step), ...replyItems(step)].filter(isCall)) {
        const { item } = call;
        if (item.isHosted || item.state === "open" || !item.isJson) continue;
        const facts = { tool: item.name, callId: item.id };
        const callIds = item.id === undefined ? [] : [item.id];
        const isOurs = call.part === "request";
        const flaw = item.flaws?.find(({ kind }) => kind === "arguments-type");
        const wanted = step.exchange.demands.argumentsAre === "text" ? "a JSON string" : "an object";
        if (isObjectText(item.arguments))
          yield report("double", { ...facts, text: item.argumentsText }, call, {
            callIds,
            ...(isOurs && { fix: { safety: "safe" as const, title: "decodes the arguments once" } }),
          });
        else if (flaw && flaw.detail !== "nothing" && !isOurs && hasOwnForm(step))
          yield report("served", { ...facts, seen: described(flaw.detail), wanted }, call, {
            below: flaw.pointer,
            severity: isTaken(step, item) ? "info" : "warning",
            callIds,
            // A server makes the same mistake in every reply.
            identity: "served",
          });
        // A message alone is the server's or the client's; with a string, no API has it.
        else if (flaw?.detail === "string" && !isOurs && wanted === "an object")
          yield report("type", { ...facts, seen: described(flaw.detail), wanted }, call, {
            below: flaw.pointer,
            severity: "warning",
            callIds,
          });
        else if (flaw && isOurs && isSurelySent(step)) {
          yield report("type", { ...facts, seen: described(flaw.detail), wanted }, call, {
            below: flaw.pointer,
            severity: refused(step.exchange),
            callIds,
            fix: { safety: "safe", title: `writes the arguments as ${wanted}` },
          });
        }
        const inner = encodedProperty(item, step.request);
        if (inner)
          yield report("property", { ...facts, ...inner }, call, {
            severity: isOurs || resultFor(step, item) ? "info" : "warning",
            callIds,
          });
      }
    }
  },
});

/** A whole body or a chunk shows whose API it is; a message alone may come from one that has objects. */
function hasOwnForm({ reply }: Step): boolean {
  return reply?.finish !== undefined || reply?.form === "stream";
}

/** The client understood the call all the same. */
function isTaken(step: Step, call: ToolCall): boolean {
  return resultFor(step, call) !== undefined || echoOf(step, call) !== undefined;
}

interface Facts {
  readonly tool: string;
  readonly callId: string | undefined;
}

/** A property with JSON text where the tool declares an object or array, if nothing else is wrong with it. */
function encodedProperty(
  call: ToolCall,
  request: Request | undefined,
): { readonly property: string; readonly wanted: string } | undefined {
  const schema = request?.tools?.find(({ name }) => name === call.name)?.parameters;
  if (!isFields(call.arguments) || schema === undefined) return undefined;
  const faults = argumentFaults(call.arguments, schema);
  const [first] = faults;
  const isEncoded = faults.every(
    ({ kind, wanted, isConvertible }) => kind === "type" && isConvertible && /object|array/.test(wanted),
  );
  return first && isEncoded ? { property: first.path, wanted: first.wanted } : undefined;
}

function described(detail: string | undefined): string {
  if (detail === "nothing") return "missing";
  if (detail === undefined || detail === "null") return "`null`";
  return detail === "string"
    ? "a string"
    : detail === "object" || detail === "array"
      ? `an ${detail}`
      : `a ${detail}`;
}
