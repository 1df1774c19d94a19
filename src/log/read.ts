import { constants } from "node:buffer";
import { InOrder } from "../containers/payloads/newest-first.ts";
import { type Pair, pairUp } from "../containers/payloads/pairing.ts";
import { behindWords } from "../containers/sessions/behind-words.ts";
import { type RecordList, recordLists } from "../containers/sessions/embedded.ts";
import { sessions } from "../containers/sessions/index.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { NamedProfile } from "../protocols/profiles/judge.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { exchangeCrowdMessage, isExchangeCrowd } from "../reading/crowds.ts";
import { pushAll, type Range, rangeAround } from "../reading/lists.ts";
import { linesOf } from "../reading/origin.ts";
import { parseJson } from "../reading/parse.ts";
import type { ByteSource } from "../reading/source.ts";
import { level } from "../traffic/certainty.ts";
import {
  type AnyContainer,
  type Container,
  type Defect,
  loaded,
  type Recording,
  type Skipped,
  wholeFile,
} from "../traffic/container.ts";
import type { Recognizer } from "../traffic/recognizer.ts";
import { readCopied } from "./copied.ts";
import { type Draft, decodePair, formReader } from "./decode-pair.ts";
import { withoutEarlierPrints } from "./growing.ts";
import { jsonSlips } from "./json-slips.ts";
import { notALog } from "./no-logs.ts";
import { recognizerOf } from "./recognizer.ts";
import { transcriptExchanges } from "./transcript.ts";

/** A file to open. */
export interface LogSource {
  /** The path as reports show it; also the source's name. */
  readonly path: string;
  readonly source: ByteSource;
  /** Another file on the same disk: recorders store bodies in separate files. Absent without a disk. */
  beside?(path: string): LogSource | undefined;
}

/** An opened file with everything read from it. */
export interface LogFile {
  /** The name of its source: the path as reports show it. */
  readonly path: string;
  readonly source: ByteSource;
  readonly container: string;
  /** Its container is one that programs append to as they run, a record at a time. */
  readonly isLogOfProgram: boolean;
  readonly kind: "requests" | "transcript";
  /** In file order. */
  readonly exchanges: readonly Exchange[];
  readonly defects: readonly Defect[];
  readonly skipped: readonly Skipped[];
  /** How requests and replies were matched; absent in transcripts. */
  readonly joined?: Joined;
  /** How many requests have a response that was not understood; absent for none. */
  readonly unknownReplies?: number;
  /** The names of files with replies, by exchange number. */
  readonly repliesIn?: ReadonlyMap<number, string>;
  /** The session whose main file, or sub-agent file, this is. */
  readonly session?: NonNullable<Recording["session"]>;
  /** Corrects the lengths that the file states when its bodies change; absent if it states none. */
  readonly lengths?: NonNullable<Container["lengths"]>;
  /** A recognised part of a log whose exchanges may all begin in other files. */
  readonly isPart?: boolean;
  /** For a recognised file that cannot contain a conversation: what it is and what to use instead. */
  readonly advice?: string;
}

/**
 * How many exchanges were matched in which way: within one record, by a common id, by order, by the reply's
 * file name; or how many have one half only.
 */
export type Joined = Readonly<
  Record<"record" | "id" | "order" | "file" | "requestOnly" | "replyOnly", number>
>;

export interface LogReadOptions {
  /** Read as this container, regardless of the bytes. */
  readonly container?: AnyContainer;
  /** Accept only payloads of this protocol. */
  readonly protocol?: Protocol;
  /** The provider whose demands apply, wherever the requests went. */
  readonly judge?: NamedProfile;
  /** Keep replies as they were received (`Reply.received`), which takes memory. */
  readonly keepsReplies?: boolean;
}

const headSize = 64 << 10;
/** A first line may exceed the head; look at up to this many bytes. */
const maxHead = 4 << 20;

