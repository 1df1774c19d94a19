import { isAscii } from "node:buffer";
import { textOfLength } from "../utf8.ts";
import type { Copy, Substitute } from "./copy.ts";
import { substituted } from "./copy.ts";

/** Blanks that browsers and chat programs write where JSON has its own, and marks without a width. */
const others = String.raw`\u00a0\u1680\u2002-\u200b\u202f\u205f\u2060\u3000`;

const zeroWidth = /[\u200b\u2060\ufeff]/;

/** Such a blank before a key or a bracket on a line, or behind a key: JSON allows none there. */
const inJson = new RegExp(
  String.raw`(?:^|\n)[ \t]*[${others}][ \t${others}]*["'{[\]}]|[\w$]["'][ \t]*:[ \t]*[${others}]`,
);

/**
 * What tells strings from what stands between them, and the blanks. A byte order mark is one of them, but no
 * sign of a copy: files that were joined have some.
 */
const marks = new RegExp(String.raw`\\.|"|[${others}\ufeff]`, "g");

/** JSON or printed values that are laid out with other blanks than theirs. */
export const blanks: Copy = {
  reason: "blanks that JSON does not have",
  isCertain: true,
  restore(source) {
    const bytes = source.read(0, source.size);
    // Most logs are checked without being decoded.
    if (isAscii(bytes)) return undefined;
    const text = textOfLength(bytes);
    if (!inJson.test(text)) return undefined;
    const found: Substitute[] = [];
    let at = 0;
    for (const line of text.split("\n")) {
      pushOutsideStrings(found, line, at);
      at += Buffer.byteLength(line) + 1;
    }
    return found.length === 0 ? undefined : substituted(source, found);
  },
};

/** Finds the blanks of a line that no string holds; no string of JSON has a line end. */
function pushOutsideStrings(found: Substitute[], line: string, start: number): void {
  let inString = false;
  let at = start;
  let from = 0;
  for (const { 0: mark, index } of line.matchAll(marks)) {
    if (mark === '"') inString = !inString;
    else if (!inString && mark[0] !== "\\") {
      at += Buffer.byteLength(line.slice(from, index));
      from = index;
      found.push({ start: at, end: at + Buffer.byteLength(mark), text: zeroWidth.test(mark) ? "" : " " });
    }
  }
}
