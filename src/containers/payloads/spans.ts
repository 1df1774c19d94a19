import { unescapeBytes } from "../../reading/escapes.ts";
import { type JsonNode, readValue, scanJson } from "../../reading/scan.ts";
import { type Segment, segmentedView } from "../../reading/view.ts";
import type { Slice } from "./slice.ts";

/**
 * Spans keep a payload in flat attributes: lists as `prefix.0.role`, values as `{key, value:
 * {stringValue}}`, whole bodies as JSON text. They are written out again as one nested JSON text, which
 * knows for each byte where it came from, and is then read like any other.
 */

/** What keys of attributes about calls of a model begin with. */
const families = /^(gen_ai|llm|ai|traceloop|openinference|input|output)\./;

/** Attributes that alone make a span one of a model: messages, or what stands for them. */
const telling =
  /^(gen_ai\.(input|output)\.messages|gen_ai\.(prompt|completion)(\.\d+\..+)?|llm\.(input|output)_messages\.\d+\..+|ai\.prompt\.messages|ai\.response\.(text|toolCalls|object))$/;

/** Lists that are kept as one attribute for each member. */
const folded =
  /^(gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages|llm\.tools|llm\.request\.functions)\.(\d+\..+)$/;

/**
 * The parts of a key that lead from a list to a value: real ones have up to eight, and a key of a thousand
 * was made as a trap.
 */
const maxParts = 32;

/** Texts that may look like JSON, and are meant as texts. */
const plainTexts = new Set(["ai.response.text", "ai.response.object", "ai.prompt"]);

interface Attribute {
  readonly key: string;
  readonly node: JsonNode;
}

/** A nested object under construction: leaves are nodes of the log. */
interface Branch {
  readonly children: Map<string, Branch | JsonNode>;
}

/**
 * Whether an object or a list holds the attributes of a span of a model, and what was sent or came back in
 * them.
 */
export function holdsSpan(at: Slice, node: JsonNode): boolean {
  return attributesOf(at, node)?.some(({ key }) => telling.test(key)) ?? false;
}

/** The kind of span that only repeats what the spans below it hold: chains, agents, tools. */
export function isOuterSpan(at: Slice, node: JsonNode): boolean {
  const attributes = attributesOf(at, node) ?? [];
  const kind = attributes.find(
    ({ key }) => key === "openinference.span.kind" || key === "traceloop.span.kind",
  );
  if (!kind) return false;
  return !/^llm$/i.test(String(readValue(at.bytes, kind.node, at.level)));
}

/** The attributes as one JSON text, in a view of its own; `undefined` where they hold no messages. */
export function nestedSpan(at: Slice, node: JsonNode): Slice | undefined {
  const plain = plainStretch(at, node);
  const attributes = plain && attributesOf(plain.stretch, plain.node);
  if (!plain || !attributes?.some(({ key }) => telling.test(key))) return undefined;
  const writer = createWriter(plain.stretch);
  writer.mark("{", plain.node.start);
  let isFirst = true;
  const lists = new Map<string, Branch>();
  for (const { key, node: value } of attributes) {
    const parts = folded.exec(key);
    if (parts) {
      const list = lists.get(parts[1] as string) ?? { children: new Map() };
      lists.set(parts[1] as string, list);
      const path = (parts[2] as string).split(".", maxParts + 1);
      if (path.length <= maxParts) plant(list, path, value);
      continue;
    }
    writer.glue(`${isFirst ? "" : ","}${JSON.stringify(key)}:`);
    isFirst = false;
    writer.value(value, plainTexts.has(key) ? "text" : "json");
  }
  for (const [key, list] of lists) {
    writer.glue(`${isFirst ? "" : ","}${JSON.stringify(key)}:`);
    isFirst = false;
    writeBranch(writer, list, "");
  }
  writer.mark("}", plain.node.end - 1);
  return writer.finish();
}

/**
 * Events of a span, one for each message, as the conventions had them first.
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md
 */
export function nestedEvents(at: Slice, node: JsonNode): Slice | undefined {
  const plain = plainStretch(at, node);
  const found = (plain?.node.items ?? []).map((item) => plain && eventOf(plain.stretch, item));
  if (!plain || !found.some((event) => event?.name === "gen_ai.choice" || event?.role === "user"))
    return undefined;
  const writer = createWriter(plain.stretch);
  writer.mark('{"gen_ai.prompt":[', plain.node.start);
  let written = 0;
  for (const event of found)
    if (event?.role !== undefined) {
      if (written++ > 0) writer.glue(",");
      writeEvent(writer, event);
    }
  writer.glue('],"gen_ai.completion":[');
  written = 0;
  for (const event of found)
    if (event?.name === "gen_ai.choice") {
      if (written++ > 0) writer.glue(",");
      writeEvent(writer, event);
    }
  writer.mark("]}", plain.node.end - 1);
  return writer.finish();
}