/** The container that fits a file best; `undefined` if none does. */
function containerOf(
  source: ByteSource,
  beginning: Buffer,
  containers: readonly AnyContainer[],
): Guess | undefined {
  const isLongLine = beginning.length < source.size && beginning.indexOf(10) < 0;
  const head = isLongLine ? firstLine(source.read(0, Math.min(source.size, maxHead))) : beginning;
  const isWhole = source.size <= head.length;
  let best: Guess | undefined;
  for (const container of containers) {
    if (best && best.certainty >= (container.mostCertain ?? 1)) continue;
    const certainty = container.recognize(head, isWhole);
    if (certainty > (best?.certainty ?? 0)) best = { container, certainty };
  }
  return best;
}

interface Guess {
  readonly container: AnyContainer;
  readonly certainty: number;
}

/** The first line and the start of the second, which distinguish JSON lines from one document. */
function firstLine(bytes: Buffer): Buffer {
  const feed = bytes.indexOf(10);
  return feed < 0 ? bytes : bytes.subarray(0, feed + 64);
}

/** Reads a file into exchanges. Never throws on bad input: unreadable parts become defects or are omitted. */
export async function readLog(
  source: ByteSource,
  containers: readonly AnyContainer[],
  protocols: readonly Protocol[],
  options: LogReadOptions = {},
): Promise<LogFile> {
  const read = (each: ByteSource): Promise<LogFile> => readTraffic(each, containers, protocols, options);
  const file = await (options.container ? read(source) : readCopied(source, read));
  const isRead = file.exchanges.length > 0 || file.advice !== undefined;
  if (isRead || options.container || options.protocol) return file;
  return withFlaw(await withWrittenReply(file, protocols));
}

/** A file without traffic that would have some, but for a flaw in its JSON: that is what is said of it. */
function withFlaw(file: LogFile): LogFile {
  const flaw = file.defects.find(({ kind, half }) => kind === "broken" && half !== undefined);
  if (!flaw || file.exchanges.length > 0) return file;
  const { line, column } = linesOf(file.source).at(flaw.origin.start);
  const advice = `${flaw.message} (line ${line}, column ${column}), so nothing in it was read
Mend the JSON there, or save the body again as the program sent it.`;
  return { ...file, advice };
}

/** A file without traffic, with the reply that it is if a model wrote it. */
async function withWrittenReply(file: LogFile, protocols: readonly Protocol[]): Promise<LogFile> {
  const { writtenReply } = await import("./written-calls.ts");
  const reply = writtenReply(file.source);
  const draft =
    reply && decodePair({ reply }, new Map(protocols.map((protocol) => [protocol.name, protocol])), {});
  if (!draft) return file;
  return { ...file, exchanges: numbered([draft.exchange], file.source), defects: [], skipped: [] };
}

async function readTraffic(
  source: ByteSource,
  containers: readonly AnyContainer[],
  protocols: readonly Protocol[],
  options: LogReadOptions,
): Promise<LogFile> {
  const recognizer = recognizerOf(options.protocol ? [options.protocol] : protocols, protocols);
  // One buffer for all who look at it: what is parsed of a head is kept with it.
  const head = source.read(0, Math.min(source.size, headSize));
  const guess = options.container ? undefined : containerOf(source, head, containers);
  const container = options.container ?? guess?.container;
  if (!container) return unread(source, { name: "unknown" });
  const other = options.container ? undefined : notALog(head);
  if (other !== undefined) return unread(source, container, other);
  const isSure = (guess?.certainty ?? 0) >= level.nearlyCertain;
  const behind = guess && !isSure ? await readBehindWords(source, protocols, options) : undefined;
  if (behind?.exchanges.some(holdsOthers)) return behind;
  const fallback = containers.find(({ isFallback }) => isFallback);
  const file = await readAs({ container, isSure, fallback }, source, recognizer, protocols, options);
  return behind && file.exchanges.length === 0 && file.advice === undefined ? behind : file;
}

/** How a file is read: as a container, and by another one where that finds nothing. */
interface Reading {
  readonly container: AnyContainer;
  readonly isSure: boolean;
  readonly fallback: AnyContainer | undefined;
}

