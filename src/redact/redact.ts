import { randomBytes } from "node:crypto";
import { type CheckResult, checkFiles } from "../check/check.ts";
import type { CheckReport } from "../findings/report.ts";
import { fixChecked } from "../fix/fix.ts";
import type { FixSettings } from "../fix/settings.ts";
import type { LogSource } from "../log/log-file.ts";
import type { Run } from "../log/open.ts";
import { type ByteSource, bytesSource, memorySource, packedAgain, storedSize } from "../reading/source.ts";
import { isSqlite } from "../reading/sqlite.ts";
import { isArchive, withOtherFiles } from "./archive.ts";
import { withoutHeaders } from "./credentials.ts";
import { Engine } from "./engine.ts";
import { bytesOfLog, textOfLog } from "./log-text.ts";
import { type OriginalLog, type Originals, originalsOf } from "./original.ts";
import { beyondRoom, type PackedRoom, packedRoom } from "./packed-room.ts";
import { type Difference, differences, findingFacts, repairFacts } from "./proof.ts";
import { Tally } from "./tally.ts";
import { Unredactable } from "./unredactable.ts";

export interface RedactSettings extends FixSettings {
  /** Equal keys give equal pseudonyms; random if absent. */
  readonly key?: Uint8Array;
  /** Replaces the names of tools, too. */
  readonly hidesNames?: boolean;
  /** Roles whose texts stay: `user`, `assistant`, `system`, `tool`. */
  readonly keptRoles?: ReadonlySet<string>;
  /** Makes no files where no conversation was understood in any of them. */
  readonly onlyUnderstood?: boolean;
}

/** A file without what is private. */
export interface RedactedFile {
  readonly path: string;
  readonly container: string;
  /** The size of the file as it is, in bytes. */
  readonly sizeBefore: number;
  /** Without what a terminal or a viewer added. */
  readonly isRestored: boolean;
  /** Only the log that the file keeps, without the file's own form. */
  readonly isKept?: boolean;
  /** What was redacted, and what became of it: unpacked, if the file is packed. */
  readonly plain: Buffer;
  readonly content: Buffer;
  readonly bytes: Buffer;
}

export interface Redacted {
  /** What was found in the logs as they are. */
  readonly report: CheckReport;
  /** What was found in their redacted form. */
  readonly reportAfter: CheckReport;
  /** The logs, where no conversation was understood in any of them. */
  readonly unread: readonly Run[];
  readonly files: readonly RedactedFile[];
  /** What the redacted logs do not have in common with the logs; they are not to be written then. */
  readonly differences: readonly Difference[];
  /** Why some of the logs' bodies cannot be written, in plain words; absent if all can. */
  readonly whyReadOnly?: string | undefined;
  readonly tally: Tally;
  /** @see Originals.kept */
  readonly kept: ReadonlyMap<string, ByteSource>;
  /** Whether the words that rules look for stay, since findings or repairs depend on them. */
  readonly keepsReadWords: boolean;
  /** Whether the repairs of the logs were made and compared, too: not where a log is dense with mistakes. */
  readonly comparesRepairs: boolean;
  /** Words with their pseudonyms: for the owner of the log only. */
  readonly replaced: ReadonlyMap<string, string>;
}

/**
 * Replaces what is private in logs: every word of a text by another one of its length, and proves that the
 * findings and the repairs stay the same. Words that rules look for stay only where a finding or a repair
 * depends on one of them. Credentials are masked.
 *
 * @throws {Unredactable}
 */
export async function redact(inputs: readonly LogSource[], settings: RedactSettings = {}): Promise<Redacted> {
  const whole = await redactAs(inputs, settings);
  if (whole.differences.length === 0 || whole.kept.size === 0) return whole;
  // The form of a file may cut words in two, or write them in ways that no other word fits into.
  const logs = inputs.map((input) => withSource(input, whole.kept.get(input.path)));
  const redacted = await redactAs(logs, settings);
  if (redacted.differences.length > 0) return whole;
  const before = new Map(whole.files.map((file) => [file.path, file]));
  const files = redacted.files.map((file) => {
    const { sizeBefore = file.sizeBefore } = before.get(file.path) ?? {};
    return whole.kept.has(file.path) ? { ...file, sizeBefore, isKept: true } : file;
  });
  return { ...redacted, files };
}

