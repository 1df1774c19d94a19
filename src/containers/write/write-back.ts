import { pushAll } from "../../reading/lists.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { Patch } from "../../reading/view.ts";
import type { Container, ResizedBody } from "../../traffic/container.ts";
import type { RequestCopy } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Session } from "../../traffic/session.ts";
import {
  type BodyPatches,
  bodyPatches,
  cutPatches,
  type EditedSpan,
  editsOfCopy,
  type TextCut,
} from "./body-patches.ts";
import type { BodyEdit } from "./json-edits.ts";
import { inOrder, PatchMap } from "./patch-map.ts";
import { type PatchedFile, patchedFile } from "./patched-file.ts";
import { RecordChain } from "./record-chain.ts";
import { SessionEdits } from "./session-edits.ts";

export type { BodyEdit } from "./json-edits.ts";

/** The edits of one body, at its place in the log. */
export interface BodyChange {
  readonly place: PayloadPlace;
  readonly edits: readonly BodyEdit[];
  /** Ranges of the body's plain text that go, in bytes, in order: a body in events has no pointers. */
  readonly cuts?: readonly TextCut[] | undefined;
  /** The session whose history the pointers refer to. */
  readonly session?: Session | undefined;
  /** Copies of the body in the same record. */
  readonly copies?: readonly RequestCopy[] | undefined;
}

export interface WriteOptions {
  /** The container's function, if it states lengths. */
  readonly lengths?: Container["lengths"] | undefined;
  /** Patches that hide something, as long as what they replace. A mask that overlaps an edit is dropped. */
  readonly masks?: readonly Patch[];
}

/** A log with changed bodies. */
export interface WrittenLog extends PatchedFile {
  /** Changes that cannot be written exactly, of which nothing was written. */
  readonly refused: readonly { readonly change: BodyChange; readonly why: string }[];
  /** Notes for the reader of the report, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Writes changed bodies back into a log, in its container. Only the edited values and the lengths that the
 * container states change; all other bytes stay. All copies of a request in its record change, or they would
 * no longer be copies. A change is written completely or not at all.
 */
export function writeBack(
  source: ByteSource,
  changes: readonly BodyChange[],
  { lengths, masks = [] }: WriteOptions = {},
): WrittenLog {
  const refused: { change: BodyChange; why: string }[] = [];
  let open = changes.filter(({ edits, cuts = [] }) => edits.length > 0 || cuts.length > 0);
  for (;;) {
    const attempt = patchesOf(source, open);
    if ("failures" in attempt) {
      const { failures } = attempt;
      pushAll(
        refused,
        [...failures].map(([change, why]) => ({ change, why })),
      );
      open = open.filter((change) => !failures.has(change));
      continue;
    }
    const edits = withLengths(source, lengths, attempt);
    const patches = [...edits, ...masks.filter((mask) => isFree(edits, mask))].sort(inOrder);
    const file = patchedFile(source, patches);
    if ("chunks" in file) return Object.assign(file, { refused, notes: attempt.notes });
    pushAll(
      refused,
      open.map((change) => ({ change, why: file.why })),
    );
    open = [];
  }
}

function isFree(patches: readonly Patch[], { start, end }: Patch): boolean {
  return !patches.some((patch) => patch.start < end && start < patch.end);
}

/** The patches of the file, or the changes that cannot be written with the reason. */
type Attempt =
  | {
      readonly patches: readonly Patch[];
      readonly bodies: readonly ResizedBody[];
      readonly notes: readonly string[];
    }
  | { readonly failures: ReadonlyMap<BodyChange, string> };

function patchesOf(source: ByteSource, changes: readonly BodyChange[]): Attempt {
  const map = new PatchMap<BodyChange>();
  const { failures } = map;
  const bodies: ResizedBody[] = [];
  const chain = changes.some(({ session }) => session) ? new RecordChain(source) : undefined;
  for (const change of changes) {
    const found = partsOf(change, chain);
    if ("why" in found) {
      map.fail([change], found.why);
      continue;
    }
    for (const { span, patches, body } of found) {
      map.add(span.view, patches, new Set([change]));
      bodies.push(body);
    }
  }
  if (failures.size > 0) return { failures };
  const patches = map.toFile();
  if (failures.size > 0) return { failures };
  const links = chain?.patches() ?? [];
  return {
    patches: [...patches, ...links].sort(inOrder),
    bodies,
    notes: [...map.notes, ...(chain?.notes ?? [])],
  };
}

/** Adds patches for the lengths that a file states. */
function withLengths(
  source: ByteSource,
  lengths: Container["lengths"],
  { patches, bodies }: Extract<Attempt, { patches: unknown }>,
): readonly Patch[] {
  const resized = bodies.filter(({ growth }) => growth !== 0);
  if (!lengths || resized.length === 0) return patches;
  return [...patches, ...lengths(source, { patches, bodies: resized })].sort(inOrder);
}

/** The bodies or records that a change touches, as patches of their views. */
function partsOf(
  { place, edits, cuts = [], session, copies = [] }: BodyChange,
  chain: RecordChain | undefined,
): BodyPatches[] | { readonly why: string } {
  if (session && chain) {
    const records = new SessionEdits(session, chain);
    for (const edit of edits) {
      const why = records.add(edit);
      if (why !== undefined) return { why };
    }
    return patchesOfAll(records.spans);
  }
  if (cuts.length > 0) {
    const cut = cutPatches(place, cuts);
    return "why" in cut ? cut : [cut];
  }
  return patchesOfAll([
    { span: place.span, start: place.origin.start, editsFor: () => edits },
    ...copies.map(
      ({ place: copy, history }): EditedSpan => ({
        span: copy.span,
        start: copy.origin.start,
        editsFor: (root) => editsOfCopy(edits, history, root),
      }),
    ),
  ]);
}

function patchesOfAll(spans: readonly EditedSpan[]): BodyPatches[] | { readonly why: string } {
  const found: BodyPatches[] = [];
  for (const span of spans) {
    const patches = bodyPatches(span);
    if ("why" in patches) return patches;
    found.push(patches);
  }
  return found;
}
