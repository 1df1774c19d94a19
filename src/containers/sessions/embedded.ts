import { opensJson, pastSpace } from "../../reading/json-bytes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { scanJson } from "../../reading/scan.ts";
import { Segments } from "../../reading/segments.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { segmentedView, sourceOver, wholeView } from "../../reading/view.ts";
import { isPageOfItems } from "../../traffic/listed-items.ts";

/**
 * Session records that stand elsewhere than on lines of their own: in a list of a document, in a member of
 * each line, or behind the prefixes of a program's log.
 */

/** A file is searched as a whole; longer ones hold lines that are read in other ways. */
const maxSize = 64 << 20;

/** Lists below this depth belong to the records. */
const maxDepth = 8;

/** A list of records as a file of JSON lines, whose positions lead to the original. */
export interface RecordList {
  readonly source: ByteSource;
  readonly records: readonly Extent[];
  /** The lines among them that begin as a record of the list and are none. */
  readonly damaged: readonly Extent[];
  /** The lists inside this one, for a list whose elements are no records. */
  inner(): Iterable<RecordList>;
}

/** The lists that may be sessions, outer ones first. */
export function* recordLists(source: ByteSource): Generator<RecordList> {
  if (source.size > maxSize || source.segments) return;
  const bytes = source.read(0, source.size);
  const start = pastSpace(bytes, textStart(bytes));
  const root = opensJson(bytes[start]) ? scanJson(bytes, start, bytes.length) : undefined;
  const file: FileBytes = { source, bytes };
  if (root && pastSpace(bytes, root.end) >= bytes.length) {
    yield* listsIn(file, root, 0);
    return;
  }
  let areOnLines = false;
  for (const list of listsOfLines(file)) {
    areOnLines = true;
    yield list;
  }
  if (areOnLines) return;
  for (const document of documentsBetweenWords(bytes)) yield aloneIn(file, document);
}

/** A document as a file of its own; the lists in it are looked at where it is no session. */
function aloneIn(file: FileBytes, document: JsonNode): RecordList {
  const alone = new Segments(file.bytes);
  alone.copy(document.start, document.end);
  return {
    source: sourceOver(segmentedView(wholeView(file.source), alone.bytes, alone.segments)),
    records: [document],
    damaged: [],
    inner: () => listsIn(file, document, 0),
  };
}

interface FileBytes {
  readonly source: ByteSource;
  readonly bytes: Buffer;
  /** See {@link RecordList}. */
  readonly damaged?: readonly Extent[];
}

/** Offsets in the file. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

function* listsIn(file: FileBytes, node: JsonNode, depth: number): Generator<RecordList> {
  if (depth > maxDepth || isPageOfItems(node)) return;
  const holders = (node.items ?? (node.members ?? []).map((member) => member.node)).filter(holdsValues);
  if (holders.length === 0) return;
  const objects = (node.items ?? []).filter(({ kind }) => kind === "object");
  const inner = function* (): Generator<RecordList> {
    for (const holder of holders) yield* listsIn(file, holder, depth + 1);
  };
  const isList = node.kind === "array" && objects.length > 1 && objects.length === node.items?.length;
  const wrapped = function* (): Generator<RecordList> {
    if (isList) yield* heldLists(file, objects, 0);
    yield* inner();
  };
  if (isList && objects.slice(0, 3).some(isNamed)) yield listOf(file, objects, wrapped);
  else yield* wrapped();
}

/** Whether a list can stand in a value: a log may have millions of values that hold nothing. */
function holdsValues({ items, members }: JsonNode): boolean {
  return (items ?? members ?? []).length > 0;
}

/** How many wrappers a record may have: `{content: {content: {data: record}}}`. */
const maxWrappers = 4;

/** The objects that most records hold in one member, by member. */
function* heldLists(file: FileBytes, records: readonly JsonNode[], depth: number): Generator<RecordList> {
  if (depth >= maxWrappers) return;
  const keys = new Set(records.slice(0, 20).flatMap(({ members = [] }) => members.map(({ key }) => key)));
  for (const key of keys) {
    const held = records.flatMap(({ members = [] }) => {
      const node = members.find((member) => member.key === key)?.node;
      return node?.kind === "object" ? [node] : [];
    });
    if (held.length < 2 || held.length <= records.length / 2) continue;
    const inner = (): Iterable<RecordList> => heldLists(file, held, depth + 1);
    if (held.some(isNamed)) yield listOf(file, held, inner);
    else yield* inner();
  }
}

/** Whether a record says what it is. Documents may have thousands of lists of other things. */
function isNamed({ members = [] }: JsonNode): boolean {
  return members.some(({ key }) =>
    /^(?:type|role|kind|event|event_?type|message|info|payload|method|update|uuid|session_?id|action|observation|author)$/i.test(
      key,
    ),
  );
}

