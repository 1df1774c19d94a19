import { normalize } from "node:path";
import { containers } from "../containers/index.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { stitch } from "../conversation/stitch/stitch.ts";
import type { Finding, Severity } from "../findings/finding.ts";
import { fingerprinter } from "../findings/fingerprint.ts";
import { locate } from "../findings/locate.ts";
import type { CheckReport, FindingReport, JudgedFor, NotChecked } from "../findings/report.ts";
import { summaryOf } from "../findings/suppress.ts";
import { type Gathered, gathered } from "../log/multi-file.ts";
import { type LogFile, readLog } from "../log/read.ts";
import { runsOf } from "../log/runs.ts";
import { answeredFrom, namesakes, replyPaths, withoutExtension } from "../log/sidecar-replies.ts";
import { protocols } from "../protocols/index.ts";
import type { NamedProfile } from "../protocols/profiles/judge.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { linesOf } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import { rules } from "../rules/index.ts";
import type { OptionValues } from "../rules/rule.ts";
import { loadRules, type RunOptions, runRules } from "../rules/run.ts";
import { unreadableRecords } from "../rules/unreadable-record.ts";
import type { Container, LazyContainer } from "../traffic/container.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { isMendable } from "./fixable.ts";
import { notCheckedIn } from "./not-checked.ts";

export interface CheckInput {
  /** The path that the report shows. */
  readonly path: string;
  readonly source: ByteSource;
  /** What holds for this file in place of the options for all. A run of several files is judged as its first one. */
  readonly settings?: FileSettings | undefined;
  /** Another file of the same disk, by its path: recorders keep bodies in files of their own. Absent where there is no disk. */
  beside?(path: string): CheckInput | undefined;
}

/** Options that may differ from file to file. */
export type FileSettings = Omit<CheckOptions, "separate" | "conversation" | "exchanges">;

export interface CheckOptions {
  /** Files of one directory whose requests continue each other are not taken for one run. */
  readonly separate?: boolean;
  /** Levels by rule id. */
  readonly levels?: Readonly<Record<string, Severity | "off">>;
  /** The log is a whole, finished run: what is still open at its end is an error. */
  readonly isComplete?: boolean;
  readonly container?: Container | LazyContainer;
  readonly protocol?: Protocol;
  /** By whose demands requests are judged, wherever they went; found out for each when left out. */
  readonly judge?: NamedProfile;
  /** Values of rules' options (thresholds), by rule id: `{ "runaway-loop": { maxRounds: 80 } }`. */
  readonly ruleOptions?: Readonly<Record<string, Partial<OptionValues>>>;
  /** Only findings of this conversation (`c2`). */
  readonly conversation?: string;
  /** Only findings in these exchanges. */
  readonly exchanges?: { readonly from: number; readonly to: number };
}

/** A file that was read, with its conversations. */
export interface CheckedLog {
  readonly path: string;
  readonly log: LogFile;
  readonly conversations: readonly Conversation[];
  /** It was read together with others, as a piece of one thing. */
  readonly isPiece?: boolean;
}

/** Files whose requests continue each other, and what the rules have to say about them. */
export interface CheckedRun {
  readonly files: readonly CheckedLog[];
  readonly conversations: readonly Conversation[];
  /** Each with the name that the report gives it, in the report's order. */
  readonly findings: ReadonlyMap<Finding, string>;
  /** By which it was checked: those of its first file. */
  readonly options: CheckOptions;
}

export interface CheckResult {
  readonly report: CheckReport;
  readonly logs: readonly CheckedLog[];
  readonly runs: readonly CheckedRun[];
  /** Paths in which no model traffic was recognised. */
  readonly unread: readonly string[];
}

/** Reads one file and puts its exchanges together. Never throws on bad input. */
export async function openLog(
  input: Pick<CheckInput, "path" | "source" | "beside">,
  options: Pick<CheckOptions, "container" | "protocol" | "judge" | "isComplete"> = {},
): Promise<CheckedLog> {
  const opened = await openFile(input, options);
  const [{ log } = { log: opened }] = await withReplies([{ ...input, log: opened }], options);
  return { path: input.path, log, conversations: stitchRun([log], input.path, options) };
}

