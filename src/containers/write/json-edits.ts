import { escapesBeyondAscii } from "../../reading/escapes.ts";
import { groupBy } from "../../reading/group-by.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { pushAll } from "../../reading/lists.ts";
import { pointerTokens } from "../../reading/pointer.ts";
import type { Surroundings } from "../../reading/surroundings.ts";
import type { Patch } from "../../reading/view.ts";
import {
  indentAt,
  type JsonTree,
  jsonTree,
  type Layout,
  type LayoutPart,
  laidOut,
  layoutOf,
  layoutParts,
  spacingAround,
} from "./json-layout.ts";
import { inOrder } from "./patch-map.ts";

/**
 * One change of a request body. `pointer` is an RFC 6901 pointer into the body as recorded. Edits do not
 * overlap; several inserts at one place keep their order.
 *
 * `replace` changes the value, `remove` removes the element or member. `insert` adds an element before that
 * index of an array (the length, or `-`, appends), or a new member after the one named in `after`, else at
 * the end. `json` is the new value's JSON text: its tokens stay verbatim, its white space adapts to the body.
 *
 * At the pointer `""`, `remove` removes a record together with its line, and `insert` adds a line before it,
 * or after it if `after` is given.
 */
export type BodyEdit =
  | {
      readonly op: "replace" | "insert";
      readonly pointer: string;
      readonly json: string;
      readonly after?: string;
      /** In a transcript: the pointer to the entry that is moved here unchanged. Its record moves along. */
      readonly from?: string;
      /** In a transcript: the id of the call that the inserted entry answers. */
      readonly answers?: string | undefined;
    }
  | { readonly op: "remove"; readonly pointer: string };

/** The surroundings of a body, for style that the body itself does not show. */
export interface BodySetting {
  /** The white space that the line of the body begins with. */
  readonly lead: string;
  readonly around: Surroundings;
  /** The line that holds only the body, if there is one. */
  line?(): RecordText | undefined;
}

/** A line that holds one record, in offsets relative to the record. */
export interface RecordText {
  readonly start: number;
  /** Includes the line break, if there is one. */
  readonly end: number;
  readonly isEnded: boolean;
  readonly newline: string;
}

export type EditedBody = { readonly patches: readonly Patch[] } | { readonly why: string };

/** The patches of a body that make the edits. `root` is the body as scanned in `bytes`. */
export function editJson(
  bytes: Buffer,
  root: JsonNode,
  edits: readonly BodyEdit[],
  setting: BodySetting,
): EditedBody {
  const editor = new BodyEditor(bytes, root, setting);
  const removed = new Set(edits.flatMap(({ op, pointer }) => (op === "remove" ? [pointer] : [])));
  for (const edit of edits) {
    const why = editor.add(edit, removed);
    if (why !== undefined) return { why };
  }
  const patches = editor.patches();
  const overlap = patches.some((patch, index) => patch.start < (patches[index - 1]?.end ?? 0));
  return overlap ? { why: overlapping } : { patches: patches.filter((patch) => !isUnchanged(patch, bytes)) };
}

/** Whether a patch writes the bytes that are there already. */
function isUnchanged({ start, end, bytes: own }: Patch, bytes: Buffer): boolean {
  return start >= 0 && own.equals(bytes.subarray(start, end)) && end <= bytes.length;
}

/** Collects the edits of one body. All changes of one object or array are written together at the end. */
class BodyEditor {
  readonly #bytes: Buffer;
  readonly #root: JsonNode;
  readonly #setting: BodySetting;
  readonly #spelling: Spelling;
  readonly #patches: Patch[] = [];
  readonly #changed = new Map<JsonNode, Changes>();

  constructor(bytes: Buffer, root: JsonNode, setting: BodySetting) {
    this.#bytes = bytes;
    this.#root = root;
    this.#setting = setting;
    this.#spelling = new Spelling(() => bytes.subarray(root.start, root.end), setting.around);
  }

