import { printable } from "./visible.ts";

/** Words and their punctuation: nothing that Markdown, HTML or GitHub's references (@name, #1, URLs) are made of. */
const words = /^[\p{L}\p{M}\p{N} .,;:?!'"()%=+/…×→·–—-]*$/u;
const reference = /\/\/|www\.|\bgh-\d|:\w+:/i;
/** What makes a list or a heading of a line that begins with it. */
const opening = /^\s*(?:[-+=–]|\d+[.)])/;

/**
 * A sentence of a report as Markdown in one line, credentials masked. What it has in backticks becomes code; when anything else in
 * it could be markup, the whole sentence becomes code, so that nothing from a log is ever read as Markdown or HTML.
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

/** Any text as a code span in one line, credentials masked. */
export function codeMarkdown(text: string, inTable = false): string {
  return span(printable(text, false), inTable);
}

/** A code span whose fence is longer than any run of backticks in it. */
function span(text: string, inTable: boolean): string {
  if (text === "") return "";
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? " " : "";
  return `${fence}${pad}${inTable ? withoutBars(text) : text}${pad}${fence}`;
}

/** A table ends a cell at a bar even in code. A backslash before the bar would undo its escape. */
function withoutBars(text: string): string {
  return text.replace(/(\\*)\|/g, (_, slashes: string) => (slashes === "" ? "\\|" : `${slashes}\\u{7c}`));
}
