import { behindWords } from "../containers/sessions/behind-words.ts";
import { type RecordList, recordLists } from "../containers/sessions/embedded.ts";
import { sessions } from "../containers/sessions/index.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { shortenedHead } from "../reading/head.ts";
import { pushAll, type Range, rangeAround } from "../reading/lists.ts";
import { isDeepJson } from "../reading/parse.ts";
import type { ByteSource } from "../reading/source.ts";
import { type Defect, loaded, type Skipped } from "../traffic/container.ts";
import { headSize, type LogFile, type LogReadOptions, logFile, numbered } from "./log-file.ts";
import { recognizerOf } from "./recognizer.ts";
import { transcriptExchanges } from "./transcript.ts";

/**
 * Reads the records of a session that stand in a document or behind prefixes, where the file has nothing else
 * or only replies: messages of a session look like replies.
 */
export async function readRecords(
  found: LogFile,
  protocols: readonly Protocol[],
  { protocol: wanted }: LogReadOptions,
): Promise<LogFile | undefined> {
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
  const skipped = [...ownSkipped(found), ...sessions.flatMap((each) => each.skipped)];
  covered.sort((a, b) => a.start - b.start);
  // Within a record of a session, the session's own reading says what is wrong: its texts may quote anything.
  const apart = found.defects.filter(
    ({ origin }) => origin.source !== found.source || !rangeAround(covered, origin.start),
  );
  const defects = [
    ...apart,
    ...sessions.flatMap((each) => each.defects),
    ...damaged,
    ...tooDeep(found.source),
  ];
  return { ...first, path: found.path, source: found.source, exchanges, skipped, defects };

  /** Names the damaged lines between records of a session that nobody named before. */
  function tell(lines: RecordList["damaged"]): void {
    const { source } = found;
    const known = [...found.defects, ...ownSkipped(found)]
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

/**
 * What is kept of the records that were skipped before the session was found, without what is said of speech.
 * A text log notes only what it could not read; others also note the records of the session.
 */
function ownSkipped({ container, skipped }: LogFile): readonly Skipped[] {
  return container === "text" ? skipped.filter(({ isSpeech }) => !isSpeech) : [];
}

/** Names a document that nests too deep to be read whole: what stands beside its lists is not read. */
function tooDeep(source: ByteSource): Defect[] {
  if (source.size > maxDocument || !isDeepJson(source.read(0, source.size).toString("utf8"))) return [];
  const origin = { source, start: 0, end: 1 };
  return [{ kind: "broken", origin, message: "the JSON of this file is nested too deeply to be read whole" }];
}

/** Lists of records are looked for in files up to this size. */
const maxDocument = 64 << 20;

/** The session that a file is but for words at its beginning. */
export async function readBehindWords(
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
  const reason = "without the words before the session";
  const words = { origin: { source, ...behind.words }, reason, isCopy: true };
  const exchanges = numbered(session.exchanges, source);
  return { ...session, path: source.name, source, exchanges, skipped: [words, ...session.skipped] };
}

/** The session that a file keeps: what a program printed, or the rows of a database. */
export async function readKept(
  { source, kept, defects }: LogFile,
  protocols: readonly Protocol[],
): Promise<LogFile | undefined> {
  if (!kept) return undefined;
  const session = await readSessionOf(kept, new Map(protocols.map((each) => [each.name, each])));
  if (!session?.exchanges.some(holdsOthers)) return undefined;
  const exchanges = numbered(session.exchanges, source);
  const all = [...defects, ...session.defects];
  return { ...session, path: source.name, source, kept, exchanges, defects: all };
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
  const head = shortenedHead(source, headSize) ?? source.read(0, headSize);
  const format = sessions.find((each) => each.recognize(head, source.size <= head.length) > 0);
  if (!format) return undefined;
  const container = await loaded(format, source);
  const recording = container.read(source, recognizerOf([]));
  const exchanges = transcriptExchanges(recording, byName, source.name);
  return logFile(source, container, recording, exchanges);
}

/** Somebody besides the model speaks: a list of replies is no session. */
export function holdsOthers({ request }: Exchange): boolean {
  const roles = Array.from({ length: request?.history.length ?? 0 }, (_, at) => request?.history.role(at));
  return roles.some((role) => role === "user" || role === "tool");
}