  /** Adds an edit; returns the reason if it is impossible. `removed` holds the pointers of all removals. */
  add(edit: BodyEdit, removed: ReadonlySet<string>): string | undefined {
    if (edit.op === "remove") return edit.pointer === "" ? this.#removeLine() : this.#remove(edit.pointer);
    const tree = jsonTree(edit.json);
    if (!tree) return `the new value for \`${edit.pointer}\` is not JSON`;
    if (edit.op === "replace") return this.#replace(edit.pointer, edit.json, tree);
    return edit.pointer === "" ? this.#insertLine(edit, tree) : this.#insert(edit, tree, removed);
  }

  patches(): Patch[] {
    const parts = [...this.#changed].flatMap(([node, changes]) =>
      changes.parts.length === 0 ? [this.#filled(node, changes)] : this.#rearranged(node, changes),
    );
    return [...this.#patches, ...parts].sort(inOrder);
  }

  #replace(pointer: string, json: string, tree: JsonTree): string | undefined {
    const path = pathTo(this.#root, pointer);
    if (typeof path === "string") return path;
    const node = path.at(-1) ?? this.#root;
    if (node.state === "open") return cutOff;
    const { start, end } = node;
    if (this.#bytes.toString("utf8", start, end) === json) {
      this.#patches.push({ start, end, bytes: this.#bytes.subarray(start, end) });
      return undefined;
    }
    // A word is written the same way in every layout.
    if (tree.kind === "word") {
      this.#write(start, end, tree.text);
      return undefined;
    }
    const siblings = path.length > 1 ? siblingsOf(path.at(-2) as JsonNode, node) : [];
    const layout = layoutOf(this.#bytes, [node, ...siblings, this.#root]);
    this.#write(start, end, laidOut(tree, layout, this.#indentIn(layout, start)));
    return undefined;
  }

  #remove(pointer: string): string | undefined {
    const list = this.#listAt(pointer);
    if (typeof list === "string") return list;
    const { node, token, changes } = list;
    const index = indexOf(node, changes.parts, token);
    if (index < 0) return `there is nothing at \`${pointer}\``;
    if (changes.removed.has(index)) return overlapping;
    changes.removed.add(index);
    return undefined;
  }

  #insert({ pointer, after }: Insert, tree: JsonTree, removed: ReadonlySet<string>): string | undefined {
    const list = this.#listAt(pointer);
    if (typeof list === "string") return list;
    const { node, token, changes } = list;
    const { parts, inserted } = changes;
    if (node.kind === "array") {
      const before = token === "-" ? parts.length : indexNumber(token);
      if (before === undefined || before > parts.length)
        return `there is no place \`${pointer}\` to insert at`;
      inserted.push({ before, tree });
      return undefined;
    }
    const isThere = indexOf(node, parts, token) >= 0 && !removed.has(pointer);
    if (isThere || inserted.some(({ key }) => key === token))
      return `there is already a member at \`${pointer}\``;
    const last = after === undefined ? -1 : indexOf(node, parts, after);
    inserted.push({ before: last < 0 ? parts.length : last + 1, key: token, tree });
    return undefined;
  }

  /** The object or array that holds the value at a pointer, its changes, and the value's key in it. */
  #listAt(
    pointer: string,
  ): { readonly node: JsonNode; readonly token: string; readonly changes: Changes } | string {
    const path = pathTo(this.#root, pointer.slice(0, pointer.lastIndexOf("/")));
    if (typeof path === "string") return path;
    const node = path.at(-1) ?? this.#root;
    if (node.kind !== "array" && node.kind !== "object")
      return `\`${pointer}\` does not lead into an object or array`;
    if (node.state === "open") return cutOff;
    const known = this.#changed.get(node);
    const changes = known ?? { parts: layoutParts(this.#bytes, node), removed: new Set(), inserted: [] };
    if (changes.parts.length === 0 && hasParts(this.#bytes, node)) return tooDeep;
    this.#changed.set(node, changes);
    return { node, token: pointerTokens(pointer).at(-1) ?? "", changes };
  }

  #removeLine(): string | undefined {
    const line = this.#setting.line?.();
    if (!line) return noLine;
    this.#patches.push({ start: line.start, end: line.end, bytes: Buffer.alloc(0) });
    return undefined;
  }

  #insertLine({ after }: Insert, tree: JsonTree): string | undefined {
    const line = this.#setting.line?.();
    if (!line) return noLine;
    const { start, end, isEnded, newline } = line;
    const text = laidOut(tree, layoutOf(this.#bytes, [this.#root]), "");
    if (after === undefined) this.#write(start, start, text + newline);
    else this.#write(end, end, isEnded ? text + newline : newline + text);
    return undefined;
  }

  /** Adds parts to an empty object or array. */
  #filled(node: JsonNode, { inserted }: Changes): Patch {
    const layout = layoutOf(this.#bytes, [this.#root]);
    const isNested = inserted.some(({ tree }) => tree.kind !== "word");
    const isObject = node.kind === "object";
    const spread = isObject ? layout.object : isNested ? layout.list : layout.row;
    const [open, close] = isObject ? (["{", "}"] as const) : (["[", "]"] as const);
    const texts = inserted.map((insertion) => (inner: string) => textOf(insertion, inner, layout));
    const text = spacingAround(open, close, spread, layout, this.#indentIn(layout, node.start), texts);
    return { start: node.start, end: node.end, bytes: this.#spelling.bytesOf(text) };
  }

  /**
   * Adds and removes parts of an object or array. Each patch covers the gap between two kept parts: new parts
   * follow the first one and replace the removed ones.
   */
  #rearranged(node: JsonNode, { parts, removed, inserted }: Changes): Patch[] {
    const separatorAt = separatorsOf(this.#bytes, node, parts, layoutOf(this.#bytes, [node, this.#root]));
    const insertedAt = groupBy(inserted, ({ before }) => before);
    const patches: Patch[] = [];
    let lastKept = -1;
    let between: NewText[] = [];
    for (let place = 0; place <= parts.length; place++) {
      const own = insertedAt.get(place);
      const separator = separatorAt(place);
      if (own)
        pushAll(
          between,
          this.#texts(own, node, parts, place).map((text) => ({ text, separator })),
        );
      if (place < parts.length && removed.has(place)) continue;
      const { start, end, text } = newText(node, parts, lastKept, place, between);
      if (end > start || text !== "") patches.push({ start, end, bytes: this.#spelling.bytesOf(text) });
      lastKept = place;
      between = [];
    }
    return patches;
  }

  /** The texts of parts inserted before a part, laid out like their neighbours. */
  #texts(
    inserted: readonly Insertion[],
    node: JsonNode,
    parts: readonly LayoutPart[],
    place: number,
  ): string[] {
    const [first] = parts;
    const near = [parts[place - 1], parts[place], first].flatMap((part) => (part ? [part.value] : []));
    const layout = layoutOf(this.#bytes, [...(node.kind === "object" ? [] : near), node, this.#root]);
    const indented = parts[Math.min(place, parts.length - 1)]?.start ?? node.start;
    return inserted.map((insertion) => textOf(insertion, this.#indentIn(layout, indented), layout));
  }

  #write(start: number, end: number, text: string): void {
    this.#patches.push({ start, end, bytes: this.#spelling.bytesOf(text) });
  }

  /** The indent of the line at an offset; empty for layouts on one line. */
  #indentIn(layout: Layout, at: number): string {
    return layout.isOnLines ? indentAt(this.#bytes, at, this.#setting.lead) : "";
  }
}

/** Writes text with the body's own spelling of non-ASCII characters. */
class Spelling {
  readonly #own: () => Buffer;
  readonly #around: Surroundings;
  #isAscii: boolean | undefined;

  constructor(own: () => Buffer, around: Surroundings) {
    this.#own = own;
    this.#around = around;
  }

  bytesOf(text: string): Buffer {
    if (!/[^\0-\x7f]/.test(text)) return Buffer.from(text);
    // Half of a surrogate pair cannot be encoded.
    const pattern = this.#escapes()
      ? /[^\0-\x7f]/g
      : /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
    return Buffer.from(
      text.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
  }

  #escapes(): boolean {
    this.#isAscii ??= escapesBeyondAscii(this.#own(), this.#around);
    return this.#isAscii;
  }
}

/** The separator between the part before a place and the part at it. */
function separatorsOf(
  bytes: Buffer,
  { kind, start }: JsonNode,
  parts: readonly LayoutPart[],
  layout: Layout,
): (place: number) => string {
  const open = bytes.toString("latin1", start + 1, parts[0]?.start);
  const spread = kind === "object" ? layout.object : layout.list;
  return (place) => {
    const before = Math.min(Math.max(place - 1, 0), parts.length - 2);
    const [left, right] = [parts[before], parts[before + 1]];
    if (left && right) return bytes.toString("latin1", left.end, right.start);
    return open.includes("\n") ? `,${open}` : spread.isOnLines ? ", " : spread.comma;
  };
}

/** The text of a new part and its separator from its neighbour. */
interface NewText {
  readonly text: string;
  readonly separator: string;
}

/** New parts that replace those after the last kept one, if any, up to the part at `place`. */
function newText(
  node: JsonNode,
  parts: readonly LayoutPart[],
  lastKept: number,
  place: number,
  between: readonly NewText[],
): { readonly start: number; readonly end: number; readonly text: string } {
  const before = parts[lastKept];
  const last = parts[place - 1];
  const next = parts[place];
  const first = parts[0]?.start ?? node.start + 1;
  if (before && last)
    return {
      start: before.end,
      end: last.end,
      text: between.map((own) => own.separator + own.text).join(""),
    };
  if (next)
    return { start: first, end: next.start, text: between.map((own) => own.text + own.separator).join("") };
  if (between.length === 0) return { start: node.start + 1, end: node.end - 1, text: "" };
  const text = between.map((own, index) => (index > 0 ? own.separator : "") + own.text).join("");
  return { start: first, end: last?.end ?? first, text };
}

function textOf({ key, tree }: Insertion, indent: string, layout: Layout): string {
  const value = laidOut(tree, layout, indent);
  return key === undefined ? value : `${JSON.stringify(key)}${layout.colon}${value}`;
}

type Insert = Extract<BodyEdit, { json: string }>;

interface Insertion {
  readonly before: number;
  readonly key?: string;
  readonly tree: JsonTree;
}

/** The changes of one object or array. */
interface Changes {
  readonly parts: readonly LayoutPart[];
  readonly removed: Set<number>;
  readonly inserted: Insertion[];
}

const overlapping = "the changes overlap";
const noLine = "only a record on its own line can be removed or inserted as a whole";
const cutOff = "its end is not in the log";
const tooDeep = "it is nested too deeply";

/** Whether the place of an edit exists in this body. */
export function fits(root: JsonNode, { op, pointer }: BodyEdit): boolean {
  const isThere = typeof pathTo(root, pointer) !== "string";
  if (op !== "insert") return isThere;
  const parent = pathTo(root, pointer.slice(0, Math.max(0, pointer.lastIndexOf("/"))));
  return typeof parent !== "string" && (parent.at(-1)?.kind === "array" || !isThere);
}

/** The nodes from the root to the one at a pointer, or a sentence if there is none. */
function pathTo(root: JsonNode, pointer: string): JsonNode[] | string {
  const path = [root];
  for (const token of pointerTokens(pointer)) {
    const node = path.at(-1) as JsonNode;
    const next =
      node.kind === "object"
        ? node.members?.findLast(({ key }) => key === token)?.node
        : node.items?.[indexNumber(token) ?? -1];
    if (!next) return `there is nothing at \`${pointer}\``;
    path.push(next);
  }
  return path;
}

function indexNumber(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined;
}

function indexOf(node: JsonNode, parts: readonly LayoutPart[], token: string): number {
  if (node.kind === "object") return parts.findLastIndex(({ key }) => key?.name === token);
  const index = indexNumber(token);
  return index !== undefined && index < parts.length ? index : -1;
}

/** The scanner skips deeply nested values: they have parts, but no nodes. */
function hasParts(bytes: Buffer, { start, end }: JsonNode): boolean {
  return bytes.toString("latin1", start + 1, end - 1).trim() !== "";
}

/** The neighbours of a part that are of its kind. */
function siblingsOf(parent: JsonNode, node: JsonNode): JsonNode[] {
  const all = parent.items ?? parent.members?.map((member) => member.node) ?? [];
  const place = all.indexOf(node);
  return [all[place - 1], all[place + 1]].flatMap((sibling) =>
    sibling?.kind === node.kind ? [sibling] : [],
  );
}
