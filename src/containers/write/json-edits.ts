import { escapesBeyondAscii } from "../../reading/escapes.ts";
import { grouped } from "../../reading/group-by.ts";
import { pointerTokens } from "../../reading/pointer.ts";
import type { JsonNode } from "../../reading/scan.ts";
import type { Patch } from "../../reading/view.ts";
import {
  around,
  indentAt,
  type JsonTree,
  jsonTree,
  type Layout,
  laidOut,
  layoutOf,
  type Part,
  partsOf,
} from "./json-layout.ts";

/**
 * One change of a request body. `pointer` is RFC 6901 into the body.
 *
 * `replace`: the value there. `remove`: the element or member. `insert`: before that array index (the length, or `-`, appends), or as a
 * new member, after the member named in `after`, else at the end. `json` is the new value's JSON text: its words are kept to the letter,
 * its white space is that of the body. A record that stands on a line of its own is taken out with its line by `remove` at the pointer
 * `""`; `insert` there puts a line before it, or behind it when `after` is given. Edits refer to the body as recorded, and do not overlap; several inserts at one place keep
 * their order.
 */
export type BodyEdit =
  | {
      readonly op: "replace" | "insert";
      readonly pointer: string;
      readonly json: string;
      readonly after?: string;
      /** In a transcript: the pointer to the entry that the inserted one was, unchanged. Its record comes along. */
      readonly from?: string;
      /** In a transcript: the id of the call that the inserted entry answers. */
      readonly answers?: string | undefined;
    }
  | { readonly op: "remove"; readonly pointer: string };

/** What is written around a body, for what the body itself does not show. */
export interface BodySetting {
  /** The white space before the body, when it begins its line's text or follows a key. */
  readonly lead: string;
  /** More bytes of the same writer. */
  around(): Buffer;
  /** The line that holds nothing else, where there is one. */
  line?(): RecordLine | undefined;
}

/** A line that holds one record, in positions of the record. */
export interface RecordLine {
  readonly start: number;
  /** With the line break, where there is one. */
  readonly end: number;
  readonly isEnded: boolean;
  readonly newline: string;
}

export type EditedBody = { readonly patches: readonly Patch[] } | { readonly why: string };

