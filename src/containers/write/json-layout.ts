import { isJsonSpace } from "../../reading/json-bytes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { parseJson } from "../../reading/parse.ts";

/** How values of one kind are laid out: each part on its own line, or all on one. */
interface Spread {
  readonly isOnLines: boolean;
  /** Between two parts; without the line break if they have their own lines. */
  readonly comma: string;
  /** Inside the brackets, if all is on one line. */
  readonly pad: string;
}

/** The layout of JSON, as far as a new value must imitate it. */
export interface Layout {
  /** Whether any kind is laid out on several lines, so that places have an indent. */
  readonly isOnLines: boolean;
  readonly newline: string;
  /** The indent of each depth. */
  readonly unit: string;
  /** Between a key and its value. */
  readonly colon: string;
  readonly object: Spread;
  /** Arrays that hold objects or arrays. */
  readonly list: Spread;
  /** Arrays of plain values. */
  readonly row: Spread;
}

/** The most values that are examined to learn the layout; writers are consistent. */
const maxLooked = 4096;

/** Learns each trait from the first of `models` that shows it: the nearest first, the whole body last. */
export function layoutOf(bytes: Buffer, models: readonly JsonNode[]): Layout {
  const survey = new LayoutSurvey(bytes);
  for (const model of models) survey.look(model, 0);
  return survey.layout(models.at(-1));
}

/** What the objects or arrays of one kind have shown so far. */
interface Seen {
  readonly isOnLines: boolean;
  readonly pad: string;
  comma?: string;
  unit?: string;
}

