import { constants } from "node:buffer";
import { InOrder } from "../containers/payloads/newest-first.ts";
import { pairUp } from "../containers/payloads/pairing.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { linesOf } from "../reading/origin.ts";
import { parseJson } from "../reading/parse.ts";
import { type ByteSource, isDatabase, textStart } from "../reading/source.ts";
import { level } from "../traffic/certainty.ts";
import {
  type AnyContainer,
  type Container,
  loaded,
  type Recording,
  type Skipped,
  wholeFile,
} from "../traffic/container.ts";
import type { Recognizer } from "../traffic/recognizer.ts";
import type { BodyShapes } from "./body-shapes.ts";
import { readCopied } from "./copied.ts";
import { type Draft, decodePair, formReader } from "./decode-pair.ts";
import { draftsOf, errorsAgain, modelDrafts, withoutOuterSpans } from "./drafts.ts";
import { withoutEarlierPrints } from "./growing.ts";
import { jsonSlips } from "./json-slips.ts";
import {
  headSize,
  type Joined,
  type LogFile,
  type LogReadOptions,
  logFile,
  numbered,
  unread,
} from "./log-file.ts";
import { unheardMessages } from "./lone-messages.ts";
import { recognizerOf } from "./recognizer.ts";
import { transcriptExchanges } from "./transcript.ts";
import { withUnreadMessages } from "./unread-messages.ts";

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
  const readOnce = (each: ByteSource): Promise<LogFile> => readTraffic(each, containers, protocols, options);
  const read = async (each: ByteSource): Promise<LogFile> => {
    const file = await readOnce(each);
    if (!mayHoldFragments(file)) return withUnreadMessages(file);
    const { withFragments } = await import("./fragments.ts");
    return withUnreadMessages(await withFragments(file, protocols, readOnce));
  };
  const file = await (options.container ? read(source) : readCopied(source, read));
  const isRead = file.exchanges.length > 0 || file.advice !== undefined;
  if (isRead || options.container || options.protocol) return file;
  return withFlaw(await withWrittenReply(file, protocols));
}

/** Longer files are logs, in which nobody looks for what was pasted. */
const longestPaste = 256 << 10;

/**
 * Whether a file may hold fragments of traffic: nothing was found in it, or, in a text, replies alone or a
 * request without one.
 */
function mayHoldFragments({ source, kind, container, exchanges, advice }: LogFile): boolean {
  if (kind !== "requests" || advice !== undefined || source.size > longestPaste || source.segments)
    return false;
  const [only, ...others] = exchanges;
  if (only && container !== "text") return false;
  return exchanges.every(({ request }) => !request) || (others.length === 0 && only?.reply === undefined);
}

/** A file without traffic that would have some, but for a flaw in its JSON: that is what is said of it. */
function withFlaw(file: LogFile): LogFile {
  const flaw = file.defects.find(({ kind, half }) => kind === "broken" && half !== undefined);
  if (!flaw || file.exchanges.length > 0) return file;
  const { line, column } = linesOf(file.source).at(flaw.origin.start);
  const advice = `${flaw.message} (line ${line}, column ${column}), so nothing in it was read
Correct the JSON there, or save the body again as the program sent it.`;
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
  const other = options.container ? undefined : await otherThanLog(head);
  if (other !== undefined) return unread(source, container, other);
  const isSure = (guess?.certainty ?? 0) >= level.nearlyCertain;
  const behind =
    guess && !isSure && !beginsAsJson(head) ? await behindWordsIn(source, protocols, options) : undefined;
  if (behind?.isSession) return behind.file;
  const fallback = containers.find(({ isFallback }) => isFallback);
  const file = await readAs({ container, isSure, fallback }, source, recognizer, protocols, options);
  return behind && file.exchanges.length === 0 && file.advice === undefined ? behind.file : file;
}

/** What a file is that only looks like a log. JSON is one of few such forms, which name themselves. */
async function otherThanLog(head: Buffer): Promise<string | undefined> {
  if (beginsAsJson(head) && !namesOtherForm.test(head.toString("latin1"))) return undefined;
  return (await import("./no-logs.ts")).notALog(head);
}

const namesOtherForm = /"(?:openapi|swagger|asyncapi|components|\$schema|toollint-blob)"/;

