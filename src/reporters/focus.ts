import type { FindingReport } from "../findings/report.ts";
import type { TextRange } from "./width.ts";

/** What to look for in a place that is too long to show: the part that a finding is about. */
export interface FocusTerms {
  /** Tools, ids, quoted texts: those named in the message first, then those that only the data contain. */
  readonly values: readonly (readonly string[])[];
  /** For a chunk of a reply: the last name in its pointer. */
  readonly key?: string;
}

/** Maximum number of escapings of a value, for JSON inside JSON inside JSON. */
const deepest = 3;

/** The member that contains the new content of a stream chunk. */
const streamed = "delta";

/** Minimum length of a fragment that identifies a longer text. */
const shortest = 4;

/** What to look for in the place of a finding, or of one of its notes. */
export function focusTerms(finding: FindingReport, note?: FindingReport["related"][number]): FocusTerms {
  const { location } = note ?? finding;
  const values = [
    [...(note ? named(note.message) : []), ...named(finding.message)],
    Object.values(finding.data).flat().filter(isText),
  ];
  const key = location.part === "response" ? lastName(location.pointer ?? "") : undefined;
  return { values, ...(key !== undefined && { key }) };
}

/** The part of a long JSON text that shows what it is about; `undefined` if there is none. */
export function focusOf(text: string, { values, key }: FocusTerms): TextRange | undefined {
  for (const find of [wholeValue, partOfValue]) {
    for (const group of values) {
      const found = earliest(group.flatMap((value) => find(text, value) ?? []));
      if (found) return found;
    }
  }
  return key === undefined ? undefined : (memberValue(text, key) ?? memberValue(text, streamed));
}

/** The offset of the member whose value starts here; the value's own start if that cannot be determined. */
export function memberStart(text: string, { start }: TextRange): number {
  const before = text.slice(Math.max(0, start - 40), start);
  const member = /(?<=[{,[]\s*)\\*"[\w-]+\\*"\s*:[\s[{]*\\*"?$/.exec(before);
  return member ? start - member[0].length : start;
}

function named(message: string): string[] {
  const values = [...message.matchAll(/`([^`]+)`/g)].map(([, value = ""]) => value.replace(/…$/, ""));
  // A text of backticks that was shortened leaves an empty value, which every place would contain.
  return values.filter((value) => value !== "");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function lastName(pointer: string): string | undefined {
  return pointer.split("/").findLast((part) => /^[A-Za-z_]\w*$/.test(part));
}

function earliest(ranges: readonly TextRange[]): TextRange | undefined {
  return ranges.reduce<TextRange | undefined>(
    (first, each) => (first && first.start <= each.start ? first : each),
    undefined,
  );
}

/** A text as escaped in JSON, in JSON inside JSON, and so on. */
function written(value: string): string[] {
  const forms = new Set([value]);
  for (let level = 0, form = value; level < deepest; level++) {
    form = JSON.stringify(form).slice(1, -1);
    forms.add(form);
  }
  return [...forms];
}

/** A string equal to the value, without its quotes; member names do not count. */
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

/** A fragment of the value, as in streams, or a longer string that contains the value. */
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
    const fragment = text.slice(start, end).replace(/(?<!\\)\\+$/, "");
    if (end > start && fragment.length >= shortest && forms.some((form) => form.startsWith(fragment)))
      return { start, end: start + fragment.length };
  }
  return undefined;
}

/** The value of a member, if it is a non-empty string, list or object. */
function memberValue(text: string, key: string): TextRange | undefined {
  const found = new RegExp(`"${key}\\\\*"\\s*:\\s*(?:(\\\\*)"(?!\\\\*")|[[{](?![\\]}]))`).exec(text);
  if (!found) return undefined;
  const [{ length }, slashes] = found;
  const start = found.index + length - (slashes === undefined ? 1 : 0);
  const end = slashes === undefined ? text.length : endOfString(text, start, slashes);
  return { start, end };
}

/** The first quote with the same escaping as the opening one. */
function endOfString(text: string, start: number, slashes: string): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let count = 0;
    while (text[at - 1 - count] === "\\") count++;
    if (count === slashes.length) return at - count;
  }
  return text.length;
}
