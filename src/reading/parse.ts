import { isJsonSpace } from "./json-bytes.ts";
import { jsonDefect } from "./json-defect.ts";

/** JSON nested deeper than this is rejected, as recursion over it may overflow the stack. Logs: under 30. */
const maxNesting = 500;

/** Parses JSON text; `undefined` when it is invalid or nested too deeply. */
export function parseJson(text: string): unknown {
  if (!hasEndsOfJson(text) || isTrap(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is one JSON value, however deeply nested: {@link parseJson} refuses what nests too deep. */
export function isJson(text: string): boolean {
  return isTrap(text) ? jsonDefect(Buffer.from(text)) === undefined : parseJson(text) !== undefined;
}

/** Whether {@link parseJson} refuses a text only because its JSON is nested too deeply. */
export function isDeepJson(text: string): boolean {
  return isTrap(text) && isJson(text);
}

/**
 * What {@link parseJson} refuses for its depth, with `null` in place of the values that nest too deep;
 * `undefined` for all other texts.
 */
export function parseDeepJson(text: string): unknown {
  if (!isTrap(text)) return undefined;
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  let values: object[] = [root as object];
  for (let depth = 1; values.length > 0; depth++) {
    const inner: object[] = [];
    for (const value of values)
      for (const [key, child] of Object.entries(value)) {
        if (typeof child !== "object" || child === null) continue;
        if (depth < maxNesting) inner.push(child);
        else Object.defineProperty(value, key, { value: null, enumerable: true });
      }
    values = inner;
  }
  return root;
}

/**
 * Whether a text begins and ends as one JSON value does. Most texts that are not JSON fail this test, which
 * costs far less than the error that the parser throws.
 */
function hasEndsOfJson(text: string): boolean {
  let start = 0;
  let end = text.length - 1;
  while (isJsonSpace(text.charCodeAt(start))) start++;
  while (end > start && isJsonSpace(text.charCodeAt(end))) end--;
  const last = text.charCodeAt(end);
  switch (text.charCodeAt(start)) {
    case 123:
      return last === 125;
    case 91:
      return last === 93;
    case 34:
      return last === 34 && end > start;
    default:
      return start <= end;
  }
}

function isTrap(text: string): boolean {
  return (
    text.length > maxNesting * 2 &&
    countUpTo(text, "{", maxNesting) + countUpTo(text, "[", maxNesting) > maxNesting &&
    nestsTooDeep(text)
  );
}

/** A search for single characters is far faster than a loop over all, so nearly all texts cost little. */
function countUpTo(text: string, character: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count <= most; at = text.indexOf(character, at + 1))
    count++;
  return count;
}

/** Whether the first value of a text does. What follows it the parser refuses without a look. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) isString = !isString;
    else if (isString) {
      if (code === 92) at++;
    } else if (code === 123 || code === 91) {
      if (++depth > maxNesting) return true;
    } else if ((code === 125 || code === 93) && --depth <= 0) return false;
  }
  return false;
}