async function readAs(
  { container, isSure, fallback }: Reading,
  source: ByteSource,
  recognizer: Recognizer,
  protocols: readonly Protocol[],
  options: LogReadOptions,
): Promise<LogFile> {
  const read = await readWhole(await loaded(container, source), source, recognizer, protocols, options);
  if (read.advice !== undefined || options.container || read.kind === "transcript") return read;
  if (read.exchanges.length > 0 || container.isFallback) {
    const records = await readRecords(read, protocols, options);
    if (records) return withSlips(records);
    return container.isFallback ? withSlips(withNamedForm(read)) : read;
  }
  // The guess may be wrong, for example for a text log whose first lines are JSON.
  const again =
    fallback && (await readWhole(await loaded(fallback, source), source, recognizer, protocols, options));
  const found =
    again && again.exchanges.length > 0
      ? isSure
        ? { ...again, defects: [...read.defects, ...again.defects] }
        : withNamedForm(again)
      : { ...read, defects: [...read.defects, ...(again?.defects ?? [])] };
  return withSlips((await readRecords(found, protocols, options)) ?? found);
}

/** A log that was not read as the JSON that it is by its brackets, with what of it is no JSON. */
function withSlips(file: LogFile): LogFile {
  const { source, exchanges, defects, skipped } = file;
  if (exchanges.length === 0) return file;
  const known = [...defects, ...skipped].map(({ origin }) => origin);
  const slips = jsonSlips(source, known);
  return slips.length === 0 ? file : { ...file, skipped: [...skipped, ...slips] };
}

/** What files with these names hold, and whether a text is all that. */
const namedForms: readonly {
  readonly name: RegExp;
  readonly form: string;
  readonly isKept?: (text: string) => boolean;
}[] = [
  {
    name: /\.(?:jsonl|ndjson)$/i,
    form: "JSON lines",
    isKept: (text) => text.split("\n").every((line) => line.trim() === "" || isJson(line)),
  },
  { name: /\.har$/i, form: "a HAR" },
  { name: /\.json$/i, form: "JSON", isKept: isJson },
  { name: /\.ya?ml$/i, form: "YAML" },
];

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Larger files are not read again to see whether they are what their name says. */
const maxNamed = 1 << 20;

/** A log that was read as a text, although its name says that it has another form. */
function withNamedForm(file: LogFile): LogFile {
  const { source } = file;
  const named = namedForms.find(({ name }) => name.test(file.path));
  if (named === undefined || file.exchanges.length === 0) return file;
  // JSON in which only the reader of texts finds a payload.
  if (named.isKept && source.size <= maxNamed && named.isKept(source.read(0, source.size).toString("utf8")))
    return file;
  const origin = { source, start: 0, end: Math.min(source.size, 1) };
  const message = `by its name the file is ${named.form}, but not all of it is`;
  return { ...file, defects: [...file.defects, { kind: "lax", origin, message }] };
}

/**
 * Reads the records of a session that stand in a document or behind prefixes, where the file has nothing else
 * or only replies: messages of a session look like replies.
 */
async function readRecords(
  found: LogFile,
  protocols: readonly Protocol[],
  { protocol: wanted }: LogReadOptions,
): Promise<LogFile | undefined> {
  const isOther = ({ request, reply }: Exchange): boolean =>
    request !== undefined || reply?.form === "stream" || reply?.error !== undefined;
  if (found.exchanges.some(isOther)) return undefined;
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  const sessions: LogFile[] = [];
  const covered: Range[] = [];
  const damaged: Defect[] = [];
  await walk(recordLists(found.source));
  const [first] = sessions;
  if (!first || first.exchanges.length === 0) return undefined;
  if (wanted && first.exchanges.every(({ protocol }) => protocol !== wanted.name)) return undefined;
  const exchanges = numbered(
    sessions.flatMap((session) => session.exchanges),
    found.source,
  );
  // A text log notes only what it could not read; others also note the records of the session.
  const { container } = found;
  const skipped = [
    ...(container === "text" ? found.skipped.filter(({ isSpeech }) => !isSpeech) : []),
    ...sessions.flatMap((each) => each.skipped),
  ];
  covered.sort((a, b) => a.start - b.start);
  // Within a record of a session, the session's own reading says what is wrong: its texts may quote anything.
  const apart = found.defects.filter(
    ({ origin }) => origin.source !== found.source || !rangeAround(covered, origin.start),
  );
  const defects = [...apart, ...sessions.flatMap((each) => each.defects), ...damaged];
  return { ...first, path: found.path, source: found.source, exchanges, skipped, defects };

  /** Names the damaged lines between records of a session that nobody named before. */
  function tell(lines: RecordList["damaged"]): void {
    const { source } = found;
    const known = [...found.defects, ...found.skipped]
      .flatMap(({ origin }) => (origin.source === source ? [origin] : []))
      .sort((a, b) => a.start - b.start);
    let next = 0;
    let knownTo = 0;
    for (const { start, end } of lines) {
      for (let origin = known[next]; origin && origin.start < end; origin = known[++next])
        knownTo = Math.max(knownTo, origin.end);
      if (start >= knownTo)
        damaged.push({
          kind: "broken",
          origin: { source, start, end },
          message: "the line is not a valid JSON object",
        });
    }
  }

  async function walk(lists: Iterable<RecordList>): Promise<void> {
    for (const list of lists) {
      const session = await readSession(list.source, byName);
      if (session) {
        sessions.push(session);
        pushAll(covered, list.records);
        tell(list.damaged);
      } else await walk(list.inner());
    }
  }
}