/** What of a body's bytes has to change for the edits. `root` is the body as scanned in `bytes`. */
export function editJson(
  bytes: Buffer,
  root: JsonNode,
  edits: readonly BodyEdit[],
  setting: BodySetting,
): EditedBody {
  const patches: Patch[] = [];
  const changed = new Map<JsonNode, Changes>();
  let isAscii: boolean | undefined;

  for (const edit of edits) {
    const tree = edit.op === "remove" ? undefined : jsonTree(edit.json);
    if (edit.op !== "remove" && !tree) return { why: `the new value for \`${edit.pointer}\` is no JSON` };
    const problem =
      tree && edit.op === "replace" ? replace(edit.pointer, edit.json, tree) : place(edit, tree);
    if (problem !== undefined) return { why: problem };
  }
  for (const [node, changes] of changed) patches.push(...changeParts(node, changes));
  patches.sort((a, b) => a.start - b.start || a.end - b.end);
  const overlap = patches.some((patch, index) => patch.start < (patches[index - 1]?.end ?? 0));
  return overlap ? { why: "the changes overlap" } : { patches: patches.filter((patch) => !isVoid(patch)) };

  function replace(pointer: string, json: string, tree: JsonTree): string | undefined {
    const path = pathTo(root, pointer);
    if (typeof path === "string") return path;
    const node = path.at(-1) ?? root;
    if (node.state === "open") return cutOff;
    if (bytes.toString("utf8", node.start, node.end) === json) {
      patches.push({ start: node.start, end: node.end, bytes: bytes.subarray(node.start, node.end) });
      return undefined;
    }
    const siblings = path.length > 1 ? siblingsOf(path.at(-2) as JsonNode, node) : [];
    const layout = layoutOf(bytes, [node, ...siblings, root]);
    const text = laidOut(tree, layout, indentIn(layout, node.start));
    patches.push({ start: node.start, end: node.end, bytes: written(text) });
    return undefined;
  }

  function place(edit: BodyEdit, tree: JsonTree | undefined): string | undefined {
    const tokens = pointerTokens(edit.pointer);
    const token = tokens.at(-1);
    if (token === undefined) return placeLine(edit, tree);
    const path = pathTo(root, edit.pointer.slice(0, edit.pointer.lastIndexOf("/")));
    if (typeof path === "string") return path;
    const node = path.at(-1) ?? root;
    if (node.kind !== "array" && node.kind !== "object")
      return `\`${edit.pointer}\` leads into no object or array`;
    if (node.state === "open") return cutOff;
    const changes = changed.get(node) ?? { parts: partsOf(bytes, node), removed: new Set(), inserted: [] };
    if (changes.parts.length === 0 && hasParts(bytes, node)) return tooDeep;
    changed.set(node, changes);
    const { parts } = changes;
    if (edit.op === "remove") {
      const index = indexOf(node, parts, token);
      if (index < 0) return `there is nothing at \`${edit.pointer}\``;
      if (changes.removed.has(index)) return "the changes overlap";
      changes.removed.add(index);
      return undefined;
    }
    if (!tree) return undefined;
    if (node.kind === "array") {
      const index = token === "-" ? parts.length : indexNumber(token);
      if (index === undefined || index > parts.length)
        return `there is no place \`${edit.pointer}\` to insert at`;
      changes.inserted.push({ before: index, tree });
      return undefined;
    }
    const known = indexOf(node, parts, token);
    const isRemoved = (): boolean =>
      edits.some((other) => other.op === "remove" && other.pointer === edit.pointer);
    if ((known >= 0 && !isRemoved()) || changes.inserted.some(({ key }) => key === token))
      return `there is a member at \`${edit.pointer}\` already`;
    const after = edit.after === undefined ? -1 : indexOf(node, parts, edit.after);
    const before = after < 0 ? parts.length : after + 1;
    changes.inserted.push({ before, key: token, tree });
    return undefined;
  }

  function placeLine(edit: BodyEdit, tree: JsonTree | undefined): string | undefined {
    const line = setting.line?.();
    if (!line) return "only a record on a line of its own can be removed or inserted as a whole";
    const { start, end, isEnded, newline } = line;
    if (!tree || edit.op !== "insert") {
      patches.push({ start, end, bytes: Buffer.alloc(0) });
      return undefined;
    }
    const text = laidOut(tree, layoutOf(bytes, [root]), "");
    if (edit.after === undefined) patches.push({ start, end: start, bytes: written(text + newline) });
    else if (isEnded) patches.push({ start: end, end, bytes: written(text + newline) });
    else patches.push({ start: end, end, bytes: written(newline + text) });
    return undefined;
  }

  function changeParts(node: JsonNode, { parts, removed, inserted }: Changes): Patch[] {
    const first = parts[0];
    const isObject = node.kind === "object";
    const write = ({ key, tree }: Insertion, indent: string, layout: Layout): string => {
      const value = laidOut(tree, layout, indent);
      return key === undefined ? value : `${JSON.stringify(key)}${layout.colon}${value}`;
    };
    if (!first) {
      const layout = layoutOf(bytes, [root]);
      const indent = indentIn(layout, node.start);
      const spread = isObject
        ? layout.object
        : inserted.some(({ tree }) => tree.kind !== "word")
          ? layout.list
          : layout.row;
      const [open, close] = isObject ? "{}" : "[]";
      const texts = inserted.map((insertion) => (inner: string) => write(insertion, inner, layout));
      const text = around(open as string, close as string, spread, layout, indent, texts);
      return [{ start: node.start, end: node.end, bytes: written(text) }];
    }
    const layout = layoutOf(bytes, [node, root]);
    const open = bytes.toString("latin1", node.start + 1, first.start);
    const isOnLines = open.includes("\n");
    const gap = (place: number): string => {
      const before = Math.min(Math.max(place - 1, 0), parts.length - 2);
      const [left, right] = [parts[before], parts[before + 1]];
      if (left && right) return bytes.toString("latin1", left.end, right.start);
      const spread = isObject ? layout.object : layout.list;
      return isOnLines ? `,${open}` : spread.isOnLines ? ", " : spread.comma;
    };
    const insertedAt = grouped(inserted, ({ before }) => before);
    const textsAt = (place: number, indentOf: number): string[] => {
      const own = insertedAt.get(place);
      if (!own) return [];
      const nearest = [parts[place - 1], parts[place], first].flatMap((part) => (part ? [part.value] : []));
      const here = layoutOf(bytes, [...(isObject ? [] : nearest), node, root]);
      return own.map((insertion) => write(insertion, indentIn(here, indentOf), here));
    };

    const found: Patch[] = [];
    const put = (start: number, end: number, text: string): void => {
      if (end > start || text !== "") found.push({ start, end, bytes: written(text) });
    };
    // From each part that stays to the next one: what is put between them stands behind the first, and takes the place of what is removed.
    let stayed = -1;
    let texts: { readonly text: string; readonly gap: string }[] = [];
    for (let place = 0; place <= parts.length; place++) {
      const own = gap(place);
      texts.push(
        ...textsAt(place, (parts[Math.min(place, parts.length - 1)] ?? first).start).map((text) => ({
          text,
          gap: own,
        })),
      );
      const part = parts[place];
      if (part && removed.has(place)) continue;
      const before = parts[stayed];
      const last = parts[place - 1];
      if (before && last)
        put(before.end, last.end, texts.map(({ text, gap: comma }) => comma + text).join(""));
      else if (part) put(first.start, part.start, texts.map(({ text, gap: comma }) => text + comma).join(""));
      else if (texts.length === 0) put(node.start + 1, node.end - 1, "");
      else {
        const joined = texts.map(({ text, gap: comma }, index) => (index > 0 ? comma : "") + text).join("");
        put(first.start, last?.end ?? first.start, joined);
      }
      stayed = place;
      texts = [];
    }
    return found;
  }

  /** The white space that the line of a place begins with, where a layout has any. */
  function indentIn(layout: Layout, at: number): string {
    return layout.isOnLines ? indentAt(bytes, at, setting.lead) : "";
  }

  /** The new text in the body's own spelling of what is beyond ASCII. */
  function written(text: string): Buffer {
    let own = text;
    if (/[^\0-\x7f]/.test(own)) {
      isAscii ??=
        escapesBeyondAscii(bytes.subarray(root.start, root.end)) ??
        escapesBeyondAscii(setting.around()) ??
        false;
      const pattern = isAscii
        ? /[^\0-\x7f]/g
        : /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
      own = own.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
    return Buffer.from(own);
  }

  function isVoid({ start, end, bytes: own }: Patch): boolean {
    return start >= 0 && own.equals(bytes.subarray(start, end)) && end <= bytes.length;
  }
}

interface Insertion {
  readonly before: number;
  readonly key?: string;
  readonly tree: JsonTree;
}

/** What changes among the parts of one object or array. */
interface Changes {
  readonly parts: readonly Part[];
  readonly removed: Set<number>;
  readonly inserted: Insertion[];
}

const cutOff = "the log has lost the end of it";
const tooDeep = "it nests too deep";

/** Whether an edit can be made in this body, as far as its place goes. */
export function fits(root: JsonNode, { op, pointer }: BodyEdit): boolean {
  const isThere = typeof pathTo(root, pointer) !== "string";
  if (op !== "insert") return isThere;
  const parent = pathTo(root, pointer.slice(0, Math.max(0, pointer.lastIndexOf("/"))));
  return typeof parent !== "string" && (parent.at(-1)?.kind === "array" || !isThere);
}

/** The nodes from the root down to the one at a pointer; a sentence when it leads nowhere. */
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

function indexOf(node: JsonNode, parts: readonly Part[], token: string): number {
  if (node.kind === "object") return parts.findLastIndex(({ key }) => key?.name === token);
  const index = indexNumber(token);
  return index !== undefined && index < parts.length ? index : -1;
}

/** Values far down are stepped over by the scanner: they have parts, but nobody looked at them. */
function hasParts(bytes: Buffer, { start, end }: JsonNode): boolean {
  return bytes.toString("latin1", start + 1, end - 1).trim() !== "";
}

/** The others of an object or array that look most like what stands beside them. */
function siblingsOf(parent: JsonNode, node: JsonNode): JsonNode[] {
  const all = parent.items ?? parent.members?.map((member) => member.node) ?? [];
  const place = all.indexOf(node);
  return [all[place - 1], all[place + 1]].flatMap((sibling) =>
    sibling?.kind === node.kind ? [sibling] : [],
  );
}
