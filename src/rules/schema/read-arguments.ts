import type { Step } from "../../conversation/conversation.ts";
import { canonical } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isFields } from "../../reading/values.ts";

/**
 * Whether a client may have made these arguments by parsing a call's arguments with the tool's schema: it
 * fills in defaults, converts types and drops unknown members. The AI SDK sends back what Zod returned.
 */
export function isSchemaReading(before: ToolCall, after: ToolCall, { request }: Step): boolean {
  if (!isFields(before.arguments) || !isFields(after.arguments)) return false;
  const schema = request?.tools?.find(({ name }) => name === before.name)?.parameters;
  const known = isFields(schema) && isFields(schema["properties"]) ? schema["properties"] : undefined;
  const read = after.arguments;
  const kept = Object.entries(before.arguments).filter(([name]) => Object.hasOwn(read, name));
  return (
    kept.length > 0 &&
    kept.every(([name, value]) => isSameValue(value, read[name])) &&
    Object.keys(before.arguments).every(
      (name) => Object.hasOwn(read, name) || (known !== undefined && !Object.hasOwn(known, name)),
    )
  );
}

function isSameValue(before: unknown, after: unknown): boolean {
  if (canonical(before) === canonical(after)) return true;
  return (
    isScalar(before) && isScalar(after) && typeof before !== typeof after && String(before) === String(after)
  );
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
