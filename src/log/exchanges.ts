import { constants } from "node:buffer";
import { InOrder } from "../containers/payloads/newest-first.ts";
import { pairUp } from "../containers/payloads/pairing.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { ByteSource } from "../reading/source.ts";
import {
  type Container,
  type Defect,
  type Recording,
  type Skipped,
  wholeFile,
} from "../traffic/container.ts";
import type { Recognizer } from "../traffic/recognizer.ts";
import { type Draft, formReader } from "./decode-pair.ts";
import { draftsOf, errorsAgain, modelDrafts, withoutOuterSpans } from "./drafts.ts";
import { withoutEarlierPrints } from "./growing.ts";
import { type Joined, type LogFile, type LogReadOptions, logFile, unread } from "./log-file.ts";
import { unheardMessages } from "./lone-messages.ts";
import { transcriptExchanges } from "./transcript.ts";

/** Who says what the payloads of a log are. */
export interface Decoders {
  readonly recognizer: Recognizer;
  readonly protocols: readonly Protocol[];
}

/** A file with the exchanges that a container finds in it; with advice if it is too long for that. */
export async function readExchanges(
  source: ByteSource,
  container: Container,
  decoders: Decoders,
  options: LogReadOptions,
): Promise<LogFile> {
  if (source.size > (container.maxSize ?? Number.POSITIVE_INFINITY)) return tooLong(source, container);
  try {
    return await readRecording(source, container, decoders, options);
  } catch (error) {
    // A single value may be too long, too. In a short file it is another error.
    if (source.size < 2 ** 28 || !isTooLong(error)) throw error;
    return partTooLong(source, container);
  }
}

async function readRecording(
  source: ByteSource,
  container: Container,
  { recognizer, protocols }: Decoders,
  options: LogReadOptions,
): Promise<LogFile> {
  const recording = container.read(source, recognizer);
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  if (recording.branches)
    return logFile(source, container, recording, transcriptExchanges(recording, byName, source.name));
  const shapes = container.isFallback ? await bodyShapes() : undefined;
  const inOrder = new InOrder(shapes?.watch(recording.candidates) ?? recording.candidates);
  const { all, crowd } = draftsOf(pairUp(inOrder, recognizer), source, byName, options);
  const { spoken, lone } = await withoutLone(all, container, crowd);
  const placed = inFileOrder(spoken, recording, inOrder.isNewestFirst);
  const { drafts, repeated } = container.isFallback
    ? withoutRepeats(placed)
    : { drafts: placed, repeated: [] };
  await complete(drafts, recording, byName, source.name);
  const exchanges = drafts.map(({ exchange }) => exchange);
  const file = logFile(source, container, recording, exchanges);
  const unknown = unknownReplies(drafts);
  const repliesIn = replyFiles(drafts);
  const unheard = unheardMessages(
    lone.map(({ exchange }) => exchange),
    exchanges,
    recording.defects,
  );
  return {
    ...file,
    ...(crowd && { defects: [...file.defects, crowd] }),
    skipped: [
      ...file.skipped,
      ...(unheard ? [unheard] : []),
      ...repetitions(repeated),
      ...(unknown ? [unknown] : []),
    ],
    joined: joinedOf(drafts),
    ...(shapes && { shapes }),
    ...(unknown && { unknownReplies: unknown.count }),
    ...(container.lengths && { lengths: container.lengths }),
    ...(repliesIn.size > 0 && { repliesIn }),
  };
}

async function bodyShapes(): Promise<NonNullable<LogFile["shapes"]>> {
  const { BodyShapes } = await import("./body-shapes.ts");
  return new BodyShapes();
}

/** The drafts without the messages that stand alone (`lone`), unless the file holds nothing else. */
async function withoutLone(
  all: readonly Draft[],
  { isFallback = false }: Container,
  crowd: Defect | undefined,
): Promise<{ spoken: readonly Draft[]; lone: readonly Draft[] }> {
  const lone = all.filter(({ isLone }) => isLone);
  if (lone.length === 0) return { spoken: all, lone };
  if (lone.length < all.length) return { spoken: all.filter(({ isLone }) => !isLone), lone };
  if (!isFallback) return { spoken: all, lone: [] };
  const { loneIn } = await import("./lone-drafts.ts");
  return { spoken: loneIn(all, crowd), lone: [] };
}

/** The drafts of calls of models, the oldest first. */
function inFileOrder(drafts: readonly Draft[], recording: Recording, isReversed: boolean): readonly Draft[] {
  // Errors look alike everywhere, so a file with nothing but vague ones has no model traffic.
  if (drafts.every(({ isVague }) => isVague)) return [];
  const isNewestFirst = recording.isNewestFirst || isReversed;
  return withoutOuterSpans(modelDrafts(drafts), recording.parents).sort((a, b) =>
    isNewestFirst ? b.start - a.start : a.start - b.start,
  );
}

/** What a program printed, without what it printed before: growing messages, and errors again. */
function withoutRepeats(placed: readonly Draft[]): { drafts: readonly Draft[]; repeated: readonly Draft[] } {
  const printed = withoutEarlierPrints(placed);
  const repeated = errorsAgain(printed);
  return { drafts: printed.filter((draft) => !repeated.has(draft)), repeated: [...repeated] };
}

/** Numbers the exchanges and validates their requests. */
async function complete(
  drafts: readonly Draft[],
  { kind }: Recording,
  protocols: ReadonlyMap<string, Protocol>,
  file: string,
): Promise<void> {
  // A transcript contains what a client stored, not what it sent.
  const readForm = kind === "requests" ? await formReader(drafts, protocols) : () => undefined;
  for (const [index, draft] of drafts.entries()) {
    const { exchange } = draft;
    const form = readForm(draft);
    if (form) exchange.form = form;
    exchange.number = index + 1;
    exchange.position = index + 1;
    exchange.file = file;
  }
}

function replyFiles(drafts: readonly Draft[]): ReadonlyMap<number, string> {
  return new Map(
    drafts.flatMap(({ replyFile, exchange }) =>
      replyFile === undefined || exchange.reply ? [] : [[exchange.number, replyFile]],
    ),
  );
}

function repetitions(repeated: readonly Draft[]): Skipped[] {
  return repeated.flatMap(({ exchange: { reply } }) =>
    reply ? [{ origin: reply.place.origin, reason: "a repetition of the error before it" }] : [],
  );
}

function unknownReplies(drafts: readonly Draft[]): (Skipped & { readonly count: number }) | undefined {
  const unknown = drafts.flatMap(({ unknownReply }) => unknownReply ?? []);
  const [origin] = unknown;
  const reason = "a response that no known API sends: its reply was not understood";
  return origin && { origin, reason, count: unknown.length };
}

function joinedOf(drafts: readonly Draft[]): Joined {
  const joined = { record: 0, id: 0, order: 0, file: 0, requestOnly: 0, replyOnly: 0 };
  for (const { by, exchange } of drafts) joined[by ?? (exchange.request ? "requestOnly" : "replyOnly")]++;
  return joined;
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
