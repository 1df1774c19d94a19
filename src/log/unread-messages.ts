import {
  messagesIn,
  type WrittenCall,
  type WrittenMessage,
  writtenCalls,
} from "../containers/payloads/written-messages.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { ToolCall } from "../conversation/item.ts";
import type { Range } from "../reading/lists.ts";
import type { Origin } from "../reading/origin.ts";
import { isJson } from "../reading/parse.ts";
import { plainSpan } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import { originIn } from "../reading/view.ts";
import type { Skipped } from "../traffic/container.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type { BodyShapes } from "./body-shapes.ts";
import type { LogFile } from "./log-file.ts";
import { textsOf } from "./lone-messages.ts";

/*
 * Each reader names what it could not read of the form that it knows. A log may hold messages in a form that
 * no reader knows: another program's notation, JSON that somebody copied out of a viewer, a map that lacks a
 * bracket. So what stands between the requests and replies that were read is searched for messages in any
 * notation, and their words are looked for in what was read.
 */

/** Longer files are read by readers that go through them in parts. */
const longest = 8 << 20;

/** Messages whose words are looked for: each may cost a pass over all that was read. */
const maxCompared = 256;

/** Items whose texts are known; in a log with more, nobody looks for words. */
const maxItems = 100_000;

/** The file, with what it says of messages and calls in its text that nothing read. */
export function withUnreadMessages({ shapes, ...file }: LogFile): LogFile {
  const { kind, defects, skipped } = file;
  const unread = unreadIn(file, shapes);
  if (unread.length === 0) return file;
  // A session has many records that are no messages, which nobody lists.
  return kind === "transcript"
    ? {
        ...file,
        defects: [
          ...defects,
          ...unread.map(({ origin, reason }) => ({ kind: "unknown" as const, origin, message: reason })),
        ],
      }
    : { ...file, holdsUnread: true, skipped: [...skipped, ...unread] };
}

function unreadIn(
  { source, kind, exchanges, defects, skipped, aside }: LogFile,
  shapes: BodyShapes | undefined,
): readonly Skipped[] {
  if (exchanges.length === 0 || source.size > longest || source.segments || isLarge(exchanges)) return [];
  const bytes = source.read(0, source.size);
  const lines = new Lines(bytes);
  // What is said of a record, or of the first of several, is said of its line, or of all that follow.
  const named = [...defects.map(({ origin }) => ({ origin, count: 1 })), ...skipped].map(
    ({ origin, count = 1 }): Origin => {
      const isOfRest = count > 1 && kind === "requests";
      const end = isOfRest ? source.size : lines.endOf(origin.end);
      return { ...origin, start: lines.startOf(origin.start), end };
    },
  );
  const known = [...halvesOf(exchanges, source), ...named, ...(aside ?? [])];
  const halves = exchanges.flatMap(({ request, reply }) => [request, reply]);
  const read = [...known, ...halves.flatMap((half) => half?.place.origin ?? [])];
  const mayLack = <T extends WrittenMessage | WrittenCall>(each: T): boolean =>
    kind !== "transcript" || mayBeLost(each, lines);
  const messages = unsaid(firstOf(bytes, gapsBetween(known, source), messagesIn, mayLack), exchanges);
  // The calls of a stream stand there in fragments. Of a restored source, places are those of its file.
  const isRead = ({ start, end }: Range): boolean => {
    const own = originIn(source, start, end);
    return (
      own.source !== source &&
      read.some((place) => place.source === own.source && place.start < own.end && own.start < place.end)
    );
  };
  const mayBeUnread = (each: WrittenCall): boolean => mayLack(each) && !isRead(each);
  const calls = uncalled(firstOf(bytes, gapsBetween(read, source), writtenCalls, mayBeUnread), exchanges);
  const found = [...messages, ...calls];
  const bodies = (shapes?.linesIn(bytes, source, known) ?? []).filter(
    ({ start, end }) => !found.some((each) => start <= each.start && each.start < end),
  );
  const of = (found: readonly Range[], reason: string): Skipped[] => {
    const [first] = found;
    return first ? [{ origin: originIn(source, first.start, first.end), count: found.length, reason }] : [];
  };
  const isSession = kind === "transcript";
  return [
    ...of(messages, isSession ? unreadInSession("message") : unreadBesides("message")),
    ...of(calls, isSession ? unreadInSession("call") : unreadBesides("call")),
    ...of(bodies, "a line with the keys of a body that was read elsewhere: this one was not read"),
  ];
}

const unreadInSession = (what: string): string =>
  `this looks like a ${what}, but no message that was read contains it`;
const unreadBesides = (what: string): string => `a ${what} that no known request or reply contains`;

/** What is written in the gaps, up to as much as is compared. */
function firstOf<T>(
  bytes: Buffer,
  gaps: Iterable<Range>,
  writtenIn: (bytes: Buffer, gap: Range) => Iterable<T>,
  isMeant: (each: T) => boolean,
): readonly T[] {
  const found: T[] = [];
  for (const gap of gaps)
    for (const each of writtenIn(bytes, gap)) {
      if (isMeant(each)) found.push(each);
      if (found.length >= maxCompared) return found;
    }
  return found;
}

