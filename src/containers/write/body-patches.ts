import type { JsonNode } from "../../reading/json-node.ts";
import { plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { scanJson } from "../../reading/scan.ts";
import { textAround } from "../../reading/surroundings.ts";
import type { Patch, View } from "../../reading/view.ts";
import type { ResizedBody } from "../../traffic/container.ts";
import type { RequestCopy } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import { type BodyEdit, editJson, fits, type RecordText } from "./json-edits.ts";
import { mapPatchesTo } from "./patch-map.ts";

/** JSON to be edited: its span, its offset in the file, and its edits. */
export interface EditedSpan {
  readonly span: Span;
  readonly start: number;
  editsFor(root: JsonNode): readonly BodyEdit[];
}

/** Patches of the view that holds the JSON. */
export interface BodyPatches {
  readonly span: Span;
  readonly patches: readonly Patch[];
  readonly body: ResizedBody;
}

/** A range of a body's plain text, in bytes. */
export interface TextCut {
  readonly start: number;
  readonly end: number;
}

/** Takes ranges out of a body that is not JSON. */
export function cutPatches(
  { span, origin }: PayloadPlace,
  cuts: readonly TextCut[],
): BodyPatches | { why: string } {
  const { view, start, end } = plainSpan(span);
  const patches = cuts.map((cut) => ({
    start: start + cut.start,
    end: start + cut.end,
    bytes: Buffer.alloc(0),
  }));
  const mapped = mapPatchesTo(span.view, view, patches);
  if ("why" in mapped) return mapped;
  const growth = cuts.reduce((sum, cut) => sum + cut.start - cut.end, 0);
  return { span, patches: mapped.patches, body: { start: origin.start, length: end - start, growth } };
}

export function bodyPatches({ span, start: from, editsFor }: EditedSpan): BodyPatches | { why: string } {
  const { view, start, end } = plainSpan(span);
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length);
  if (!root) return { why: "the body is not valid JSON" };
  const wanted = editsFor(root);
  const edits = [...wanted, ...editsOfCopiesInside(bytes, root, wanted)];
  const edited = editJson(bytes, root, edits, {
    lead: leadOf(view, start),
    around: textAround(view, start),
    line: () => (span.level === 0 ? lineOf(view, start, end) : undefined),
  });
  if ("why" in edited) return edited;
  const patches = edited.patches.map((patch) => ({
    ...patch,
    start: patch.start + start,
    end: patch.end + start,
  }));
  // A body's plain text is a view of its own. Mapping it at once saves keeping it until all bodies are done.
  const mapped = mapPatchesTo(span.view, view, patches);
  if ("why" in mapped) return mapped;
  const growth = patches.reduce((sum, patch) => sum + patch.bytes.length - (patch.end - patch.start), 0);
  return {
    span,
    patches: mapped.patches,
    body: { start: from, length: end - start, growth },
  };
}

/**
 * Edits of a request for its copy in the same record, where the history may have another place. Edits outside
 * the history are applied to the copy where it has the same pointers.
 */
export function editsOfCopy(
  edits: readonly BodyEdit[],
  [from, to]: RequestCopy["history"],
  root: JsonNode,
): BodyEdit[] {
  const base = from.slice(0, from.lastIndexOf("/"));
  const copy = to.slice(0, to.lastIndexOf("/"));
  return edits.flatMap((edit) => {
    const { pointer } = edit;
    if (pointer === from || pointer.startsWith(`${from}/`))
      return [{ ...edit, pointer: to + pointer.slice(from.length) }];
    if (to === "") return [];
    const below = pointer.startsWith(`${base}/`) ? pointer.slice(base.length) : pointer;
    const moved = { ...edit, pointer: copy + below };
    return fits(root, moved) ? [moved] : [];
  });
}

/** The depth down to which copies of a list are searched. */
const maxDepth = 6;

/** Edits for copies of a list inside the same body: loggers add the request as sent to its own members. */
function editsOfCopiesInside(bytes: Buffer, root: JsonNode, edits: readonly BodyEdit[]): BodyEdit[] {
  return (root.members ?? []).flatMap(({ key, node }) => {
    const own = `/${pointerToken(key)}/`;
    const inside = edits.filter(({ pointer }) => pointer.startsWith(own));
    if (inside.length === 0 || !node.items || node.items.length === 0) return [];
    return [...copiesOf(bytes, key, node, root)].flatMap((prefix) =>
      inside.map((edit) => ({ ...edit, pointer: prefix + edit.pointer })),
    );
  });
}

/** Pointers to the objects further down that have the same list under the same key. */
function* copiesOf(
  bytes: Buffer,
  key: string,
  list: JsonNode,
  holder: JsonNode,
  prefix = "",
  depth = 0,
): Generator<string> {
  const text = bytes.subarray(list.start, list.end);
  for (const { key: other, node } of holder.members ?? []) {
    const isCopy = other === key && depth > 0 && text.equals(bytes.subarray(node.start, node.end));
    if (isCopy) yield prefix;
    else if (depth < maxDepth && node !== list)
      yield* copiesOf(bytes, key, list, node, `${prefix}/${pointerToken(other)}`, depth + 1);
  }
}

/** The line that holds only a record, in offsets relative to it; `undefined` if the line holds more. */
export function lineOf(view: View, start: number, end: number): RecordText | undefined {
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

/** The leading white space of a body's line. */
function leadOf(view: View, start: number): string {
  const before = view.read(Math.max(0, start - 4096), start).toString("latin1");
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
}