/** The one thing of which all these files are pieces; `undefined` when they are anything else. */
export function wholeOf<T extends CheckInput>(inputs: readonly T[]): Gathered<T> | undefined {
  const [first, ...others] = gathered(inputs, containers);
  return first && "pieces" in first && others.length === 0 ? first : undefined;
}

/** Reads files that are one run as one log; `undefined` when they are several. Files in which nothing was understood count for none. */
export async function openRun(
  inputs: readonly CheckInput[],
  path: string,
  settingsOf: (path: string) => FileSettings,
): Promise<CheckedLog | undefined> {
  const opened: Opened[] = [];
  for (const input of inputs) {
    const settings = settingsOf(input.path);
    const log = await openFile(input, settings);
    if (log.exchanges.length > 0) opened.push({ ...input, settings, log });
  }
  const [run, ...others] = runsOf((await withReplies(opened, {})).filter(({ isApart }) => !isApart));
  const [first] = run ?? [];
  if (!run || !first || others.length > 0) return undefined;
  const logs = run.map(({ log }) => log);
  return {
    path,
    log: { ...first.log, exchanges: logs.flatMap(({ exchanges }) => exchanges) },
    conversations: stitchRun(logs, path, settingsOf(first.path)),
  };
}

async function openFile(
  input: Pick<CheckInput, "path" | "source">,
  options: Pick<CheckOptions, "container" | "protocol" | "judge">,
): Promise<LogFile> {
  const log = await readLog(input.source, containers, protocols, {
    ...(options.container && { container: options.container }),
    ...(options.protocol && { protocol: options.protocol }),
    ...(options.judge && { judge: options.judge }),
  });
  if (!input.source.pieces && log.source.name === input.path) return log;
  const pathOf = (exchange: Exchange): string =>
    input.source.pieces ? (placeOf(exchange)?.origin.source.name ?? input.path) : input.path;
  return { ...log, exchanges: log.exchanges.map((exchange) => ({ ...exchange, file: pathOf(exchange) })) };
}

/** The files, with the replies that others hold for their requests; those are marked, and hold nothing else any more. */
async function withReplies(files: readonly Opened[], options: CheckOptions): Promise<Opened[]> {
  const asking = files.filter(
    ({ path, log }) => replyPaths(path, log).size > 0 || namesakes(path, log).length > 0,
  );
  if (asking.length === 0) return [...files];
  const byPath = new Map(files.map((file) => [normalize(file.path), file]));
  const byStem = new Map(files.map((file) => [withoutExtension(normalize(file.path)), file]));
  const answered = new Map<string, LogFile>();
  const taken = new Set<Opened>();
  for (const file of asking) {
    const how = { ...options, ...file.settings };
    const exchanges = [...file.log.exchanges];
    const paths = replyPaths(file.path, file.log);
    const namesake = namesakes(file.path, file.log)
      .map((path) => byStem.get(path))
      .find((each) => each !== undefined);
    for (const [index, exchange] of exchanges.entries()) {
      const named = paths.get(exchange.number) ?? [];
      const known = named.map((path) => byPath.get(path)).find((each) => each !== undefined) ?? namesake;
      const other = known ?? (await besideOf(file, named, how));
      const whole = other && !taken.has(other) && (await answeredBy(file, exchange, other.log, how));
      if (!whole) continue;
      exchanges[index] = whole;
      taken.add(other);
    }
    answered.set(file.path, withExchanges(file.log, exchanges));
  }
  return files.map((file) => {
    if (taken.has(file)) return { ...file, log: { ...file.log, exchanges: [] }, isApart: true };
    const log = answered.get(file.path);
    return log ? { ...file, log } : file;
  });
}

async function besideOf(
  file: Opened,
  paths: readonly string[],
  how: CheckOptions,
): Promise<Opened | undefined> {
  for (const path of paths) {
    const input = file.beside?.(path);
    if (input) return { ...input, log: await openFile(input, how) };
  }
  return undefined;
}

