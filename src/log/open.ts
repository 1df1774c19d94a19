import { containers } from "../containers/index.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { type StitchOptions, stitch } from "../conversation/stitch/stitch.ts";
import { protocols } from "../protocols/index.ts";
import type { ByteSource } from "../reading/source.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type { Session } from "../traffic/session.ts";
import { endsOf } from "./ends.ts";
import type { LogFile, LogReadOptions, LogSource } from "./log-file.ts";
import { type FileGroup, groupParts, type PartOptions } from "./multi-file.ts";
import { readLog } from "./read.ts";
import { groupRuns } from "./runs.ts";
import { joinSidecars, type ReplyPlaces, replyPlaces } from "./sidecar-replies.ts";

/** How to read one file and group its exchanges. */
export interface LogSettings extends LogReadOptions {
  /** The log is a complete, finished run: nothing follows. */
  readonly isComplete?: boolean;
}

export interface OpenOptions extends LogSettings {
  /** Treat each file as a log of its own, whatever the files have in common. */
  readonly separate?: boolean;
  /** Settings of one file, which replace the common ones. A run takes the settings of its first file. */
  settingsOf?(path: string): LogSettings;
}

/** One log: a file, or files that belong together. */
export interface Run {
  /** The files with its exchanges, in the order in which they continue each other. */
  readonly files: readonly [LogFile, ...LogFile[]];
  /** Files with nothing but the reply to another file's request; the reply has moved there. */
  readonly sidecars: readonly LogFile[];
  /** The exchanges of all files; `position` counts across files. */
  readonly exchanges: readonly Exchange[];
  readonly conversations: readonly Conversation[];
  /** For each file and sidecar, the conversations that occur in it. */
  readonly byFile: ReadonlyMap<LogFile, readonly Conversation[]>;
  /** The options the exchanges were stitched with, for a later stitching. */
  readonly stitching: StitchOptions;
}

/**
 * Opens files as logs. Never throws on bad input: a file without anything readable is a run without
 * exchanges. Files combine into logs in this order (not at all with `separate`):
 * 1. Parts of one log, a message per file, are read as one source.
 * 2. Each source is read. An archive is one source already: its container reads the members.
 * 3. Replies in sidecar files join their requests.
 * 4. Files that continue each other form one run: a file per request, or rotated logs.
 * 5. Files of sub-agents join the run of the calling session.
 * Then each run numbers and stitches its exchanges.
 */
export async function openLogs(inputs: readonly LogSource[], options: OpenOptions = {}): Promise<Run[]> {
  const { files, runsOf } = await openFiles(inputs, options);
  return runsOf(options.separate ? files.map((file) => [file]) : groupRuns(files, endsOf));
}

/** Opened files that are not runs yet. */
export interface OpenedFiles {
  /** In the given order, joined with their sidecars. */
  readonly files: readonly LogFile[];
  /** The paths that a file was read from: its own, or those of all parts of one log, and of its sidecars. */
  inputsOf(file: LogFile): { readonly inputs: readonly string[]; readonly sidecars: readonly string[] };
  /** Where the replies to its requests would be. */
  repliesOf(file: LogFile): ReplyPlaces;
  /** For a part of a log: a key that all its parts share. Parts are recognised among several inputs only. */
  partOf(file: LogFile): string | undefined;
  /** Makes runs of files that belong together. */
  runsOf(groups: readonly (readonly LogFile[])[]): Run[];
}

