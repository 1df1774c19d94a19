import { isAscii } from "node:buffer";
import type { Surroundings } from "./surroundings.ts";
import type { Segment } from "./view.ts";

/**
 * How often a text is escaped. JSON inside a JSON string is at level 1, and so on. At level n, 2ⁿ − 1
 * backslashes precede each structural quote, and n rounds of unescaping give the plain text.
 */
export type EscapeLevel = number;

/** The text of raw bytes at a level, with all rounds of escapes undone. Malformed escapes stay. */
export function plainText(bytes: Buffer, start: number, end: number, level: EscapeLevel): string {
  let text = bytes.toString("utf8", start, end);
  for (let round = 0; round < level; round++) text = unescapeOnce(text);
  return text;
}

function unescapeOnce(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return looseUnescape(text);
  }
}

const shortEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  '"': '"',
  "\\": "\\",
  "/": "/",
};

/** Unescapes text that JSON.parse rejects: raw line feeds inside a string, a cut `\u00`, a lone backslash. */
function looseUnescape(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let slash = text.indexOf("\\"); slash >= 0; slash = text.indexOf("\\", done)) {
    parts.push(text.slice(done, slash));
    const next = text[slash + 1] ?? "";
    const code = next === "u" ? text.slice(slash + 2, slash + 6) : "";
    if (/^[0-9a-fA-F]{4}$/.test(code)) {
      parts.push(String.fromCharCode(Number.parseInt(code, 16)));
      done = slash + 6;
    } else {
      parts.push(shortEscapes[next] ?? `\\${next}`);
      done = slash + 1 + next.length;
    }
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Undoes one round of escapes on bytes. The segments map the result to its source. */
export function unescapeBytes(bytes: Buffer): { bytes: Buffer; segments: Segment[] } {
  const out = Buffer.allocUnsafe(bytes.length);
  const segments: Segment[] = [];
  let at = 0;
  let from = 0;
  const copy = (until: number): void => {
    if (until <= from) return;
    segments.push({ at, from, length: until - from });
    at += bytes.copy(out, at, from, until);
    from = until;
  };
  for (let slash = bytes.indexOf(92); slash >= 0; slash = bytes.indexOf(92, from)) {
    copy(slash);
    const next = String.fromCharCode(bytes[slash + 1] ?? 0);
    let length = 2;
    let text = shortEscapes[next];
    if (next === "u") {
      const unit = hexUnit(bytes, slash);
      if (unit !== undefined) {
        length = 6;
        text = String.fromCharCode(unit);
        const low = unit >= 0xd800 && unit < 0xdc00 ? hexUnit(bytes, slash + 6) : undefined;
        if (low !== undefined && low >= 0xdc00 && low < 0xe000) {
          length = 12;
          text += String.fromCharCode(low);
        }
      }
    }
    if (text === undefined) {
      from = slash;
      copy(Math.min(bytes.length, slash + 1));
      continue;
    }
    segments.push({ at, from: slash, length: 0, width: length });
    at += out.write(text, at);
    from = slash + length;
  }
  copy(bytes.length);
  return { bytes: out.subarray(0, at), segments: segments };
}

function hexUnit(bytes: Buffer, slash: number): number | undefined {
  if (bytes[slash] !== 92 || bytes[slash + 1] !== 117) return undefined;
  const digits = bytes.toString("latin1", slash + 2, slash + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

const [plain, escaped] = [1, 2];

/** How a JSON writer writes characters beyond ASCII. */
function beyondAscii(raw: Buffer): number {
  if (!isAscii(raw)) return plain;
  for (let at = raw.indexOf("\\u"); at >= 0; at = raw.indexOf("\\u", at + 2)) {
    const unit = hexUnit(raw, at);
    if (unit !== undefined && unit >= 160) return escaped;
  }
  return 0;
}

/** Whether a JSON writer escapes characters beyond ASCII; what it wrote around tells if `raw` has none. */
export function escapesBeyondAscii(raw: Buffer, around: Surroundings): boolean {
  const traits = beyondAscii(raw) || around(beyondAscii);
  return (traits & plain) === 0 && traits !== 0;
}

/** Characters that some writers escape without need, to embed JSON in HTML or JavaScript. */
const html = ["<", ">", "&"];

/**
 * Returns a function that escapes text for a JSON string in the style of `raw`: `\"` or `\u0022`, `/` or
 * `\/`, `ü` or `\u00fc`. `around` is read only when `raw` does not show the style.
 */
export function escapeWriter(raw: Buffer, around: Surroundings): (text: string) => string {
  const seen = new Map<string, string>();
  for (let slash = raw.indexOf(92); slash >= 0; ) {
    const letter = String.fromCharCode(raw[slash + 1] ?? 0);
    const unit = letter === "u" ? hexUnit(raw, slash) : undefined;
    const plain = unit === undefined ? shortEscapes[letter] : String.fromCharCode(unit);
    const length = unit === undefined ? 2 : 6;
    if (plain !== undefined && !seen.has(plain))
      seen.set(plain, raw.toString("latin1", slash, slash + length));
    slash = raw.indexOf(92, slash + length);
  }
  const digits = [...seen.values()].map((written) => written.slice(2)).join("");
  const isUpper = /[A-F]/.test(digits) && !/[a-f]/.test(digits);
  const escapesHtml = html.some((character) => seen.has(character));
  let escapesAll: boolean | undefined;

  const number = (character: string): string => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  };
  const spell = (character: string): string => {
    const known = seen.get(character);
    if (known !== undefined) return known;
    if (character === '"' || character === "\\") return `\\${character}`;
    if (character < " ") return JSON.stringify(character).slice(1, -1);
    if (html.includes(character)) return escapesHtml ? number(character) : character;
    if (character <= "~") return character;
    escapesAll ??= escapesBeyondAscii(raw, around);
    return escapesAll ? number(character) : character;
  };
  return (text) => text.replace(/[^ !#-%(-.0-;=?-[\]-~]/g, spell);
}
