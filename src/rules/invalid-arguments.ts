import { isCall, type Placed, type Step } from "../conversation/conversation.ts";
import type { ToolCall } from "../conversation/item.ts";
import type { Severity } from "../findings/finding.ts";
import { clientCalls, resultOf } from "./aftermath.ts";
import { type SchemaFault, schemaFaults } from "./argument-schema.ts";
import { defineRule } from "./rule.ts";
import { count, short } from "./words.ts";

interface Facts {
  readonly tool: string;
  readonly path: string;
  readonly wanted: string;
  readonly seen: string;
  /** Further faults of the same call. */
  readonly more: number;
  readonly callIds: readonly string[];
}

const rest = ({ more }: Facts): string => (more === 0 ? "" : ` (and ${count(more, "more fault")})`);

export default defineRule({
  name: "invalid-arguments",
  summary: "Arguments that are JSON, but not what the tool's schema asks for",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  messages: {
    noObject: ({ tool, seen }: Facts) =>
      `the arguments of \`${short(tool)}\` are ${value(seen)}, not an object`,
    type: (facts: Facts) =>
      `\`${short(facts.path)}\` of \`${short(facts.tool)}\` is ${value(facts.seen)}; the schema wants ${facts.wanted}${rest(facts)}`,
    missing: (facts: Facts) =>
      `the call to \`${short(facts.tool)}\` lacks \`${short(facts.path)}\`, which the schema requires${rest(facts)}`,
    unknown: (facts: Facts) =>
      `the call to \`${short(facts.tool)}\` carries \`${short(facts.path)}\`, which the schema does not allow${rest(facts)}`,
    value: (facts: Facts) =>
      `\`${short(facts.path)}\` of \`${short(facts.tool)}\` is ${value(facts.seen)}; the schema allows ${short(facts.wanted, 80)}${rest(facts)}`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const tools = new Map(step.request?.tools?.map((tool) => [tool.name, tool]));
      if (tools.size === 0) continue;
      for (const call of [...clientCalls(step), ...newestCalls(step)]) {
        const { item } = call;
        const schema = tools.get(item.name)?.parameters;
        if (!item.isJson || item.state === "open" || item.arguments === undefined || schema === undefined)
          continue;
        const faults = schemaFaults(item.arguments, withType(schema));
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
        const result = call.part === "response" ? resultOf(step, item) : undefined;
        yield report(fault.path === "" ? "noObject" : fault.kind, facts, call, {
          severity: severityOf(call, faults, schema),
          notes: result ? [{ message: "what the client answered", at: result }] : [],
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

/** Arguments are an object, also where a schema forgets to say so. */
function withType(schema: unknown): unknown {
  return typeof schema === "object" && schema !== null && !Array.isArray(schema) && !("type" in schema)
    ? { ...schema, type: "object" }
    : schema;
}

/** JSON in a string where the schema wants the value: arguments encoded twice, which is a mistake of its own. */
function isEncoded({ arguments: given }: ToolCall, faults: readonly SchemaFault[]): boolean {
  return (
    typeof given === "string" ||
    faults.every(
      ({ kind, wanted, isConvertible }) => kind === "type" && isConvertible && /object|array/.test(wanted),
    )
  );
}

function severityOf(call: Placed<ToolCall>, faults: readonly SchemaFault[], schema: unknown): Severity {
  // The tools of the request that this call answered may have been others.
  if (call.part === "request") return "info";
  const { argumentsText, arguments: given } = call.item;
  // `null` and nothing at all are how models call a tool without parameters.
  if (argumentsText.trim() === "" || (given === null && schemaFaults({}, withType(schema)).length === 0))
    return "info";
  return faults.every(({ isConvertible }) => isConvertible) ? "info" : "warning";
}

/** Calls of the newest assistant turn, whose reply is not in the log. */
function newestCalls({ added, parent }: Step): Placed<ToolCall>[] {
  if (parent?.reply) return [];
  const calls = added.filter(isCall).filter(({ item }) => !item.isHosted);
  const newest = calls.at(-1)?.element;
  return calls.filter(({ element }) => element === newest);
}
