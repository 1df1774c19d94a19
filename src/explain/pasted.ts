import {
  type ErrorMatch,
  type HistoryPointer,
  historyPointers,
  matchErrorText,
} from "../rules/match-error-text.ts";
import { lacksReason } from "./no-reason.ts";

/** What an error text says without a log. */
export interface PastedError {
  /** The provider's message on one line, extracted from its context where possible. */
  readonly message: string;
  /** The whole pasted text, in the reading that was understood. */
  readonly words: string;
  readonly status: number | undefined;
  /** What the text means; `undefined` when it is unknown. */
  readonly match: ErrorMatch | undefined;
  /** The text is a client's, and has the status without the provider's words. */
  readonly lacksReason: boolean;
  /** The history items that the text points at, in order. */
  readonly pointers: readonly Required<HistoryPointer>[];
}

/** Characters at the end of a long text to read: exceptions put the latest error last. */
const tail = 20_000;

/**
 * Reads a text as users paste it: bare, as a JSON body, as a Python or JavaScript exception, in a frame of
 * box characters, wrapped by a terminal. Colour codes must be removed before.
 */
export function readPasted(pasted: string): PastedError {
  const text = pasted.replace(/^[ \t]*[│┃║|]/gm, " ").replace(/[│┃║|][ \t]*$/gm, " ");
  // Terminals may wrap inside a word; without the line break it fits together again.
  const readings = new Set([text, text.slice(-tail), text.replace(/(?<![ \t])[ \t]*(?:\r?\n[ \t]*)+/g, "")]);
  const meaningOf = oncePerText(matchErrorText);
  const words = mostPrecise([...readings], meaningOf);
  const message = messageIn(words, meaningOf);
  const match = matchIn(message, words, meaningOf);
  return {
    message,
    words,
    status: statusIn(words),
    match,
    lacksReason: match === undefined && lacksReason(words),
    pointers: historyPointers(words),
  };
}

type MeaningOf = typeof matchErrorText;

/** The same function, which works once for each text: the readings and the message are often one. */
function oncePerText(match: MeaningOf): MeaningOf {
  const known = new Map<string, ErrorMatch | undefined>();
  return (text) => {
    if (!known.has(text)) known.set(text, match(text));
    return known.get(text);
  };
}

/** The reading that names most ids, or the longest path; one that means nothing known comes last. */
function mostPrecise(readings: readonly string[], meaningOf: MeaningOf): string {
  const [best] = readings
    .map((reading) => {
      const match = meaningOf(reading);
      // Words that are known need no path.
      const depth = match?.complaint?.path.length ?? Number.MAX_SAFE_INTEGER;
      return { reading, ids: match?.callIds.length ?? -1, depth };
    })
    .sort((one, two) => two.ids - one.ids || two.depth - one.depth);
  return best?.reading ?? "";
}

/** The meaning of the message, or of all the text, where the message does not say what was sent wrongly. */
function matchIn(message: string, words: string, meaningOf: MeaningOf): ErrorMatch | undefined {
  // Text after the message could be read as one more id.
  const own = meaningOf(message);
  const isPlace = own?.complaint !== undefined && own.advice === undefined;
  if (own?.about === "history" && !isPlace) return own;
  const whole = meaningOf(words);
  // .NET puts an empty line between the parameter and the words about it.
  if (own?.about === "history" && whole?.advice === undefined) return own;
  return whole?.about === "history" ? whole : (own ?? whole);
}

/** `Error code: 400`, `"status": 400`, `HTTP/1.1 400`, or a text that begins with the status. */
function statusIn(text: string): number | undefined {
  const found =
    /\b(?:error code|status(?:[_ ]?code)?|code)\\?['"]?\s{0,3}[:=]?\s{0,3}\\?['"]?([45]\d\d)\b/i.exec(text) ??
    /\bHTTP\/[\d.]{1,3}\s([45]\d\d)\b/.exec(text) ??
    /^\W{0,9}(?:\w{1,60}:? )?([45]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : undefined;
}

/** The innermost non-empty `message`, preferably a known one; otherwise a paragraph, or the whole text. */
function messageIn(text: string, meaningOf: MeaningOf): string {
  const quoted = [
    ...text.slice(0, 4 * tail).matchAll(/\bmessage\\{0,8}['"]?\s{0,3}[:=]\s{0,3}(\\{0,8})(['"])/gi),
  ]
    .map((found) => quotedFrom(text, found.index + found[0].length, found[1] ?? "", found[2] ?? '"'))
    .filter((value) => value.trim() !== "");
  const known = quoted.findLast((value) => meaningOf(value)) ?? quoted.at(-1);
  return (known ?? paragraphIn(text, meaningOf))
    .replace(/\\{1,16}(["'`])/g, "$1")
    .replace(/\\{1,16}n/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The paragraph that is the error by itself: what people write around it has places, too. */
function paragraphIn(text: string, meaningOf: MeaningOf): string {
  const paragraphs = text.slice(0, 4 * tail).split(/\n[ \t]*(?:`{3}\w*[ \t]*)?\n/);
  return paragraphs.find((paragraph) => meaningOf(paragraph)?.about === "history") ?? text;
}

/** Text up to the quote that is escaped like its opening quote. */
function quotedFrom(text: string, start: number, slashes: string, quote: string): string {
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    let count = 0;
    while (text[at - 1 - count] === "\\") count++;
    if (count === slashes.length) return text.slice(start, at - count);
  }
  return text.slice(start);
}