/** The messages whose words no exchange contains. */
function unsaid(found: readonly WrittenMessage[], exchanges: readonly Exchange[]): readonly WrittenMessage[] {
  if (found.length === 0) return [];
  const texts = [...textsOf(exchanges), ...exchanges.map(({ request }) => request?.system ?? "")].join("\n");
  return found.filter(({ words }) => !texts.includes(words));
}

/**
 * The calls that no exchange contains: none has the id, or the name and the words of the arguments. Models
 * also write calls into texts.
 */
function uncalled(found: readonly WrittenCall[], exchanges: readonly Exchange[]): readonly WrittenCall[] {
  if (found.length === 0) return [];
  const calls = exchanges.flatMap(({ request, reply }) => callsIn(request, reply));
  const ids = new Set(calls.flatMap(({ id }) => id ?? []));
  const texts = [...textsOf(exchanges)];
  return found.filter(({ id, name, argumentsText }) => {
    if (id !== undefined && ids.has(id)) return false;
    const words = wordsOf(argumentsText);
    const isCall = (call: ToolCall): boolean =>
      call.name === name &&
      wordsOf(call.argumentsText.slice(0, compared)).every((word) => words.includes(word));
    const isQuoted = (text: string): boolean =>
      text.includes(name) && words.slice(0, fewWords).every((word) => text.includes(word));
    return !calls.some(isCall) && !texts.some(isQuoted);
  });
}

/** Characters of a call's arguments that are compared: less than what is read of one that is written. */
const compared = 100;

/** The first words of arguments that a text has if it quotes them. */
const fewWords = 4;

/** The words of arguments, without what each notation writes in its own way: quotes, escapes, umlauts. */
function wordsOf(text: string): readonly string[] {
  return text.replaceAll(/\\+(?:u[\da-f]{4}|.)|&\w+;/gi, " ").match(/[a-z\d]+/gi) ?? [];
}

function callsIn(request: Exchange["request"], reply: Exchange["reply"]): readonly ToolCall[] {
  const sent = Array.from({ length: request?.history.length ?? 0 }, (_, index) =>
    request?.history.items(index),
  );
  return [...sent, reply?.items].flatMap((items = []) => items.filter((item) => item.kind === "call"));
}

/**
 * Whether a session may have lost a message. Its records hold more than messages: what a tool said in
 * several forms, memories, sessions that a tool read. The reader of the session knows records in JSON.
 */
function mayBeLost({ start, isEscaped }: WrittenMessage | WrittenCall, lines: Lines): boolean {
  return !isEscaped && !lines.holdsJson(start);
}

function isLarge(exchanges: readonly Exchange[]): boolean {
  let items = 0;
  for (const { request, reply } of exchanges)
    items += (request?.history.length ?? 0) + (reply?.items.length ?? 0);
  return items > maxItems;
}

/** The requests and replies that were read whole: what of JSON was not read, its reader has named. */
function halvesOf(exchanges: readonly Exchange[], source: ByteSource): Origin[] {
  return exchanges.flatMap(({ request, reply }) =>
    [request, reply].flatMap((half) => (half && isJsonAt(half.place, source) ? [half.place.origin] : [])),
  );
}

function isJsonAt({ origin, span }: PayloadPlace, source: ByteSource): boolean {
  if (origin.source !== source) return false;
  if (isJson(source.read(origin.start, origin.end).toString("utf8"))) return true;
  if (span.level === 0) return false;
  const { view, start, end } = plainSpan(span);
  return isJson(view.read(start, end).toString("utf8"));
}

/** What of a file stands in none of some places, in order. */
function* gapsBetween(places: readonly Origin[], source: ByteSource): Generator<Range> {
  const own = places.filter((place) => place.source === source).sort((a, b) => a.start - b.start);
  let end = 0;
  for (const place of own) {
    if (place.start > end) yield { start: end, end: place.start };
    end = Math.max(end, place.end);
  }
  if (end < source.size) yield { start: end, end: source.size };
}

/** The lines of a log. */
class Lines {
  readonly #bytes: Buffer;
  /** The line that was looked at last. */
  #asked = { start: 0, end: 0, isJson: false };

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Whether the line of an offset is JSON. Offsets that are asked for in order cost each line once. */
  holdsJson(offset: number): boolean {
    if (offset < this.#asked.start || offset >= this.#asked.end) {
      const [start, end] = [this.startOf(offset), this.endOf(offset + 1)];
      this.#asked = { start, end, isJson: isJson(this.#bytes.toString("utf8", start, end)) };
    }
    return this.#asked.isJson;
  }

  startOf(offset: number): number {
    return offset === 0 ? 0 : this.#bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
  }

  endOf(offset: number): number {
    const feed = this.#bytes.indexOf(LINE_FEED, Math.max(0, offset - 1));
    return feed < 0 ? this.#bytes.length : feed + 1;
  }
}

const LINE_FEED = 10;
