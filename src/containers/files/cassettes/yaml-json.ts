import type { ByteSource } from "../../../reading/source.ts";
import { textAround } from "../../../reading/surroundings.ts";
import {
  type Inverse,
  type MappedPatches,
  type Patch,
  patched,
  type Segment,
  segmentedView,
  type View,
  wholeView,
} from "../../../reading/view.ts";
import type { Peek } from "../../../traffic/payload.ts";
import type { ScalarReader } from "./yaml-document.ts";
import { editYaml } from "./yaml-edits.ts";
import type { YamlMap, YamlNode, YamlScalar } from "./yaml-nodes.ts";

/** Values below this depth become null: no payload nests so deep, and an alias may contain itself. */
const maxDepth = 64;

/** The longest JSON that is written, in bytes; longer values are alias bombs. */
const maxLength = 256 << 20;

/** A view of a YAML value as JSON, with the way back of each of its parts. */
export interface JsonView extends View {
  readonly segments: readonly Segment[];
  readonly inverse: Inverse;
}

/** A YAML value as JSON whose values map to their YAML lines. */
export function jsonView(source: ByteSource, node: YamlNode, reader: ScalarReader): JsonView {
  const parts: string[] = [];
  const segments: Segment[] = [];
  let at = 0;

  const put = (text: string): void => {
    parts.push(text);
    at += Buffer.byteLength(text);
  };
  /** Maps a text to its node's start and its last byte to the end, so that a span covers the whole node. */
  const putAs = (text: string, start: number, end: number): void => {
    segments.push({ at, from: start, length: 0 });
    put(text);
    segments.push({ at: at - 1, from: Math.max(start, end - 1), length: 1 });
  };
  const write = (value: YamlNode, depth: number): void => {
    if (depth > maxDepth || at > maxLength) putAs("null", value.start, value.end);
    else if (value.kind === "scalar") putAs(scalarJson(value, reader), value.start, value.end);
    else {
      const isMap = value.kind === "map";
      segments.push({ at, from: value.start, length: 0 });
      put(isMap ? "{" : "[");
      if (isMap) {
        for (const [place, { key, node: member }] of value.members.entries()) {
          put(`${place > 0 ? "," : ""}${JSON.stringify(key)}:`);
          write(member, depth + 1);
        }
      } else {
        for (const [place, item] of value.items.entries()) {
          if (place > 0) put(",");
          write(item, depth + 1);
        }
      }
      segments.push({ at, from: Math.max(value.start, value.end - 1), length: 1 });
      put(isMap ? "}" : "]");
    }
  };
  write(node, 0);
  const bytes = Buffer.from(parts.join(""));
  const base = wholeView(source);
  return {
    ...segmentedView(base, bytes, segments),
    segments,
    get inverse(): Inverse {
      const around = textAround(base, node.start);
      const mapPatches = (patches: readonly Patch[]): MappedPatches =>
        editYaml(
          source.read(0, source.size),
          node,
          patched(bytes, patches).toString("utf8"),
          nodeJson,
          around,
        );
      return { base, mapPatches };
    },
  };

  function nodeJson(value: YamlNode): string {
    if (value.kind === "scalar") return scalarJson(value, reader);
    return value.kind === "seq"
      ? `[${value.items.map(nodeJson).join(",")}]`
      : `{${value.members.map(({ key, node: member }) => `${JSON.stringify(key)}:${nodeJson(member)}`).join(",")}}`;
  }
}

function scalarJson(scalar: YamlScalar, reader: ScalarReader): string {
  if (scalar.isString) return JSON.stringify(reader.text(scalar));
  // A number keeps its digits; JavaScript would round long ones.
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(scalar.written)
    ? scalar.written
    : (JSON.stringify(scalar.value) ?? "null");
}

/** The value of a small node. */
export function plainValue(node: YamlNode, reader: ScalarReader, depth = 0): unknown {
  if (node.kind === "scalar") return node.isString ? reader.text(node) : node.value;
  if (depth > maxDepth) return null;
  if (node.kind === "seq") return node.items.map((item) => plainValue(item, reader, depth + 1));
  // Keys come from a log, so `__proto__` must be an ordinary key.
  return Object.fromEntries(
    node.members.map(({ key, node: member }) => [key, plainValue(member, reader, depth + 1)]),
  );
}

/** A peek at a mapping; only some elements of long lists are read. */
export function peekNode(map: YamlMap, reader: ScalarReader): Peek {
  // Of a key that stands twice the last value counts, as above.
  const find = (key: string): YamlNode | undefined =>
    map.members.findLast((member) => member.key === key)?.node;
  return {
    keys: map.members.map(({ key }) => key),
    has: (key) => find(key) !== undefined,
    kind(key) {
      const node = find(key);
      if (node?.kind !== "scalar") return node && (node.kind === "map" ? "object" : "array");
      if (node.isString) return "string";
      return node.value === null ? "null" : typeof node.value === "number" ? "number" : "boolean";
    },
    value(key) {
      const node = find(key);
      if (node?.kind !== "seq") return node && plainValue(node, reader);
      const { items } = node;
      const shown = items.length > 16 ? [...items.slice(0, 12), ...items.slice(-4)] : items;
      return shown.map((item) => plainValue(item, reader));
    },
  };
}
