import type { FindingReport } from "../findings/report.ts";
import type { TextRange } from "./width.ts";

/** What to look for in a place that is too long to be shown: the part of it that a finding is about. */
export interface FocusTerms {
  /** Tools, ids, what was said: those that the message names, then those that only the data have. */
  readonly values: readonly (readonly string[])[];
  /** For a piece of a reply: the last name in its pointer. */
  readonly key?: string;
}

/** JSON inside JSON inside JSON: a value is escaped so often at most. */
const deepest = 3;

/** The member in which pieces of streams hold what is new. */
const streamed = "delta";

/** A part of a text that stands for a longer one has at least so many characters. */
const shortest = 4;

/** What the place of a finding, or of one of its notes, is to be searched for. */
export function focusTerms(finding: FindingReport, note?: FindingReport["related"][number]): FocusTerms {
  const { location } = note ?? finding;
  const values = [
    [...(note ? named(note.message) : []), ...named(finding.message)],
    Object.values(finding.data).flat().filter(isText),
  ];
  const key = location.part === "response" ? lastName(location.pointer ?? "") : undefined;
  return { values, ...(key !== undefined && { key }) };
}

/** The part of a long piece of JSON that tells what it is about; `undefined` when nothing in it does. */
export function focusOf(text: string, { values, key }: FocusTerms): TextRange | undefined {
  for (const find of [wholeValue, partOfValue]) {
    for (const group of values) {
      const found = earliest(group.flatMap((value) => find(text, value) ?? []));
      if (found) return found;
    }
  }
  return key === undefined ? undefined : (memberValue(text, key) ?? memberValue(text, streamed));
}

/** Where the member begins that a stretch is the value of; the stretch's own start when that cannot be seen from it. */
export function memberStart(text: string, { start }: TextRange): number {
  const before = text.slice(Math.max(0, start - 40), start);
  const member = /(?<=[{,[]\s*)\\*"[\w-]+\\*"\s*:[\s[{]*\\*"?$/.exec(before);
  return member ? start - member[0].length : start;
}

function named(message: string): string[] {
  return [...message.matchAll(/`([^`]+)`/g)].map(([, value = ""]) => value.replace(/…$/, ""));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function lastName(pointer: string): string | undefined {
  return pointer.split("/").findLast((part) => /^[A-Za-z_]\w*$/.test(part));
}

function earliest(stretches: readonly TextRange[]): TextRange | undefined {
  return stretches.reduce<TextRange | undefined>(
    (first, each) => (first && first.start <= each.start ? first : each),
    undefined,
  );
}

/** A text as it stands in JSON, in JSON inside JSON, and so on. */
function written(value: string): string[] {
  const forms = new Set([value]);
  for (let level = 0, form = value; level < deepest; level++) {
    form = JSON.stringify(form).slice(1, -1);
    forms.add(form);
  }
  return [...forms];
}

/** A string that is the value, between its quotes; a name of a member is none. */
function wholeValue(text: string, value: string): TextRange | undefined {
  for (const form of written(value)) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      const end = at + form.length;
      const isValue = text[at - 1] === '"' && /^\\*"(?!\s*:)/.test(text.slice(end, end + 16));
      if (isValue) return { start: at, end };
    }
  }
  return undefined;
}

/** A piece of the value as streams have it, or a longer string that holds the value. */
function partOfValue(text: string, value: string): TextRange | undefined {
  if (value.length < shortest) return undefined;
  for (const form of written(value)) {
    const at = text.indexOf(form);
    if (at >= 0 && !/^\\*"\s*:/.test(text.slice(at + form.length, at + form.length + 16)))
      return { start: at, end: at + form.length };
  }
  const forms = written(value);
  for (const { 0: quote, index } of text.matchAll(/:\s*\\*"/g)) {
    const start = index + quote.length;
    const end = text.indexOf('"', start);
    const piece = text.slice(start, end).replace(/\\+$/, "");
    if (end > start && piece.length >= shortest && forms.some((form) => form.startsWith(piece)))
      return { start, end: start + piece.length };
  }
  return undefined;
}

/** The value of a member, if it is a text, a list or an object that is not empty. */
function memberValue(text: string, key: string): TextRange | undefined {
  const found = new RegExp(`"${key}\\\\*"\\s*:\\s*(?:(\\\\*)"(?!\\\\*")|[[{](?![\\]}]))`).exec(text);
  if (!found) return undefined;
  const [{ length }, slashes] = found;
  const start = found.index + length - (slashes === undefined ? 1 : 0);
  const end = slashes === undefined ? text.length : endOfString(text, start, slashes);
  return { start, end };
}

/** The first quote that is escaped as the opening one was. */
function endOfString(text: string, start: number, slashes: string): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let count = 0;
    while (text[at - 1 - count] === "\\") count++;
    if (count === slashes.length) return at - count;
  }
  return text.length;
}
