import { level } from "../../traffic/certainty.ts";
import type { Peek, Recognition } from "../protocol.ts";
import { type Fields, fields, isFields } from "../wire.ts";

/** The members of a call's fragment in a chunk of a stream. */
const fragmentKeys = new Set(["index", "id", "type", "function", "custom"]);

/** The members of its function; `name` says which tool in the first fragment alone. */
const functionKeys = new Set(["name", "arguments"]);

/**
 * Programs print what they take out of the chunks: each fragment of a call alone, as in
 * `chunk.choices[0].delta.tool_calls[0]`. The index tells a fragment from a call.
 */
export function recognizeFragment(peek: Peek): Recognition | undefined {
  if (peek.kind("index") !== "number" || !peek.keys.every((key) => fragmentKeys.has(key))) return undefined;
  return isFunction(peek.value("function")) ? { part: "event", certainty: level.even } : undefined;
}

/** The chunk that a fragment was taken out of; `undefined` for anything else. */
export function chunkOf(value: unknown): Fields | undefined {
  const fragment = fields(value);
  if (typeof fragment["index"] !== "number" || !isFunction(fragment["function"])) return undefined;
  if (!Object.keys(fragment).every((key) => fragmentKeys.has(key))) return undefined;
  return { choices: [{ index: 0, delta: { tool_calls: [fragment] } }] };
}

function isFunction(value: unknown): boolean {
  if (!isFields(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => functionKeys.has(key));
}
