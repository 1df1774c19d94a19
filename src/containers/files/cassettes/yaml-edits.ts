import { isDeepStrictEqual } from "node:util";
import { diffArrays } from "diff";
import { parse } from "yaml";
import { pushAll } from "../../../reading/lists.ts";
import type { Surroundings } from "../../../reading/surroundings.ts";
import { type MappedPatches, type Patch, patched } from "../../../reading/view.ts";
import { type JsonTree, jsonTree } from "../../write/json-layout.ts";
import { blockIndent } from "./yaml-blocks.ts";
import type { YamlNode, YamlScalar } from "./yaml-nodes.ts";
import { fitsLiteral, type YamlStyle, yamlText } from "./yaml-text.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const DASH = 45;
const COLON = 58;
const GREATER = 62;
const OPEN_LIST = 91;
const OPEN_MAP = 123;
const PIPE = 124;

/**
 * Edits bodies kept in YAML form: removes, adds and replaces lines of block lists and block mappings, and
 * rewrites parts in flow style. The result is parsed again before it is accepted.
 */

/** Patches of the file `bytes` that turn the value at `root` into `json`; `before` gives a node's JSON. */
export function editYaml(
  bytes: Buffer,
  root: YamlNode,
  json: string,
  before: (node: YamlNode) => string,
  around: Surroundings,
): MappedPatches {
  const wanted = jsonTree(json);
  if (!wanted) return { why: "the new body is not JSON" };
  const editor = new YamlEditor(bytes, before, around);
  try {
    editor.update(root, wanted);
  } catch (error) {
    if (error instanceof Unwritable) return { why: cannot };
    throw error;
  }
  const patches = editor.patches.sort((a, b) => a.start - b.start || a.end - b.end);
  return readsAs(bytes, root, patches, json) ? { patches } : { why: cannot };
}

const cannot = "the change does not fit the YAML style of the body";

/** Whether the patches lie within the body, and the patched body parses as the JSON. */
function readsAs(bytes: Buffer, root: YamlNode, patches: readonly Patch[], json: string): boolean {
  const end = lineEnd(bytes, root.end);
  if (patches.some((patch) => patch.start < root.start || patch.end > end)) return false;
  const own = patches.map((patch) => ({
    ...patch,
    start: patch.start - root.start,
    end: patch.end - root.start,
  }));
  const text =
    " ".repeat(root.start - lineStart(bytes, root.start)) + patched(bytes.subarray(root.start, end), own);
  try {
    const value: unknown = parse(text, { strict: false, uniqueKeys: false, logLevel: "silent" });
    return isDeepStrictEqual(value, JSON.parse(json));
  } catch {
    // Text that is not YAML is not written.
    return false;
  }
}

/** Thrown if the file has an unusual layout, and caught where the edit began. */
class Unwritable extends Error {}

/** An item of a block list or a member of a block mapping; `start` is its dash or key. */
interface Entry {
  readonly start: number;
  readonly node: YamlNode;
}

/** A wanted entry: its value, and a list or mapping with only this entry. */
interface WantedEntry {
  readonly value: JsonTree;
  readonly alone: JsonTree;
}

/** A removed entry (`old`), an added one (`wanted`), or both: the old entry takes the new value. */
interface Slot {
  readonly old?: Entry;
  wanted?: WantedEntry;
}

class YamlEditor {
  readonly patches: Patch[] = [];
  private readonly bytes: Buffer;
  private readonly before: (node: YamlNode) => string;
  private readonly around: Surroundings;
  private readonly newline: string;

  constructor(bytes: Buffer, before: (node: YamlNode) => string, around: Surroundings) {
    this.bytes = bytes;
    this.before = before;
    this.around = around;
    this.newline = /\r?\n/.exec(bytes.toString("latin1", 0, 4096))?.[0] ?? "\n";
  }

  /** Changes a node's value to `tree`. */
  update(node: YamlNode, tree: JsonTree): void {
    if (this.before(node) === compact(tree)) return;
    const first = this.bytes[node.start];
    if (node.kind === "scalar" || first === OPEN_MAP || first === OPEN_LIST) this.replace(node, tree);
    else if (node.kind === "seq" && tree.kind === "array" && tree.items.length > 0) {
      const entries = node.items.map((item) => ({ start: this.dashOf(item), node: item }));
      const wanted = tree.items.map(
        (value) => ({ value, alone: { kind: "array", items: [value] } }) as const,
      );
      const names = [node.items.map(this.before), tree.items.map(compact)] as const;
      this.write(alignedSlots(entries, wanted, names, true));
    } else if (node.kind === "map" && tree.kind === "object" && tree.members.length > 0) {
      const entries = node.members.map(({ start, node: value }) => ({
        start: memberStart(start),
        node: value,
      }));
      const wanted = tree.members.map(
        (member) => ({ value: member[1], alone: { kind: "object", members: [member] } }) as const,
      );
      const keys = tree.members.map(([key]) => JSON.parse(key) as string);
      this.write(alignedSlots(entries, wanted, [node.members.map(({ key }) => key), keys], false));
    } else this.replaceLines(node, tree);
  }

  /** Replaces a value. A block keeps its style if it can hold the new text. */
  private replace(node: YamlNode, tree: JsonTree): void {
    const margin = node.kind === "scalar" && isLiteral(tree) ? this.blockMargin(node) : undefined;
    const text = margin === undefined ? this.text(tree, "inline", 0) : this.text(tree, "literal", margin);
    this.put(node.start, this.endOf(node), text);
  }