interface SpanEvent {
  readonly name: string;
  readonly role: string | undefined;
  readonly item: JsonNode;
  readonly members: readonly Attribute[];
}

function eventOf(at: Slice, item: JsonNode): SpanEvent | undefined {
  const nameNode = item.members?.find(({ key }) =>
    /^(name|event_name|eventName|event\.name)$/.test(key),
  )?.node;
  const name = nameNode?.kind === "string" ? String(readValue(at.bytes, nameNode, at.level)) : "";
  if (!/^gen_ai\.(choice|(system|user|assistant|tool)\.message)$/.test(name)) return undefined;
  const holder = item.members?.find(({ key }) => key === "attributes" || key === "body")?.node;
  // Logfire lays what an event holds beside its name.
  const members = holder ? (attributesOf(at, holder) ?? plainAttributes(holder)) : plainAttributes(item);
  return { name, role: /^gen_ai\.(\w+)\.message$/.exec(name)?.[1], item, members };
}

function plainAttributes(node: JsonNode): Attribute[] {
  return (node.members ?? []).map(({ key, node: value }) => ({ key, node: value }));
}

function writeEvent(writer: JsonBuilder, { name, role, item, members }: SpanEvent): void {
  const content = members.find(({ key }) => key === "gen_ai.event.content")?.node;
  writer.mark("{", item.start);
  if (role !== undefined) writer.glue(`"role":"${role}"`);
  if (content) {
    // Azure keeps the whole message as one attribute of JSON text.
    writer.glue(`${role === undefined ? "" : ","}"message":`);
    writer.value(content, "json");
  } else {
    let isFirst = role === undefined;
    for (const { key, node } of members) {
      if (key === "role" || !/^(content|tool_calls|id|message|finish_reason|index|name)$/.test(key)) continue;
      const isToolId = key === "id" && name === "gen_ai.tool.message";
      const isParts = key === "message" && writer.opensWith(node, "[");
      const written = isToolId ? "tool_call_id" : isParts ? "content" : key;
      writer.glue(`${isFirst ? "" : ","}"${written}":`);
      isFirst = false;
      writer.value(node, key === "content" ? "parts" : "json");
    }
  }
  writer.mark("}", item.end - 1);
}

/** The same value where no string stands around it, so that bytes can be copied as they are. */
function plainStretch(at: Slice, node: JsonNode): { stretch: Slice; node: JsonNode } | undefined {
  if (at.level === 0) return { stretch: at, node };
  let stretch: Slice = at;
  let from = node.start;
  let to = node.end;
  for (let level = at.level; level > 0; level--) {
    const { bytes, pieces } = unescapeBytes(stretch.bytes.subarray(from, to));
    const shift = from + stretch.shift;
    const view = segmentedView(
      stretch.view,
      bytes,
      pieces.map((piece) => ({ ...piece, from: piece.from + shift })),
    );
    stretch = { view, bytes, shift: 0, level: level - 1 };
    from = 0;
    to = bytes.length;
  }
  const plain = scanJson(stretch.bytes, 0, stretch.bytes.length);
  return plain && { stretch, node: plain };
}

/** The attributes of an object with such keys, or of a list of `{key, value: {stringValue}}`. */
function attributesOf(at: Slice, node: JsonNode): Attribute[] | undefined {
  if (node.kind === "object") {
    if (!node.members?.some(({ key }) => families.test(key))) return undefined;
    return plainAttributes(node);
  }
  const items = node.items ?? [];
  if (items.length === 0) return undefined;
  const attributes: Attribute[] = [];
  for (const item of items) {
    const key = item.members?.find((member) => member.key === "key")?.node;
    const value = item.members?.find((member) => member.key === "value")?.node;
    if (key?.kind !== "string" || value?.kind !== "object") return undefined;
    attributes.push({
      key: String(readValue(at.bytes, key, at.level)),
      node: value.members?.[0]?.node ?? value,
    });
  }
  return attributes;
}

function plant(branch: Branch, path: readonly string[], leaf: JsonNode): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    if (!branch.children.has(key)) branch.children.set(key, leaf);
    return;
  }
  const known = branch.children.get(key);
  const child: Branch = known && "children" in known ? known : { children: new Map() };
  branch.children.set(key, child);
  plant(child, rest, leaf);
}

