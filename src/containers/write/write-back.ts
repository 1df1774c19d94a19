import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { type JsonNode, scanJson } from "../../reading/scan.ts";
import { type ByteSource, packedAgain, textStart } from "../../reading/source.ts";
import { isSqlite } from "../../reading/sqlite.ts";
import { textAround } from "../../reading/unescaped.ts";
import { type Inverse, type Patch, patched, type View } from "../../reading/view.ts";
import type { Container, ResizedBody } from "../../traffic/container.ts";
import type { RequestCopy } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Session } from "../../traffic/transcript.ts";
import { type BodyEdit, editJson, fits, type RecordLine } from "./json-edits.ts";
import { movedRecord, newRecord } from "./new-records.ts";
import { type Link, linkPatches, type Removed } from "./record-links.ts";

export type { BodyEdit } from "./json-edits.ts";

/** The edits of one body, at its place in the log. */
export interface BodyChange {
  readonly place: PayloadPlace;
  readonly edits: readonly BodyEdit[];
  /** The session to whose records the pointers of the edits lead. */
  readonly session?: Session | undefined;
  /** Copies of the body in the same record. */
  readonly copies?: readonly RequestCopy[] | undefined;
}

export interface WriteOptions {
  /** The container's, where it states lengths. */
  readonly lengths?: Container["lengths"] | undefined;
  /** Patches of the file that hide something, each as long as what it hides. Where an edit is made, none is. */
  readonly masks?: readonly Patch[];
}

