import { maskSecrets } from "../reading/secrets.ts";

/**
 * What a terminal obeys or does not show: controls, bidi marks, zero-width characters, line separators, tags, fillers,
 * variation selectors (but U+FE0E and U+FE0F, which every other emoji has) and lone surrogates.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0d]/gu;

/** More marks than any script stacks on one letter: they would be drawn over the lines around it. */
const stackedMarks = /(?<=\p{M}{8})\p{M}/gu;

/**
 * What the runners of GitHub, Azure Pipelines and TeamCity obey in the output of a program: `::error::` where a line begins, which may be where a
 * text is wrapped, and `##[group]`, `##vso[…]` anywhere.
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

/** Text on one line in which nothing acts on the terminal or on a runner of CI, or hides: such characters are written as `\n`, `\u{1b}`. */
export function visible(text: string): string {
  // Plain ASCII needs no look at Unicode's tables, which cost a cold start a millisecond.
  if (/^[ -~]*$/.test(text)) return disarmed(text);
  return disarmed(text.replace(unseen, escaped).replace(stackedMarks, escaped));
}

/** The same as {@link visible}, but line feeds stay. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** Text with credentials masked. */
export const masked: (text: string) => string = maskSecrets;

/** How a reporter writes text that came from a log: visible, and masked unless values may be shown. */
export function printable(text: string, showValues: boolean): string {
  return visible(showValues ? text : masked(text));
}

/** JSON text in which the characters that {@link visible} replaces are JSON escapes; it means the same. */
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
