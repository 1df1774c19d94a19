import type { ByteSource } from "../source.ts";
import { textOfLength } from "../utf8.ts";
import type { Copy, Substitute } from "./copy.ts";
import { substituted } from "./copy.ts";

/** The characters of a log as the source of a page writes them. */
export const entities: Copy = {
  reason: "characters written as in HTML",
  isCertain: false,
  restore: (source) =>
    restored(source, {
      sign: /[{[,]\s*&(?:quot|apos|#0?3[49]|#x2[27]);[\w$.-]+&(?:quot|apos|#0?3[49]|#x2[27]);\s*:/i,
      found: /&(?:quot|apos|lt|gt|amp|nbsp|#\d{1,7}|#x[\da-f]{1,6});/gi,
      text: decodedEntity,
      write: (text) =>
        text
          .replaceAll("&", "&amp;")
          .replaceAll('"', "&quot;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;"),
    }),
};

const named: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  amp: "&",
  nbsp: " ",
};

function decodedEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (name[0] !== "#") return named[name] ?? entity;
  const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : entity;
}

/** Quotes as word processors and chat programs write them. */
export const typographicQuotes: Copy = {
  reason: "typographic quotes",
  isCertain: false,
  restore: (source) =>
    restored(source, {
      sign: /[{[,]\s*[“”„«][\w$.-]+[“”»]\s*:/,
      found: /[“”„«»]/g,
      text: () => '"',
    }),
};

/** Characters that a Markdown editor put a backslash before, though nobody reads the text as Markdown. */
export const markdownEscapes: Copy = {
  reason: "backslashes of Markdown",
  isCertain: false,
  restore: (source) =>
    restored(source, {
      sign: /\\[_[{]/,
      found: /\\[_[\]{}*#().!<>~|`+-]/g,
      text: (escaped) => escaped.slice(1),
    }),
};

interface Writing {
  /** What only such a log has. */
  readonly sign: RegExp;
  readonly found: RegExp;
  text(found: string): string;
  write?(text: string): string;
}

function restored(source: ByteSource, { sign, found, text, write }: Writing): ByteSource | undefined {
  const log = textOfLength(source.read(0, source.size));
  if (!sign.test(log)) return undefined;
  const substitutes: Substitute[] = [];
  let at = 0;
  let from = 0;
  for (const { 0: mark, index } of log.matchAll(found)) {
    at += Buffer.byteLength(log.slice(from, index));
    const end = at + Buffer.byteLength(mark);
    substitutes.push({ start: at, end, text: text(mark) });
    at = end;
    from = index + mark.length;
  }
  return substituted(source, substitutes, write);
}
