import { charactersOf, runAt } from "./runs.ts";

/** A text made from another one, with the way back. */
export interface DecodedText {
  readonly text: string;
  /** The range of the other text that a range of this one was made from. */
  rangeOf(start: number, end: number): { readonly start: number; readonly end: number };
  /** What the other text is to hold in that range so that these characters of this one are masked. */
  masked?(start: number, end: number): string;
}

/**
 * Escapes of ASCII in JSON, programs, URLs and HTML, also when they are escaped once more. Backslashes are
 * read from the first of their run only: from each of them, a long run would take quadratic time.
 */
const escapes =
  /(?<!\\)\\+(?:u00(0[9ad]|[2-7][\da-f])|x(0[9ad]|[2-7][\da-f])|(\/))|%(?:25)*(0[9ad]|[2-7][\da-f])|&(?:quot|amp|lt|gt|apos|#x([2-7][\da-f])|#(\d{2,3}));/gi;
const entities: Readonly<Record<string, string>> = { quot: '"', amp: "&", lt: "<", gt: ">", apos: "'" };

/** A part of a text: copied from the other text, or one character that an escape of `width` stands for. */
interface Part {
  readonly at: number;
  readonly from: number;
  readonly width?: number;
}

/** The text without escapes of visible ASCII; `undefined` when it has none. */
export function unescaped(text: string): DecodedText | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  const texts: string[] = [];
  const parts: Part[] = [];
  let size = 0;
  let copied = 0;
  for (const found of text.matchAll(escapes)) {
    const { 0: seen, index } = found;
    parts.push({ at: size, from: copied }, { at: size + index - copied, from: index, width: seen.length });
    texts.push(text.slice(copied, index), characterOf(found));
    size += index - copied + 1;
    copied = index + seen.length;
  }
  if (parts.length === 0) return undefined;
  parts.push({ at: size, from: copied });
  texts.push(text.slice(copied));
  const partAt = (offset: number): Part =>
    parts[lastAt(parts.length, (index) => (parts[index]?.at ?? 0) <= offset)] ?? { at: 0, from: 0 };
  const placeOf = (offset: number): number => {
    const { at, from, width } = partAt(offset);
    return width === undefined ? from + offset - at : from;
  };
  return {
    text: texts.join(""),
    rangeOf(start, end) {
      const { at, from, width } = partAt(end - 1);
      return { start: placeOf(start), end: width === undefined ? from + end - at : from + width };
    },
  };
}

function characterOf({ 0: seen, 1: json, 2: program, 4: url, 5: hex, 6: decimal }: RegExpMatchArray): string {
  const code = json ?? program ?? url ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return entities[seen.slice(1, -1).toLowerCase()] ?? "/";
}

/** The last index for which a condition holds that holds up to some index; 0 if for none. */
export function lastAt(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Runs of base64, also in lines; shorter ones hold no credential. */
const runs = /[A-Za-z0-9+/_-]{24,}(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z0-9+/_-]{4,})*={0,2}/y;
const shortestRun = 24;
const isBase64 = charactersOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-");

/** A run is text if its beginning is. */
const headSize = 32;

/** The texts that runs of base64 in a text encode. */
export function* base64Texts(text: string): Generator<DecodedText> {
  let searched = 0;
  for (;;) {
    const index = runAt(text, isBase64, shortestRun, searched);
    if (index === undefined) return;
    runs.lastIndex = index;
    const run = runs.exec(text)?.[0] ?? "";
    searched = index + run.length;
    if (!isText(bytesOf(run.slice(0, headSize).replace(/[^\w+/-]/g, "")))) continue;
    const decoded = base64Text(run, index);
    if (decoded) yield decoded;
  }
}

function base64Text(run: string, offset: number): DecodedText | undefined {
  /** Where each character of base64 stands, without line breaks. */
  const places: number[] = [];
  for (const { 0: characters, index } of run.matchAll(/(?<!\\)[A-Za-z0-9+/_=-]+/g))
    for (let at = 0; at < characters.length; at++) places.push(offset + index + at);
  const isUrlSafe = /[-_]/.test(run);
  const letters = places.map((place) => run.charAt(place - offset)).join("");
  const text = bytesOf(letters);
  if (text === undefined) return undefined;
  const groups = (start: number, end: number): [number, number] => [
    Math.floor(start / 3) * 4,
    Math.min(places.length, Math.ceil(end / 3) * 4),
  ];
  const rangeOf = (start: number, end: number): { start: number; end: number } => {
    const [from, to] = groups(start, end);
    return { start: places[from] ?? offset, end: (places[to - 1] ?? offset) + 1 };
  };
  return {
    text,
    rangeOf,
    masked(start, end) {
      const [from, to] = groups(start, end);
      const bytes = text.slice((from / 4) * 3, Math.ceil(to / 4) * 3);
      const at = start - (from / 4) * 3;
      const blotted = bytes.slice(0, at) + "*".repeat(end - start) + bytes.slice(at + end - start);
      let encoded = btoa(blotted);
      if (isUrlSafe) encoded = encoded.replaceAll("+", "-").replaceAll("/", "_");
      const range = rangeOf(start, end);
      const characters = [...run.slice(range.start - offset, range.end - offset)];
      for (let index = from; index < to; index++)
        characters[(places[index] ?? 0) - range.start] = encoded.charAt(index - from);
      return characters.join("");
    },
  };
}

/** The bytes that base64 encodes, one character each. */
function bytesOf(base64: string): string | undefined {
  const plain = base64
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/(?<!=)=+$/, "");
  try {
    return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
  } catch {
    return undefined;
  }
}

function isText(bytes: string | undefined): boolean {
  return bytes !== undefined && bytes.length > 8 && /^[\t\n\r -~]*$/.test(bytes);
}
