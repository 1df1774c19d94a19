import type { Step } from "../../conversation/conversation.ts";
import { canonical } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isObject } from "./argument-schema.ts";

/**
 * Whether a client that read a call's arguments by the tool's schema could have written these: defaults are
 * filled in, values are of the type that the schema wants, members that it does not know are left out. The AI
 * SDK sends back what Zod made of them.
 */
export function isSchemaReading(before: ToolCall, after: ToolCall, { request }: Step): boolean {
  if (!isObject(before.arguments) || !isObject(after.arguments)) return false;
  const schema = request?.tools?.find(({ name }) => name === before.name)?.parameters;
  const known = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : undefined;
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
