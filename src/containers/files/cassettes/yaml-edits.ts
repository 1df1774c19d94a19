import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { type MappedPatches, type Patch, patched } from "../../../reading/view.ts";
import { type JsonTree, jsonTree, type Layout, laidOut } from "../../write/json-layout.ts";
import type { YamlMember, YamlNode } from "./yaml-nodes.ts";
import { doubleQuoted } from "./yaml-rewriting.ts";

/**
 * A body that was kept as YAML, not as text, is edited as YAML: lines of block lists and block mappings are taken out, put in and
 * replaced; a part in flow style is written anew. What comes out is read again before it is taken.
 */

/** What has to change in the file, `bytes`, so that the value at `root` becomes the one that `json` says; `before` writes a node as JSON. */
export function editYaml(
  bytes: Buffer,
  root: YamlNode,
  json: string,
  before: (node: YamlNode) => string,
  around: () => Buffer,
): MappedPatches {
  const wanted = jsonTree(json);
  if (!wanted) return { why: "the new body is no JSON" };
  const patches: Patch[] = [];
  const newline = /\r?\n/.exec(bytes.toString("latin1", 0, 4096))?.[0] ?? "\n";
  try {
    update(root, wanted);
  } catch (error) {
    if (error instanceof Unwritable) return { why: cannot };
    throw error;
  }
  patches.sort((a, b) => a.start - b.start || a.end - b.end);
  const end = lineEnd(root.end);
  const isInside = patches.every((patch) => patch.start >= root.start && patch.end <= end);
  return isInside && isRead() ? { patches } : { why: cannot };

  function isRead(): boolean {
    const own = patches.map((patch) => ({
      ...patch,
      start: patch.start - root.start,
      end: patch.end - root.start,
    }));
    const text = patched(bytes.subarray(root.start, end), own).toString("utf8");
    try {
      return isDeepStrictEqual(
        parse(" ".repeat(columnOf(root.start)) + text, {
          strict: false,
          uniqueKeys: false,
          logLevel: "silent",
        }),
        JSON.parse(json),
      );
    } catch {
      // What does not read as YAML is not written.
      return false;
    }
  }

  function update(node: YamlNode, tree: JsonTree): void {
    if (before(node) === compact(tree)) return;
    if (node.kind === "scalar" || isFlow(node)) put(node.start, trimmed(node), inline(tree));
    else if (node.kind === "seq" && tree.kind === "array" && tree.items.length > 0)
      updateList(node.items, tree.items);
    else if (node.kind === "map" && tree.kind === "object" && tree.members.length > 0)
      updateMap(node.members, tree.members);
    else {
      // What stood on lines of its own stands behind its key or dash now.
      let at = node.start;
      while (at > 0 && /\s/.test(String.fromCharCode(bytes[at - 1] ?? 0))) at--;
      if (bytes[at - 1] !== 58 && bytes[at - 1] !== 45) throw new Unwritable();
      put(at, trimmed(node), ` ${inline(tree)}`);
    }
  }

  function updateList(items: readonly YamlNode[], wantedItems: readonly JsonTree[]): void {
    const old = items.map(before);
    const fresh = wantedItems.map(compact);
    let head = 0;
    while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
    let tail = 0;
    while (
      tail < old.length - head &&
      tail < fresh.length - head &&
      old.at(-1 - tail) === fresh.at(-1 - tail)
    )
      tail++;
    const starts = items.map(dashOf);
    const oldEnd = old.length - tail;
    const freshEnd = fresh.length - tail;
    // In the middle, what is there on both sides stays; between two that stay, as many as can be are changed in their places.
    const removed = new Set<number>();
    const added: Added[] = [];
    for (let place = head, from = head; place < oldEnd || from < freshEnd; ) {
      const match = nextMatch(old, place, oldEnd, fresh, from, freshEnd);
      for (; place < match.place && from < match.from; place++, from++)
        update(items[place] as YamlNode, wantedItems[from] as JsonTree);
      for (; place < match.place; place++) removed.add(place);
      for (const tree of wantedItems.slice(from, match.from))
        added.push({ before: place, text: (indent) => `- ${block(tree, indent + 2)}` });
      place = match.place + 1;
      from = match.from + 1;
    }
    changeParts(items, starts, removed, added);
  }

  function updateMap(
    members: readonly YamlMember[],
    wantedMembers: readonly (readonly [string, JsonTree])[],
  ): void {
    const names = wantedMembers.map(([key]) => JSON.parse(key) as string);
    const starts = members.map(({ start }) => {
      if (start === undefined) throw new Unwritable();
      return start;
    });
    const removed = new Set<number>();
    for (const [index, { key, node }] of members.entries()) {
      const found = wantedMembers[names.indexOf(key)];
      if (found) update(node, found[1]);
      else removed.add(index);
    }
    const added: Added[] = [];
    let before = 0;
    for (const [index, [key, tree]] of wantedMembers.entries()) {
      const known = members.findIndex((member) => member.key === names[index]);
      if (known >= 0) before = known + 1;
      else added.push({ before, text: (indent) => `${scalar(key)}:${value(tree, indent)}` });
    }
    changeParts(
      members.map(({ node }) => node),
      starts,
      removed,
      added,
    );
  }

  /** Takes out parts, which begin at `starts`, with their lines, and puts new ones in, in the column of the first. */
  function changeParts(
    nodes: readonly YamlNode[],
    starts: readonly number[],
    removed: ReadonlySet<number>,
    added: readonly Added[],
  ): void {
    const first = starts[0];
    const last = nodes.at(-1);
    if (first === undefined || !last) throw new Unwritable();
    const indent = columnOf(first);
    const margin = " ".repeat(indent);
    const end = lineEnd(last.end);
    const isEnded = bytes[end - 1] === 10;
    if (removed.size === nodes.length) {
      const texts = added.map(({ text }) => text(indent));
      put(first, end, texts.join(newline + margin) + (isEnded ? newline : ""));
      return;
    }
    for (let index = 0; index < nodes.length; index++) {
      if (!removed.has(index) || removed.has(index - 1)) continue;
      const next = nextKept(index);
      if (next < nodes.length) put(starts[index] as number, starts[next] as number, "");
      else put(lineStart(starts[index] as number), lineEnd(last.end), "");
    }
    for (const { before: place, text } of added) {
      const at = starts[nextKept(place)];
      if (at !== undefined) put(at, at, `${text(indent)}${newline}${margin}`);
      else put(end, end, isEnded ? margin + text(indent) + newline : newline + margin + text(indent));
    }

    function nextKept(index: number): number {
      let next = index;
      while (removed.has(next)) next++;
      return next;
    }
  }

  function put(start: number, end: number, text: string): void {
    patches.push({ start, end, bytes: Buffer.from(text) });
  }

  /** A value as it stands behind the dash of a list: on the same line, its further lines indented by `indent`. */
  function block(tree: JsonTree, indent: number): string {
    if (tree.kind === "object" && tree.members.length > 0)
      return tree.members
        .map(([key, own]) => `${scalar(key)}:${value(own, indent)}`)
        .join(newline + " ".repeat(indent));
    return tree.kind === "word" ? scalar(tree.text, indent - 2) : inline(tree);
  }

  /** A value as it stands behind the colon of a key, whose column is `indent`. */
  function value(tree: JsonTree, indent: number): string {
    const line = (text: string, depth: number): string => newline + " ".repeat(depth) + text;
    if (tree.kind === "object" && tree.members.length > 0) return line(block(tree, indent + 2), indent + 2);
    if (tree.kind === "array" && tree.items.some(({ kind }) => kind !== "word"))
      return tree.items.map((item) => line(`- ${block(item, indent + 2)}`, indent)).join("");
    return ` ${tree.kind === "word" ? scalar(tree.text, indent) : inline(tree)}`;
  }

  function inline(tree: JsonTree): string {
    return tree.kind === "word" ? scalar(tree.text) : laidOut(quoted(tree), flow, "");
  }

  /** Text in double quotes, except for words that mean nothing else; a text of lines in a block where there is room for one. */
  function scalar(word: string, indent?: number): string {
    if (!word.startsWith('"')) return word;
    const text = JSON.parse(word) as string;
    if (
      /^[A-Za-z_][\w.-]*(?: [A-Za-z_][\w.-]*)*$/.test(text) &&
      !/^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(text)
    )
      return text;
    if (indent !== undefined && /^[!-~][\n -~]*[!-~]$/.test(text) && text.includes("\n") && !/ \n/.test(text))
      return `|-${newline}${text.replaceAll(/^(?=.)/gm, " ".repeat(indent + 2)).replaceAll("\n", newline)}`;
    return doubleQuoted(text, around);
  }

  function quoted(tree: JsonTree): JsonTree {
    if (tree.kind === "array") return { kind: "array", items: tree.items.map(quoted) };
    if (tree.kind === "object")
      return {
        kind: "object",
        members: tree.members.map(([key, own]) => [doubleQuoted(JSON.parse(key), around), quoted(own)]),
      };
    return tree.text.startsWith('"')
      ? { kind: "word", text: doubleQuoted(JSON.parse(tree.text), around) }
      : tree;
  }

  function isFlow({ start }: YamlNode): boolean {
    return bytes[start] === 123 || bytes[start] === 91;
  }

  /** The end of a value without the line break that is part of a block scalar. */
  function trimmed({ start, end }: YamlNode): number {
    let at = end;
    while (at > start && (bytes[at - 1] === 10 || bytes[at - 1] === 13)) at--;
    return at;
  }

  /** The dash of a list's item. */
  function dashOf({ start }: YamlNode): number {
    let at = start - 1;
    while (at >= 0 && bytes[at] === 32) at--;
    if (bytes[at] !== 45) throw new Unwritable();
    return at;
  }

  function lineStart(at: number): number {
    const start = bytes.lastIndexOf(10, at - 1) + 1;
    if (bytes.toString("latin1", start, at).trim() !== "") throw new Unwritable();
    return start;
  }

  function columnOf(at: number): number {
    return at - (bytes.lastIndexOf(10, at - 1) + 1);
  }

  function lineEnd(at: number): number {
    if (bytes[at - 1] === 10) return at;
    const feed = bytes.indexOf(10, at);
    return feed < 0 ? bytes.length : feed + 1;
  }
}

