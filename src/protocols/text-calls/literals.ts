/**
 * Skips text that only mentions tokens: fenced code, inline code, block quotes, quoted strings, and reasoning
 * before an answer. Scans only move forward, so hostile text costs no more than long text.
 */

const opener = "^[ \\t]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)?(?:`{3,}|~{3,})|^[ \\t]{0,3}>|`+|[\"'“‘«]";

/** The pattern for {@link walk}: any of the tokens (one group each), or the start of a literal. */
export function outsideLiterals(tokens: readonly string[]): RegExp {
  return new RegExp(`${tokens.map((token) => `(${token})`).join("|")}|(?<literal>${opener})`, "gm");
}

/** The index of the token that matched. */
export function tokenIndex(match: RegExpExecArray): number {
  return match.findIndex((group, index) => index > 0 && group !== undefined) - 1;
}

/**
 * Visits the tokens outside literals, in order. The visitor may return where to continue, to skip what it has
 * read; default: right after the token.
 */
export function walk(
  text: string,
  pattern: RegExp,
  from: number,
  visit: (match: RegExpExecArray) => number | undefined,
): void {
  const literalEnd = literalEnds(text);
  for (let at = from; ; ) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return;
    const end = match.groups?.["literal"] === undefined ? visit(match) : literalEnd(match.index, match[0]);
    at = Math.max(end ?? match.index + match[0].length, match.index + 1);
  }
}

const closingQuotes: Readonly<Record<string, string>> = { "“": "”", "‘": "’", "«": "»" };

/** The end of the literal that `opened` begins at `start`; right after `opened` if it begins none. */
function literalEnds(text: string): (start: number, opened: string) => number {
  let lineEnd = -1;
  /** Quotes known to be unclosed, with the end of their line. */
  const unclosed = new Map<string, number>();

  const endOfLine = (at: number): number => {
    if (at > lineEnd) lineEnd = (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
    return lineEnd;
  };

  const quoteEnd = (start: number, quote: string): number => {
    const isApostrophe = start > 0 && /[\p{L}\p{N}_]/u.test(text[start - 1] ?? "");
    const limit = endOfLine(start);
    if (isApostrophe || unclosed.get(quote) === limit) return start + 1;
    const close = closingQuotes[quote] ?? quote;
    for (let at = start + 1; at < limit; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === close && !(close === "'" && /\w/.test(text[at + 1] ?? ""))) return at + 1;
    }
    unclosed.set(quote, limit);
    return start + 1;
  };

  return (start, opened) => {
    const end = start + opened.length;
    const mark = opened.at(-1) ?? "";
    if (mark === ">") return endOfLine(end);
    if (mark !== "`" && mark !== "~") return quoteEnd(start, opened);
    const width = opened.length - opened.search(/(?<![`~])[`~]+$/);
    const isFence = width >= 3 && (start === 0 || text[start - 1] === "\n");
    if (!isFence || (mark === "`" && text.slice(end, endOfLine(end)).includes("`")))
      return codeEnd(text, end, width);
    // An unclosed fence extends to the end of the text.
    const close = new RegExp(`^[ \\t]*${mark}{${Math.min(width, 1000)},}[ \\t]*\\r?$`, "gm");
    close.lastIndex = end;
    return close.exec(text) ? close.lastIndex : text.length;
  };
}

/** Inline code ends at an equally long run of backticks, in the same paragraph and not too far away. */
function codeEnd(text: string, from: number, width: number): number {
  const span = text.slice(from, from + 2000);
  const paragraph = span.search(/\n[ \t]{0,20}\r?\n/);
  for (const run of (paragraph < 0 ? span : span.slice(0, paragraph)).matchAll(/`+/g)) {
    if (run[0].length === width) return from + run.index + width;
  }
  return from;
}

const thoughts = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
] as const;

/**
 * The start of the answer, after any reasoning. Templates often write the opening tag themselves, so the text
 * has only the closing one. 0 when there is no reasoning, or nothing else.
 */
export function answerStart(plain: string): number {
  const head = plain.slice(0, 200).trimStart();
  for (const [open, close] of thoughts) {
    const end = plain.indexOf(close);
    const isFront = end >= 0 && (head.startsWith(open) || plain.lastIndexOf(open, end) < 0);
    if (isFront && /\S/.test(plain.slice(end + close.length))) return end + close.length;
  }
  return 0;
}