function writeBranch(writer: JsonBuilder, branch: Branch, name: string): void {
  const keys = [...branch.children.keys()];
  const isList = keys.every((key) => /^\d+$/.test(key));
  // Attributes stand in any order.
  const ordered = isList ? keys.sort((a, b) => Number(a) - Number(b)) : keys;
  writer.glue(isList ? "[" : "{");
  for (const [place, key] of ordered.entries()) {
    if (place > 0) writer.glue(",");
    if (!isList) writer.glue(`${JSON.stringify(key)}:`);
    const child = branch.children.get(key) as Branch | JsonNode;
    if ("children" in child) writeBranch(writer, child, isList ? name : key);
    else writer.value(child, key === "content" ? "parts" : key === "json_schema" ? "json" : "text");
  }
  writer.glue(isList ? "]" : "}");
}

export interface JsonBuilder {
  /** Text that stands nowhere in the log. */
  glue(text: string): void;
  /** Text that stands for the byte at `from`. */
  mark(text: string, from: number): void;
  /**
   * A value as it stands; `json`: text that is JSON is written as that JSON, `parts`: only text that is a
   * list of parts.
   */
  value(node: JsonNode, how: "text" | "json" | "parts"): void;
  /** Bytes as they stand. */
  copy(start: number, end: number): void;
  opensWith(node: JsonNode, character: string): boolean;
  finish(): Slice;
}

const partsHead = /^\s*\[\s*\{\s*"(type|text|toolUse|toolResult|reasoningContent)"/;

/** Writes JSON that is put together of bytes of a stretch, and knows for each of them where it came from. */
export function createWriter(at: Slice): JsonBuilder {
  const chunks: Buffer[] = [];
  const pieces: Segment[] = [];
  let length = 0;
  const push = (bytes: Buffer): void => {
    chunks.push(bytes);
    length += bytes.length;
  };
  const copy = (start: number, end: number): void => {
    pieces.push({ at: length, from: at.shift + start, length: end - start });
    push(at.bytes.subarray(start, end));
  };
  const inner = (node: JsonNode): { bytes: Buffer; pieces: Segment[] } =>
    unescapeBytes(at.bytes.subarray(node.start + 1, Math.max(node.start + 1, node.end - 1)));
  const writer: JsonBuilder = {
    copy,
    glue: (text) => push(Buffer.from(text)),
    mark(text, from) {
      pieces.push({ at: length, from: at.shift + from, length: 1 });
      push(Buffer.from(text));
    },
    opensWith: (node, character) =>
      node.kind === "string"
        ? at.bytes
            .toString("latin1", node.start + 1, node.start + 64)
            .trimStart()
            .startsWith(character)
        : at.bytes[node.start] === character.charCodeAt(0),
    value(node, how) {
      if (node.kind === "string") {
        const json = how === "text" || node.state === "open" ? undefined : jsonText(inner(node), how);
        if (!json) {
          copy(node.start, node.end);
          if (node.state === "open") push(Buffer.from('"'));
          return;
        }
        for (const piece of json.pieces)
          pieces.push({ ...piece, at: length + piece.at, from: at.shift + node.start + 1 + piece.from });
        push(json.bytes);
        return;
      }
      // OTLP wraps what is in lists and maps once more.
      const values = node.kind === "object" && node.members?.length === 1 ? node.members[0] : undefined;
      if (values?.key !== "values" || values.node.kind !== "array") {
        copy(node.start, node.end);
        return;
      }
      const items = values.node.items ?? [];
      const isMap = items.every((item) => item.members?.some(({ key }) => key === "key"));
      writer.mark(isMap && items.length > 0 ? "{" : "[", node.start);
      for (const [place, item] of items.entries()) {
        if (place > 0) writer.glue(",");
        const holder = isMap ? item.members?.find(({ key }) => key === "value")?.node : item;
        const name = item.members?.find(({ key }) => key === "key")?.node;
        if (isMap && name) {
          copy(name.start, name.end);
          writer.glue(":");
        }
        const leaf = holder?.members?.[0]?.node;
        if (leaf) writer.value(leaf, how);
        else writer.glue("null");
      }
      writer.mark(isMap && items.length > 0 ? "}" : "]", node.end - 1);
    },
    finish() {
      const bytes = Buffer.concat(chunks, length);
      return { view: segmentedView(at.view, bytes, pieces), bytes, shift: 0, level: 0 };
    },
  };
  return writer;
}

/** Text that is one JSON value: an object, a list, or such text quoted once more. */
function jsonText(
  text: { readonly bytes: Buffer; readonly pieces: readonly Segment[] },
  how: "json" | "parts",
): { readonly bytes: Buffer; readonly pieces: readonly Segment[] } | undefined {
  const head = text.bytes.toString("utf8", 0, 80);
  if (how === "parts" ? !partsHead.test(head) : !/^\s*[[{]/.test(head)) return undefined;
  const node = scanJson(text.bytes, 0, text.bytes.length);
  const isWhole = node?.state === "complete" && text.bytes.toString("utf8", node.end).trim() === "";
  return isWhole ? text : undefined;
}