/** The session that a file is but for words at its beginning. */
async function readBehindWords(
  source: ByteSource,
  protocols: readonly Protocol[],
  { protocol: wanted }: LogReadOptions,
): Promise<LogFile | undefined> {
  const behind = behindWords(source);
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  const session = behind && (await readSessionOf(behind.source, byName));
  if (
    !session ||
    session.exchanges.length === 0 ||
    (wanted && session.exchanges.every(({ protocol }) => protocol !== wanted.name))
  )
    return undefined;
  const words = { origin: { source, ...behind.words }, reason: "words before the session" };
  const exchanges = numbered(session.exchanges, source);
  return { ...session, path: source.name, source, exchanges, skipped: [words, ...session.skipped] };
}

/** The session that a list of records is; `undefined` if it is none. */
async function readSession(
  source: ByteSource,
  byName: ReadonlyMap<string, Protocol>,
): Promise<LogFile | undefined> {
  const session = await readSessionOf(source, byName);
  const isSession = session?.exchanges.some(({ reply }) => reply) && session.exchanges.some(holdsOthers);
  return isSession ? session : undefined;
}

async function readSessionOf(
  source: ByteSource,
  byName: ReadonlyMap<string, Protocol>,
): Promise<LogFile | undefined> {
  const head = source.read(0, headSize);
  const format = sessions.find((each) => each.recognize(head, source.size <= head.length) > 0);
  if (!format) return undefined;
  const container = await loaded(format, source);
  const recording = container.read(source, recognizerOf([]));
  const exchanges = transcriptExchanges(recording, byName, source.name);
  return logFile(source, container, recording, exchanges);
}

/** Somebody besides the model speaks: a list of replies is no session. */
function holdsOthers({ request }: Exchange): boolean {
  const roles = Array.from({ length: request?.history.length ?? 0 }, (_, at) => request?.history.role(at));
  return roles.some((role) => role === "user" || role === "tool");
}

/** For a file too long for a container that must load it as a whole. */
function tooLong(source: ByteSource, container: Container): LogFile {
  const { name, maxSize = wholeFile } = container;
  const limit = `a file of this kind (${name}) is read as a whole, up to ${gigabytes(maxSize)}`;
  const advice = `${gigabytes(source.size)} long, and ${limit}: split it, or store one record per line, which is read at any length`;
  return unread(source, container, advice);
}

/** For a readable file with a part longer than the longest string. */
function partTooLong(source: ByteSource, container: Container): LogFile {
  const limit = `longer than ${gigabytes(constants.MAX_STRING_LENGTH)}, the maximum length of a string`;
  const advice = `${gigabytes(source.size)} long, and a line, a body or a stream in it is ${limit}: split it, or remove that one`;
  return unread(source, container, advice);
}

function unread(
  source: ByteSource,
  { name, isLogOfProgram = false }: Pick<Container, "name" | "isLogOfProgram">,
  advice?: string,
): LogFile {
  return {
    path: source.name,
    source,
    container: name,
    isLogOfProgram,
    kind: "requests",
    exchanges: [],
    defects: [],
    skipped: [],
    ...(advice !== undefined && { advice }),
  };
}

