import type { Origin } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";
import type { PayloadCandidate } from "./candidate.ts";
import type { Recognizer } from "./recognizer.ts";
import type { Branch, Decode } from "./transcript.ts";

/** See {@link Defect}. */
export type DefectKind =
  | "cut"
  | "broken"
  | "unfinished"
  | "unlinked"
  | "foreign"
  | "empty"
  | "unknown"
  | "left-out"
  | "lax";

/** Bytes that cannot be read as their format demands. */
export interface Defect {
  /**
   * `cut`: the end is missing; `broken`: unreadable in the middle; `unfinished`: half of a record at the end;
   * `unlinked`: the record that a record of a session follows is not in the file; `foreign`: a page in place
   * of a body; `empty`: nothing in its place; `unknown`: a text there that no known API sends; `left-out`: a
   * word in brackets there; `lax`: not as the format demands, but read all the same.
   */
  readonly kind: DefectKind;
  readonly origin: Origin;
  readonly message: string;
  /** Another place that explains it. */
  readonly related?: { readonly message: string; readonly origin: Origin };
  /** What precedes the first wrong byte of a `broken` value was read. */
  readonly isReadBefore?: boolean;
  /** The half of an exchange that was not read, or not to its end. */
  readonly half?: "request" | "reply";
  /** The program that reads the file makes up for it. */
  readonly isHealed?: boolean;
  /** The log is larger than what toollint reads of it. */
  readonly isOverLimit?: boolean;
}

/** A record that was recognized as something other than model traffic. */
export interface Skipped {
  readonly origin: Origin;
  readonly reason: string;
  /** A request that asks no model: a health check, a list of models, a preflight. */
  readonly isProbe?: boolean;
  /** No record: what the whole file was read without, because who showed or copied it added that. */
  readonly isCopy?: boolean;
  /** Words in no request, which are read where the log turns out to be a session. */
  readonly isSpeech?: boolean;
  /** How many records this entry counts; it is the first of them. */
  readonly count?: number;
}

/** Undecoded traffic of a file. `candidates` can be iterated once; defects and skips are complete then. */
export interface Recording {
  readonly container: string;
  /** `requests`: each request carries the history that was sent. `transcript`: each item appears once. */
  readonly kind: "requests" | "transcript";
  readonly candidates: Iterable<PayloadCandidate>;
  /** The file as its program wrote it, if what showed or kept it changed it and that was undone. */
  readonly restored?: ByteSource;
  /** What the file keeps, as a log of its own: it may be a session. */
  readonly kept?: ByteSource;
  /** All of the file was searched, as one value: a reader of texts finds nothing else in it. */
  readonly isSearched?: boolean;
  /** The file begins with the newest record: what stands last in it happened first. */
  readonly isNewestFirst?: boolean;
  /** The branches of a transcript, in place of candidates; can be iterated once. */
  readonly branches?: Iterable<Branch>;
  /** Adds what of a transcript was not read to {@link skipped}. Call after iterating its branches. */
  readonly settle?: (decode: Decode) => void;
  /**
   * Set for a file that cannot contain a conversation: what it is, and what to use instead. Known after the
   * iteration.
   */
  readonly advice?: string | undefined;
  /** Parent span ids by span id; complete after the iteration. */
  readonly parents?: ReadonlyMap<string, string>;
  /** The session of a transcript, the main file or a sub-agent's part; known after the iteration. */
  readonly session?: { readonly id: string; readonly isSubAgent: boolean } | undefined;
  /** What was never sent although it may look like messages, such as the code of a notebook. */
  readonly aside?: readonly Origin[];
  readonly defects: readonly Defect[];
  readonly skipped: readonly Skipped[];
}

/** A request body whose length changes when it is written. */
export interface ResizedBody {
  /** Where it begins in the file, in bytes. */
  readonly start: number;
  /** Its original length in bytes, as sent. */
  readonly length: number;
  readonly growth: number;
}

/** The bodies of a file whose lengths change, and the patches that change them. */
export interface Resizing {
  readonly bodies: readonly ResizedBody[];
  readonly patches: readonly Patch[];
}

export type PartOf = "all" | "folder";

/** A file format that keeps traffic. */
export interface Container {
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** The kind of its recordings, where it is always the same. */
  readonly kind?: Recording["kind"];
  /** The maximum file size in bytes of a format that is read whole; absent where files are read in parts. */
  readonly maxSize?: number;
  /** The fallback when another container fails on a file: it finds payloads between any lines. */
  readonly isFallback?: boolean;
  /** What it does not read of a file was not sent, so no other container is tried. */
  readonly readsAll?: true;
  /**
   * Programs append to it as a log. The files of one rotated log may be recognized as different such
   * containers: a file of one line as a document, one with a word before its first record as text.
   */
  readonly isLogOfProgram?: boolean;
  /** How to recognize its files, in a few words. */
  readonly signs: string;
  /**
   * How sure this container is that it can read a file, from 0 (no) to 1. `head` holds the first bytes, up to
   * 64 KiB; `isWhole` says that `head` is the whole file.
   */
  recognize(head: Buffer, isWhole: boolean): number;
  /** What {@link recognize} returns at most: it is not asked where another container is surer. Absent: 1. */
  readonly mostCertain?: number;
  /**
   * For a file that is one part of a recording: the files to read with it, `all` that are given or those of
   * its `folder`. Absent where each file is complete.
   */
  partOf?(head: Buffer): PartOf | undefined;
  /**
   * Paths, with slashes, that may be parts of which {@link Container.partOf} says `all`: they are read
   * together wherever they lie, also where only names are known.
   */
  readonly partNames?: RegExp;
  /** Reads as much as it can. Reports what it cannot read and never throws on bad input. */
  read(source: ByteSource, recognizer: Recognizer): Recording;
  /**
   * Patches that correct the lengths stated in the file for these bodies. A length that never matched its
   * body stays. Absent where files of this kind state no lengths.
   */
  lengths?(source: ByteSource, resizing: Resizing): readonly Patch[];
}

/** The largest file that can be read at once, in bytes. */
export const wholeFile = 2 ** 31 - 1;

/** A container whose reader is loaded on demand. */
export interface LazyContainer extends Omit<Container, "read"> {
  /** `source` is the file to be read: a library may unpack it only in pieces that others wait for. */
  load(source: ByteSource): Promise<Container>;
}

export type AnyContainer = Container | LazyContainer;

/** The container itself, loaded if necessary to read this file. */
export async function loaded(container: AnyContainer, source: ByteSource): Promise<Container> {
  return "load" in container ? await container.load(source) : container;
}
