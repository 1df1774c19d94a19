import { maskedStart, maskSecrets } from "../secrets/masks.ts";

export { maskedStart } from "../secrets/masks.ts";

/**
 * Characters that control a terminal or are invisible: controls, bidi marks, zero-width characters, line
 * separators, tags, fillers, lone surrogates, and variation selectors except U+FE0E and U+FE0F (emoji).
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0d]/gu;

/** More marks than any script stacks on one letter would overdraw the neighbouring lines. */
const stackedMarks = /(?<=\p{M}{8})\p{M}/gu;

/**
 * Commands that CI runners (GitHub, Azure Pipelines, TeamCity) execute from output: `::error::` at the start
 * of a line, which wrapping may create, and `##[group]`, `##vso[…]` anywhere.
 *
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
const runnerCommands =
  /(?<=^|\s)::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b)|##(?=[a-z]*\[)/gi;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function disarmed(text: string): string {
  if (!text.includes("::") && !text.includes("##")) return text;
  return text.replace(runnerCommands, (command) => `${command[0]}${escaped(command.slice(1))}`);
}

/** Text on one line, safe for terminals and CI runners: such characters become `\n`, `\u{1b}`. */
export function visible(text: string): string {
  // Plain ASCII skips the Unicode tables, which cost a cold start a millisecond.
  if (/^[ -~]*$/.test(text)) return disarmed(text);
  return disarmed(text.replace(unseen, escaped).replace(stackedMarks, escaped));
}

/** Like {@link visible}, but keeps line feeds. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** Text with credentials masked. */
export const masked: (text: string) => string = maskSecrets;

/** Text from a log as reporters print it: visible, and masked unless values may be shown. */
export function printable(text: string, showValues: boolean): string {
  return visible(showValues ? text : masked(text));
}

/** The first `size` characters of such a text. A credential that would be cut is masked whole. */
export function printableStart(text: string, size: number, showValues: boolean): string {
  return visible(showValues ? text.slice(0, size) : maskedStart(text, size));
}

/** The longest text of a request or of a reply that a message quotes, in characters. */
const maxQuoted = 400;

/** Text of a request or a reply for a message: printable, masked, and cut after `most` characters. */
export function quotable(text: string, most = maxQuoted): string {
  const seen = printable(text, false);
  return seen.length > most ? `${seen.slice(0, most)}…` : seen;
}

/** JSON text with the characters of {@link visible} as JSON escapes; its value is the same. */
export function visibleJson(json: string): string {
  return json
    .replace(unseen, (character) =>
      character === "\n"
        ? character
        : Array.from(
            { length: character.length },
            (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
          ).join(""),
    )
    .replace(/##(?=[a-z]*\[)/gi, "#\\u0023");
}

/** Text for a page, where runners read nothing: like {@link visible}, but keeps line feeds and tabs. */
export function visibleText(text: string): string {
  if (/^[\t\n -~]*$/.test(text)) return text;
  return text
    .replace(unseen, (character) =>
      character === "\n" || character === "\t" ? character : escaped(character),
    )
    .replace(stackedMarks, escaped);
}