function gigabytes(size: number): string {
  return size < 1e9 ? `${Math.round(size / 1e6)} MB` : `${(size / 1e9).toFixed(1)} GB`;
}

/** Strings and buffers have a maximum length. */
function isTooLong(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    code === "ERR_STRING_TOO_LONG" ||
    code === "ERR_OUT_OF_RANGE" ||
    code === "ERR_BUFFER_TOO_LARGE" ||
    error instanceof RangeError
  );
}

async function readWhole(...given: Parameters<typeof readWith>): Promise<LogFile> {
  const [container, source] = given;
  if (source.size > (container.maxSize ?? Number.POSITIVE_INFINITY)) return tooLong(source, container);
  try {
    return await readWith(...given);
  } catch (error) {
    // A single value may be too long, too. In a short file it is another error.
    if (source.size < 2 ** 28 || !isTooLong(error)) throw error;
    return partTooLong(source, container);
  }
}

async function readWith(
  container: Container,
  source: ByteSource,
  recognizer: Recognizer,
  protocols: readonly Protocol[],
  options: LogReadOptions,
): Promise<LogFile> {
  const recording: Recording = container.read(source, recognizer);
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  if (recording.branches)
    return logFile(source, container, recording, transcriptExchanges(recording, byName, source.name));
  const inOrder = new InOrder(recording.candidates);
  const { all, crowd } = draftsOf(pairUp(inOrder, recognizer), source, byName, options);
  const lone = all.filter(({ isLone }) => isLone);
  const drafts =
    lone.length < all.length ? all.filter(({ isLone }) => !isLone) : loneIn(container, source, all);
  // Errors look alike everywhere, so a file with nothing but vague ones has no model traffic.
  const placed = drafts.every(({ isVague }) => isVague)
    ? []
    : withoutOuterSpans(modelCalls(drafts), recording.parents);
  const isNewestFirst = recording.isNewestFirst || inOrder.isNewestFirst;
  placed.sort((a, b) => (isNewestFirst ? b.start - a.start : a.start - b.start));
  const printed = container.isFallback ? withoutEarlierPrints(placed) : placed;
  const repeated = container.isFallback ? errorsAgain(printed) : new Set<Draft>();
  const kept = printed.filter((draft) => !repeated.has(draft));
  // A transcript contains what a client stored, not what it sent.
  const readForm = recording.kind === "requests" ? await formReader(kept, byName) : () => undefined;
  const repliesIn = new Map(
    kept.flatMap(({ replyFile, exchange }, index) =>
      replyFile === undefined || exchange.reply ? [] : [[index + 1, replyFile]],
    ),
  );
  const exchanges = kept.map((draft, index): Exchange => {
    const { exchange } = draft;
    const form = readForm(draft);
    if (form) exchange.form = form;
    exchange.number = index + 1;
    exchange.position = index + 1;
    exchange.file = source.name;
    return exchange;
  });
  const unknown = kept.flatMap(({ unknownReply }) => unknownReply ?? []);
  const [first] = unknown;
  const read = logFile(source, container, recording, exchanges);
  const file = withErrorsAgain(crowd ? { ...read, defects: [...read.defects, crowd] } : read, repeated);
  const reason = "a response that no known API sends: its reply was not understood";
  return {
    ...file,
    ...(first && {
      skipped: [...file.skipped, { origin: first, reason, count: unknown.length }],
      unknownReplies: unknown.length,
    }),
    joined: joinedOf(kept),
    ...(container.lengths && { lengths: container.lengths }),
    ...(repliesIn.size > 0 && { repliesIn }),
  };
}

/**
 * The exchanges of a log, up to more of them than any log of its size has: 35,000 requests without a message
 * fit into a megabyte, and each is looked at, repaired and compared as one that says something.
 */