class LayoutSurvey {
  readonly #bytes: Buffer;
  /** For each kind, the first example decides. */
  readonly #seen: Partial<Record<Kind, Seen>> = {};
  #colon: string | undefined;
  #looked = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  look(node: JsonNode, depth: number): void {
    if (++this.#looked > maxLooked || depth > 64 || this.#isClear()) return;
    const parts = layoutParts(this.#bytes, node);
    const kind = kindOf(node);
    if (kind && parts[0]) this.#learn(node, kind, parts[0], parts[1]);
    for (const { value } of parts) {
      if (this.#isClear()) return;
      this.look(value, depth + 1);
    }
  }

  layout(root: JsonNode | undefined): Layout {
    const spreads = {
      object: this.#spread("object", "list", "row"),
      list: this.#spread("list", "object", "row"),
      row: this.#spread("row", "list", "object"),
    };
    const isOnLines = Object.values(spreads).some((own) => own.isOnLines);
    return {
      ...spreads,
      isOnLines,
      newline: isOnLines ? newlineIn(this.#bytes, root) : "\n",
      unit: Object.values(this.#seen).find((own) => own.unit !== undefined)?.unit ?? "  ",
      colon: this.#colon ?? ":",
    };
  }

  /** Layouts on one line are uniform, so no more examples are needed; on many lines, each kind may differ. */
  #isClear(): boolean {
    return [this.#seen.object, this.#seen.list].every((own) => own?.isOnLines === false && own.comma);
  }

  #learn(node: JsonNode, kind: Kind, first: LayoutPart, second: LayoutPart | undefined): void {
    const bytes = this.#bytes;
    const open = bytes.toString("latin1", node.start + 1, first.start);
    const isOnLines = open.includes("\n");
    this.#seen[kind] ??= { isOnLines, pad: isOnLines ? "" : open };
    const own = this.#seen[kind];
    if (own.comma === undefined && second && own.isOnLines === isOnLines)
      own.comma = bytes.toString("latin1", first.end, second.start).replace(/\r?\n[\s\S]*/, "");
    if (own.unit === undefined && isOnLines) {
      const indent = indentAt(bytes, first.start, "");
      const outer = indentAt(bytes, node.end - 1, "");
      if (indent.startsWith(outer) && indent.length > outer.length) own.unit = indent.slice(outer.length);
    }
    if (first.key) this.#colon ??= bytes.toString("latin1", first.key.end, first.value.start);
  }

  /** The layout of the first of these kinds with an example. */
  #spread(...kinds: readonly Kind[]): Spread {
    const own = kinds.map((kind) => this.#seen[kind]).find((found) => found !== undefined);
    const isOnLines = own?.isOnLines ?? false;
    return {
      isOnLines,
      pad: own?.pad ?? "",
      comma: own?.comma ?? (isOnLines ? "," : this.#inlineComma()),
    };
  }

  #inlineComma(): string {
    const inline = Object.values(this.#seen).find((own) => !own.isOnLines && own.comma !== undefined)?.comma;
    return inline ?? (this.#colon?.endsWith(" ") ? ", " : ",");
  }
}

function newlineIn(bytes: Buffer, root: JsonNode | undefined): string {
  const text = root ? bytes.subarray(root.start, root.end) : bytes;
  const feed = text.indexOf(10);
  return feed > 0 && text[feed - 1] === 13 ? "\r\n" : "\n";
}

type Kind = "object" | "list" | "row";

function kindOf({ kind, items }: JsonNode): Kind | undefined {
  if (kind === "object") return "object";
  if (kind !== "array") return undefined;
  return items?.some((item) => item.kind === "object" || item.kind === "array") ? "list" : "row";
}

/** An element of an array, or a member of an object with its key. */
export interface LayoutPart {
  readonly start: number;
  readonly end: number;
  readonly key?: { readonly name: string; readonly end: number };
  readonly value: JsonNode;
}

/** The parts of nodes, cached because every edit needs those of long lists again. */
const partsCache = new WeakMap<JsonNode, readonly LayoutPart[]>();

/** The elements or members of a node that was scanned in `bytes`. */
export function layoutParts(bytes: Buffer, node: JsonNode): readonly LayoutPart[] {
  const parts = partsCache.get(node) ?? partsIn(bytes, node);
  partsCache.set(node, parts);
  return parts;
}

function partsIn(bytes: Buffer, node: JsonNode): LayoutPart[] {
  if (node.kind === "array")
    return (node.items ?? []).map((value) => ({ start: value.start, end: value.end, value }));
  let at = node.start + 1;
  return (node.members ?? []).map(({ key: name, node: value }) => {
    const start = pastGap(bytes, at);
    at = value.end;
    // Between the key and `value.start` are white space and the colon.
    let end = value.start;
    while (end > start && bytes[end - 1] !== 34) end--;
    return { start, end: value.end, key: { name, end }, value };
  });
}

function pastGap(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 44 || isJsonSpace(bytes[at])) at++;
  return at;
}

/** The leading white space of the line at `at`; `lead` for a line that begins before the bytes. */
export function indentAt(bytes: Buffer, at: number, lead: string): string {
  const feed = bytes.lastIndexOf(10, Math.max(0, at - 1));
  if (feed < 0 || at === 0) return lead;
  let end = feed + 1;
  while (end < at && (bytes[end] === 32 || bytes[end] === 9)) end++;
  return bytes.toString("latin1", feed + 1, end);
}

/** Parsed JSON text whose words (strings, numbers, literals) keep their spelling. */
export type JsonTree =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "array"; readonly items: readonly JsonTree[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: JsonTree])[] };

/** Parses JSON text; `undefined` if it is not JSON. */
export function jsonTree(text: string): JsonTree | undefined {
  if (parseJson(text) === undefined) return undefined;
  const words = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}"]+/g) ?? [];
  let at = 0;
  const value = (): JsonTree => {
    const word = words[at++] ?? "";
    if (word === "[") {
      const items: JsonTree[] = [];
      while (words[at] !== "]") items.push(value());
      at++;
      return { kind: "array", items };
    }
    if (word === "{") {
      const members: [string, JsonTree][] = [];
      while (words[at] !== "}") members.push([words[at++] ?? "", value()]);
      at++;
      return { kind: "object", members };
    }
    return { kind: "word", text: word };
  };
  return value();
}

/** A value in a layout; `indent` is that of the line in which it begins. */
export function laidOut(tree: JsonTree, layout: Layout, indent: string): string {
  if (tree.kind === "word") return tree.text;
  if (tree.kind === "array") {
    const spread = tree.items.some(({ kind }) => kind !== "word") ? layout.list : layout.row;
    return spacingAround(
      "[",
      "]",
      spread,
      layout,
      indent,
      tree.items.map((item) => (inner) => laidOut(item, layout, inner)),
    );
  }
  const { members } = tree;
  return spacingAround(
    "{",
    "}",
    layout.object,
    layout,
    indent,
    members.map(
      ([key, value]) =>
        (inner) =>
          `${key}${layout.colon}${laidOut(value, layout, inner)}`,
    ),
  );
}

/** Joins parts between brackets, with line breaks, padding and commas. */
export function spacingAround(
  open: string,
  close: string,
  { isOnLines, comma, pad }: Spread,
  { newline, unit }: Layout,
  indent: string,
  parts: readonly ((indent: string) => string)[],
): string {
  if (parts.length === 0) return open + close;
  if (!isOnLines) return `${open}${pad}${parts.map((part) => part(indent)).join(comma)}${pad}${close}`;
  const inner = indent + unit;
  const lines = parts.map((part) => inner + part(inner)).join(comma + newline);
  return `${open}${newline}${lines}${newline}${indent}${close}`;
}
