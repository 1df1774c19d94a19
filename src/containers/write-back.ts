import type { PayloadPlace } from "../reading/payload.ts";
import { plainSpan } from "../reading/place.ts";
import { type JsonNode, scanJson } from "../reading/scan.ts";
import { type ByteSource, packedAgain } from "../reading/source.ts";
import { textAround } from "../reading/unescaped.ts";
import { type Patch, patched, type View, type Way } from "../reading/view.ts";
import { type BodyEdit, editJson, fits } from "./json-edits.ts";
import { headersBefore, type Resized, recordLengths, statesLengths } from "./stated-lengths.ts";

export type { BodyEdit } from "./json-edits.ts";

/** The edits of one body, at its place in the log. */
export interface BodyChange {
  readonly place: PayloadPlace;
  readonly edits: readonly BodyEdit[];
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
 * container itself states about them; all other bytes stay. A change is written whole or not at all.
 */
export async function writeBack(
  source: ByteSource,
  container: string,
  changes: readonly BodyChange[],
): Promise<Written> {
  const refused: { change: BodyChange; why: string }[] = [];
  let open = changes.filter(({ edits }) => edits.length > 0);
  for (;;) {
    const attempt = patchesOf(open);
    if ("patches" in attempt) {
      const { notes } = attempt;
      const patches = await withLengths(source, container, attempt);
      if (!source.packed) return written(() => patchedChunks(source, patches), refused, notes);
      const file = patches.length > 0 ? packedFile(source, source.packed, patches) : source.packed;
      if (file) return written(() => [file], refused, notes);
      refused.push(...open.map((change) => ({ change, why: "the file is no valid UTF-16" })));
      open = [];
      continue;
    }
    const { failed, why } = attempt;
    refused.push(...[...failed].map((change) => ({ change, why })));
    open = open.filter((change) => !failed.has(change));
  }
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

type Attempt =
  | {
      readonly patches: readonly Patch[];
      readonly bodies: readonly Resized[];
      readonly notes: readonly string[];
    }
  | { readonly failed: ReadonlySet<BodyChange>; readonly why: string };

/** What has to change in the file; or the changes that stand in the way. */
function patchesOf(changes: readonly BodyChange[]): Attempt {
  const ways = new Map<View, Way | undefined>();
  const wayOf = (view: View): Way | undefined => {
    if (!ways.has(view)) ways.set(view, view.way);
    return ways.get(view);
  };
  /** How many views lie between a view and the file. */
  const depthOf = (view: View): number => {
    const way = wayOf(view);
    return way ? depthOf(way.base) + 1 : 0;
  };
  const waiting = new Map<View, Group[]>();
  const file: Group[] = [];
  const add = (view: View, group: Group): void => {
    if (group.patches.length === 0) return;
    const groups = waiting.get(view);
    if (groups) groups.push(group);
    else waiting.set(view, [group]);
  };

  const bodies: Resized[] = [];
  for (const change of changes) {
    const failed = new Set([change]);
    const own = bodyPatches(change.place, () => change.edits);
    const twins = (change.place.twins ?? []).map(({ place, history: [from, to] }) =>
      bodyPatches(place, (root) => editsOfTwin(change.edits, from, to, root)),
    );
    for (const found of [own, ...twins]) {
      if ("why" in found) return { failed, why: found.why };
      add(found.view, { patches: found.patches, changes: failed });
      bodies.push(found.body);
    }
  }
  const notes = new Set<string>();
  // The deepest first: a view is written when all that stands in it is.
  while (waiting.size > 0) {
    const [view] = [...waiting.keys()].sort((a, b) => depthOf(b) - depthOf(a));
    if (!view) break;
    const joined = joinedGroup(waiting.get(view) ?? []);
    waiting.delete(view);
    if ("why" in joined) return joined;
    const way = wayOf(view);
    if (!way) {
      if (view.isFile) file.push(joined);
      else
        return {
          failed: joined.changes,
          why: "the body stands in the log in another form, which cannot be written",
        };
      continue;
    }
    const lifted = way.lift(joined.patches);
    if ("why" in lifted) return { failed: joined.changes, why: lifted.why };
    for (const note of lifted.notes ?? []) notes.add(note);
    add(way.base, { patches: lifted.patches, changes: joined.changes });
  }
  const joined = joinedGroup(file);
  return "why" in joined ? joined : { patches: joined.patches, bodies, notes: [...notes] };
}

/** The patches of a file together with those of the lengths that it states. */
async function withLengths(
  source: ByteSource,
  container: string,
  { patches, bodies }: Extract<Attempt, { patches: unknown }>,
): Promise<readonly Patch[]> {
  const resized = bodies.filter(({ growth }) => growth !== 0);
  if (resized.length === 0) return patches;
  const lengths =
    container === "httprr"
      ? (await import("./httprr.ts")).traceLengths(source, patches)
      : container === "vcr"
        ? await lengthsOfCassette(source, resized)
        : container === "text"
          ? headersBefore(source, resized)
          : recordLengths(source, resized);
  return [...patches, ...lengths].sort((a, b) => a.start - b.start || a.end - b.end);
}

async function lengthsOfCassette(source: ByteSource, bodies: readonly Resized[]): Promise<Patch[]> {
  if (!statesLengths(source.read(0, source.size))) return [];
  return (await import("./cassette-lengths.ts")).cassetteLengths(source, bodies);
}

/** All patches of a view in their order; when two overlap, the changes of the later one stand in the way. */
function joinedGroup(groups: readonly Group[]): Group | Extract<Attempt, { why: string }> {
  const entries = groups
    .flatMap(({ patches, changes }) => patches.map((patch) => ({ patch, changes })))
    .sort((a, b) => a.patch.start - b.patch.start || a.patch.end - b.patch.end);
  let last = 0;
  for (const { patch, changes } of entries) {
    if (patch.start < last) return { failed: changes, why: "another change writes at the same place" };
    last = patch.end;
  }
  return {
    patches: entries.map(({ patch }) => patch),
    changes: new Set(groups.flatMap((group) => [...group.changes])),
  };
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

type FoundPatches = { readonly view: View; readonly patches: readonly Patch[]; readonly body: Resized };

/** Edits of a body as patches of the view in which it stands in plain text. */
function bodyPatches(
  place: PayloadPlace,
  editsFor: (root: JsonNode) => readonly BodyEdit[],
): FoundPatches | { why: string } {
  const { view, start, end } = plainSpan(place.span);
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length);
  if (!root) return { why: "the body is no valid JSON" };
  const edited = editJson(bytes, root, editsFor(root), {
    lead: leadOf(view, start),
    around: () => textAround(view, start),
  });
  if ("why" in edited) return edited;
  const patches = edited.patches.map((patch) => ({
    ...patch,
    start: patch.start + start,
    end: patch.end + start,
  }));
  const growth = patches.reduce((sum, patch) => sum + patch.bytes.length - (patch.end - patch.start), 0);
  return { view, patches, body: { start: place.origin.start, length: end - start, growth } };
}

/** The white space that the line of a body begins with. */
function leadOf(view: View, start: number): string {
  const before = view.read(Math.max(0, start - 4096), start).toString("latin1");
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
}

const chunkSize = 4 << 20;

function* patchedChunks(source: ByteSource, patches: readonly Patch[]): Generator<Buffer> {
  let at = 0;
  const copy = function* (until: number): Generator<Buffer> {
    while (at < until) {
      const chunk = source.read(at, Math.min(until, at + chunkSize));
      if (chunk.length === 0) return;
      yield chunk;
      at += chunk.length;
    }
  };
  for (const { start, end, bytes } of patches) {
    yield* copy(start);
    yield bytes;
    at = end;
  }
  yield* copy(source.size);
}