/** A vague request (`{model, messages}` is written by three protocols) is read by the protocol of its reply. */
async function answeredBy(
  file: Opened,
  asked: Exchange,
  reply: LogFile,
  how: CheckOptions,
): Promise<Exchange | undefined> {
  const whole = answeredFrom(asked, reply);
  const spoken = protocols.find(({ name }) => name === reply.exchanges[0]?.protocol);
  if (whole || !spoken || how.protocol) return whole;
  const again = await openFile(file, { ...how, protocol: spoken });
  const same = again.exchanges.find(({ number }) => number === asked.number);
  return same?.request && again.exchanges.length === file.log.exchanges.length
    ? answeredFrom(same, reply)
    : undefined;
}

function withExchanges(log: LogFile, exchanges: readonly Exchange[]): LogFile {
  const found = exchanges.filter(({ reply }, index) => reply && !log.exchanges[index]?.reply).length;
  const { joined } = log;
  return {
    ...log,
    exchanges,
    ...(joined && {
      joined: { ...joined, file: found, requestOnly: joined.requestOnly - found },
    }),
  };
}

function placeOf({ request, reply }: Exchange): PayloadPlace | undefined {
  return request?.place ?? reply?.place;
}

/** Puts the exchanges of a run together; they count on from file to file. */
function stitchRun(
  logs: readonly LogFile[],
  file: string,
  options: Pick<CheckOptions, "isComplete">,
): Conversation[] {
  const exchanges = logs
    .flatMap((log) => log.exchanges)
    .map((exchange, index) =>
      exchange.position === index + 1 ? exchange : { ...exchange, position: index + 1 },
    );
  return stitched(exchanges, logs, file, options);
}

function stitched(
  exchanges: readonly Exchange[],
  logs: readonly LogFile[],
  file: string,
  options: Pick<CheckOptions, "isComplete">,
): Conversation[] {
  return stitch(exchanges, {
    isComplete: options.isComplete ?? false,
    breaksOff: logs.at(-1)?.defects.some(({ kind }) => kind === "unfinished") ?? false,
    file,
    kind: logs[0]?.kind ?? "requests",
  });
}

/** Checks the exchanges of a run again, after some of them were changed. */
export function checkAgain(
  { files, options }: CheckedRun,
  exchanges: readonly Exchange[],
): { readonly conversations: readonly Conversation[]; readonly findings: readonly Finding[] } {
  const [first] = files;
  // Which conversation is which may have changed: whoever looks at some of them chooses afterwards.
  const { conversation: _, exchanges: __, ...whole } = options;
  const conversations = stitched(
    exchanges,
    files.map(({ log }) => log),
    first?.path ?? "",
    options,
  );
  return { conversations, findings: judged(conversations, whole) };
}

function judged(conversations: readonly Conversation[], options: CheckOptions): readonly Finding[] {
  return chosenFrom(runRules(conversations, rules, runOptions(options)), options);
}

