import { areTooDeep } from "../../conversation/call-arguments.ts";
import { isCall, type Placed, type Step } from "../../conversation/conversation.ts";
import type { ToolDefinition } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { addedItems } from "../../conversation/new-items.ts";
import { clientCalls, resultFor } from "../../conversation/reply-followups.ts";
import type { Severity } from "../../findings/finding.ts";
import { isFields } from "../../reading/values.ts";
import { defineRule } from "../rule.ts";
import { type ArgumentFault, valueWords } from "../schema/argument-fault.ts";
import { argumentFaults, isObjectText, loadValidator, unfollowedPart } from "../schema/argument-schema.ts";
import { count, short, toolName } from "../words.ts";

interface Facts {
  readonly tool: string;
  readonly path: string;
  readonly wanted: string;
  readonly seen: string;
  /** The number of further faults of the same call. */
  readonly more: number;
  readonly callIds: readonly string[];
}

const wants = (facts: Facts): string =>
  `\`${short(facts.path)}\` of ${toolName(facts.tool)} is ${value(facts.seen)}; the schema requires ${short(facts.wanted, 80)}${rest(facts)}`;

const rest = ({ more }: Facts): string => (more === 0 ? "" : ` (and ${count(more, "more fault")})`);

export default defineRule({
  name: "invalid-arguments",
  summary: "Arguments that are valid JSON but violate the tool's schema",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls"],
  load: loadValidator,
  follows: [
    {
      rules: [
        "lost-fragments",
        "malformed-stream",
        "truncated-reply",
        "truncated-stream",
        "incomplete-arguments",
        "misencoded-arguments",
      ],
      by: "calls",
    },
  ],
  messages: {
    noObject: ({ tool, seen }: Facts) =>
      `the arguments of ${toolName(tool)} are ${value(seen)}, not an object`,
    type: wants,
    limit: wants,
    form: wants,
    missing: (facts: Facts) =>
      `the call to ${toolName(facts.tool)} lacks \`${short(facts.path)}\`, which the schema requires${rest(facts)}`,
    unknown: (facts: Facts) =>
      `the call to ${toolName(facts.tool)} carries \`${short(facts.path)}\`, which the schema does not allow${rest(facts)}`,
    value: (facts: Facts) =>
      `\`${short(facts.path)}\` of ${toolName(facts.tool)} is ${value(facts.seen)}; the schema allows ${short(facts.wanted, 80)}${rest(facts)}`,
  },

  habit: {
    title: "The model calls tools with arguments that violate their schema",
    consequence: "So the tool fails, or does something other than intended",
    change:
      "validate arguments against the schema before running a tool, and return the validation error so that the model can correct itself",
  },
  effect: { rank: 10, words: () => "tools were called with invalid arguments" },

  unchecked({ steps }) {
    for (const step of steps) {
      const deep = [...clientCalls(step), ...addedItems(step).filter(isCall)].find(
        ({ item }) => item.isJson && areTooDeep(item),
      );
      if (deep) return `the arguments of ${toolName(deep.item.name)} are nested too deeply to validate`;
      const tools = new Map(step.request?.tools?.map((tool) => [tool.name, tool]));
      for (const { item } of [...clientCalls(step), ...newestCalls(step)]) {
        if (!isFields(item.arguments)) continue;
        const part = unfollowedPart(item.arguments, tools.get(item.name)?.parameters);
        if (part !== undefined) return `the schema of ${toolName(item.name)} ${part}`;
      }
    }
    return undefined;
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const tools = new Map(step.request?.tools?.map((tool) => [tool.name, tool]));
      for (const call of [...clientCalls(step), ...newestCalls(step)]) {
        const { item } = call;
        if (!item.isJson || item.state === "open" || item.arguments === undefined) continue;
        const tool = tools.get(item.name);
        const faults = isFields(tool?.parameters)
          ? argumentFaults(item.arguments, tool.parameters)
          : faultsWithoutSchema(item, step);
        const [fault] = faults;
        if (!fault || isEncoded(item, faults)) continue;
        const callIds = item.id === undefined ? [] : [item.id];
        const facts = {
          tool: item.name,
          path: fault.path,
          wanted: fault.wanted,
          seen: fault.seen ?? "",
          more: faults.length - 1,
          callIds,
        };
        const result = call.part === "response" ? resultFor(step, item) : undefined;
        yield report(fault.path === "" ? "noObject" : fault.kind, facts, call, {
          severity: severityOf(call, faults, tool),
          notes: result ? [{ message: "the client's answer", at: result }] : [],
          callIds,
          identity: `${item.name} ${fault.kind} ${fault.path.replace(/\d+/g, "#")} ${call.part}`,
        });
      }
    }
  },
});

function value(seen: string): string {
  return /^an? /.test(seen) ? seen : `\`${short(seen, 40)}\``;
}

/** Arguments must be an object even without a schema. Only API traffic counts: other logs use other forms. */
function faultsWithoutSchema(
  { arguments: given }: ToolCall,
  { conversation, exchange }: Step,
): readonly ArgumentFault[] {
  if (
    isFields(given) ||
    given === null ||
    conversation.kind === "transcript" ||
    exchange.fidelity === "reported"
  )
    return [];
  return [{ kind: "type", path: "", wanted: "object", seen: valueWords(given), isConvertible: false }];
}

/** A string with JSON where the schema wants the value; `misencoded-arguments` reports these. */
function isEncoded({ arguments: given }: ToolCall, faults: readonly ArgumentFault[]): boolean {
  return (
    isObjectText(given) ||
    faults.every(
      ({ kind, path, wanted, isConvertible }) =>
        path !== "" && kind === "type" && isConvertible && /object|array/.test(wanted),
    )
  );
}

function severityOf(
  call: Placed<ToolCall>,
  faults: readonly ArgumentFault[],
  tool: ToolDefinition | undefined,
): Severity {
  // The request that this call answered may have offered other tools.
  if (call.part === "request") return "info";
  const { argumentsText, arguments: given } = call.item;
  // Models call tools without parameters with `null` or with nothing.
  if (argumentsText.trim() === "" || (given === null && argumentFaults({}, tool?.parameters)?.length === 0))
    return "info";
  // Clients that ask for strict calls convert nothing.
  return tool?.isStrict !== true && faults.every(({ isConvertible }) => isConvertible) ? "info" : "warning";
}

/** Calls of the newest assistant turn if its reply is not in the log. */
function newestCalls({ added, parent }: Step): Placed<ToolCall>[] {
  if (parent?.reply) return [];
  const calls = added.filter(isCall).filter(({ item }) => !item.isHosted);
  const newest = calls.at(-1)?.element;
  return calls.filter(({ element }) => element === newest);
}
