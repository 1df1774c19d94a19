import type { PayloadPlace } from "../reading/payload.ts";
import { plainSpan } from "../reading/place.ts";
import { scanJson } from "../reading/scan.ts";
import type { ByteSource } from "../reading/source.ts";
import { textAround } from "../reading/unescaped.ts";
import type { Patch, View, Way } from "../reading/view.ts";
import { type BodyEdit, editJson } from "./json-edits.ts";

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
  _container: string,
  changes: readonly BodyChange[],
): Promise<Written> {
  const refused: { change: BodyChange; why: string }[] = [];
  let open = changes.filter(({ edits }) => edits.length > 0);
  for (;;) {
    const attempt = patchesOf(open);
    if ("patches" in attempt) {
      const { patches, notes } = attempt;
      let whole: Buffer | undefined;
      const chunks = (): Iterable<Buffer> => patchedChunks(source, patches);
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
    const { failed, why } = attempt;
    refused.push(...[...failed].map((change) => ({ change, why })));
    open = open.filter((change) => !failed.has(change));
  }
}

/** Patches of one view and the changes that they are made for. */
interface Group {
  readonly patches: readonly Patch[];
  readonly changes: ReadonlySet<BodyChange>;
}

type Attempt =
  | { readonly patches: readonly Patch[]; readonly notes: readonly string[] }
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

  for (const change of changes) {
    const found = bodyPatches(change);
    const failed = new Set([change]);
    if ("why" in found) return { failed, why: found.why };
    add(found.view, { patches: found.patches, changes: failed });
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
  return "why" in joined ? joined : { patches: joined.patches, notes: [...notes] };
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

/** A change as patches of the view in which its body stands in plain text. */
function bodyPatches({
  place,
  edits,
}: BodyChange): { view: View; patches: readonly Patch[] } | { why: string } {
  const { view, start, end } = plainSpan(place.span);
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length);
  if (!root) return { why: "the body is no valid JSON" };
  const edited = editJson(bytes, root, edits, {
    lead: leadOf(view, start),
    around: () => textAround(view, start),
  });
  if ("why" in edited) return edited;
  const patches = edited.patches.map((patch) => ({
    ...patch,
    start: patch.start + start,
    end: patch.end + start,
  }));
  return { view, patches };
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