/**
 * The records of lines: the JSON in which a line ends, or the objects in a member of these. A fence of
 * Markdown begins or ends a list: what stands in different ones are different examples.
 */
function* listsOfLines(file: FileBytes): Generator<RecordList> {
  let lines: LineRecord[] = [];
  for (const line of recordsOfLines(file.bytes)) {
    if (line !== "fence") lines.push(line);
    else {
      yield* listsOf(file, lines);
      lines = [];
    }
  }
  yield* listsOf(file, lines);
}

function* listsOf({ source, bytes }: FileBytes, lines: readonly LineRecord[]): Generator<RecordList> {
  const records = lines.flatMap(({ node }) => node ?? []);
  if (records.length < 2) return;
  const prefixes = new Set(lines.flatMap(({ node, prefix }) => (node ? [prefix] : [])));
  const isAlike = holdsKeysOf(records);
  const damaged = lines.filter(
    ({ node, prefix, start, end }) =>
      !node && ((prefix !== undefined && prefixes.has(prefix)) || isAlike(bytes, start, end)),
  );
  const file = { source, bytes, damaged };
  const inner = function* (): Generator<RecordList> {
    yield* heldLists(file, records, 0);
    // A row of results may hold the whole session that led to it.
    for (const record of records) if (holdsValues(record)) yield* listsIn({ source, bytes }, record, 1);
  };
  yield listOf(file, records, inner);
}

/** Bytes of a line in which the keys of a record are looked for. */
const maxKeysIn = 64 << 10;

/** Records of which all have a key that a line must have to be one of them, in any notation. */
const maxAlike = 48;

/** Tells whether a line names what all records name: in quotes of another kind, or as a program prints it. */
function holdsKeysOf(records: readonly JsonNode[]): (bytes: Buffer, start: number, end: number) => boolean {
  const sample = records.slice(0, maxAlike).map(({ members = [] }) => members.map(({ key }) => key));
  const keys = (sample[0] ?? []).filter((key) => sample.every((all) => all.includes(key)));
  if (keys.length < 2) return () => false;
  return (bytes, start, end) => {
    const text = bytes.toString("utf8", start, Math.min(end, start + maxKeysIn));
    return keys.every((key) => namesKey(text, key));
  };
}

/** Places of a word that are looked at. */
const maxPlaces = 8;

/** Whether a text has a word as the name of a value: the same word may stand in what was put before it. */
function namesKey(text: string, key: string): boolean {
  let at = text.indexOf(key);
  for (let tries = 0; at >= 0 && tries < maxPlaces; tries++) {
    const behind = at + key.length;
    if (/^[^\w\s]{0,12}\s?(?:[:=]|->)/.test(text.slice(behind, behind + 16))) return true;
    at = text.indexOf(key, behind);
  }
  return false;
}

function listOf(
  file: FileBytes,
  records: readonly JsonNode[],
  inner: () => Iterable<RecordList>,
): RecordList {
  return { source: linesOf(file, records), records, damaged: file.damaged ?? [], inner };
}

/** How many brackets are tried that may begin a document: each may be read to the end of the file. */
const maxDocuments = 8;