function draftsOf(
  pairs: Iterable<Pair>,
  source: ByteSource,
  protocols: ReadonlyMap<string, Protocol>,
  options: LogReadOptions,
): { all: readonly Draft[]; crowd?: Defect } {
  const all: Draft[] = [];
  // Packed bodies and files may hold more than the source.
  let held = 0;
  for (const pair of pairs) {
    const parts = [pair.request, pair.reply].flatMap((half) => half?.place.origin ?? []);
    const [first] = parts;
    if (first && isExchangeCrowd(all.length, Math.max(source.size, held))) {
      const origin = { ...first, end: first.source.size };
      return { all, crowd: { kind: "broken", origin, message: exchangeCrowdMessage } };
    }
    for (const { start, end } of parts) held += end - start;
    const draft = decodePair(pair, protocols, options);
    if (draft) all.push(draft);
  }
  return { all };
}

/**
 * Errors that repeat the one before them, with no request in between: each layer of a program logs the
 * exception that passes through it.
 */
function errorsAgain(drafts: readonly Draft[]): ReadonlySet<Draft> {
  const repeated = drafts.filter(({ exchange: { request, reply } }, at) => {
    const text = reply?.error?.message;
    return !request && text !== undefined && text === drafts[at - 1]?.exchange.reply?.error?.message;
  });
  return new Set(repeated);
}

function withErrorsAgain(file: LogFile, repeated: ReadonlySet<Draft>): LogFile {
  const again = [...repeated].flatMap(({ exchange: { reply } }) =>
    reply ? [{ origin: reply.place.origin, reason: "the error before it, again" }] : [],
  );
  return again.length === 0 ? file : { ...file, skipped: [...file.skipped, ...again] };
}

/** Lone messages, if they are what the file is about: a program's source has such literals, too. */
function loneIn(container: Container, source: ByteSource, lone: readonly Draft[]): readonly Draft[] {
  if (!container.isFallback) return lone;
  let size = 0;
  for (const { exchange } of lone) {
    const { start, end } = exchange.reply?.place.origin ?? { start: 0, end: 0 };
    size += end - start;
  }
  return size > source.size / 2 ? lone : [];
}

function joinedOf(drafts: readonly Draft[]): Joined {
  const joined = { record: 0, id: 0, order: 0, file: 0, requestOnly: 0, replyOnly: 0 };
  for (const { by, exchange } of drafts) joined[by ?? (exchange.request ? "requestOnly" : "replyOnly")]++;
  return joined;
}

/** Call after walking the recording: its advice, session and defects are known only then. */
function logFile(
  source: ByteSource,
  { isLogOfProgram = false }: Container,
  { container, kind, defects, skipped, advice, session }: Recording,
  exchanges: readonly Exchange[],
): LogFile {
  return {
    path: source.name,
    source,
    container,
    isLogOfProgram,
    kind,
    exchanges: source.segments ? exchanges.map(inItsFile) : exchanges,
    defects,
    skipped,
    ...(session && { session }),
    ...(advice !== undefined && exchanges.length === 0 && { advice }),
  };
}

/** In a multi-file log, an exchange belongs to the file it begins in. */
function inItsFile(exchange: Exchange): Exchange {
  const place = exchange.request?.place ?? exchange.reply?.place;
  return place ? { ...exchange, file: place.origin.source.name } : exchange;
}

function numbered(exchanges: readonly Exchange[], source: ByteSource): Exchange[] {
  return exchanges.map((exchange, index) => ({
    ...exchange,
    number: index + 1,
    position: index + 1,
    file: source.name,
  }));
}

/** In a trace that marks the calls of models, its other steps repeat their messages. */
function modelCalls(drafts: readonly Draft[]): readonly Draft[] {
  const hasCalls = drafts.some((draft) => draft.isModelCall === true);
  return hasCalls ? drafts.filter((draft) => draft.isModelCall !== false) : drafts;
}

/** An outer span around a request's span reports the same request again, in its own form. */
function withoutOuterSpans(
  drafts: readonly Draft[],
  parents: ReadonlyMap<string, string> = new Map(),
): Draft[] {
  const outer = new Set<string>();
  for (const { spanId, exchange } of drafts) {
    if (spanId === undefined || !exchange.request) continue;
    let above = parents.get(spanId);
    // Ids come from the log and may form a cycle.
    while (above !== undefined && !outer.has(above)) {
      outer.add(above);
      above = parents.get(above);
    }
  }
  return drafts.filter(({ spanId }) => spanId === undefined || !outer.has(spanId));
}
