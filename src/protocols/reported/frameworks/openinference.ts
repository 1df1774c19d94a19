import { fields, isFields, string } from "../../wire.ts";
import type { Framework } from "./framework.ts";

/**
 * Spans of OpenInference (Arize, Phoenix): `{message: {…}}`. Tables of spans flatten paths: `message.role`,
 * and in calls `tool_call.function.name`.
 * @see https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 */
export const openInference: Framework = {
  unwrap(element) {
    const isFlat = typeof element["message.role"] === "string";
    const outer = isFlat ? fields(nested(element)) : element;
    const { message, role, content, type } = outer;
    if (isFields(message) && role === undefined && content === undefined)
      return { message, base: "/message", kind: undefined };
    return isFlat ? { message: outer, base: "", kind: string(type) } : undefined;
  },
};

function nested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nested);
  if (!isFields(value)) return value;
  // Names come from the log and must not reach a prototype.
  const made = Object.create(null) as Record<string, unknown>;
  for (const [path, inner] of Object.entries(value)) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let at = made;
    for (const key of keys) {
      const next = isFields(at[key]) ? at[key] : Object.create(null);
      at[key] = next;
      at = next as Record<string, unknown>;
    }
    at[last] = nested(inner);
  }
  return made;
}