/** The input with other content; as it is without. */
function withSource(input: LogSource, content: ByteSource | undefined): LogSource {
  if (!content) return input;
  return { ...input, source: memorySource(input.source.name, content.read(0, content.size)) };
}

/** Redacts logs in the form that their files have. */
async function redactAs(inputs: readonly LogSource[], settings: RedactSettings): Promise<Redacted> {
  const { key, hidesNames = false, keptRoles = new Set<string>(), onlyUnderstood, ...check } = settings;
  for (const { path, source } of inputs) refuseFull(path, source);
  const originals = await understood(inputs, check, onlyUnderstood);
  if ("unread" in originals) return originals;
  const { report, facts, kept, whyReadOnly } = originals;
  const tools = hidesNames ? new Set<string>() : originals.tools;
  const attempt = async (keepsReadWords: boolean, isLast: boolean, known?: string): Promise<Attempt> => {
    const engine = new Engine({ key: key ?? randomBytes(32), keptRoles, tools, keepsReadWords });
    const files = originals.logs.map((log) => ({
      ...redactedFile(log, engine),
      ...ofInput(log, inputs.find(({ path }) => path === log.path) ?? log),
    }));
    const sources = redactedSources(inputs, files);
    const after = await checkFiles(sources, check);
    const words = (token: string): string => engine.words(token);
    const { tally } = engine;
    const redacted = {
      report,
      reportAfter: after.report,
      unread: [],
      files,
      whyReadOnly,
      tally,
      kept,
      keepsReadWords,
      comparesRepairs: facts.repairs !== undefined,
    };
    // Repairs cost more than findings.
    const found = differences(facts.findings, findingFacts(after), words);
    if (found.length > 0 && !isLast && JSON.stringify(found) !== known)
      return { ...redacted, differences: found, replaced: engine.replaced, isLast };
    const isAgain = isLast || found.length > 0;
    if (!facts.repairs)
      return { ...redacted, differences: found, replaced: engine.replaced, isLast: isAgain };
    const repairs = repairFacts(await fixChecked(after, sources, check));
    const all = differences(
      [...facts.findings, ...facts.repairs],
      [...findingFacts(after), ...repairs],
      words,
    );
    return { ...redacted, differences: all, replaced: engine.replaced, isLast: isAgain };
  };
  // Most findings do not depend on what is said. Only where one does, the words that rules look for stay. Now
  // and then a pseudonym has a meaning of its own, such as an id without letters: another key has others.
  // Differences that two keys have in common are no chance.
  let redacted = await attempt(false, false);
  for (let tries = key ? 1 : 2; redacted.differences.length > 0 && tries > 0 && !redacted.isLast; tries--)
    redacted = await attempt(true, tries === 1, JSON.stringify(redacted.differences));
  return redacted;
}

/** Logs redacted with one key. */
interface Attempt extends Redacted {
  /** Another key would not change the differences. */
  readonly isLast: boolean;
}

/** The logs as they are; nothing to write where none of them was understood and some has to be. */
async function understood(
  inputs: readonly LogSource[],
  settings: FixSettings,
  onlyUnderstood = false,
): Promise<Originals | Redacted> {
  const logs = remembered(inputs);
  const result = await checkFiles(logs.inputs, settings);
  if (onlyUnderstood && result.report.files.length === 0) return nothingIn(result);
  const restored = restoredInputs(inputs, result);
  return restored
    ? understood(restored, settings, onlyUnderstood)
    : originalsOf(result, logs.inputs, logs.opened(), settings);
}

/**
 * The logs as their programs wrote them, where a terminal or a viewer put line ends, numbers or codes between
 * names and values; `undefined` if none of them was changed.
 */
function restoredInputs(inputs: readonly LogSource[], { files }: CheckResult): LogSource[] | undefined {
  const restored = new Map(
    files.flatMap(({ path, source, restored }) =>
      restored && !source.packed && !source.segments ? [[path, restored] as const] : [],
    ),
  );
  if (restored.size === 0) return undefined;
  return inputs.map((input) => withSource(input, restored.get(input.path)));
}

/** Nothing is to be written, so nothing is replaced and proved. */
function nothingIn({ report, runs }: CheckResult): Redacted {
  const tally = new Tally("words of formats and APIs");
  const replaced = new Map<string, string>();
  const nothing = {
    files: [],
    differences: [],
    kept: new Map(),
    keepsReadWords: false,
    comparesRepairs: false,
  };
  return { report, reportAfter: report, unread: runs, tally, replaced, ...nothing };
}

