/**
 * Text in which a token is only talked about: fenced code, inline code, block quotes, quoted strings, and the reasoning
 * in front of an answer. Everything here moves forward only, so that a hostile text costs no more than a long one.
 */

/** The pattern that {@link walk} wants: any of the tokens, or the beginning of a literal. */
export function outsideLiterals(tokens: readonly string[]): RegExp {
  const literal = "^[ \\t]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)?(?:`{3,}|~{3,})|^[ \\t]{0,3}>|`+|[\"'“‘«]";
  return new RegExp(`${tokens.map((token) => `(${token})`).join("|")}|(?<literal>${literal})`, "gm");
}

/**
 * Visits the tokens that stand outside of literals, in order. The visitor says where to go on, at or behind the token;
 * it may so step over text that it has read.
 */
export function walk(
  text: string,
  pattern: RegExp,
  from: number,
  visit: (match: RegExpExecArray) => number | undefined,
): void {
  const literalEnd = literalEnds(text);
  let at = from;
  for (;;) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return;
    const behind = match.index + match[0].length;
    const end = match.groups?.["literal"] === undefined ? visit(match) : literalEnd(match.index, match[0]);
    at = Math.max(end ?? behind, match.index + 1);
  }
}

/** Where the literal ends that `opener` begins at `start`; behind the opener when it begins none. */
function literalEnds(text: string): (start: number, opener: string) => number {
  let lineEnd = -1;
  /** Quotes that are known not to be closed on the line that ends there. */
  const unclosed = new Map<string, number>();

  const endOfLine = (at: number): number => {
    if (at > lineEnd) {
      const next = text.indexOf("\n", at);
      lineEnd = next < 0 ? text.length : next;
    }
    return lineEnd;
  };

  const quoted = (start: number, quote: string): number => {
    const behind = start + 1;
    if (start > 0 && /[\p{L}\p{N}_]/u.test(text[start - 1] ?? "")) return behind;
    const limit = endOfLine(start);
    if (unclosed.get(quote) === limit) return behind;
    const close = closers[quote] ?? quote;
    for (let at = behind; at < limit; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === close && !(close === "'" && /\w/.test(text[at + 1] ?? ""))) return at + 1;
    }
    unclosed.set(quote, limit);
    return behind;
  };

  return (start, opener) => {
    const behind = start + opener.length;
    const mark = opener.at(-1) ?? "";
    if (mark === ">") return endOfLine(behind);
    if (mark !== "`" && mark !== "~") return quoted(start, opener);
    const width = opener.length - opener.search(/[`~]+$/);
    const isFence = width >= 3 && (start === 0 || text[start - 1] === "\n");
    const info = isFence ? text.slice(behind, endOfLine(behind)) : "";
    if (isFence && !(mark === "`" && info.includes("`")))
      return fenceEnd(text, endOfLine(behind), mark, width);
    return codeEnd(text, behind, width);
  };
}

const closers: Readonly<Record<string, string>> = { "“": "”", "‘": "’", "«": "»" };

/** A fence that is never closed reaches to the end of the text. */
function fenceEnd(text: string, from: number, mark: string, width: number): number {
  const close = new RegExp(`^[ \\t]*${mark}{${Math.min(width, 1000)},}[ \\t]*\\r?$`, "gm");
  close.lastIndex = from;
  return close.exec(text) ? close.lastIndex : text.length;
}

/** Inline code ends at a run of as many backticks, in the same paragraph; looked for no further than prose would go. */
function codeEnd(text: string, from: number, width: number): number {
  const span = text.slice(from, from + 2000);
  const paragraph = span.search(/\n[ \t]{0,20}\r?\n/);
  for (const run of (paragraph < 0 ? span : span.slice(0, paragraph)).matchAll(/`+/g)) {
    if (run[0].length === width) return from + run.index + width;
  }
  return from;
}

const thoughts: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
];

/**
 * Where the answer begins: behind the reasoning that stands in front of it (templates often write the opening tag themselves,
 * so that only the closing one is in the text). 0 when there is no reasoning, or nothing else.
 */
export function answerStart(plain: string): number {
  const first = plain.slice(0, 200).trimStart();
  for (const [open, close] of thoughts) {
    const end = plain.indexOf(close);
    if (end < 0) continue;
    const opened = plain.lastIndexOf(open, end);
    const isFront = first.startsWith(open) || opened < 0;
    const start = end + close.length;
    if (isFront && plain.slice(start).trim() !== "") return start;
  }
  return 0;
}
