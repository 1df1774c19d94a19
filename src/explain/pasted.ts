import {
  type ErrorMatch,
  type HistoryPointer,
  historyPointers,
  matchErrorText,
} from "../rules/error-texts.ts";

/** What can be told of an error text without a log. */
export interface PastedError {
  /** The provider's words, as far as they can be told from what stands around them; on one line. */
  readonly message: string;
  /** All that was pasted, in the reading in which it was understood. */
  readonly words: string;
  readonly status: number | undefined;
  /** What the words mean; `undefined` when they are none of the known ones. */
  readonly match: ErrorMatch | undefined;
  /** The elements of the history that the words point at, in their order. */
  readonly pointers: readonly Required<HistoryPointer>[];
}

/** The end of a long text: exceptions say what happened last. */
const tail = 20_000;

/**
 * Reads a text as people paste it: bare, as a JSON body, as an exception of Python or JavaScript, in a frame of box characters, broken into
 * lines by a terminal. Colours have to be gone already.
 */
export function readPasted(pasted: string): PastedError {
  const text = pasted.replace(/^[ \t]*[│┃║|]/gm, " ").replace(/[│┃║|][ \t]*$/gm, " ");
  // Terminals break lines between letters, which fit together again without the break.
  const readings = [text, text.slice(-tail), text.replace(/[ \t]*\r?\n[ \t]*/g, "")];
  const idsIn = (reading: string): number => matchErrorText(reading)?.callIds.length ?? -1;
  const words = readings.reduce((best, reading) => (idsIn(reading) > idsIn(best) ? reading : best));
  const message = messageIn(words);
  return {
    message,
    words,
    status: statusIn(words),
    // What stands behind the message would be read as one more id.
    match: matchErrorText(message) ?? matchErrorText(words),
    pointers: historyPointers(words),
  };
}

/** `Error code: 400`, `"status": 400`, `HTTP/1.1 400`, or a text that begins with it. */
function statusIn(text: string): number | undefined {
  const found =
    /\b(?:error code|status(?:[_ ]?code)?|code)\\?['"]?\s{0,3}[:=]?\s{0,3}\\?['"]?([45]\d\d)\b/i.exec(text) ??
    /\bHTTP\/[\d.]{1,3}\s([45]\d\d)\b/.exec(text) ??
    /^\W{0,9}(?:\w{1,60}:? )?([45]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : undefined;
}

/** The value of the innermost `message` that says something, else what was pasted. */
function messageIn(text: string): string {
  const quoted = [
    ...text.slice(0, 4 * tail).matchAll(/\bmessage\\{0,8}['"]?\s{0,3}[:=]\s{0,3}(\\{0,8})(['"])/gi),
  ]
    .map((found) => quotedFrom(text, found.index + found[0].length, found[1] ?? "", found[2] ?? '"'))
    .filter((value) => value.trim() !== "");
  const known = quoted.findLast((value) => matchErrorText(value)) ?? quoted.at(-1);
  return (known ?? text)
    .replace(/\\{1,16}(["'`])/g, "$1")
    .replace(/\\{1,16}n/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** A quoted text up to the quote that is escaped as its first one was. */
function quotedFrom(text: string, start: number, slashes: string, quote: string): string {
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    let count = 0;
    while (text[at - 1 - count] === "\\") count++;
    if (count === slashes.length) return text.slice(start, at - count);
  }
  return text.slice(start);
}