/** The inputs, and all files beside them that are opened. */
function remembered(inputs: readonly LogSource[]): {
  readonly inputs: readonly LogSource[];
  opened(): readonly LogSource[];
} {
  const seen = new Map<string, LogSource>();
  const wrapped = (input: LogSource): LogSource => {
    const { path, source } = input;
    return {
      path,
      source,
      beside: (other) => {
        const found = seen.get(other) ?? input.beside?.(other);
        if (found) seen.set(found.path, found);
        return found;
      },
    };
  };
  for (const input of inputs) seen.set(input.path, input);
  return { inputs: inputs.map(wrapped), opened: () => [...seen.values()] };
}

/** What is said of the file that a log was read from. */
function ofInput(
  log: OriginalLog,
  { source }: Pick<LogSource, "source">,
): Pick<RedactedFile, "sizeBefore" | "isRestored"> {
  return { sizeBefore: storedSize(source), isRestored: source !== log.source };
}

function redactedFile(
  { path, container, source, masked }: OriginalLog,
  engine: Engine,
): Omit<RedactedFile, "sizeBefore" | "isRestored"> {
  const own = source.read(0, source.size);
  const file = { path, container, plain: own };
  const room = packedRoom((source.packed ?? own).length);
  if (isArchive(own)) {
    const bytes = withOtherFiles(
      own,
      (content) => {
        if (room?.take(content) === false) throw new Unredactable(tooFull(path));
        return redactedBytes(withoutHeaders(memorySource(path, content), []), path, engine, room);
      },
      (name) => engine.names(name),
    );
    if (!bytes)
      throw new Unredactable(`${path} is damaged, or packed in a way that toollint cannot write: unpack it`);
    return { ...file, bytes, content: bytes };
  }
  const content = redactedBytes(masked, path, engine, room);
  return { ...file, bytes: withOtherName(packedLike(source, own, content), engine), content };
}

function redactedBytes(masked: Buffer, path: string, engine: Engine, room: PackedRoom | undefined): Buffer {
  const redacted = engine.redacted(textOfLog(masked), room);
  if (redacted === undefined) throw new Unredactable(tooFull(path));
  return bytesOfLog(redacted);
}

/** A packed file that holds too much is refused before anything is done with it. */
function refuseFull(path: string, source: ByteSource): void {
  const room = source.packed && packedRoom(source.packed.length);
  if (room?.take(source.read(0, source.size)) === false) throw new Unredactable(tooFull(path));
}

function tooFull(path: string): string {
  return `what is packed in ${path} ${beyondRoom}; unpack it first`;
}

function packedLike({ packed, name }: ByteSource, before: Buffer, content: Buffer): Buffer {
  if (!packed) return content;
  const bytes = packedAgain(packed, before, content);
  if (!bytes)
    throw new Unredactable(
      isSqlite(packed)
        ? `${name} is a database, which toollint reads but does not write: export the session as JSON with its agent, and redact that`
        : `${name} is not valid UTF-16: convert it to UTF-8 (\`iconv\`), and redact that`,
    );
  return bytes;
}

/** Gzip may say what the file was called before, and a comment. */
function withOtherName(bytes: Buffer, engine: Engine): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const flags = bytes[3] ?? 0;
  let start = 10 + (flags & 4 ? 2 + bytes.readUInt16LE(10) : 0);
  const made = Buffer.from(bytes);
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, start);
    // Names of other letters than ASCII have other lengths in other encodings.
    const name = bytes.toString("latin1", start, end).replace(/[^\x20-\x7e]/g, "x");
    made.write(engine.names(name), start, end - start, "latin1");
    start = end + 1;
  }
  return made;
}

/** Redacted files in place of the others. */
function redactedSources(inputs: readonly LogSource[], files: readonly RedactedFile[]): LogSource[] {
  const byPath = new Map(files.map(({ path, bytes }) => [path, bytesSource(path, bytes)]));
  const sourceOf = (path: string): LogSource | undefined => {
    const source = byPath.get(path);
    return source && { path, source, beside: sourceOf };
  };
  return inputs.flatMap(({ path }) => sourceOf(path) ?? []);
}
