import type { CST } from "yaml";

/** The library is recursive, and V8 aborts the process if a regular expression runs out of stack. */
const maxDepth = 200;

/** Whether a document nests deeper than any real recording. */
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