/** A part to be put in before one that is there; `text` writes it for its column. */
interface Added {
  readonly before: number;
  readonly text: (indent: number) => string;
}

/** The next item that stays, in both lists; their ends when there is none. */
function nextMatch(
  old: readonly string[],
  place: number,
  oldEnd: number,
  fresh: readonly string[],
  from: number,
  freshEnd: number,
): { place: number; from: number } {
  for (let index = place; index < oldEnd; index++) {
    const found = fresh.indexOf(old[index] as string, from);
    if (found >= 0 && found < freshEnd) return { place: index, from: found };
  }
  return { place: oldEnd, from: freshEnd };
}

/** Thrown where the lines of the file are not what they usually are, and caught where the edit began. */
class Unwritable extends Error {}

const cannot = "the change does not fit the YAML that the body is written in";

const oneLine: Layout = {
  isOnLines: false,
  newline: "\n",
  unit: "  ",
  colon: ":",
  object: { isOnLines: false, comma: ",", pad: "" },
  list: { isOnLines: false, comma: ",", pad: "" },
  row: { isOnLines: false, comma: ",", pad: "" },
};

const spaced = { isOnLines: false, comma: ", ", pad: "" };
const flow: Layout = { ...oneLine, colon: ": ", object: spaced, list: spaced, row: spaced };

function compact(tree: JsonTree): string {
  return laidOut(tree, oneLine, "");
}
