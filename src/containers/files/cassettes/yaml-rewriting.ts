import { isAscii } from "node:buffer";
import type { Surroundings } from "../../../reading/surroundings.ts";
import {
  type MappedPatches,
  mapThroughSegments,
  type Patch,
  patched,
  type SegmentWriter,
} from "../../../reading/view.ts";
import type { ScalarText } from "./scalar-writer.ts";
import { blockIndent } from "./yaml-blocks.ts";
import { decodeScalar } from "./yaml-scalars.ts";

const DOUBLE = 34;
const SINGLE = 39;
const GREATER = 62;
const PIPE = 124;

/**
 * The changes of the file for a changed text of the scalar `raw`, which begins at `base` and was read as
 * `text`. Style and unchanged parts stay if the style can hold the new text; else the scalar is rewritten in
 * double quotes. `around` supplies more of the file, whose escapes are imitated.
 */
export function rewriteScalar(
  raw: Buffer,
  base: number,
  indent: number,
  text: ScalarText,
  patches: readonly Patch[],
  around: Surroundings,
): MappedPatches {
  const wanted = patched(text.bytes, patches);
  const isRead = (candidate: Buffer): boolean => {
    const { bytes, units } = decodeScalar(candidate, 0, indent);
    return units !== undefined && bytes.equals(wanted);
  };
  for (const write of writersOf(raw, indent, around)) {
    const mapped = mapThroughSegments(patches, text.bytes.length, text.segments, write);
    if ("why" in mapped) continue;
    const own = mapped.patches.map((patch) => ({
      ...patch,
      start: patch.start - base,
      end: patch.end - base,
    }));
    if (isRead(patched(raw, own))) return mapped;
  }
  const quoted = wholeScalar(raw, wanted.toString("utf8"), around);
  if (!Buffer.from(wanted.toString("utf8")).equals(wanted) || !isRead(quoted))
    return { why: "the text is not UTF-8, so YAML cannot contain it" };
  // The trailing line end is part of a block.
  const isBlock = raw[0] === PIPE || raw[0] === GREATER;
  const tail = isBlock
    ? /(?<![ \t\r\n])[ \t]*((?:\r?\n[ \t]*)+)$/.exec(raw.toString("latin1"))?.[1]
    : undefined;
  return { patches: [{ start: base, end: base + raw.length - (tail?.length ?? 0), bytes: quoted }] };
}

/** What styles without escapes can hold. Some readers treat U+0085, U+2028 and U+2029 as line ends. */
const printable = /^[\t\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Ways to write changed text in the scalar's own style. The first one that reads back correctly is used. */
function writersOf(raw: Buffer, indent: number, around: Surroundings): SegmentWriter[] {
  const first = raw[0];
  if (first === DOUBLE) {
    const escaped = doubleEscapes(raw, around);
    return [({ bytes }) => Buffer.from(escaped(bytes.toString("utf8")))];
  }
  const verbatim =
    (allowed: RegExp, write: (text: string) => string): SegmentWriter =>
    ({ bytes }) => {
      const text = bytes.toString("utf8");
      return allowed.test(text) && printable.test(text) ? Buffer.from(write(text)) : undefined;
    };
  if (first === SINGLE) return [verbatim(/^[^\n]*$/, (text) => text.replaceAll("'", "''"))];
  // Nearly any other character may change a plain scalar's meaning, and so may a short word or a number.
  if (first !== PIPE && first !== GREATER)
    return [verbatim(/^(?!0x|[\d.]*(?:e\d*)?$)[A-Za-z0-9+/=]{8,}$/i, (text) => text)];
  const margin = blockIndent(raw, indent);
  if (margin === undefined) return [];
  const newline = `${raw[raw.indexOf(10) - 1] === 13 ? "\r" : ""}\n`;
  const lines = (feed: string): SegmentWriter =>
    verbatim(/^/, (text) =>
      text.replaceAll(/\n(?!\n|$)/g, feed + " ".repeat(margin)).replaceAll(/\n(?=\n|$)/g, newline),
    );
  return first === PIPE ? [lines(newline)] : [lines(newline), lines(newline + newline)];
}

function wholeScalar(raw: Buffer, text: string, around: Surroundings): Buffer {
  if (raw[0] === SINGLE && printable.test(text) && !text.includes("\n"))
    return Buffer.from(`'${text.replaceAll("'", "''")}'`);
  return Buffer.from(`"${doubleEscapes(raw, around)(text)}"`);
}

// biome-ignore format: a table
const shortEscapes: Readonly<Record<string, string>> = {
  "\0": "\\0", "\x07": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
  '"': '\\"', "\\": "\\\\", "\u0085": "\\N", "\u2028": "\\L", "\u2029": "\\P",
};

/** Escapes text for double quotes; non-ASCII is spelled as in `bytes`, or else as around it. */
function doubleEscapes(bytes: Buffer, around: Surroundings): (text: string) => string {
  let spelling: Spelling | undefined;
  const spell = (character: string): string => {
    const short = shortEscapes[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 32 || code === 127) return `\\x${hex(code, 2, true)}`;
    spelling ??= spellingOf(traitsOf(bytes) || around(traitsOf));
    const { isRaw, isUpper, isHalved } = spelling;
    if (isRaw && code !== 0xfeff && printable.test(character)) return character;
    if (code < 256) return `\\x${hex(code, 2, isUpper)}`;
    if (code < 0x10000) return `\\u${hex(code, 4, isUpper)}`;
    return isHalved
      ? [...character.split("")].map((half) => `\\u${hex(half.charCodeAt(0), 4, isUpper)}`).join("")
      : `\\U${hex(code, 8, isUpper)}`;
  };
  return (text) => text.replace(/[^ !#-[\]-~]/gu, spell);
}

/** Text in double quotes; non-ASCII is spelled as around it. */
export function doubleQuoted(text: string, around: Surroundings): string {
  return `"${doubleEscapes(Buffer.alloc(0), around)(text)}"`;
}

interface Spelling {
  readonly isRaw: boolean;
  readonly isUpper: boolean;
  /** Characters beyond U+FFFF are written as two escapes. */
  readonly isHalved: boolean;
}

const [verbatim, escaped, lower, halved] = [1, 2, 4, 8];

/** How non-ASCII characters are written. */
function traitsOf(bytes: Buffer): number {
  if (!isAscii(bytes)) return verbatim;
  const escapes = bytes
    .toString("latin1")
    .match(/(?<!\\)(?:\\\\)*\\(?:x[89a-f][0-9a-f]|u[0-9a-f]{4}|U[0-9a-f]{8})/gi);
  if (!escapes) return 0;
  const digits = escapes.map((written) => written.replace(/^\\+[xuU]/, "")).join("");
  const isHalved = escapes.some((written) => /u[dD][89abAB]/.test(written));
  return escaped | (/[a-f]/.test(digits) ? lower : 0) | (isHalved ? halved : 0);
}

function spellingOf(traits: number): Spelling {
  const isRaw = (traits & verbatim) !== 0;
  return {
    isRaw,
    isUpper: isRaw || (traits & lower) === 0,
    isHalved: !isRaw && (traits & halved) !== 0,
  };
}

function hex(code: number, length: number, isUpper: boolean): string {
  const digits = code.toString(16).padStart(length, "0");
  return isUpper ? digits.toUpperCase() : digits;
}