/** Whether no words come before the JSON of a file. */
function beginsAsJson(head: Buffer): boolean {
  return /^\s*[{[]/.test(head.toString("latin1", textStart(head), 64));
}

/** The session behind words at the beginning of a file, which few files have. */
async function behindWordsIn(
  ...given: [ByteSource, readonly Protocol[], LogReadOptions]
): Promise<{ file: LogFile; isSession: boolean } | undefined> {
  const { holdsOthers, readBehindWords } = await import("./session-records.ts");
  const file = await readBehindWords(...given);
  return file && { file, isSession: file.exchanges.some(holdsOthers) };
}

/** The session that a log contains, if its exchanges may be messages of one. */
async function recordsIn(
  found: LogFile,
  protocols: readonly Protocol[],
  options: LogReadOptions,
): Promise<LogFile | undefined> {
  const isOther = ({ request, reply }: Exchange): boolean =>
    request !== undefined || reply?.form === "stream" || reply?.error !== undefined;
  if (found.exchanges.some(isOther)) return undefined;
  const { readRecords } = await import("./session-records.ts");
  return await readRecords(found, protocols, options);
}

async function keptSession(...given: [LogFile, readonly Protocol[]]): Promise<LogFile | undefined> {
  return (await import("./session-records.ts")).readKept(...given);
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
  const session = read.kept && (await keptSession(read, protocols));
  if (session) return session;
  if (read.advice !== undefined || options.container || read.kind === "transcript") return read;
  // Between the rows of a database there is no text to look for payloads in.
  const isWhole = container.isFallback || container.readsAll || isDatabase(source);
  if (read.exchanges.length > 0 || isWhole) {
    const records = await recordsIn(read, protocols, options);
    if (records) return withSlips(records);
    return container.isFallback ? withSlips(withNamedForm(read)) : read;
  }
  // The guess may be wrong, for example for a text log whose first lines are JSON.
  const again =
    fallback && (await readWhole(await loaded(fallback, source), source, recognizer, protocols, options));
  const found =
    again && again.exchanges.length > 0
      ? isSure
        ? // What is whole again once its file is restored was never broken.
          { ...again, defects: [...(again.restored ? [] : read.defects), ...again.defects] }
        : withNamedForm(again)
      : { ...read, defects: [...read.defects, ...(again?.defects ?? [])] };
  return withSlips((await recordsIn(found, protocols, options)) ?? found);
}

/** A log that was not read as the JSON that it is by its brackets, with what of it is no JSON. */
function withSlips(file: LogFile): LogFile {
  const { source, restored = source, exchanges, defects, skipped } = file;
  if (exchanges.length === 0) return file;
  const known = [...defects, ...skipped].map(({ origin }) => origin);
  const read = exchanges.flatMap(({ request, reply }) => [request, reply]).map((side) => side?.place.origin);
  const starts = new Set(read.flatMap((origin) => (origin?.source === source ? origin.start : [])));
  const slips = jsonSlips(restored, known, starts);
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
  const shapes = container.isFallback ? await bodyShapes() : undefined;
  const inOrder = new InOrder(shapes?.watch(recording.candidates) ?? recording.candidates);
  const { all, crowd } = draftsOf(pairUp(inOrder, recognizer), source, byName, options);
  const lone = all.filter(({ isLone }) => isLone);
  const drafts =
    lone.length < all.length
      ? all.filter(({ isLone }) => !isLone)
      : container.isFallback && lone.length > 0
        ? (await import("./lone-drafts.ts")).loneIn(all, crowd)
        : all;
  // Errors look alike everywhere, so a file with nothing but vague ones has no model traffic.
  const placed = drafts.every(({ isVague }) => isVague)
    ? []
    : withoutOuterSpans(modelDrafts(drafts), recording.parents);
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
  const exchangesOf = (of: readonly Draft[]): Exchange[] => of.map(({ exchange }) => exchange);
  const unheard =
    lone.length < all.length ? unheardMessages(exchangesOf(lone), exchanges, recording.defects) : undefined;
  const [first] = unknown;
  const read = withSkipped(logFile(source, container, recording, exchanges), unheard ? [unheard] : []);
  const file = withErrorsAgain(crowd ? { ...read, defects: [...read.defects, crowd] } : read, repeated);
  const reason = "a response that no known API sends: its reply was not understood";
  return {
    ...file,
    ...(shapes && { shapes }),
    ...(first && {
      skipped: [...file.skipped, { origin: first, reason, count: unknown.length }],
      unknownReplies: unknown.length,
    }),
    joined: joinedOf(kept),
    ...(container.lengths && { lengths: container.lengths }),
    ...(repliesIn.size > 0 && { repliesIn }),
  };
}

async function bodyShapes(): Promise<BodyShapes> {
  const { BodyShapes } = await import("./body-shapes.ts");
  return new BodyShapes();
}

function withErrorsAgain(file: LogFile, repeated: ReadonlySet<Draft>): LogFile {
  const again = [...repeated].flatMap(({ exchange: { reply } }) =>
    reply ? [{ origin: reply.place.origin, reason: "a repetition of the error before it" }] : [],
  );
  return withSkipped(file, again);
}

function withSkipped(file: LogFile, more: readonly Skipped[]): LogFile {
  return more.length === 0 ? file : { ...file, skipped: [...file.skipped, ...more] };
}

function joinedOf(drafts: readonly Draft[]): Joined {
  const joined = { record: 0, id: 0, order: 0, file: 0, requestOnly: 0, replyOnly: 0 };
  for (const { by, exchange } of drafts) joined[by ?? (exchange.request ? "requestOnly" : "replyOnly")]++;
  return joined;
}
