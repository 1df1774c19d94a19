import type { CST } from "yaml";

/**
 * By offset the columns of the parents of a document's block scalars. The library would keep all tokens to
 * give them, and those of a file of 1 MB take 100 MB.
 */
export function blockIndents(root: CST.Token): ReadonlyMap<number, number> {
  const indents = new Map<number, number>();
  const open: CST.Token[] = [root];
  for (let token = open.pop(); token; token = open.pop()) {
    if (token.type === "block-scalar") indents.set(token.offset, token.indent);
    else if (token.type === "document") {
      if (token.value) open.push(token.value);
    } else if ("items" in token) {
      for (const { key, value } of token.items) {
        if (key && holdsBlocks(key)) open.push(key);
        if (value && holdsBlocks(value)) open.push(value);
      }
    }
  }
  return indents;
}

function holdsBlocks(token: CST.Token): boolean {
  return token.type === "block-scalar" || "items" in token;
}
