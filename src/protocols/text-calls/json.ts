import { parseJson } from "../../reading/parse.ts";
import { fields } from "../../reading/values.ts";
import { type Arguments, asArguments, fromValue, spell, type Written } from "./values.ts";

const nameKeys = ["name", "tool_name", "recipient_name", "function", "tool"];
const argumentKeys = ["arguments", "parameters", "args", "input", "tool_input"];
const idKeys = ["id", "tool_call_id", "call_id"];
/** Objects that hold calls rather than being one. */
const wrapperKeys = ["tool_calls", "tool_call", "tool_uses", "function"];

/** A call within JSON. */
export interface JsonCall {
  readonly name: string;
  readonly id: string | undefined;
  /** Absent: the call has no arguments, or the text is cut before them. */
  readonly written: Written | undefined;
  readonly node: Written;
  /** When the shape says more than the token in front. */
  readonly family?: string;
  readonly isWeak?: boolean;
}

/** The value under the first of the keys that an object has. */
function under(node: Written, keys: readonly string[]): Written | undefined {
  for (const wanted of node.kind === "object" ? keys : []) {
    const found = node.entries.find(({ key }) => key === wanted);
    if (found) return found.value;
  }
  return undefined;
}

function textOf(node: Written | undefined): string | undefined {
  return node && !node.isCut && typeof node.value === "string" ? node.value : undefined;
}

/** The calls that a JSON value holds, in order; a name must be whole. */
export function callsIn(node: Written): readonly JsonCall[] {
  if (node.kind === "list") return node.entries.flatMap(({ value }) => callsIn(value));
  const inner = under(node, wrapperKeys);
  const id = textOf(under(node, idKeys));
  if (inner && inner.kind !== "scalar") return callsIn(inner).map((call) => ({ ...call, id: call.id ?? id }));
  const name = textOf(under(node, nameKeys));
  return name === undefined ? [] : [{ name, id, written: under(node, argumentKeys), node }];
}

/** Apertus: `[{"get_weather": {"city": "Paris"}}]`. */
export function byName(node: Written): readonly JsonCall[] {
  if (node.kind === "list") return node.entries.flatMap(({ value }) => byName(value));
  return node.entries.map(({ key, value }) => ({ name: key, id: undefined, written: value, node }));
}

const envelopes = { tool_uses: "multi_tool_use", tool_call: "minja-generic", tool_calls: "openai-json-leak" };

/** The calls of a value that no token announces: it must be made of calls and of nothing else. */
export function bareCalls(node: Written): readonly JsonCall[] {
  const calls = callsIn(node);
  const envelope = Object.entries(envelopes).find(([key]) => under(node, [key]));
  if (envelope) return calls.map((call) => ({ ...call, family: envelope[1] }));
  if (!calls.every(isExactCall)) return [];
  return calls.map((call) => {
    const isLlama = under(call.node, ["parameters"]) !== undefined;
    const family = node.kind === "list" ? "xlam" : isLlama ? "llama3-json" : "openai-json-leak";
    // Many an object has parameters.
    return { ...call, family, isWeak: isLlama };
  });
}

/** A name, arguments that are no schema, perhaps an id and a type. */
function isExactCall({ node, written }: JsonCall): boolean {
  const keys = node.entries.map(({ key }) => key).filter((key) => key !== "id" && key !== "type");
  const isPair = /^(?:name,(?:arguments|parameters)|(?:arguments|parameters),name)$/.test(keys.join());
  if (!isPair || (textOf(under(node, ["type"])) ?? "function") !== "function") return false;
  if (written?.kind === "object") return fields(spell(written))["properties"] === undefined;
  return textOf(written)?.trimStart().startsWith("{") === true;
}

/** A call's arguments; a JSON string in which JSON stands is unpacked, as OpenAI's wire format packs it. */
export function argumentsOf(text: string, node: Written, written: Written | undefined): Arguments {
  if (!written) return node.isCut ? { argumentsText: "", arguments: undefined } : fromValue({});
  const packed = textOf(written);
  if (written.value === null || packed === "") return fromValue({});
  return packed === undefined
    ? asArguments(text, written)
    : { argumentsText: packed, arguments: parseJson(packed) };
}

/** A real call out of a wrapper. */
export interface UnwrappedCall extends Arguments {
  /** Without `functions.`, the namespace that the wrapper speaks of. */
  readonly name: string;
}

/**
 * The real calls, in order, within a call to `multi_tool_use.parallel`, the wrapper that OpenAI's models sometimes let out. Empty
 * when the name is another, or the arguments (a value or its JSON text) are not `{tool_uses: [{recipient_name, parameters}]}`.
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