/** Checks files: the whole of `toollint check` but for arguments and printing. */
export async function checkFiles(
  inputs: readonly CheckInput[],
  options: CheckOptions = {},
): Promise<CheckResult> {
  const opened: Opened[] = [];
  for (const input of options.separate ? inputs : gathered(inputs, containers)) {
    const [{ path, settings } = { path: "", settings: undefined }] =
      "pieces" in input ? input.pieces : [input];
    const own = { ...options, ...settings };
    // What was asked for by name is read so, or not at all.
    const isOther = "pieces" in input && own.container !== undefined && own.container !== input.container;
    for (const each of isOther ? input.pieces : [input]) {
      const source = { path: "pieces" in each ? path : each.path, source: each.source };
      const log = await openFile(source, "pieces" in each ? { ...own, container: each.container } : own);
      const beside = "pieces" in each ? undefined : each.beside;
      opened.push({
        ...source,
        settings,
        log,
        ...(beside && { beside }),
        ...("pieces" in each && { pieces: each.pieces }),
      });
    }
  }
  const files = options.separate ? opened : await withReplies(opened, options);
  const logs: CheckedLog[] = [];
  const runs: CheckedRun[] = [];
  const findings: FindingReport[] = [];
  const notChecked: NotChecked[] = [];
  for (const run of options.separate
    ? opened.map((file) => [file])
    : runsOf(files.filter(({ isApart }) => !isApart))) {
    const own = { ...options, ...run[0]?.settings };
    const conversations = stitchRun(
      run.map(({ log }) => log),
      run[0]?.path ?? "",
      own,
    );
    const checked = run.flatMap(({ path, log, pieces }) =>
      pieces ? checkedPieces(log, pieces, conversations) : [checkedLog(path, log, conversations)],
    );
    logs.push(...checked);
    await loadRules(conversations, rules, runOptions(own));
    const chosen = judged(conversations, own);
    const ids = new Map(chosen.map((finding, index) => [finding, `f${findings.length + index + 1}`]));
    runs.push({ files: checked, conversations, findings: ids, options: own });
    findings.push(...findingsOf(checked, conversations, ids, own, findings.length + 1));
    notChecked.push(...checked.filter(isRead).flatMap(notCheckedIn));
  }
  for (const { path, log, isApart } of files) if (isApart) logs.push(apart(path, log, runs));
  // Most runs find nothing, and then need none of the words for it.
  const diagnoses = findings.length > 0 ? (await import("../diagnosis/index.ts")).diagnose(findings) : [];
  return {
    logs,
    runs,
    unread: logs.filter((each) => !isRead(each)).map(({ path }) => path),
    report: {
      schemaVersion: "1.0",
      tool: { name: "toollint", version: __VERSION__ },
      files: logs.filter(isRead).map(fileReport),
      findings,
      diagnoses,
      notChecked,
      summary: summaryOf(findings),
    },
  };
}

/** A file that was read; with the files that were read with it as one, if there are any. */
interface Opened extends CheckInput {
  readonly log: LogFile;
  readonly pieces?: readonly CheckInput[];
  /** It holds the reply to a request of another file, and was read with that. */
  readonly isApart?: boolean;
}

/** A piece of something that is kept in many files may hold no more than a mark. */
function isRead({ log, isPiece = false }: CheckedLog): boolean {
  return log.exchanges.length > 0 || isPiece;
}

function checkedLog(path: string, log: LogFile, conversations: readonly Conversation[]): CheckedLog {
  const own = conversations.filter(({ steps }) => steps.some(({ exchange }) => exchange.file === path));
  return { path, log, conversations: own };
}

/** A file that holds the reply to another's request, with the conversations in which that reply stands. */
function apart(path: string, log: LogFile, runs: readonly CheckedRun[]): CheckedLog {
  const conversations = runs
    .flatMap((run) => run.conversations)
    .filter(({ steps }) => steps.some(({ reply }) => reply?.place.origin.source === log.source));
  return { path, log, conversations, isPiece: true };
}

/** Each piece with what begins in it, and with the conversations that something of it stands in. */
function checkedPieces(
  log: LogFile,
  pieces: readonly CheckInput[],
  conversations: readonly Conversation[],
): CheckedLog[] {
  const sources = new Map(conversations.map((conversation) => [conversation, sourcesOf(conversation)]));
  return pieces.map(({ path, source }) => ({
    path,
    log: {
      ...log,
      source,
      exchanges: log.exchanges.filter(({ file }) => file === path),
      defects: log.defects.filter(({ origin }) => origin.source === source),
      skipped: log.skipped.filter(({ origin }) => origin.source === source),
    },
    conversations: conversations.filter((conversation) => sources.get(conversation)?.has(source)),
    isPiece: log.exchanges.length > 0,
  }));
}

/** The files in which something of a conversation stands. */
function sourcesOf({ steps }: Conversation): Set<ByteSource> {
  const sessions = new Set(steps.flatMap(({ exchange }) => exchange.session ?? []));
  return new Set([...sessions].flatMap((session) => [...session.sources()]));
}

