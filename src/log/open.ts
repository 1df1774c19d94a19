import { containers } from "../containers/index.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { type StitchOptions, stitch } from "../conversation/stitch/stitch.ts";
import { protocols } from "../protocols/index.ts";
import type { ByteSource } from "../reading/source.ts";
import { groupPieces } from "./multi-file.ts";
import { type LogFile, type LogReadOptions, type LogSource, readLog } from "./read.ts";
import { groupRuns } from "./runs.ts";
import { joinSidecars } from "./sidecar-replies.ts";

/** How one file is read and put together. */
export interface LogSettings extends LogReadOptions {
  /** The log is a whole, finished run: nothing is still to come. */
  readonly isComplete?: boolean;
}

export interface OpenOptions extends LogSettings {
  /** Each file is a log of its own, whatever the files have in common. */
  readonly separate?: boolean;
  /** What holds for one file in place of the options for all. A run is read and judged as its first file. */
  settingsOf?(path: string): LogSettings;
}

/** One log: a file, or the files that belong together. */
export interface Run {
  /** The files that hold its exchanges, in the order in which they continue each other. */
  readonly files: readonly [LogFile, ...LogFile[]];
  /** Files that hold nothing but the reply to a request of another file, where that reply now stands. */
  readonly sidecars: readonly LogFile[];
  /** Those of all files; their `position` counts on from file to file. */
  readonly exchanges: readonly Exchange[];
  readonly conversations: readonly Conversation[];
  /** The conversations in which something of a file stands, for each file and sidecar. */
  readonly byFile: ReadonlyMap<LogFile, readonly Conversation[]>;
  /** As what the exchanges were stitched, for whoever stitches them again. */
  readonly stitching: StitchOptions;
}

/**
 * Opens files as logs. Never throws on bad input: a file in which nothing was understood is a run without
 * exchanges. Files become one log in these ways, in this order; with `separate` in none of them:
 *
 * 1. Pieces of one log, a message a file, are read as one source.
 * 2. Each source is read. The members of an archive are one source already: its container reads them.
 * 3. Replies in sidecar files join their requests.
 * 4. Files that continue each other are one run: a file a request, or rotated logs.
 * 5. The files of sub-agents join the run of the session that called them.
 *
 * Then the exchanges of each run are numbered through and stitched.
 */
export async function openLogs(inputs: readonly LogSource[], options: OpenOptions = {}): Promise<Run[]> {
  const settingsOf = (path: string): LogSettings => ({ ...options, ...options.settingsOf?.(path) });
  const read = (source: ByteSource, settings: LogSettings): Promise<LogFile> =>
    readLog(source, containers, protocols, settings);
  const groups = groupPieces(inputs, ({ path }) => {
    const { container } = settingsOf(path);
    return options.separate ? [] : container ? [container] : containers;
  });
  const opened: LogFile[] = [];
  const pieces = new Map<string, readonly LogSource[]>();
  for (const { source, inputs: own, container } of groups) {
    if (container) pieces.set(source.name, own);
    opened.push(await read(source, { ...settingsOf(source.name), ...(container && { container }) }));
  }
  const runOf = (files: readonly LogFile[], sidecars: readonly LogFile[]): Run =>
    stitched(files, sidecars, pieces, settingsOf(files[0]?.path ?? ""));
  if (options.separate) return opened.map((file) => runOf([file], []));
  const byPath = new Map(inputs.map((input) => [input.path, input]));
  const joined = await joinSidecars(opened, {
    async beside(file, path) {
      const input = byPath.get(file.path)?.beside?.(path);
      return input && read(input.source, settingsOf(file.path));
    },
    async readAs(file, name) {
      const settings = settingsOf(file.path);
      const protocol = protocols.find((each) => each.name === name);
      return protocol && !settings.protocol ? read(file.source, { ...settings, protocol }) : undefined;
    },
  });
  return groupRuns(joined.files).map((files) =>
    runOf(
      files,
      files.flatMap((file) => joined.sidecars.get(file) ?? []),
    ),
  );
}

/** Opens one file. */
export async function openLog(input: LogSource, options: LogSettings = {}): Promise<Run> {
  const [run] = await openLogs([input], options);
  return run as Run;
}

/** The files of a run with their exchanges numbered through and put together. */
function stitched(
  read: readonly LogFile[],
  sidecars: readonly LogFile[],
  pieces: ReadonlyMap<string, readonly LogSource[]>,
  { isComplete = false }: LogSettings,
): Run {
  const exchanges = read
    .flatMap((file) => file.exchanges)
    .map((exchange, index) =>
      exchange.position === index + 1 ? exchange : { ...exchange, position: index + 1 },
    );
  const stitching: StitchOptions = {
    isComplete,
    breaksOff: read.at(-1)?.defects.some(({ kind }) => kind === "unfinished") ?? false,
    file: read[0]?.path ?? "",
    kind: read[0]?.kind ?? "requests",
  };
  const conversations = stitch(exchanges, stitching);
  const files = read.flatMap((file) => inPieces(file, pieces.get(file.path)));
  return {
    files: files as [LogFile, ...LogFile[]],
    sidecars,
    exchanges,
    conversations,
    byFile: conversationsByFile([...files, ...sidecars], conversations),
    stitching,
  };
}

/** What was read as one source, as the files that it is kept in: each with what begins in it. */
function inPieces(whole: LogFile, pieces: readonly LogSource[] | undefined): LogFile[] {
  if (!pieces) return [whole];
  return pieces.map(({ path, source }) => ({
    ...whole,
    path,
    source,
    exchanges: whole.exchanges.filter(({ file }) => file === path),
    defects: whole.defects.filter(({ origin }) => origin.source === source),
    skipped: whole.skipped.filter(({ origin }) => origin.source === source),
    isPiece: whole.exchanges.length > 0,
  }));
}

function conversationsByFile(
  files: readonly LogFile[],
  conversations: readonly Conversation[],
): ReadonlyMap<LogFile, readonly Conversation[]> {
  const places = conversations.map((conversation) => ({ conversation, ...placesOf(conversation) }));
  return new Map(
    files.map((file) => [
      file,
      places
        .filter(({ sources, paths }) => (file.isPiece ? sources.has(file.source) : paths.has(file.path)))
        .map(({ conversation }) => conversation),
    ]),
  );
}

/** The files in which something of a conversation stands, and the paths of those in which its exchanges begin. */
function placesOf({ steps }: Conversation): {
  readonly sources: ReadonlySet<ByteSource>;
  readonly paths: ReadonlySet<string>;
} {
  const sources = new Set<ByteSource>();
  for (const { request, reply } of steps)
    for (const place of [request?.place, reply?.place]) if (place) sources.add(place.origin.source);
  const sessions = new Set(steps.flatMap(({ exchange }) => exchange.session ?? []));
  for (const session of sessions) for (const source of session.sources()) sources.add(source);
  return { sources, paths: new Set(steps.map(({ exchange }) => exchange.file)) };
}
