import { level } from "../../traffic/certainty.ts";
import type { AroundPart, Peek, Recognition } from "../protocol.ts";
import { type Fields, fields, isFields, list } from "../wire.ts";

/** The members of a call's fragment in a chunk of a stream. */
const fragmentKeys = new Set(["index", "id", "type", "function", "custom"]);

/** The members of its function; `name` says which tool in the first fragment alone. */
const functionKeys = new Set(["name", "arguments"]);

/** The members of a choice in a chunk, without those that servers add. */
const choiceKeys = ["delta", "index", "finish_reason"] as const;

/**
 * Programs print what they take out of the chunks: each fragment of a call alone, as in
 * `chunk.choices[0].delta.tool_calls[0]`, the delta around it, or the choice around that. The index tells a
 * fragment from a call.
 */
export function recognizeFragment(peek: Peek): Recognition | undefined {
  if (peek.kind("index") === "number" && peek.keys.every((key) => fragmentKeys.has(key)))
    return isFunction(peek.value("function")) ? { part: "event", certainty: level.even } : undefined;
  if (peek.kind("tool_calls") !== "array" && peek.kind("delta") !== "object") return undefined;
  if (peek.keys.length > 10 || peek.has("choices")) return undefined;
  const names = ["role", "tool_calls", ...choiceKeys];
  const part = Object.fromEntries(names.flatMap((key) => (peek.has(key) ? [[key, peek.value(key)]] : [])));
  return isDelta(part) || isChoice(part) ? { part: "event", certainty: level.even } : undefined;
}

/** The chunk that a part was taken out of; `undefined` for anything else. */
export function chunkOf(value: unknown): Fields | undefined {
  const part = fields(value);
  if ("choices" in part) return undefined;
  if (isFragment(part)) return { choices: [{ index: 0, delta: { tool_calls: [part] } }] };
  if (isDelta(part)) return { choices: [{ index: 0, delta: part }] };
  return isChoice(part) ? { choices: [part] } : undefined;
}

function isFragment(part: Fields): boolean {
  return (
    typeof part["index"] === "number" &&
    Object.keys(part).every((key) => fragmentKeys.has(key)) &&
    isFunction(part["function"])
  );
}

/** A delta with fragments. Clients that keep the index write whole messages, with their role. */
function isDelta({ role, tool_calls: calls }: Fields): boolean {
  const fragments = list(calls).map(fields);
  const isFirst = fragments.every((call) => fields(call["function"])["arguments"] === "");
  return fragments.length > 0 && fragments.every(isFragment) && ((role ?? null) === null || isFirst);
}

function isChoice(part: Fields): boolean {
  return isFields(part["delta"]) && choiceKeys.every((key) => key in part);
}

function isFunction(value: unknown): boolean {
  if (!isFields(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => functionKeys.has(key));
}

/** A call, or its function alone, which people paste as `"function": {…}`. A declaration has no arguments. */
export function aroundPart(part: Fields): AroundPart | undefined {
  const { name, arguments: given } = fields(part["function"]);
  const isOther = part["role"] !== undefined || typeof part["index"] === "number";
  if (typeof name === "string" && given !== undefined && !isOther)
    return { before: '{"role":"assistant","content":null,"tool_calls":[', after: "]}" };
  const isFunctionAlone =
    Object.keys(part).every((key) => functionKeys.has(key)) &&
    typeof part["name"] === "string" &&
    typeof part["arguments"] === "string";
  return isFunctionAlone
    ? { before: '{"role":"assistant","content":null,"function_call":', after: "}" }
    : undefined;
}