/** A log with changed bodies. */
export interface Written {
  /** The whole file. Made when first asked for; {@link chunks} takes less memory. */
  readonly bytes: Buffer;
  /** The same file in pieces. They may be walked several times, while the source is open. */
  chunks(): Iterable<Buffer>;
  /** Changes that cannot be written exactly: nothing of them was. */
  readonly refused: readonly { readonly change: BodyChange; readonly why: string }[];
  /** What else a reader of the report has to know, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Writes changed bodies back into a log, in the container that it was kept in. Only the values that were edited change, and what the
 * container itself states about them; all other bytes stay. A request that its record holds more than once is changed in each copy, or
 * it would no longer be one. A change is written whole or not at all.
 */
export function writeBack(
  source: ByteSource,
  changes: readonly BodyChange[],
  { lengths, masks = [] }: WriteOptions = {},
): Written {
  const refused: { change: BodyChange; why: string }[] = [];
  let open = changes.filter(({ edits }) => edits.length > 0);
  for (;;) {
    const attempt = patchesOf(source, open);
    if ("patches" in attempt) {
      const { notes } = attempt;
      const edits = withLengths(source, lengths, attempt);
      const patches = [...edits, ...masks.filter(({ start, end }) => isFree(edits, start, end))].sort(
        inOrder,
      );
      const { packed } = source;
      if (!packed) return written(() => patchedChunks(source, patches), refused, notes);
      const file = patches.length > 0 ? packedFile(source, packed, patches) : packed;
      if (file) return written(() => [file], refused, notes);
      const why = isSqlite(packed) ? "a database is only read" : "the file is no valid UTF-16";
      refused.push(...open.map((change) => ({ change, why })));
      open = [];
      continue;
    }
    const { failures } = attempt;
    refused.push(...[...failures].map(([change, why]) => ({ change, why })));
    open = open.filter((change) => !failures.has(change));
  }
}

function isFree(patches: readonly Patch[], start: number, end: number): boolean {
  return !patches.some((patch) => patch.start < end && start < patch.end);
}

function written(
  chunks: () => Iterable<Buffer>,
  refused: Written["refused"],
  notes: readonly string[],
): Written {
  let whole: Buffer | undefined;
  return {
    get bytes() {
      whole ??= Buffer.concat([...chunks()]);
      return whole;
    },
    chunks,
    refused,
    notes,
  };
}

function packedFile(source: ByteSource, packed: Buffer, patches: readonly Patch[]): Buffer | undefined {
  const before = source.read(0, source.size);
  return packedAgain(packed, before, patched(before, patches));
}

/** Patches of one view and the changes that they are made for. */
interface Group {
  readonly patches: readonly Patch[];
  readonly changes: ReadonlySet<BodyChange>;
}

/** The patches of the file; or the changes that stand in the way, with what keeps them from being written. */
type Attempt =
  | {
      readonly patches: readonly Patch[];
      readonly bodies: readonly ResizedBody[];
      readonly notes: readonly string[];
    }
  | { readonly failures: ReadonlyMap<BodyChange, string> };

function patchesOf(source: ByteSource, changes: readonly BodyChange[]): Attempt {
  const failures = new Map<BodyChange, string>();
  const fail = (failed: Iterable<BodyChange>, why: string): void => {
    for (const change of failed) failures.set(change, why);
  };
  const bodies: ResizedBody[] = [];
  const groups: (Group & { readonly view: View })[] = [];
  const gone: Removed[] = [];
  const added: Link[] = [];
  for (const change of changes) {
    const found = partsOf(change);
    if ("why" in found) fail([change], found.why);
    else {
      for (const { view, patches, body } of found.parts) {
        groups.push({ view, patches, changes: new Set([change]) });
        bodies.push(body);
      }
      gone.push(...found.removed);
      added.push(...found.links);
    }
  }
  if (failures.size > 0) return { failures };
  const lifted = liftAll(groups, fail);
  if (failures.size > 0) return { failures };
  const links = linkPatches(source, gone, added);
  const patches = [...lifted.patches, ...links].sort(inOrder);
  return { patches, bodies, notes: lifted.notes };
}

/** Patches of views as patches of the file. */
function liftAll(
  groups: readonly (Group & { readonly view: View })[],
  fail: (failed: Iterable<BodyChange>, why: string) => void,
): { readonly patches: readonly Patch[]; readonly notes: readonly string[] } {
  const inverses = new Map<View, Inverse | undefined>();
  const inverseOf = (view: View): Inverse | undefined => {
    if (!inverses.has(view)) inverses.set(view, view.inverse);
    return inverses.get(view);
  };
  /** How many views lie between a view and the file. */
  const depthOf = (view: View): number => {
    const inverse = inverseOf(view);
    return inverse ? depthOf(inverse.base) + 1 : 0;
  };
  const waiting = new Map<number, Map<View, Group[]>>();
  const add = (view: View, group: Group): void => {
    if (group.patches.length === 0) return;
    const depth = depthOf(view);
    const level = waiting.get(depth) ?? new Map<View, Group[]>();
    waiting.set(depth, level.set(view, [...(level.get(view) ?? []), group]));
  };
  const notes = new Set<string>();
  for (const group of groups) add(group.view, group);
  // The deepest first: a view is written when all that stands in it is.
  for (let depth = Math.max(0, ...waiting.keys()); depth > 0; depth--) {
    for (const [view, own] of waiting.get(depth) ?? []) {
      const joined = joinedGroup(own, fail);
      const inverse = inverseOf(view);
      const found = inverse?.mapPatches(joined.patches) ?? { why: otherForm };
      if ("why" in found) fail(joined.changes, found.why);
      else {
        for (const note of found.notes ?? []) notes.add(note);
        if (inverse) add(inverse.base, { patches: found.patches, changes: joined.changes });
      }
    }
  }
  const file: Group[] = [];
  for (const [view, own] of waiting.get(0) ?? []) {
    if (view.isFile) file.push(...own);
    else fail(new Set(own.flatMap((group) => [...group.changes])), otherForm);
  }
  return { patches: joinedGroup(file, fail).patches, notes: [...notes] };
}

const otherForm = "the body stands in the log in another form, which cannot be written";

function inOrder(a: Patch, b: Patch): number {
  return a.start - b.start || a.end - b.end;
}

/** The patches of a file together with those of the lengths that it states. */
function withLengths(
  source: ByteSource,
  lengths: Container["lengths"],
  { patches, bodies }: Extract<Attempt, { patches: unknown }>,
): readonly Patch[] {
  const resized = bodies.filter(({ growth }) => growth !== 0);
  if (!lengths || resized.length === 0) return patches;
  return [...patches, ...lengths(source, { patches, bodies: resized })].sort(inOrder);
}

/** All patches of a view in their order; when two overlap, the changes of the later one stand in the way. */
function joinedGroup(
  groups: readonly Group[],
  fail: (failed: Iterable<BodyChange>, why: string) => void,
): Group {
  const entries = groups
    .flatMap(({ patches, changes }) => patches.map((patch) => ({ patch, changes })))
    .sort((a, b) => inOrder(a.patch, b.patch));
  let last = 0;
  for (const { patch, changes } of entries) {
    if (patch.start < last) fail(changes, "another change writes at the same place");
    last = Math.max(last, patch.end);
  }
  return {
    patches: entries.map(({ patch }) => patch),
    changes: new Set(groups.flatMap((group) => [...group.changes])),
  };
}

/** The bodies and records that a change touches, as patches of the views that they stand in; and the records that it takes out. */
function partsOf({
  place,
  edits,
  session,
  copies = [],
}: BodyChange): { parts: FoundPatches[]; removed: Removed[]; links: Link[] } | { why: string } {
  const links: Link[] = [];
  const linked = new Set<Span>();
  const targets = session
    ? recordTargets(session, edits, links, linked)
    : [
        { span: place.span, start: place.origin.start, editsFor: () => edits },
        ...copies.map(({ place: twin, history: [from, to] }) => ({
          span: twin.span,
          start: twin.origin.start,
          editsFor: (root: JsonNode) => editsOfTwin(edits, from, to, root),
        })),
      ];
  if ("why" in targets) return targets;
  const parts: FoundPatches[] = [];
  const removed: Removed[] = [];
  for (const target of targets) {
    const found = bodyPatches(target);
    if ("why" in found) return found;
    parts.push(found);
    if (found.isRemoved) removed.push({ span: target.span, isLinked: linked.has(target.span) });
  }
  return { parts, removed, links };
}

/** JSON to be edited, where it begins in the file, and its edits. */
interface Target {
  readonly span: Span;
  readonly start: number;
  editsFor(root: JsonNode): readonly BodyEdit[];
}

/** Edits of a transcript as edits of its records, or of the document that lists them. An entry that is a record's only one goes with it. */
function recordTargets(
  session: Session,
  edits: readonly BodyEdit[],
  links: Link[],
  linked: Set<Span>,
): Target[] | { why: string } {
  const newest = new Map<string, string>();
  const bySpan = new Map<Span, BodyEdit[]>();
  const documents = new Map<View, Document | undefined>();
  const add = (span: Span, edit: BodyEdit): void => {
    bySpan.set(span, [...(bySpan.get(span) ?? []), edit]);
  };
  for (const edit of edits) {
    const entry = /^\/(\d+)$/.exec(edit.pointer);
    if (edit.op === "insert" && entry && session.takesRecords) {
      const index = Number(entry[1]);
      const moved = edit.from === undefined ? undefined : movedRecord(session, index, edit.from, newest);
      const source = moved?.isLinked && edit.from !== undefined ? session.recordAt(edit.from) : undefined;
      if (source) linked.add(source.span);
      const made = moved ?? newRecord(session, index, edit.json, newest);
      if (!made) return { why: "there is no record that a new one could follow" };
      const { behind, json, link } = made;
      if (link) links.push(link);
      if (behind.level > 0 || lineOf(behind.view, behind.start, behind.end)) {
        add(behind, { op: "insert", pointer: "", json, after: "" });
        continue;
      }
      if (!documents.has(behind.view)) documents.set(behind.view, documentOf(behind.view));
      const document = documents.get(behind.view);
      const pointer = document && elementAt(document, behind);
      if (!pointer) return { why: "the record stands in no list that another could be put into" };
      const slash = pointer.lastIndexOf("/");
      const next = `${pointer.slice(0, slash)}/${Number(pointer.slice(slash + 1)) + 1}`;
      add(document.span, { ...edit, json, pointer: next });
      continue;
    }
    const found = session.recordAt(edit.pointer);
    if (!found) return { why: `there is no record for \`${edit.pointer}\`` };
    const { span, within } = found;
    if (!entry || edit.op === "replace") {
      add(span, { ...edit, pointer: within });
      continue;
    }
    if (within !== "" && edit.op === "insert")
      return { why: "a new record needs the form of the agent that wrote the log" };
    const near = [-1, 1].map((step) => session.recordAt(`/${Number(entry[1]) + step}`)?.span);
    if (near.includes(span)) return { why: `the record of \`${edit.pointer}\` holds more than that` };
    if (span.level > 0 || lineOf(span.view, span.start, span.end)) {
      add(span, { ...edit, pointer: "" });
      continue;
    }
    if (!documents.has(span.view)) documents.set(span.view, documentOf(span.view));
    const document = documents.get(span.view);
    const pointer = document && elementAt(document, span);
    if (!pointer) return { why: "the record stands in no list that it could be taken from" };
    add(document.span, { ...edit, pointer });
  }
  return [...bySpan].map(([span, own]) => ({ span, start: originOf(span).start, editsFor: () => own }));
}

/** A file that is one JSON document. */
interface Document {
  readonly span: Span;
  /** With places as they are in the file. */
  readonly root: JsonNode;
}

function documentOf(view: View): Document | undefined {
  const bytes = view.read(0, view.size);
  const root = scanJson(bytes, textStart(bytes), bytes.length);
  return root && { span: { view, start: root.start, end: root.end, level: 0 }, root };
}

/** The pointer to the element of a list that stands at a place. */
function elementAt({ root }: Document, { start, end }: Span): string | undefined {
  let pointer = "";
  for (let node: JsonNode | undefined = root; node; ) {
    const parts: readonly JsonNode[] = node.items ?? node.members?.map((member) => member.node) ?? [];
    const index = parts.findIndex((part) => part.start <= start && end <= part.end);
    const part = parts[index];
    pointer += `/${node.items ? index : pointerToken(node.members?.[index]?.key ?? "")}`;
    if (part?.start === start && part.end === end) return node.items && pointer;
    node = part;
  }
  return undefined;
}

/**
 * Edits of a request for its copy in the same record, where the history stands elsewhere. What is changed beside the history is changed
 * in the copy, too, as far as it has it.
 */
function editsOfTwin(edits: readonly BodyEdit[], from: string, to: string, root: JsonNode): BodyEdit[] {
  return edits.flatMap((edit) => {
    const { pointer } = edit;
    if (pointer === from || pointer.startsWith(`${from}/`))
      return [{ ...edit, pointer: to + pointer.slice(from.length) }];
    if (to === "") return [];
    const [base, copy] = [from, to].map((history) => history.slice(0, history.lastIndexOf("/")));
    const moved = {
      ...edit,
      pointer: copy + pointer.slice(pointer.startsWith(`${base}/`) ? base?.length : 0),
    };
    return fits(root, moved) ? [moved] : [];
  });
}

/** Copies stand so deep in what a logger keeps beside a request. */
const maxDepth = 6;

/** Edits of a list for its copies inside the same body: loggers lay the request as it was sent beside its own members. */
function editsOfCopies(bytes: Buffer, root: JsonNode, edits: readonly BodyEdit[]): BodyEdit[] {
  const copied: BodyEdit[] = [];
  for (const { key, node } of root.members ?? []) {
    const own = `/${pointerToken(key)}/`;
    const inside = edits.filter(({ pointer }) => pointer.startsWith(own));
    if (inside.length === 0 || !node.items || node.items.length === 0) continue;
    const text = bytes.subarray(node.start, node.end);
    const look = (holder: JsonNode, prefix: string, depth: number): void => {
      for (const member of holder.members ?? []) {
        const { start, end } = member.node;
        const isCopy = member.key === key && end - start === text.length && depth > 0;
        if (isCopy && text.equals(bytes.subarray(start, end)))
          copied.push(...inside.map((edit) => ({ ...edit, pointer: prefix + edit.pointer })));
        else if (depth < maxDepth && member.node !== node)
          look(member.node, `${prefix}/${pointerToken(member.key)}`, depth + 1);
      }
    };
    look(root, "", 0);
  }
  return copied;
}

interface FoundPatches {
  readonly view: View;
  readonly patches: readonly Patch[];
  readonly body: ResizedBody;
  /** It is a record that goes with its line. */
  readonly isRemoved: boolean;
}

/** Edits of a body as patches of the view in which it stands in plain text. */
function bodyPatches({ span, start: from, editsFor }: Target): FoundPatches | { why: string } {
  const { view, start, end } = plainSpan(span);
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length);
  if (!root) return { why: "the body is no valid JSON" };
  const wanted = editsFor(root);
  const edits = [...wanted, ...editsOfCopies(bytes, root, wanted)];
  const edited = editJson(bytes, root, edits, {
    lead: leadOf(view, start),
    around: () => textAround(view, start),
    line: () => (span.level === 0 ? lineOf(view, start, end) : undefined),
  });
  if ("why" in edited) return edited;
  const patches = edited.patches.map((patch) => ({
    ...patch,
    start: patch.start + start,
    end: patch.end + start,
  }));
  const growth = patches.reduce((sum, patch) => sum + patch.bytes.length - (patch.end - patch.start), 0);
  const isRemoved = edits.some(({ op, pointer }) => op === "remove" && pointer === "");
  const body = { start: from, length: end - start, growth };
  // The plain text of a body is its own, so that nothing has to be kept of it until the others are there.
  let found: { readonly view: View; readonly patches: readonly Patch[] } = { view, patches };
  while (found.view !== span.view) {
    const { inverse } = found.view;
    const lifted = inverse?.mapPatches(found.patches) ?? { why: otherForm };
    if (!inverse || "why" in lifted) return { why: "why" in lifted ? lifted.why : otherForm };
    found = { view: inverse.base, patches: lifted.patches };
  }
  return { ...found, body, isRemoved };
}

