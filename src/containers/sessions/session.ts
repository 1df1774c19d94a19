import type { ByteSource } from "../../reading/source.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, LazyContainer, PartOf, Recording } from "../../traffic/container.ts";
import type { Branch } from "../../traffic/transcript.ts";
import { type SessionHead, sessionHeadOf } from "./head.ts";
import { OpenSession, type SessionFile } from "./session-file.ts";

/** How a session file is told from others. A file of `agents/` exports it as `format`, beside its `read`. */
export interface SessionFormat {
  /** The container's name, which is also the name of the file in `agents/`. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** What {@link recognize} looks for, in a few words for `toollint formats`. */
  readonly signs: string;
  /**
   * Formats of higher priority are asked first, and the first that recognises a file gets it. Absent: 0. A
   * format states one only where its signs and another's fit the same files.
   */
  readonly priority?: number;
  recognize(head: SessionHead): boolean;
  /** For sessions kept in many files: see {@link Container.partOf}. */
  partOf?(head: SessionHead): PartOf | undefined;
}

/** A file of `agents/`, as far as it is loaded when a file of its format is there. */
interface SessionReader {
  /** Yields each branch of the session after the branch that it forks from. */
  read(file: SessionFile): Iterable<Branch>;
}

/** The containers of session formats, in the order in which they are asked. */
export function sessionContainers(
  formats: readonly (readonly [SessionFormat, load: () => Promise<SessionReader>])[],
): LazyContainer[] {
  return formats
    .toSorted(([a], [b]) => (b.priority ?? 0) - (a.priority ?? 0))
    .map(([format, load]) => containerOf(format, load));
}

function containerOf(
  { name, summary, signs, recognize, partOf }: SessionFormat,
  load: () => Promise<SessionReader>,
): LazyContainer {
  const known: Omit<Container, "read"> = {
    name,
    summary,
    signs,
    kind: "transcript",
    // Above JSON lines of any kind, and an archive by its first words.
    recognize: (head) => (recognize(sessionHeadOf(head)) ? level.certain : 0),
    ...(partOf && { partOf: (head) => partOf(sessionHeadOf(head)) }),
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
  return {
    container,
    kind: "transcript",
    candidates: [],
    branches: reader.read(file),
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
