import type { CST } from "yaml";

/** The library composes values by recursion, and V8 ends the process where a regular expression meets a full stack. */
const maxDepth = 200;

/** Whether the values of a document nest deeper than any recording does. */
export function isTooDeep(root: CST.Token): boolean {
  let level: CST.Token[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap(children);
  }
  return false;
}

function children(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  const found: CST.Token[] = [];
  for (const { key, value } of token.items) {
    if (key && "items" in key) found.push(key);
    if (value && "items" in value) found.push(value);
  }
  return found;
}