/** Opens files as far as it takes to say which of them belong together: the first three steps. */
export async function openFiles(
  inputs: readonly LogSource[],
  options: OpenOptions & Pick<PartOptions, "isSome">,
): Promise<OpenedFiles> {
  const settingsOf = (path: string): LogSettings => ({ ...options, ...options.settingsOf?.(path) });
  const read = (source: ByteSource, settings: LogSettings): Promise<LogFile> =>
    readLog(source, containers, protocols, settings);
  const groups = groupParts(inputs, {
    isSome: options.isSome === true,
    containersFor({ path }) {
      const { container } = settingsOf(path);
      return options.separate ? [] : container ? [container] : containers;
    },
  });
  const opened: LogFile[] = [];
  const groupsByName = new Map<string, FileGroup>();
  for (const group of groups) {
    const { source, container } = group;
    groupsByName.set(source.name, group);
    const settings = { ...settingsOf(source.name), ...(container && { container }) };
    opened.push(await read(source, settings));
  }
  const byPath = new Map(inputs.map((input) => [input.path, input]));
  const { files, sidecars } = options.separate
    ? { files: opened, sidecars: new Map<LogFile, readonly LogFile[]>() }
    : await joinSidecars(opened, {
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
  const sidecarsOf = (file: LogFile): readonly LogFile[] => sidecars.get(file) ?? [];
  const unjoined = new Map(opened.map((file) => [file.path, file]));
  const partsOf = ({ path }: LogFile): readonly LogSource[] => groupsByName.get(path)?.inputs ?? [];
  return {
    files,
    inputsOf: (file) => ({
      inputs: partsOf(file).map(({ path }) => path),
      sidecars: sidecarsOf(file)
        .flatMap(partsOf)
        .map(({ path }) => path),
    }),
    repliesOf: ({ path }) => replyPlaces(unjoined.get(path) as LogFile),
    partOf: ({ path }) => groupsByName.get(path)?.key,
    runsOf: (runs) =>
      runs.map((run) =>
        stitched(
          run,
          run.flatMap(sidecarsOf),
          (file) => (groupsByName.get(file.path)?.container ? partsOf(file) : undefined),
          settingsOf(run[0]?.path ?? ""),
        ),
      ),
  };
}

/** Opens one file. */
export async function openLog(input: LogSource, options: LogSettings = {}): Promise<Run> {
  const [run] = await openLogs([input], options);
  return run as Run;
}

/** The files of a run, with exchanges numbered across them and stitched. */
function stitched(
  read: readonly LogFile[],
  sidecars: readonly LogFile[],
  partsOf: (file: LogFile) => readonly LogSource[] | undefined,
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
    hasUnread: read.some(({ defects }) => defects.some(isUnread)),
    file: read[0]?.path ?? "",
    kind: read[0]?.kind ?? "requests",
  };
  const conversations = stitch(exchanges, stitching);
  const files = read.flatMap((file) => splitIntoFiles(file, partsOf(file)));
  return {
    files: files as [LogFile, ...LogFile[]],
    sidecars,
    exchanges,
    conversations,
    byFile: conversationsByFile([...files, ...sidecars], conversations),
    stitching,
  };
}

/** Whether a part of a run is not in the log, or stands in bytes that could not be read. */
function isUnread({ kind }: LogFile["defects"][number]): boolean {
  return kind !== "unfinished" && kind !== "unlinked" && kind !== "lax";
}

/** Splits a source into the files it came from, each with the exchanges and records that begin in it. */
function splitIntoFiles(whole: LogFile, parts: readonly LogSource[] | undefined): LogFile[] {
  if (!parts) return [whole];
  return parts.map(({ path, source }) => ({
    ...whole,
    path,
    source,
    exchanges: whole.exchanges.filter(({ file }) => file === path),
    defects: whole.defects.filter(({ origin }) => origin.source === source),
    skipped: whole.skipped.filter(({ origin }) => origin.source === source),
    isPart: whole.exchanges.length > 0,
  }));
}

function conversationsByFile(
  files: readonly LogFile[],
  conversations: readonly Conversation[],
): ReadonlyMap<LogFile, readonly Conversation[]> {
  const at = new Map<ByteSource | string, Conversation[]>();
  const add = (place: ByteSource | string, conversation: Conversation): void => {
    const known = at.get(place);
    if (known) known.push(conversation);
    else at.set(place, [conversation]);
  };
  for (const conversation of conversations)
    for (const place of placesOf(conversation)) add(place, conversation);
  return new Map(files.map((file) => [file, at.get(file.isPart ? file.source : file.path) ?? []]));
}

/** The files that a conversation occurs in, and the paths of those in which its exchanges begin. */
function placesOf({ steps }: Conversation): Iterable<ByteSource | string> {
  const places = new Set<ByteSource | string>();
  const sessions = new Set<Session>();
  for (const { exchange, request, reply } of steps) {
    places.add(exchange.file);
    if (request) places.add(sourceOf(request.place));
    if (reply) places.add(sourceOf(reply.place));
    if (exchange.session) sessions.add(exchange.session);
  }
  for (const session of sessions) for (const source of session.sources()) places.add(source);
  return places;
}

/** The file that a payload begins in. */
function sourceOf(place: PayloadPlace): ByteSource {
  const { view } = place.span;
  return view.isFile && !view.source.segments ? view.source : place.origin.source;
}
