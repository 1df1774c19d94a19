import { parseJson } from "../../reading/parse.ts";
import type { Span } from "../../reading/place.ts";
import { pointerToken, pointerTokens } from "../../reading/pointer.ts";
import { recordLines } from "../../reading/record-lines.ts";
import { type JsonNode, scanJson } from "../../reading/scan.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { originIn, wholeView } from "../../reading/view.ts";
import { level } from "../../traffic/certainty.ts";
import type {
  Container,
  Defect,
  LazyContainer,
  PieceOf,
  Recording,
  Skipped,
} from "../../traffic/container.ts";
import type { Branch } from "../../traffic/transcript.ts";
import { type LeftOut, outliner } from "./partial-record.ts";

/** An object of a log, not looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** A record of a session file: a line, or an element of a document. */
export interface SessionRecord {
  readonly value: Fields;
  /** Texts of it are held: `value` is good for finding out what was said, and nothing else. */
  readonly isPart?: boolean;
  readonly span: Span;
  /** Pointer from the document to the element; `""` for a line. */
  readonly base: string;
}

/** A session file, for those who know what its records mean. */
export interface SessionFile {
  /**
   * The records of JSON lines, in order; of a document over many lines, and of files that are read as one, the documents. Lines that
   * are none become defects. What is `leftOut` of them is not read.
   */
  lines(leftOut?: LeftOut): Iterable<SessionRecord>;
  /** The objects in the array at a pointer into the JSON document that the file is; none when there is no such array. */
  elements(pointer: string): SessionRecord[];
  /** The objects that are members of the object at a pointer into the document. */
  members(pointer: string): SessionRecord[];
  /** The documents of a session that is kept in many files, in the order of their paths; of one file, its document. */
  pieces(): SessionRecord[];
  /** The value at a pointer into the document; `undefined` when there is none. */
  value(pointer: string): unknown;
  /** Says that a record is no part of the conversation, and why. */
  skip(record: SessionRecord, reason: string): void;
  /** Says of which session the file is: its main file, or one of a sub-agent. What is said first counts. */
  belongsTo(session: string, isPart: boolean): void;
  /** Says that the file cannot hold a conversation: what it is, and what to use in its place. */
  advise(sentence: string): void;
}

/** What tells a session file from others: the records of its first lines, or its document as far as it was read. */
export interface SessionHead {
  /** The first records, when the file is lines of JSON. */
  readonly lines: readonly Fields[];
  /** The document, when the file is one; of what the head cuts off, the whole parts. */
  readonly document: Fields | undefined;
  /** The first objects, when the document is a list. */
  readonly elements: readonly Fields[];
}

export type ReadBranches = (file: SessionFile) => Iterable<Branch>;

/** A session file's format: how it is recognised, and whose module reads it. */
export interface SessionFormat {
  readonly name: string;
  readonly summary: string;
  /** By what it is recognised, for `toollint formats`. */
  readonly signs: string;
  recognize(head: SessionHead): boolean;
  /** For sessions that are kept in many files: see {@link Container.pieceOf}. */
  pieceOf?(head: SessionHead): PieceOf | undefined;
  load(): Promise<{ readonly read: ReadBranches }>;
}

/** A container of a session file's format; its reader is loaded when a file of it is there. */
export function session(format: SessionFormat): LazyContainer {
  const { name, summary, signs } = format;
  const known: Omit<Container, "read"> = {
    name,
    summary,
    signs,
    kind: "transcript",
    // Above JSON lines of any kind, and an archive by its first words.
    recognize: (head) => (format.recognize(headOf(head)) ? level.certain : 0),
    ...(format.pieceOf && { pieceOf: (head) => format.pieceOf?.(headOf(head)) }),
  };
  return {
    ...known,
    load: async () => {
      const { read } = await format.load();
      return { ...known, read: (source) => recordingOf(name, source, read) };
    },
  };
}