function fileReport({ path, log, conversations }: CheckedLog): CheckReport["files"][number] {
  const calls = conversations
    .flatMap(({ steps }) => steps.filter(({ exchange }) => exchange.file === path))
    .flatMap(({ reply }) => reply?.items ?? [])
    .filter((item) => item.kind === "call");
  const judgedFor = judgesOf(log);
  const spoken = log.exchanges.length > 0 ? log.exchanges : conversations;
  const continued = conversations.filter(({ steps }) => steps[0]?.exchange.file !== path).length;
  return {
    path,
    container: log.container,
    kind: log.kind,
    protocols: [...new Set(spoken.map(({ protocol }) => protocol))].sort(),
    ...(judgedFor.length > 0 && { judgedFor }),
    exchanges: log.exchanges.length,
    conversations: conversations.length,
    ...(continued > 0 && { continued }),
    calls: calls.length,
    skipped: log.skipped.map(({ origin, reason, count = 1 }) => ({
      line: linesOf(origin.source).at(origin.start).line,
      reason: count > 1 ? `${reason} (${count} records)` : reason,
    })),
  };
}

/** By whose demands the requests of a file were judged, in the order in which they come up. */
function judgesOf({ exchanges }: LogFile): JudgedFor[] {
  const judges = new Map<string, JudgedFor>();
  for (const { profile, judgedBy: by } of exchanges) {
    if (profile === undefined || by === undefined) continue;
    const known = judges.get(`${profile} ${by}`);
    judges.set(`${profile} ${by}`, { profile, by, exchanges: (known?.exchanges ?? 0) + 1 });
  }
  return [...judges.values()];
}

function runOptions({ levels = {}, ruleOptions }: CheckOptions): RunOptions {
  return { levels, ruleOptions };
}

function findingsOf(
  files: readonly CheckedLog[],
  conversations: readonly Conversation[],
  ids: ReadonlyMap<Finding, string>,
  options: CheckOptions,
  firstNumber: number,
): FindingReport[] {
  const { levels } = runOptions(options);
  const fingerprint = fingerprinter(conversations);
  const reports = [...ids.keys()].map((finding) => findingReport(finding, ids, fingerprint(finding)));
  const unreadable =
    options.conversation === undefined && options.exchanges === undefined
      ? files
          .filter(isRead)
          .flatMap(({ path, log }) => unreadableRecords(path, log, levels["unreadable-record"]))
      : [];
  return [
    ...reports,
    ...unreadable.map((finding, index) => ({ ...finding, id: `f${firstNumber + reports.length + index}` })),
  ];
}

/** The findings of one conversation or of some exchanges, also by way of `alsoIn`, with what they follow from. */
function chosenFrom(
  found: readonly Finding[],
  { conversation, exchanges }: CheckOptions,
): readonly Finding[] {
  if (conversation === undefined && !exchanges) return found;
  const isWithin = ({ number }: Exchange): boolean =>
    !exchanges || (number >= exchanges.from && number <= exchanges.to);
  const chosen = new Set<Finding>();
  for (const finding of found) {
    if (conversation !== undefined && finding.locus.conversation !== conversation) continue;
    if (![finding.locus.exchange, ...finding.alsoIn].some(isWithin)) continue;
    for (let each: Finding | undefined = finding; each; each = each.cause) chosen.add(each);
  }
  return found.filter((finding) => chosen.has(finding));
}

function findingReport(
  finding: Finding,
  ids: ReadonlyMap<Finding, string>,
  fingerprint: string,
): FindingReport {
  return {
    id: ids.get(finding) ?? "",
    rule: finding.rule,
    kind: finding.kind,
    severity: finding.severity,
    message: finding.message,
    location: locate(finding.locus),
    related: finding.notes.map(({ message, locus }) => ({ message, location: locate(locus) })),
    data: finding.data,
    fix: isMendable(finding) ? (finding.fix ?? null) : null,
    cause: (finding.cause && ids.get(finding.cause)) ?? null,
    alsoIn: finding.alsoIn
      .filter(({ file, told }) => file === finding.locus.exchange.file && !told)
      .map(({ number }) => number),
    fingerprint,
  };
}
