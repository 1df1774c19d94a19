import { printable } from "./visible.ts";

/** Words and punctuation without meaning in Markdown, HTML or GitHub references (@name, #1, URLs). */
const words = /^[\p{L}\p{M}\p{N} .,;:?!'"()%=+/…×→·–—-]*$/u;
const reference = /\/\/|www\.|\bgh-\d|:\w+:/i;
/** The beginnings of list items and headings. */
const opening = /^\s*(?:[-+=–]|\d+[.)])/;

/**
 * A report sentence as masked Markdown on one line. Text in backticks becomes code; if anything else could be
 * markup, the whole sentence becomes code, so that no text from a log is read as Markdown or HTML.
 */
export function sentenceMarkdown(text: string, inTable = false): string {
  const safe = printable(text, false);
  const parts = safe.split(/(`[^`]+`)/);
  const isPlain = parts.every(
    (part, index) => index % 2 === 1 || (words.test(part) && !reference.test(part)),
  );
  if (!isPlain || opening.test(safe)) return span(safe, inTable);
  return parts.map((part, index) => (index % 2 === 1 ? span(part.slice(1, -1), inTable) : part)).join("");
}

/** Any text as a masked code span on one line. */
export function codeMarkdown(text: string, inTable = false): string {
  return span(printable(text, false), inTable);
}

/** Any text as a masked block of code on one line. */
export function blockMarkdown(text: string, language: string): string {
  const safe = printable(text, false);
  const longest = Math.max(2, ...(safe.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${safe}\n${fence}\n`;
}

/** A code span whose fence is longer than any run of backticks in the text. */
function span(text: string, inTable: boolean): string {
  if (text === "") return "";
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? " " : "";
  return `${fence}${pad}${inTable ? withoutBars(text) : text}${pad}${fence}`;
}

/** A bar ends a table cell even in code. A backslash before the bar would undo its escape. */
function withoutBars(text: string): string {
  return text.replace(/(?<!\\)(\\*)\|/g, (_, slashes: string) =>
    slashes === "" ? "\\|" : `${slashes}\\u{7c}`,
  );
}
