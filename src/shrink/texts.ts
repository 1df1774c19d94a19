import { parseJson } from "../reading/parse.ts";
import { pointerToken } from "../reading/pointer.ts";
import { bodiesOf, changeOf } from "./bodies.ts";
import { edited } from "./edited.ts";
import type { FailingLog } from "./oracle.ts";
import type { Pass, Unit } from "./sweep.ts";

/** Shorter texts stay: cutting them makes a log no easier to read. In UTF-16 units. */
const shortest = 80;
/** How much of a text is kept at first. */
const opening = 40;
/** JSON in texts keeps this many elements of a list. */
const mostElements = 2;
/** Deeper values are left alone. */
const maxDepth = 60;

/** A long text, wherever it stands in the log. */
interface LongText extends Unit {
  readonly text: string;
}

/** Cuts texts to their beginning. JSON in a text stays JSON: the texts and the lists in it are cut. */
export const openingPass: Pass<LongText> = textPass((text) => cutJson(text) ?? opened(text, opening));
/** Cuts off the second half, where the beginning alone is not enough. */
export const firstHalfPass: Pass<LongText> = textPass((text) => opened(text, text.length >> 1));
/** Cuts off the first half. */
export const secondHalfPass: Pass<LongText> = textPass((text) => `…${tailOf(text, text.length >> 1)}`);

function textPass(cut: (text: string) => string): Pass<LongText> {
  return {
    strictness: "warnings",
    unitsOf: (log) =>
      [...longTexts(log)].flatMap((text) =>
        cut(text).length < text.length ? [{ text, name: `a text of ${text.length} characters` }] : [],
      ),
    without(log, units) {
      const gone = new Set(units.map(({ text }) => text));
      const changes = bodiesOf(log).flatMap((body) => {
        const edits = [...textsIn(body.value)].flatMap(({ pointer, text }) =>
          gone.has(text) ? [{ op: "replace" as const, pointer, json: JSON.stringify(cut(text)) }] : [],
        );
        return changeOf(body, edits);
      });
      return edited(log, changes);
    },
  };
}

function longTexts(log: FailingLog): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const { value } of bodiesOf(log)) for (const { text } of textsIn(value)) texts.add(text);
  return texts;
}

/** The long texts of a value, with RFC 6901 pointers. */
function* textsIn(
  value: unknown,
  pointer = "",
  depth = 0,
): Generator<{ readonly pointer: string; readonly text: string }> {
  if (typeof value === "string") {
    if (value.length > shortest) yield { pointer, text: value };
    return;
  }
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  for (const [key, child] of Object.entries(value))
    yield* textsIn(child, `${pointer}/${pointerToken(key)}`, depth + 1);
}

/** The beginning of a text. No character is cut in two. */
function opened(text: string, length: number): string {
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

function tailOf(text: string, start: number): string {
  return text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** A text that is a JSON object or list, with everything long in it cut; `undefined` if it is none. */
function cutJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) return undefined;
  const cut = JSON.stringify(cutValue(value, 0));
  return cut.length < text.length ? cut : text;
}

function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === "string")
    return value.length > shortest ? (cutJson(value) ?? opened(value, opening)) : value;
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.slice(0, mostElements).map((each) => cutValue(each, depth + 1));
  const members = Object.entries(value).map(([key, child]) => [key, cutValue(child, depth + 1)] as const);
  return Object.fromEntries(members);
}
