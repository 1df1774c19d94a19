import { nodeCrypto } from "../reading/node-modules.ts";
import { parseJson } from "../reading/parse.ts";
import type { ToolResult } from "./item.ts";
import { volatileMark, withoutVolatileParts } from "./volatile-parts.ts";

/**
 * Defines when two results say the same. Their texts are equal but for what changes by itself
 * ({@link withoutVolatileParts}), for the order of members and, in listings, the order of entries. Most of a
 * text has to be there both times: a result that is little else than an id or a time *is* that id or time.
 *
 * Equal results have equal keys, so many results are compared in linear time.
 */

/** Words of a text for each volatile part, at least; with fewer, the volatile part is what the text says. */
const wordsForEachPart = 2;
/** Keys of longer texts are digests. */
const longKey = 200;
/** Keeps hostile nesting off the stack. Deeper values are compared as they are. */
const maxDepth = 100;

const keys = new WeakMap<ToolResult, string>();

/** Equal for results that say the same. In a listing, the order of the entries does not matter. */
export function resultKey(result: ToolResult, isListing: boolean): string {
  let key = keys.get(result);
  if (key === undefined) {
    key = keyOfText(result.text, isListing);
    keys.set(result, key);
  }
  return key;
}

/**
 * Whether the text only names what stood here, so that nothing is known of what the model saw: `[redacted]`,
 * `<tool output>`, `***`. A tool that found nothing says so in other words: `[no output]`, `[]`.
 */
export function isLeftOut({ text }: ToolResult): boolean {
  if (text.length > longestMark) return false;
  const named = /^\s*[[<({]{1,3}([a-z][a-z_ -]*)[\])>}]{1,3}\s*$/i.exec(text)?.[1];
  if (named === undefined) return /^\s*\*{3,}\s*$/.test(text);
  const words = named.toLowerCase().split(/[_ -]+/);
  return (
    words.every((word) => marking.has(word) || joining.has(word)) && words.some((word) => marking.has(word))
  );
}

const longestMark = 80;

/** Words for what stood in a place, and for why it no longer does. */
const marking = new Set(
  `result results output outputs content contents response text message value data placeholder redacted
   removed masked hidden omitted elided stripped scrubbed withheld anonymized anonymised cleared`.split(
    /\s+/,
  ),
);
const joining = new Set(
  "tool function old previous the this its a is was has have been synthetic sample full".split(" "),
);

/** As {@link resultKey}, for a text. */
export function keyOfText(text: string, isListing: boolean): string {
  const exact = text.trim();
  const stable = stableForm(exact, isListing);
  const key = saysEnough(stable) ? stable : exact;
  return key.length > longKey ? nodeCrypto().createHash("sha256").update(key).digest("base64") : key;
}

function stableForm(text: string, isListing: boolean): string {
  const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
  if (value !== undefined) return formOfValue(value, "", { isListing, isInList: false, depth: 0 });
  const stable = withoutVolatileParts(text, false)
    .replace(/([\uE000-\uE004])[ \t]+/g, "$1")
    .replace(/(?<![ \t])[ \t]+(?=[\uE000-\uE004])/g, "");
  return isListing ? inOneOrder(stable.split("\n"), "\n") : stable;
}

interface Surroundings {
  readonly isListing: boolean;
  /** The value is one of several entries, whose ids say which they are. */
  readonly isInList: boolean;
  readonly depth: number;
}

/** A JSON value with sorted members; the name of a member is the label of its value. */
function formOfValue(value: unknown, name: string, around: Surroundings): string {
  const { isListing, isInList, depth } = around;
  if (typeof value === "string" || typeof value === "number")
    return withoutVolatileParts(`${name}: ${value}`, isInList);
  if (typeof value !== "object" || value === null) return `${name}: ${value}`;
  if (depth >= maxDepth) return `${name}: ${flatForm(value)}`;
  if (Array.isArray(value)) {
    const within = { isListing, isInList: isInList || value.length > 1, depth: depth + 1 };
    const entries = value.map((entry) => formOfValue(entry, "", within));
    return `${name}[${isListing ? inOneOrder(entries, ",") : entries.join(",")}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  const within = { ...around, depth: depth + 1 };
  return `${name}{${Object.keys(members)
    .sort()
    .map((member) => formOfValue(members[member], member, within))
    .join("\n")}}`;
}

/** A value without recursion, which hostile nesting would exhaust: equal for equal values only. */
function flatForm(value: unknown): string {
  const parts: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) {
      parts.push(JSON.stringify(next) ?? "");
      continue;
    }
    parts.push(Array.isArray(next) ? `[${next.length}` : JSON.stringify(Object.keys(next)));
    for (const each of Object.values(next)) open.push(each);
  }
  return parts.join("\n");
}

/**
 * The entries of a listing in an order of their own. Entries that repeat, or hold no word, may be rows of a
 * picture, a board or a table of numbers: their order says something.
 */
function inOneOrder(entries: readonly string[], separator: string): string {
  const filled = entries.filter((entry) => entry.trim() !== "");
  const isSet =
    filled.length > 2 &&
    new Set(filled).size === filled.length &&
    filled.every((entry) => /\p{L}{3}/u.test(entry) && !/^[\s:]*\[/.test(entry));
  return isSet ? filled.sort().join(separator) : entries.join(separator);
}

/** The text says more than its volatile parts. */
function saysEnough(stable: string): boolean {
  const parts = stable.match(volatileMark)?.length ?? 0;
  let wanted = parts * wordsForEachPart;
  if (wanted === 0) return true;
  for (const [word] of stable.matchAll(/\p{L}{2,}/gu)) {
    // These scripts write no spaces between words.
    wanted -= /[\u3040-\u30ff\u3400-\u9fff]/.test(word) ? Math.ceil(word.length / 2) : 1;
    if (wanted <= 0) return true;
  }
  return false;
}
