import type { Exchange } from "../conversation/exchange.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { shortenedHead } from "../reading/head.ts";
import { linesOf } from "../reading/origin.ts";
import { type ByteSource, isDatabase, textStart } from "../reading/source.ts";
import { level } from "../traffic/certainty.ts";
import { type AnyContainer, loaded } from "../traffic/container.ts";
import { readCopied } from "./copied.ts";
import { decodePair } from "./decode-pair.ts";
import { type Decoders, readExchanges } from "./exchanges.ts";
import { jsonSlips } from "./json-slips.ts";
import { headSize, type LogFile, type LogReadOptions, numbered, unread } from "./log-file.ts";
import { withNamedForm } from "./named-form.ts";
import { recognizerOf } from "./recognizer.ts";
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
  const ofRecords = shortenedHead(source, headSize) ?? head;
  let best: Guess | undefined;
  for (const container of containers) {
    if (best && best.certainty >= (container.mostCertain ?? 1)) continue;
    const certainty = container.recognize(container.kind === "transcript" ? ofRecords : head, isWhole);
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
  const decoders = { recognizer, protocols };
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
  const file = await readAs({ container, isSure, fallback }, source, decoders, options);
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
  decoders: Decoders,
  options: LogReadOptions,
): Promise<LogFile> {
  const readWith = async (each: AnyContainer): Promise<LogFile> =>
    readExchanges(source, await loaded(each, source), decoders, options);
  const { protocols } = decoders;
  const read = await readWith(container);
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
  const again = fallback && !read.isSearched ? await readWith(fallback) : undefined;
  const found = again ? readAgain(read, again, isSure) : read;
  return withSlips((await recordsIn(found, protocols, options)) ?? found);
}

/** What is known of a file in which nothing was found (`read`) until it was read `again`, as a text. */
function readAgain(read: LogFile, again: LogFile, isSure: boolean): LogFile {
  if (again.exchanges.length === 0) return { ...read, defects: [...read.defects, ...again.defects] };
  if (!isSure) return withNamedForm(again);
  // What is whole again once its file is restored was never broken.
  return again.restored ? again : { ...again, defects: [...read.defects, ...again.defects] };
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