/** The line that holds nothing but a record, in positions of the record; `undefined` when it holds more. */
function lineOf(view: View, start: number, end: number): RecordLine | undefined {
  const from = Math.max(0, start - 256);
  const before = view.read(from, start).toString("latin1");
  const after = view.read(end, Math.min(view.size, end + 256)).toString("latin1");
  const lead = (from > 0 ? /\n([ \t]*)$/ : /(?:^|\n)(?:\xef\xbb\xbf)?([ \t]*)$/).exec(before);
  const tail = /^[ \t]*(\r?\n|$)/.exec(after);
  if (!lead || !tail || view.read(start, end).includes(10)) return undefined;
  const isEnded = tail[1] !== "";
  const newline = isEnded ? tail[1] : /\r?\n/.exec(before)?.[0];
  return {
    start: -(lead[1] ?? "").length,
    end: end - start + tail[0].length,
    isEnded,
    newline: newline ?? "\n",
  };
}

/** The white space that the line of a body begins with. */
function leadOf(view: View, start: number): string {
  const before = view.read(Math.max(0, start - 4096), start).toString("latin1");
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
}

const chunkSize = 1 << 20;

/** A source with its patches, in pieces of about {@link chunkSize}: many small edits are not many small reads and writes. */
function* patchedChunks(source: ByteSource, patches: readonly Patch[]): Generator<Buffer> {
  let gathered: Buffer[] = [];
  let size = 0;
  for (const piece of patchedPieces(source, patches)) {
    gathered.push(piece);
    size += piece.length;
    if (size < chunkSize) continue;
    yield Buffer.concat(gathered, size);
    gathered = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(gathered, size);
}

function* patchedPieces(source: ByteSource, patches: readonly Patch[]): Generator<Buffer> {
  let at = 0;
  let window: { start: number; end: number; bytes: Buffer } = { start: 0, end: 0, bytes: Buffer.alloc(0) };
  const copy = function* (until: number): Generator<Buffer> {
    while (at < until) {
      if (at >= window.end) {
        const bytes = source.read(at, Math.min(source.size, at + chunkSize));
        if (bytes.length === 0) return;
        window = { start: at, end: at + bytes.length, bytes };
      }
      const end = Math.min(until, window.end);
      yield window.bytes.subarray(at - window.start, end - window.start);
      at = end;
    }
  };
  for (const { start, end, bytes } of patches) {
    yield* copy(start);
    yield bytes;
    at = end;
  }
  yield* copy(source.size);
}
