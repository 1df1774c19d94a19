import type { Exchange } from "../conversation/exchange.ts";
import type { NamedProfile } from "../protocols/profiles/judge.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Origin } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import type { AnyContainer, Container, Defect, Recording, Skipped } from "../traffic/container.ts";
import type { BodyShapes } from "./body-shapes.ts";

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
  /** What was read in place of the source: the file before a terminal or a viewer changed it. */
  readonly restored?: ByteSource;
  /** @see Recording.isSearched */
  readonly isSearched?: true;
  /** @see Recording.kept */
  readonly kept?: ByteSource;
  /** Its container is one that programs append to as they run, a record at a time. */
  readonly isLogOfProgram: boolean;
  readonly kind: "requests" | "transcript";
  /** In file order. */
  readonly exchanges: readonly Exchange[];
  readonly defects: readonly Defect[];
  readonly skipped: readonly Skipped[];
  /** What was never sent although it may look like messages. */
  readonly aside?: readonly Origin[];
  /** The bodies in a text log, until its lines without one were compared with them. */
  readonly shapes?: BodyShapes;
  /** How requests and replies were matched; absent in transcripts. */
  readonly joined?: Joined;
  /** How many requests have a response that was not understood; absent for none. */
  readonly unknownReplies?: number;
  /** Its text holds messages, calls or bodies that nothing read. */
  readonly holdsUnread?: boolean;
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

/** How many bytes at the beginning of a file show what it is. */
export const headSize = 64 << 10;

/** A file of which nothing was read; `advice` says what it is. */
export function unread(
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

/** Call after walking the recording: its advice, session and defects are known only then. */
export function logFile(
  source: ByteSource,
  { isLogOfProgram = false }: Container,
  { container, restored, isSearched, kept, kind, aside, defects, skipped, advice, session }: Recording,
  exchanges: readonly Exchange[],
): LogFile {
  return {
    path: source.name,
    source,
    container,
    ...(restored && { restored }),
    ...(isSearched && { isSearched }),
    ...(kept && { kept }),
    ...(aside && { aside }),
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

/** Exchanges of several sources, numbered as those of one file. */
export function numbered(exchanges: readonly Exchange[], source: ByteSource): Exchange[] {
  return exchanges.map((exchange, index) => ({
    ...exchange,
    number: index + 1,
    position: index + 1,
    file: source.name,
  }));
}