function recordingOf(container: string, source: ByteSource, read: ReadBranches): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  const file = openSession(source, defects, skipped);
  return {
    container,
    kind: "transcript",
    candidates: [],
    branches: read(file),
    defects,
    skipped,
    get session() {
      return file.session;
    },
    get advice() {
      return file.advice ?? `a session file (${container}) without a message: there is nothing to check`;
    },
  };
}

function openSession(
  source: ByteSource,
  defects: Defect[],
  skipped: Skipped[],
): SessionFile & Pick<Recording, "advice" | "session"> {
  const view = wholeView(source);
  const reasons = new Map<string, { -readonly [K in keyof Skipped]: Skipped[K] }>();
  let advice: string | undefined;
  let session: Recording["session"];
  let document: { readonly bytes: Buffer; readonly root: JsonNode | undefined } | undefined;

  const root = (): { readonly bytes: Buffer; readonly root: JsonNode | undefined } => {
    if (!document) {
      const bytes = source.read(0, source.size);
      const node = scanJson(bytes, textStart(bytes), bytes.length);
      document = { bytes, root: node };
      if (!node || node.state === "open") {
        const message = "the document ends in the middle";
        defects.push({
          kind: "unfinished",
          origin: originIn(source, node?.start ?? 0, bytes.length),
          message,
        });
      }
    }
    return document;
  };
  const find = (pointer: string): JsonNode | undefined => {
    const { root: top } = root();
    if (!top) return undefined;
    let node: JsonNode | undefined = top;
    for (const token of pointerTokens(pointer))
      node = node?.members?.find(({ key }) => key === token)?.node ?? node?.items?.[Number(token)];
    return node;
  };
  const read = ({ start, end }: JsonNode): unknown => parseJson(root().bytes.toString("utf8", start, end));
  const recordAt = (node: JsonNode, base: string): SessionRecord[] => {
    const value = read(node);
    return isFields(value)
      ? [{ value, span: { view, start: node.start, end: node.end, level: 0 }, base }]
      : [];
  };

  return {
    get advice() {
      return advice;
    },
    advise(sentence) {
      advice ??= sentence;
    },
    get session() {
      return session;
    },
    belongsTo(id, isPart) {
      session ??= { id, isPart };
    },
    skip({ span }, reason) {
      const known = reasons.get(reason);
      if (known) known.count = (known.count ?? 1) + 1;
      else {
        const first = { origin: originIn(source, span.start, span.end), reason };
        reasons.set(reason, first);
        skipped.push(first);
      }
    },
    pieces() {
      if (!source.pieces) return find("") ? recordAt(root().root as JsonNode, "") : [];
      const bytes = source.read(0, source.size);
      return source.pieces.flatMap(({ start, end }) => {
        const node = scanJson(bytes, start, end);
        const value = node && parseJson(bytes.toString("utf8", node.start, node.end));
        if (node && isFields(value))
          return [{ value, span: { view, start: node.start, end: node.end, level: 0 }, base: "" }];
        const isUnfinished = node?.state === "open";
        defects.push({
          kind: isUnfinished ? "unfinished" : "broken",
          origin: originIn(source, start, end),
          message: isUnfinished ? "the document ends in the middle" : "the file is no JSON object",
        });
        return [];
      });
    },
    value(pointer) {
      const node = find(pointer);
      return node && read(node);
    },
    elements: (pointer) =>
      (find(pointer)?.items ?? []).flatMap((node, index) => recordAt(node, `${pointer}/${index}`)),
    members: (pointer) =>
      (find(pointer)?.members ?? []).flatMap(({ key, node }) =>
        recordAt(node, `${pointer}/${pointerToken(key)}`),
      ),
    *lines(leftOut) {
      if (source.pieces || /^\s*\{\s*\n/.test(source.read(0, 64).toString("latin1"))) {
        yield* this.pieces();
        return;
      }
      const outline = leftOut && outliner(source, leftOut);
      for (const { bytes, start, end, offset, isLast, isEnded } of recordLines(source)) {
        const from = offset === 0 ? textStart(bytes, start) : start;
        const shift = offset - start;
        const part = outline?.(bytes, from, end, shift);
        const value = part ? part.value : parseJson(bytes.toString("utf8", from, end));
        if (isFields(value)) {
          const span: Span = { view, start: from + shift, end: end + shift, level: 0 };
          yield part?.isPart ? { value, isPart: true, span, base: "" } : { value, span, base: "" };
          continue;
        }
        let at = from;
        for (const record of gluedRecords(bytes, from, end)) {
          at = record.end;
          const span: Span = { view, start: record.start + shift, end: record.end + shift, level: 0 };
          yield { value: record.value, span, base: "" };
        }
        if (bytes.toString("utf8", at, end).trim() !== "") {
          const isUnfinished = isLast && !isEnded;
          defects.push({
            kind: isUnfinished ? "unfinished" : "broken",
            origin: originIn(source, at + shift, end + shift),
            message: isUnfinished ? "the record ends in the middle" : "the line is no valid JSON object",
          });
        }
      }
    },
  };
}

/** The whole records at the beginning of a line: writers that share a file lose line feeds. */
function* gluedRecords(
  bytes: Buffer,
  from: number,
  end: number,
): Generator<{ readonly value: Fields; readonly start: number; readonly end: number }> {
  let at = from;
  while (at < end) {
    while (at < end && /\s/.test(String.fromCharCode(bytes[at] as number))) at++;
    const node = bytes[at] === 123 ? scanJson(bytes, at, end) : undefined;
    const value =
      node?.state === "complete" ? parseJson(bytes.toString("utf8", node.start, node.end)) : undefined;
    if (!node || !isFields(value)) return;
    yield { value, start: node.start, end: node.end };
    at = node.end;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string that is not empty. */
export function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What was learned of a file's head; asked by each format in turn. */
const heads = new WeakMap<Buffer, SessionHead>();

function headOf(bytes: Buffer): SessionHead {
  let head = heads.get(bytes);
  if (!head) {
    head = readHead(bytes);
    heads.set(bytes, head);
  }
  return head;
}

/** So many lines are looked at: session files begin with notes of many kinds. */
const headLines = 50;

function readHead(bytes: Buffer): SessionHead {
  const start = textStart(bytes);
  const lines: Fields[] = [];
  let at = start;
  let seen = 0;
  while (at < bytes.length && seen < headLines) {
    const feed = bytes.indexOf(10, at);
    const end = feed < 0 ? bytes.length : feed;
    const isObject = bytes[at] === 123;
    if (end > at + 1) seen++;
    // The head may end within a line, and then its first members are known.
    const known = !isObject
      ? []
      : feed < 0
        ? [headOfDocument(bytes, at)]
        : [parseJson(bytes.toString("utf8", at, end))];
    const whole = known.filter(isFields);
    const objects =
      whole.length > 0 || !isObject ? whole : Array.from(gluedRecords(bytes, at, end), ({ value }) => value);
    if (objects.length === 0 && seen === 1) break;
    lines.push(...objects);
    at = end + 1;
  }
  if (lines.length > 1) return { lines, document: undefined, elements: [] };
  const document = lines[0] ?? headOfDocument(bytes, start);
  return {
    lines,
    document: isFields(document) ? document : undefined,
    elements: list(document).filter(isFields),
  };
}

function headOfDocument(bytes: Buffer, start: number): unknown {
  const node = scanJson(bytes, start, bytes.length);
  return node && headValue(bytes, node, 0);
}

/** A value as far as the head has it: of what is cut off, the members and elements that are whole. */
function headValue(bytes: Buffer, node: JsonNode, depth: number): unknown {
  if (node.state === "complete") return parseJson(bytes.toString("utf8", node.start, node.end));
  if (depth > 4) return undefined;
  if (node.kind === "object")
    return Object.fromEntries(
      (node.members ?? []).map(({ key, node: child }) => [key, headValue(bytes, child, depth + 1)]),
    );
  return (node.items ?? []).map((item) => headValue(bytes, item, depth + 1));
}
