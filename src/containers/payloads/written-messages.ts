import type { Range } from "../../reading/lists.ts";

/** Bytes before or behind the word for a speaker in which the message says something. */
const reach = 400;

/** Fewer bytes stand in many places. */
const fewest = 10;

// Expressions match bytes, written as latin1; marks in full width are those of East Asian keyboards.
/** A colour of a terminal whose first byte is written as an escape. */
const colour = String.raw`(?:\\{1,7}(?:u001[bB]|x1[bB]|033)|\^\[)\[[\d;]{0,8}m`;
const blank = String.raw`(?:[ \t\r\n]|\xc2[\xa0\xad]|\xe2\x80[\x8b-\x8f\xaf]|${colour})`;
const quote = String.raw`(?:\\{0,7}["'\x60]{1,2}|&(?:amp;){0,3}(?:quot|apos|#0?3[49]|#x2[27]);|\xe2\x80[\x98-\x9f]|\xef\xbc[\x82\x87])`;
const open = String.raw`(?:[A-Z]\w{1,12}\(|[[{(]|\xef(?:\xbc[\x88\xbb]|\xbd\x9b)){0,3}${blank}{0,4}${quote}`;
/** What stands between a key, or a tag, and its value; it begins with the quote that the key ends with. */
const between = String.raw`(${quote}?)[)\]]?${blank}{0,4}(?:(?:[:=>]|->|=>|,|\xef\xbc[\x8c\x9a])${blank}{0,4}(?:${open})?|${open})`;

/** Where a word begins, also behind an escaped line feed or tab. */
const wordStart = String.raw`(?:\b|(?<=\\[nrt]))`;

const speaker = new RegExp(
  String.raw`${wordStart}(?:role|type|kind|source|sender|from|author)${between}(?:user|human|assistant|agent|ai|model|gpt|tool|function|message)\w{0,16}\b`,
  "gi",
);

/** What is said, up to the first byte that others may write in another way. A word for nothing is none. */
const words = new RegExp(
  String.raw`${wordStart}(?:content|text|parts|output)${between}(?!${blank}{0,4}(?:null|none|nil|undefined)${blank}{0,4},)((?:(?!\xe2\x80[\x98-\x9f]|\xef\xbc\x82)[^"'\x60\\&<>{}[\]();=\r\n]){${fewest},80})`,
  "gi",
);

/** What names a call, in the forms that providers use. */
const callSign = /\b(?:tool_?calls?|function_?calls?|tool_?use)\b/gi;

const callName = new RegExp(String.raw`\bname${between}([\w.-]{1,64})`, "i");
const callId = new RegExp(String.raw`\b(?:call_?|tool_?call_?)?id${between}([\w-]{3,80})`, "i");
const callArguments = new RegExp(String.raw`\b(?:arguments|args|input)${between}`, "i");

/** A message or a call as it is written in the text of a log: the word that shows what it is. */
interface Written extends Range {
  /** It stands in a string of JSON: in a body that is kept as a text, or as a quote. */
  readonly isEscaped: boolean;
}

export interface WrittenMessage extends Written {
  /** Words that the message says. */
  readonly words: string;
}

export interface WrittenCall extends Written {
  readonly id: string | undefined;
  readonly name: string;
  /** The arguments and what follows them, as they are written. */
  readonly argumentsText: string;
}

/** Base64 of an object, a list or an event, as long as a body is. */
const base64 = /(?<![\w+/-])(?:ey[JA]|ew[ok]|W3s|Wwo|ZGF0YT|ZXZlbn)[\w+/-]{60,}/g;

/** The messages in a range of the bytes, and the first one of each body in base64 there. */
export const messagesIn = alsoPacked(messagesOfText);

/** The calls in a range of the bytes, likewise. */
export const writtenCalls = alsoPacked(callsOfText);

function alsoPacked<T extends Written>(writtenIn: (bytes: Buffer, range: Range) => Iterable<T>) {
  return function* (bytes: Buffer, range: Range): Generator<T> {
    yield* writtenIn(bytes, range);
    const text = bytes.toString("latin1", range.start, range.end);
    for (const { index, 0: run } of text.matchAll(base64)) {
      const body = Buffer.from(run, "base64");
      const start = range.start + index;
      for (const each of writtenIn(body, { start: 0, end: body.length })) {
        yield { ...each, start, end: start + run.length };
        break;
      }
    }
  };
}

/**
 * The messages in any notation (JSON, YAML, what languages print, or what a viewer made of it) whose speaker
 * is named in a range of the bytes. Their words may stand behind it.
 */
function* messagesOfText(bytes: Buffer, { start, end }: Range): Generator<WrittenMessage> {
  const text = bytes.toString("latin1", start, Math.min(bytes.length, end + reach));
  let before = 0;
  for (const { index, 0: sign, 1: mark = "" } of text.matchAll(speaker)) {
    if (start + index >= end) return;
    const after = index + sign.length;
    const behind = text.slice(after, after + reach);
    const next = behind.search(speaker);
    const said =
      wordsIn(next < 0 ? behind : behind.slice(0, next), mark) ??
      wordsIn(text.slice(Math.max(before, index - reach), index), mark);
    before = after;
    if (said !== undefined)
      yield { start: start + index, end: start + after, words: said, isEscaped: mark.startsWith("\\") };
  }
}

/** Words under a key that ends with the same mark as that of the speaker: others stand around the message. */
function wordsIn(text: string, mark: string): string | undefined {
  for (const { 1: own, 2: said = "" } of text.matchAll(words)) {
    if (own !== mark) continue;
    const decoded = Buffer.from(said, "latin1")
      .toString("utf8")
      .replace(/\uFFFD$/, "")
      .trim();
    // A word alone is a name or an id.
    if (/\S\s+\S|\P{ASCII}/u.test(decoded)) return decoded;
  }
  return undefined;
}

/** The calls in any notation that are named in a range of the bytes, with their names and arguments. */
function* callsOfText(bytes: Buffer, { start, end }: Range): Generator<WrittenCall> {
  const text = bytes.toString("latin1", start, Math.min(bytes.length, end + reach));
  for (const { index, 0: sign } of text.matchAll(callSign)) {
    if (start + index >= end) return;
    const after = index + sign.length;
    const behind = text.slice(after, after + reach);
    const next = behind.search(callSign);
    const call = next < 0 ? behind : behind.slice(0, next);
    const { 1: mark = "", 2: name } = callName.exec(call) ?? [];
    const given = callArguments.exec(call);
    if (name === undefined || !given) continue;
    yield {
      start: start + index,
      end: start + after,
      isEscaped: mark.startsWith("\\"),
      id: callId.exec(call)?.[2],
      name,
      argumentsText: Buffer.from(call.slice(given.index + given[0].length), "latin1").toString("utf8"),
    };
  }
}