/** A bracket in which a line ends, behind at most a few words. */
const opensDocument = /^[^\n[{"]{0,200}([[{])[ \t\r]*$/gm;

/** The documents over several lines that stand between other lines, or behind words on their first one. */
function* documentsBetweenWords(bytes: Buffer): Generator<JsonNode> {
  const text = bytes.toString("latin1");
  opensDocument.lastIndex = 0;
  for (let tries = 0; tries < maxDocuments; tries++) {
    const found = opensDocument.exec(text);
    if (!found) return;
    const start = found.index + found[0].lastIndexOf(found[1] ?? "");
    const node = scanJson(bytes, start, bytes.length);
    if (node?.state !== "complete") continue;
    yield node;
    opensDocument.lastIndex = node.end;
  }
}

/** A record in which a line ends, or the end of a line that begins as one and is none. */
interface LineRecord extends Extent {
  readonly node?: JsonNode;
  /** What stands before it, without what differs from line to line; absent for a line without a brace. */
  readonly prefix?: string;
}

/** How many braces of a line are tried: a prefix has few. */
const maxTries = 4;

function* recordsOfLines(bytes: Buffer): Generator<LineRecord | "fence"> {
  let line = textStart(bytes);
  while (line < bytes.length) {
    const feed = bytes.indexOf(10, line);
    const end = feed < 0 ? bytes.length : feed;
    const initial = String.fromCharCode(bytes[line] ?? 0);
    if (" `~".includes(initial) && fence.test(bytes.toString("latin1", line, Math.min(end, line + 6))))
      yield "fence";
    if (initial === "d") yield* elementsOfEvent(bytes, line, end);
    let at = line - 1;
    const first = bytes.subarray(line, end).indexOf(123);
    const prefix =
      first < 0 || first > maxPrefix ? undefined : prefixOf(bytes.toString("latin1", line, line + first));
    let isRecord = false;
    for (let tries = 0; tries < maxTries; tries++) {
      // A search beyond the line would read the rest of the file again for each line.
      const next = bytes.subarray(at + 1, end).indexOf(123);
      if (next < 0) break;
      at += 1 + next;
      const node = scanJson(bytes, at, end);
      if (node?.kind !== "object" || node.state === "open") continue;
      const rest = bytes.toString("utf8", node.end, end).trim();
      if (rest !== "" && !(rest === "]" && named.test(bytes.toString("latin1", line, at)))) continue;
      if (holdsValues(node)) yield { node, start: at, end: node.end, prefix: prefix ?? "" };
      isRecord = true;
      break;
    }
    // A brace alone begins a record over several lines.
    if (!isRecord && prefix !== undefined && bytes.toString("latin1", line + first + 1, end).trim() !== "") {
      // What an indented line opens may go on below; what is broken there is no record of another text.
      const isOpen = scanJson(bytes, line + first, end)?.state === "open";
      // Nor is the bracket of a list a part of what stands before a record.
      const own = prefix.replace(/\[ ?$/, "");
      yield { start: line + first, end, prefix: isOpen ? own : own.trimStart() };
    } else if (!isRecord && end > line) yield { start: line, end };
    line = end + 1;
  }
}

const fence = /^ {0,3}(?:```|~~~)/;

/** What stands before a record in a list that only names it: `["events.stream", {…}]`. */
const named = /^\s*\[\s*"[^"\\]{1,200}"\s*,\s*$/;

/** A longer text before a record is no prefix. */
const maxPrefix = 200;

/** A prefix without its numbers and the level: `2026-01-05 INFO agent: `. */
function prefixOf(text: string): string {
  return text.replace(/\d+/g, "0").replace(/\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR)\b/, "INFO");
}

/** The objects of a list that is the data of a server-sent event. */
function* elementsOfEvent(bytes: Buffer, line: number, end: number): Generator<LineRecord> {
  const [field] = /^data: *(?=\[)/.exec(bytes.toString("latin1", line, Math.min(end, line + 16))) ?? [];
  const list = field === undefined ? undefined : scanJson(bytes, line + field.length, end);
  for (const item of list?.items ?? [])
    if (item.kind === "object") yield { node: item, start: item.start, end: item.end, prefix: "data: " };
}

/** Records as lines. Line feeds between the tokens of a record become spaces, so every position stays. */
function linesOf({ source, bytes }: FileBytes, records: readonly JsonNode[]): ByteSource {
  const nodes = parentsFirst(bytes, records);
  const lines = new Segments(bytes);
  for (const { start, end } of nodes) {
    lines.copy(start, end);
    lines.write("\n", end, end);
  }
  const text = lines.bytes;
  let at = 0;
  for (const { start, end } of nodes) {
    for (let feed = text.indexOf(10, at); feed >= 0 && feed < at + end - start; feed = text.indexOf(10, feed))
      text[feed] = 32;
    at += end - start + 1;
  }
  return sourceOver(segmentedView(wholeView(source), text, lines.segments));
}

/**
 * The records in the order that their ids tell. Programs that observe an agent keep its records as they
 * arrive, and those of parallel sub-agents arrive late.
 */
function parentsFirst(bytes: Buffer, records: readonly JsonNode[]): readonly JsonNode[] {
  const textAt = ({ members = [] }: JsonNode, key: string): string | undefined => {
    const node = members.find((member) => member.key === key)?.node;
    return node?.kind === "string" ? bytes.toString("utf8", node.start, node.end) : undefined;
  };
  const byId = new Map<string, JsonNode>();
  for (const record of records) {
    const id = textAt(record, "uuid");
    if (id !== undefined && !byId.has(id)) byId.set(id, record);
  }
  if (byId.size === 0) return records;
  const ordered = new Set<JsonNode>();
  for (const record of records) {
    const missing: JsonNode[] = [];
    let next: JsonNode | undefined = record;
    while (next && !ordered.has(next) && !missing.includes(next)) {
      missing.push(next);
      next = byId.get(textAt(next, "parentUuid") ?? "");
    }
    for (const each of missing.reverse()) ordered.add(each);
  }
  return [...ordered];
}
