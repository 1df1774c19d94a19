import { parseJson } from "./parse.ts";
import { scanJson } from "./scan.ts";
import { type Fields, isFields } from "./values.ts";

/**
 * The complete records at the start of a line, or of a file whose records take several lines each. Writers
 * that share a file may lose line feeds; the commas of a list are left where its brackets are.
 */
export function* gluedRecords(
  bytes: Buffer,
  from: number,
  end: number,
): Generator<{ readonly value: Fields; readonly start: number; readonly end: number }> {
  let at = from;
  while (at < end) {
    while (at < end && /[\s,]/.test(String.fromCharCode(bytes[at] as number))) at++;
    const node = bytes[at] === 123 ? scanJson(bytes, at, end) : undefined;
    const value =
      node?.state === "complete" ? parseJson(bytes.toString("utf8", node.start, node.end)) : undefined;
    if (!node || !isFields(value)) return;
    yield { value, start: node.start, end: node.end };
    at = node.end;
  }
}
