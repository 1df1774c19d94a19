import type { JsonNode } from "../../reading/json-node.ts";
import { pushAll } from "../../reading/lists.ts";

/** How deep the folders of a collection may lie. */
const maxDepth = 24;

/** Where collections keep their folders and requests. */
const branchKey = /^(?:items?|folders|requests|collections?|children)$/;

/** Where a request keeps the replies that somebody saved with it. */
const repliesKey = /^(?:responses?|examples)$/;

/**
 * The exchanges of a collection in which a client for APIs keeps requests (Postman, Hoppscotch, Bruno), in a
 * tree of folders. A saved reply names what was sent for it, which the request above may no longer be: that
 * one counts only where nothing was saved with it. `undefined` if no reply was saved.
 */
export function savedExchanges(root: JsonNode): readonly JsonNode[] | undefined {
  const records: JsonNode[] = [];
  const hasReplies = collect(root, records, 0);
  return hasReplies ? records : undefined;
}

/** Adds the records below a node; whether one of them has a saved reply. */
function collect(node: JsonNode, records: JsonNode[], depth: number): boolean {
  if (depth > maxDepth) return false;
  if (node.kind === "array") return collectAll(node.items ?? [], records, depth);
  const members = node.members ?? [];
  const saved = members.flatMap(({ key, node: child }) =>
    repliesKey.test(key) ? elementsOf(child).filter(isSavedExchange) : [],
  );
  if (saved.length > 0) {
    pushAll(records, saved);
    return true;
  }
  const branches = members.flatMap(({ key, node: child }) => (branchKey.test(key) ? [child] : []));
  if (branches.length > 0) return collectAll(branches, records, depth);
  if (node.kind === "object") records.push(node);
  return false;
}

function collectAll(nodes: readonly JsonNode[], records: JsonNode[], depth: number): boolean {
  return nodes.map((node) => collect(node, records, depth + 1)).some(Boolean);
}

/** The elements of a list, or the members of an object that names them. */
function elementsOf(node: JsonNode): readonly JsonNode[] {
  return node.items ?? node.members?.map((member) => member.node) ?? [];
}

function isSavedExchange(node: JsonNode): boolean {
  const holds = (key: string): boolean =>
    node.members?.some((member) => member.key === key && member.node.kind === "object") ?? false;
  return holds("originalRequest") || (holds("request") && holds("response"));
}
