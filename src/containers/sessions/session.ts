import type { ByteSource } from "../../reading/source.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, LazyContainer, PartOf, Recording } from "../../traffic/container.ts";
import type { Branch } from "../../traffic/transcript.ts";
import { type SessionHead, sessionHeadOf } from "./head.ts";
import { OpenSession, type SessionFile } from "./session-file.ts";

/** How to recognise a session file. A module of `agents/` exports it as `format`, with its `read`. */
export interface SessionFormat {
  /** The container's name, which is also the name of its module in `agents/`. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** What {@link recognize} looks for, in a few words for `toollint formats`. */
  readonly signs: string;
  /**
   * Formats of higher priority are asked first, and the first to recognise a file gets it. Default: 0. A
   * format states one only where its signs and another's fit the same files.
   */
  readonly priority?: number;
  recognize(head: SessionHead): boolean;
  /** For sessions kept in many files: see {@link Container.partOf}. */
  partOf?(head: SessionHead): PartOf | undefined;
  /** See {@link Container.partNames}. */
  readonly partNames?: RegExp;
}

/** The part of a module of `agents/` that is loaded only for files of its format. */
interface SessionReader {
  /** Yields each branch of the session, parents before their forks. */
  read(file: SessionFile): Iterable<Branch>;
}

/** The containers of session formats, in the order they are asked. */
export function sessionContainers(
  formats: readonly (readonly [SessionFormat, load: () => Promise<SessionReader>])[],
): LazyContainer[] {
  return formats
    .toSorted(([a], [b]) => (b.priority ?? 0) - (a.priority ?? 0))
    .map(([format, load]) => containerOf(format, load));
}

function containerOf(
  { name, summary, signs, recognize, partOf, partNames }: SessionFormat,
  load: () => Promise<SessionReader>,
): LazyContainer {
  const known: Omit<Container, "read"> = {
    name,
    summary,
    signs,
    kind: "transcript",
    // Outranks JSON lines of any kind, and archives, which are recognised by their first words.
    recognize: (head) => (recognize(sessionHeadOf(head)) ? level.certain : 0),
    ...(partOf && { partOf: (head) => partOf(sessionHeadOf(head)) }),
    ...(partNames && { partNames }),
  };
  return {
    ...known,
    load: async () => {
      const reader = await load();
      return { ...known, read: (source) => recordingOf(name, source, reader) };
    },
  };
}

function recordingOf(container: string, source: ByteSource, reader: SessionReader): Recording {
  const file = new OpenSession(source);
  const branches: Branch[] = [];
  return {
    container,
    kind: "transcript",
    candidates: [],
    branches: noted(reader.read(file), branches),
    settle: (decode) => file.settle(branches, decode),
    defects: file.defects,
    skipped: file.skipped,
    get session() {
      return file.session;
    },
    get advice() {
      return file.advice ?? `a session file (${container}) without a message: there is nothing to check`;
    },
  };
}

/** The branches, which are also added to a list. */
function* noted(branches: Iterable<Branch>, all: Branch[]): Generator<Branch> {
  for (const branch of branches) {
    all.push(branch);
    yield branch;
  }
}