  private blockMargin({ start, end, indent }: YamlScalar): number | undefined {
    const first = this.bytes[start];
    return first === PIPE || first === GREATER
      ? blockIndent(this.bytes.subarray(start, end), indent)
      : undefined;
  }

  /** Replaces a value on the lines after its key or dash by one on the same line. */
  private replaceLines(node: YamlNode, tree: JsonTree): void {
    let at = node.start;
    while (at > 0 && /\s/.test(String.fromCharCode(this.bytes[at - 1] ?? 0))) at--;
    if (this.bytes[at - 1] !== COLON && this.bytes[at - 1] !== DASH) throw new Unwritable();
    this.put(at, this.endOf(node), ` ${this.text(tree, "inline", 0)}`);
  }

  /** Removes entries with their lines, adds new ones in the column of the first, and updates the others. */
  private write(slots: readonly Slot[]): void {
    const entries = slots.flatMap(({ old }) => old ?? []);
    const first = entries[0]?.start ?? 0;
    const column = first - lineStart(this.bytes, first);
    const margin = " ".repeat(column);
    /** Start of the pending removed entries, and the added ones to write before the next kept entry. */
    let from: number | undefined;
    let texts: string[] = [];
    for (const { old, wanted } of slots) {
      if (old && wanted) {
        const text = texts.map((each) => each + this.newline + margin).join("");
        if (from !== undefined || text !== "") this.put(from ?? old.start, old.start, text);
        from = undefined;
        texts = [];
        this.update(old.node, wanted.value);
      } else if (old) from ??= old.start;
      else if (wanted) texts.push(this.text(wanted.alone, "lines", column));
    }
    if (from === undefined && texts.length === 0) return;
    const end = lineEnd(this.bytes, entries.at(-1)?.node.end ?? 0);
    const feed = this.bytes[end - 1] === LINE_FEED ? this.newline : "";
    if (from === first) this.put(first, end, texts.join(this.newline + margin) + feed);
    else if (from !== undefined || feed !== "")
      this.put(this.ownLine(from ?? end), end, texts.map((text) => margin + text + this.newline).join(""));
    else this.put(end, end, texts.map((text) => this.newline + margin + text).join(""));
  }

  private put(start: number, end: number, text: string): void {
    this.patches.push({ start, end, bytes: Buffer.from(text) });
  }

  /** The text of a value; all lines but the first are indented to a column. */
  private text(tree: JsonTree, style: YamlStyle, column: number): string {
    const margin = " ".repeat(column);
    return yamlText(tree, style, this.around).replaceAll(/\n(?=(.?))/g, (_, next: string) =>
      next === "" ? this.newline : this.newline + margin,
    );
  }

  /** The end of a value without the line break that belongs to a block scalar. */
  private endOf({ start, end }: YamlNode): number {
    let at = end;
    while (at > start && (this.bytes[at - 1] === LINE_FEED || this.bytes[at - 1] === CARRIAGE_RETURN)) at--;
    return at;
  }

  private dashOf({ start }: YamlNode): number {
    let at = start - 1;
    while (at >= 0 && this.bytes[at] === SPACE) at--;
    if (this.bytes[at] !== DASH) throw new Unwritable();
    return at;
  }

  /** The start of the line at `at`, if the entry is the first thing on it. */
  private ownLine(at: number): number {
    const start = lineStart(this.bytes, at);
    if (this.bytes.toString("latin1", start, at).trim() !== "") throw new Unwritable();
    return start;
  }
}

/** Matches entries by name (a member's key, an item's value). Unmatched items may take another value. */
function alignedSlots(
  entries: readonly Entry[],
  wanted: readonly WantedEntry[],
  [names, wantedNames]: readonly [readonly string[], readonly string[]],
  isList: boolean,
): readonly Slot[] {
  const slots: Slot[] = [];
  const [old, fresh] = [[...entries], [...wanted]];
  let removedSlots: Slot[] = [];
  for (const { added, removed, count } of diffArrays([...names], [...wantedNames])) {
    const taken = added ? [] : old.splice(0, count);
    const given = removed ? [] : fresh.splice(0, count);
    if (added && isList)
      for (const slot of removedSlots.slice(0, count)) Object.assign(slot, { wanted: given.shift() });
    const own = added
      ? given.map((entry): Slot => ({ wanted: entry }))
      : taken.map(
          (entry, index): Slot =>
            removed ? { old: entry } : { old: entry, wanted: given[index] as WantedEntry },
        );
    pushAll(slots, own);
    removedSlots = removed ? own : [];
  }
  return slots;
}

/** Whether a literal block can hold a value. */
function isLiteral(tree: JsonTree): boolean {
  return tree.kind === "word" && tree.text.startsWith('"') && fitsLiteral(JSON.parse(tree.text));
}

/** The start of a member; aliases and complex keys have none. */
function memberStart(start: number | undefined): number {
  if (start === undefined) throw new Unwritable();
  return start;
}

function lineStart(bytes: Buffer, at: number): number {
  // A negative offset would count from the end of the file.
  return at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
}

function lineEnd(bytes: Buffer, at: number): number {
  if (bytes[at - 1] === LINE_FEED) return at;
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 ? bytes.length : feed + 1;
}

/** JSON without white space, numbers and strings spelled as given. */
function compact(tree: JsonTree): string {
  if (tree.kind === "word") return tree.text;
  if (tree.kind === "array") return `[${tree.items.map(compact).join(",")}]`;
  return `{${tree.members.map(([key, value]) => `${key}:${compact(value)}`).join(",")}}`;
}
