import type { Origin } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";
import type { PayloadCandidate } from "./candidate.ts";
import type { Recognizer } from "./recognizer.ts";
import type { Branch } from "./transcript.ts";

/** Bytes that could not be read as what they should be. */
export interface Defect {
  /**
   * `cut`: the end is missing; `broken`: unreadable in the middle; `unfinished`: the last record is half
   * written.
   */
  readonly kind: "cut" | "broken" | "unfinished";
  readonly origin: Origin;
  readonly message: string;
}

/** Something that was understood well enough to say that it is no model traffic. */
export interface Skipped {
  readonly origin: Origin;
  readonly reason: string;
  /** So many records, of which this is the first. */
  readonly count?: number;
}

/**
 * Traffic as kept, undecoded. `candidates` can be walked once; defects and what was skipped are complete
 * when it has been.
 */
export interface Recording {
  readonly container: string;
  /**
   * `requests`: each request carries the history that was sent. `transcript`: each item stands there once.
   */
  readonly kind: "requests" | "transcript";
  readonly candidates: Iterable<PayloadCandidate>;
  /** What a transcript holds in place of candidates; it can be walked once. */
  readonly branches?: Iterable<Branch>;
  /**
   * The file is understood, and can hold no conversation: what it is, and what to use in its place. Known
   * when all has been walked.
   */
  readonly advice?: string | undefined;
  /** Spans of a trace by id, each with the span around it; complete when the candidates have been walked. */
  readonly parents?: ReadonlyMap<string, string>;
  /**
   * The session of which a transcript is the main file or a part, that of a sub-agent; known when all has
   * been walked.
   */
  readonly session?: { readonly id: string; readonly isPart: boolean } | undefined;
  readonly defects: readonly Defect[];
  readonly skipped: readonly Skipped[];
}

/** A request body that is written with another length than it had. */
export interface ResizedBody {
  /** Where it begins in the file. */
  readonly start: number;
  /** Its length in bytes as it was sent. */
  readonly length: number;
  readonly growth: number;
}

/** The bodies of a file whose lengths change, and the patches of the file that change them. */
export interface Resizing {
  readonly bodies: readonly ResizedBody[];
  readonly patches: readonly Patch[];
}

export type PartOf = "all" | "folder";

/** A way of keeping traffic in a file. */
export interface Container {
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** The family that it always is of, where it is always the same. */
  readonly kind?: Recording["kind"];
  /** It is read whole, and no longer file can be; absent where a file is read piece by piece. */
  readonly maxSize?: number;
  /** It reads what another container was tried on by mistake: it finds payloads between any lines. */
  readonly isFallback?: boolean;
  /**
   * Programs log in it as they go. The files of a rotated log may be of several such containers: a file of
   * one line is read as a document, and one with a word before its first record as text.
   */
  readonly isLogOfProgram?: boolean;
  /** How a file of it is told from others, in a few words. */
  readonly signs: string;
  /**
   * How sure this container is that `head`, the first bytes of a file (up to 64 KiB), is its own: 0 (no) to
   * 1. `isWhole` says that `head` is the whole file.
   */
  recognize(head: Buffer, isWhole: boolean): number;
  /**
   * Whether a file that begins so is a piece of something that is kept in many files, which are read as one
   * when they are given together: `all` of them, or those of one `folder`. Absent where files stand by
   * themselves.
   */
  partOf?(head: Buffer): PartOf | undefined;
  /** Reads as much as it can. What it cannot read, it reports; it never throws on bad input. */
  read(source: ByteSource, recognizer: Recognizer): Recording;
  /**
   * Patches of the lengths that the file states about these bodies. A length that was right is set right
   * again; one that never fitted its body stays. Absent where files of this kind state no lengths.
   */
  lengths?(source: ByteSource, resizing: Resizing): readonly Patch[];
}

/** So much can be read at once. */
export const wholeFile = 2 ** 31 - 1;

/** A container whose reader is loaded when it is needed. */
export interface LazyContainer extends Omit<Container, "read"> {
  load(): Promise<Container>;
}

export type AnyContainer = Container | LazyContainer;

/** The container itself, loaded if need be. */
export async function loaded(container: AnyContainer): Promise<Container> {
  return "load" in container ? await container.load() : container;
}
