import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import type { Slice } from "./slice.ts";

/** Members that are neither objects, lists nor long texts. Of an address in parts, the whole one. */
export function* scalars(at: Slice, node: JsonNode): Iterable<[string, unknown]> {
  for (const { key, node: member } of node.members ?? []) {
    const child = key === "url" ? wholeAddress(member) : member;
    if (
      child.kind === "string"
        ? child.end - child.start < 2048
        : child.kind !== "object" && child.kind !== "array"
    ) {
      yield [key, readValue(at.bytes, child, at.level)];
    }
  }
}

/** Members that may describe the exchange: scalars and headers. */
export function* plainMembers(at: Slice, node: JsonNode): Iterable<[string, unknown]> {
  yield* scalars(at, node);
  for (const { key, node: child } of node.members ?? []) {
    if (
      /headers?$/i.test(key) &&
      (child.kind === "object" || child.kind === "array") &&
      child.end - child.start < 65_536
    ) {
      yield [key, readValue(at.bytes, child, at.level)];
    }
  }
}

/** Postman keeps an address in parts, next to the text that they come from. */
function wholeAddress(node: JsonNode): JsonNode {
  return node.members?.find(({ key }) => key === "raw")?.node ?? node;
}
