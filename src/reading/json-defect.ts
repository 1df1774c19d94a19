import { isJsonSpace } from "./json-bytes.ts";

/** Where a text is not JSON as RFC 8259 has it. Offsets count in bytes. */
export interface JsonDefect {
  readonly at: number;
  /** What is wrong, as a clause: "a trailing comma". */
  readonly message: string;
  /** It stands in a string, which reads differently without it. */
  readonly isInString?: true;
  /** The text ends inside the value. */
  readonly isCutOff?: true;
}

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * The first byte that RFC 8259 does not allow in a value, at any depth; `undefined` where all is well. For
 * texts that JSON.parse refuses: it names no place.
 */
export function jsonDefect(bytes: Buffer, start = 0, end = bytes.length): JsonDefect | undefined {
  return defectIn(bytes, start, end, []);
}

/** How many objects and lists are open where {@link jsonDefect} finds a defect; 0 without one. */
export function depthOfDefect(bytes: Buffer): number {
  const closers: number[] = [];
  return defectIn(bytes, 0, bytes.length, closers) ? closers.length : 0;
}

/** `closers` takes the brackets that are still open at the end. */
function defectIn(bytes: Buffer, start: number, end: number, closers: number[]): JsonDefect | undefined {
  let at = start;
  /** What may stand here. */
  let next: "value" | "first" | "key" | "first key" | "comma" | "end" = "value";
  for (;;) {
    while (at < end && isJsonSpace(bytes[at])) at++;
    const byte = bytes[at];
    if (at >= end || byte === undefined)
      return next === "end"
        ? undefined
        : { at: Math.max(start, end - 1), message: "the value is cut off", isCutOff: true };
    if (next === "end") return { at, message: "more text follows the value" };
    const closer = closers.at(-1);
    if (byte === closer && next !== "value" && next !== "key") {
      closers.pop();
      at++;
      next = closers.length === 0 ? "end" : "comma";
    } else if (next === "comma") {
      if (byte !== 44)
        return { at, message: `a comma or \`${String.fromCharCode(closer ?? 125)}\` is missing` };
      at++;
      next = closer === 125 ? "key" : "value";
    } else if (next === "key" || next === "first key") {
      if (byte !== QUOTE)
        return { at, message: byte === closer ? "a trailing comma" : "a key in quotes is expected here" };
      const stop = stringDefect(bytes, at, end);
      if (typeof stop !== "number") return stop;
      at = stop;
      while (at < end && isJsonSpace(bytes[at])) at++;
      if (bytes[at] !== 58) return { at, message: "a colon is expected here" };
      at++;
      next = "value";
    } else if (byte === 123 || byte === 91) {
      closers.push(byte + 2);
      at++;
      next = byte === 123 ? "first key" : "first";
    } else {
      if (byte === closer) return { at, message: "a trailing comma" };
      const stop = byte === QUOTE ? stringDefect(bytes, at, end) : wordDefect(bytes, at, end);
      if (typeof stop !== "number") return stop;
      at = stop;
      next = closers.length === 0 ? "end" : "comma";
    }
  }
}

/** The same for a text. */
export function defectOf(text: string): JsonDefect | undefined {
  return jsonDefect(Buffer.from(text));
}

/** Whether dots stand where the value goes on, as whoever shortened it wrote them: `{"a": [...]}`. */
export function hasEllipsis(text: string): boolean {
  const bytes = Buffer.from(text);
  const at = jsonDefect(bytes)?.at ?? bytes.length;
  return /^(?:\.{3}|…)/.test(bytes.toString("utf8", at, at + 3));
}

/** The end of the string that opens at `start`, or what is wrong in it. */
function stringDefect(bytes: Buffer, start: number, end: number): number | JsonDefect {
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 32)
      return {
        at,
        message:
          byte === 10 || byte === 13
            ? "a string has a line break that is not escaped"
            : `the control character ${hex(byte)} is not escaped in a string`,
        isInString: true,
      };
    if (byte !== BACKSLASH) continue;
    const escaped = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(bytes.toString("latin1", at, at + 6));
    if (!escaped) return { at, message: "an invalid escape", isInString: true };
    at += escaped[0].length - 1;
  }
  return { at: start, message: "the string is not closed", isCutOff: true };
}

/** The beginning of a word, which is given by its bytes as text. */
function shownWord(word: string): string {
  return Buffer.from(word, "latin1")
    .toString("utf8")
    .replace(/\uFFFD$/, "")
    .slice(0, 20);
}

/** The end of a number or word, or what is wrong with it. */
function wordDefect(bytes: Buffer, at: number, end: number): number | JsonDefect {
  const text = bytes.toString("latin1", at, Math.min(end, at + 400));
  const [word = ""] = /^[^\s,\]}:"]+/.exec(text) ?? [];
  if (word === "") return { at, message: "a value is expected here" };
  if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word))
    return { at, message: `\`${shownWord(word)}\` is not a JSON value` };
  return at + word.length;
}

function hex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, "0").toUpperCase()}`;
}
