import { parseJson } from "../../reading/parse.ts";
import { fields } from "../../reading/values.ts";
import { type Arguments, asArguments, fromValue, spell, type Written } from "./values.ts";

const nameKeys = ["name", "tool_name", "recipient_name", "function", "tool"];
const argumentKeys = ["arguments", "parameters", "args", "input", "tool_input"];
const idKeys = ["id", "tool_call_id", "call_id"];
/** Keys of objects that contain calls instead of being one. */
const wrapperKeys = ["tool_calls", "tool_call", "tool_uses", "function"];

/** A call within JSON. */
export interface JsonCall {
  readonly name: string;
  readonly id: string | undefined;
  /** Absent: the call has no arguments, or the text ends before them. */
  readonly written: Written | undefined;
  readonly node: Written;
  /** Set if the shape identifies the family better than the token does. */
  readonly family?: string;
  readonly isWeak?: boolean;
}

/** The value of the first of these keys that the object has. */
function firstOf(node: Written, keys: readonly string[]): Written | undefined {
  for (const wanted of node.kind === "object" ? keys : []) {
    const found = node.entries.find(({ key }) => key === wanted);
    if (found) return found.value;
  }
  return undefined;
}

function textOf(node: Written | undefined): string | undefined {
  return node && !node.isCut && typeof node.value === "string" ? node.value : undefined;
}

/** The calls in a JSON value, in order. A name must be complete. */
export function callsIn(node: Written): readonly JsonCall[] {
  if (node.kind === "list") return node.entries.flatMap(({ value }) => callsIn(value));
  const inner = firstOf(node, wrapperKeys);
  const id = textOf(firstOf(node, idKeys));
  if (inner && inner.kind !== "scalar") return callsIn(inner).map((call) => ({ ...call, id: call.id ?? id }));
  const name = textOf(firstOf(node, nameKeys));
  return name === undefined ? [] : [{ name, id, written: firstOf(node, argumentKeys), node }];
}

/** Apertus: `[{"get_weather": {"city": "Paris"}}]`. */
export function byName(node: Written): readonly JsonCall[] {
  if (node.kind === "list") return node.entries.flatMap(({ value }) => byName(value));
  return node.entries.map(({ key, value }) => ({ name: key, id: undefined, written: value, node }));
}

const envelopes = { tool_uses: "multi_tool_use", tool_call: "minja-generic", tool_calls: "openai-json-leak" };

/** The calls of a value without a token: it must consist of calls only. */
export function bareCalls(node: Written): readonly JsonCall[] {
  const calls = callsIn(node);
  const envelope = Object.entries(envelopes).find(([key]) => firstOf(node, [key]));
  if (envelope) return calls.map((call) => ({ ...call, family: envelope[1] }));
  if (!calls.every(isExactCall)) return [];
  return calls.map((call) => {
    const isLlama = firstOf(call.node, ["parameters"]) !== undefined;
    const family = node.kind === "list" ? "xlam" : isLlama ? "llama3-json" : "openai-json-leak";
    // Many objects have a `parameters` member.
    return { ...call, family, isWeak: isLlama };
  });
}

/** A name, arguments that are not a schema, perhaps an id and a type. */
function isExactCall({ node, written }: JsonCall): boolean {
  const keys = node.entries.map(({ key }) => key).filter((key) => key !== "id" && key !== "type");
  const isPair = /^(?:name,(?:arguments|parameters)|(?:arguments|parameters),name)$/.test(keys.join());
  if (!isPair || (textOf(firstOf(node, ["type"])) ?? "function") !== "function") return false;
  if (written?.kind === "object") return fields(spell(written))["properties"] === undefined;
  return textOf(written)?.trimStart().startsWith("{") === true;
}

/** A call's arguments. Unpacks a JSON string that contains JSON, as in OpenAI's wire format. */
export function argumentsOf(text: string, node: Written, written: Written | undefined): Arguments {
  if (!written) return node.isCut ? { argumentsText: "", arguments: undefined } : fromValue({});
  const packed = textOf(written);
  if (written.value === null || packed === "") return fromValue({});
  return packed === undefined
    ? asArguments(text, written)
    : { argumentsText: packed, arguments: parseJson(packed) };
}

/** A real call from inside a wrapper. */
export interface UnwrappedCall extends Arguments {
  /** Without `functions.`, the wrapper's namespace. */
  readonly name: string;
}

/**
 * The real calls, in order, in a call to `multi_tool_use.parallel`, a wrapper that OpenAI's models sometimes
 * leak. Empty for another name, or if the arguments (a value or its JSON text) are not `{tool_uses:
 * [{recipient_name, parameters}]}`.
 */
export function splitParallelWrapper(name: string, args: unknown): UnwrappedCall[] {
  if (!/^(?:functions\.)?multi_tool_use[._]parallel$/.test(name)) return [];
  const uses = fields(typeof args === "string" ? parseJson(args) : args)["tool_uses"];
  const calls = (Array.isArray(uses) ? uses : []).map((use) => {
    const { recipient_name, name: plainName, parameters, arguments: plainArguments } = fields(use);
    return { name: recipient_name ?? plainName, ...fromValue(parameters ?? plainArguments ?? {}) };
  });
  if (!calls.every((call): call is UnwrappedCall => typeof call.name === "string" && call.name !== ""))
    return [];
  return calls.map((call) => ({ ...call, name: call.name.replace(/^functions\.(?=.)/, "") }));
}
