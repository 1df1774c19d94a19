import { unescapeBytes } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { scanJson } from "../../reading/scan.ts";
import { segmentedView } from "../../reading/view.ts";
import { MappedBuilder, type MappedText, mappedThrough } from "./mapped-text.ts";
import type { Slice } from "./slice.ts";
import { isWordInBrackets } from "./unread.ts";

/**
 * Spans keep payloads in flat attributes: lists as `prefix.0.role`, values as `{key, value:
 * {stringValue}}`, whole bodies as JSON text. This module writes them as one nested JSON text whose bytes
 * map to the log, so that it is read like any other body.
 */

/** Prefixes of attributes that describe model calls. */
const prefixes = /^(gen_ai|llm|ai|traceloop|openinference|input|output)\./;

/** Attributes that identify the span of a model call: its messages or their equivalent. */
const distinctive =
  /^(gen_ai\.(input|output)\.messages|gen_ai\.(prompt|completion)(\.\d+\..+)?|llm\.(input|output)_messages\.\d+\..+|ai\.prompt\.messages|ai\.response\.(text|toolCalls|object))$/;

/** Lists stored as one attribute per member. */
const folded =
  /^(gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages|llm\.tools|llm\.request\.functions)\.(\d+\..+)$/;

/** Attributes that hold JSON in a text, never words. */
const jsonKey =
  /^(gen_ai\.((input|output)\.messages|system_instructions|tool\.definitions)|ai\.(prompt\.messages|response\.toolCalls))$/;

/** How messages begin in an attribute that may hold words, too. */
const messageHead = /^\s*\{\s*"(?:role|messages)"|^\s*\[\s*\{\s*"(?:role|parts|type|content)"/;

/** The most parts in a key from a list to a value: real keys have up to eight, longer ones are hostile. */
const maxParts = 32;

/** Texts that may look like JSON but are plain text. */
const plainTexts = new Set(["ai.response.text", "ai.response.object", "ai.prompt"]);

const OPEN_OBJECT = 123;
const QUOTE = 34;

interface Attribute {
  readonly key: string;
  readonly node: JsonNode;
}

/** A nested object under construction; its leaves are nodes of the log. */
interface Branch {
  readonly children: Map<string, Branch | JsonNode>;
}

/** Whether an object or list holds the attributes of a model call's span, including its messages. */
export function holdsSpan(at: Slice, node: JsonNode): boolean {
  return attributesOf(at, node)?.some(({ key }) => distinctive.test(key)) ?? false;
}

/** Whether a span (a chain, an agent, a tool) only repeats the content of its child spans. */
export function isOuterSpan(at: Slice, node: JsonNode): boolean {
  const attributes = attributesOf(at, node) ?? [];
  const kind = attributes.find(
    ({ key }) => key === "openinference.span.kind" || key === "traceloop.span.kind",
  );
  if (!kind) return false;
  return !/^llm$/i.test(String(readValue(at.bytes, kind.node, at.level)));
}

/** A text in an attribute that should be JSON: its range in a slice, at the level inside its quotes. */
export interface AttributeText {
  readonly at: Slice;
  readonly start: number;
  readonly end: number;
  readonly half: "request" | "reply";
  /** Only its content says that it holds messages. */
  readonly isTail?: true;
}

export interface NestedSpan {
  /** The attributes as one JSON text in a view of its own. */
  readonly nested: Slice;
  /** Attributes that are not JSON although their keys are those of messages. */
  readonly broken: readonly AttributeText[];
}

/** The attributes as one JSON text; `undefined` if they hold no messages. */
export function nestedSpan(at: Slice, node: JsonNode): NestedSpan | undefined {
  const plain = unescapedSlice(at, node);
  const attributes = plain && attributesOf(plain.slice, plain.node);
  if (!plain || !attributes?.some(({ key }) => distinctive.test(key))) return undefined;
  const writer = createWriter(plain.slice);
  const broken: AttributeText[] = [];
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
    const text = brokenText(plain.slice, key, value) ?? tailOfMessages(plain.slice, value);
    if (text) {
      broken.push(text);
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
  return { nested: writer.finish(), broken };
}

/** The text of an attribute that holds messages, if it should be JSON and is none. */
function brokenText(at: Slice, key: string, node: JsonNode): AttributeText | undefined {
  const [part] = stringsOf(at, node) ?? [];
  if (part) return textInParts(at, node) ? undefined : brokenText(at, key, { ...part, kind: "string" });
  if (node.kind !== "string" || !(jsonKey.test(key) || distinctive.test(key))) return undefined;
  const start = node.start + 1;
  const end = Math.max(start, node.state === "open" ? node.end : node.end - 1);
  const text = unescapeBytes(at.bytes.subarray(start, end));
  const said = innermost(text);
  const head = said.bytes.toString("utf8", 0, 200);
  // A system prompt may be kept as a JSON string instead of a list of parts.
  const mayBeWords = !jsonKey.test(key) || said !== text;
  // What has no sign of JSON is words, as tests of tracers expect them in a prompt.
  const isDue = mayBeWords ? messageHead.test(head) : !isLeftOut(head) && /[[{"]|\[object /.test(head);
  if (!isDue || jsonText(text, "json")) return undefined;
  const half = /output|completion|response/.test(key) ? "reply" : "request";
  if (said === text) return { at: { ...at, level: 1 }, start, end, half };
  const segments = said.segments.map((segment) => ({ ...segment, from: segment.from + start + at.shift }));
  const view = segmentedView(at.view, said.bytes, segments);
  return { at: { view, bytes: said.bytes, shift: 0, level: 0 }, start: 0, end: said.bytes.length, half };
}

/** The end of a list of messages, whose beginning was lost together with the name of its attribute. */
function tailOfMessages(at: Slice, node: JsonNode): AttributeText | undefined {
  if (node.kind !== "string" || node.state === "open" || node.end - node.start < shortestTail)
    return undefined;
  const [start, end] = [node.start + 1, node.end - 1];
  if (at.bytes[end - 1] !== 93 && at.bytes[end - 1] !== 125) return undefined;
  const head = at.bytes.toString("latin1", start, Math.min(end, start + headOfTail));
  const [, role] = /^[^[{]*"role\\?"\s*:\s*\\?"(user|assistant|system|tool|model)\\?"/.exec(head) ?? [];
  if (role === undefined) return undefined;
  const half = /assistant|model/.test(role) ? "reply" : "request";
  return { at: { ...at, level: 1 }, start, end, half, isTail: true };
}

/** A shorter text holds no message. */
const shortestTail = 24;

/** Bytes in which the first role of a tail stands. */
const headOfTail = 160;

type Text = Pick<JsonNode, "start" | "end" | "state">;

/** The strings of a list that has nothing else, also of one that OTLP writes. */
export function stringsOf({ shift }: Slice, node: JsonNode): readonly Text[] | undefined {
  const own = node.members?.length === 1 && node.members[0]?.key === "values" ? node.members[0].node : node;
  if (own.kind !== "array") return undefined;
  const { run } = own;
  if (run) {
    const indices = Array.from({ length: run.length }, (_, index) => index);
    if (!indices.every((index) => typeof run.element(index).value === "string")) return undefined;
    return indices.map((index) => ({
      start: run.start(index) - shift,
      end: run.end(index) - shift,
      state: "complete",
    }));
  }
  const items = (own.items ?? []).map((item) => (item.members?.length === 1 ? item.members[0]?.node : item));
  return items.every((item) => item?.kind === "string") ? (items as JsonNode[]) : undefined;
}

/** A list of messages that an attribute holds as JSON in several texts, each a message or a part of it. */
function textInParts(at: Slice, node: JsonNode): MappedText | undefined {
  const parts = stringsOf(at, node)?.map(({ start, end }) => {
    const from = start + 1;
    return { from, ...unescapeBytes(at.bytes.subarray(from, Math.max(from, end - 1))) };
  });
  const [first] = parts ?? [];
  if (!parts || !first) return undefined;
  const areMessages = parts.every((part) => part.bytes[0] === OPEN_OBJECT && jsonText(part, "json"));
  if (!areMessages && !/^\s*\[/.test(first.bytes.toString("utf8", 0, 80))) return undefined;
  const joined = new MappedBuilder();
  for (const [index, part] of parts.entries()) {
    if (areMessages) joined.glue(index === 0 ? "[" : ",");
    joined.embed(part, part.from);
  }
  if (areMessages) joined.glue("]");
  return jsonText(joined.finish(), "json");
}

/** Whether a tool left out the messages on purpose: `[redacted]`. */
function isLeftOut(text: string): boolean {
  return text.trim() === "" || (isWordInBrackets(text) && !text.startsWith("[object "));
}

/**
 * The events of a span, one per message, in the first form of the semantic conventions.
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md
 */
export function nestedEvents(at: Slice, node: JsonNode): Slice | undefined {
  const plain = unescapedSlice(at, node);
  const found = (plain?.node.items ?? []).map((item) => plain && eventOf(plain.slice, item));
  if (!plain || !found.some((event) => event?.name === "gen_ai.choice" || event?.role === "user"))
    return undefined;
  const writer = createWriter(plain.slice);
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
  // Logfire puts the event's content next to its name.
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
    // Azure keeps the whole message as JSON text in one attribute.
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

/** Unescapes a value inside strings, so that its bytes can be copied verbatim. */
export function unescapedSlice(at: Slice, node: JsonNode): { slice: Slice; node: JsonNode } | undefined {
  if (at.level === 0) return { slice: at, node };
  let slice: Slice = at;
  let from = node.start;
  let to = node.end;
  for (let level = at.level; level > 0; level--) {
    const { bytes, segments } = unescapeBytes(slice.bytes.subarray(from, to));
    const shift = from + slice.shift;
    const view = segmentedView(
      slice.view,
      bytes,
      segments.map((segment) => ({ ...segment, from: segment.from + shift })),
    );
    slice = { view, bytes, shift: 0, level: level - 1 };
    from = 0;
    to = bytes.length;
  }
  const plain = scanJson(slice.bytes, 0, slice.bytes.length);
  return plain && { slice, node: plain };
}

/** The attributes of an object with such keys, or of a list of `{key, value: {stringValue}}`. */
function attributesOf(at: Slice, node: JsonNode): Attribute[] | undefined {
  if (node.kind === "object") {
    if (!node.members?.some(({ key }) => prefixes.test(key))) return undefined;
    return plainAttributes(node);
  }
  const items = node.items ?? [];
  if (items.length === 0) return undefined;
  const attributes: Attribute[] = [];
  for (const item of items) {
    const key = item.members?.find((member) => member.key === "key")?.node;
    const value = item.members?.find((member) => member.key === "value")?.node;
    // A bare word or number is damage, and takes no attribute away.
    if (item.kind === "literal" || item.kind === "number") continue;
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
  // Attributes come in any order.
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
  /** Writes text that has no place in the log. */
  glue(text: string): void;
  /** Writes text that maps to the byte at `from`. */
  mark(text: string, from: number): void;
  /** Writes a value verbatim. `json` embeds JSON text as JSON, `parts` does so only for a list of parts. */
  value(node: JsonNode, how: "text" | "json" | "parts"): void;
  /** Copies bytes verbatim. */
  copy(start: number, end: number): void;
  opensWith(node: JsonNode, character: string): boolean;
  finish(): Slice;
}

/** What a text that is a JSON string says. */
function contentOf(text: MappedText): MappedText | undefined {
  const node = scanJson(text.bytes, 0, text.bytes.length);
  if (node?.kind !== "string" || node.state === "open") return undefined;
  if (text.bytes.toString("utf8", node.end).trim() !== "") return undefined;
  const start = node.start + 1;
  return mappedThrough(unescapeBytes(text.bytes.subarray(start, node.end - 1)), text, start);
}

const partsHead = /^\s*\[\s*\{\s*"(type|text|toolUse|toolResult|reasoningContent)"/;

/** Writes JSON from bytes of a slice and records where each byte came from. */
export function createWriter(at: Slice): JsonBuilder {
  const joined = new MappedBuilder();
  const copy = (start: number, end: number): void =>
    joined.copy(at.bytes.subarray(start, end), at.shift + start);
  const inner = (node: JsonNode): MappedText =>
    unescapeBytes(at.bytes.subarray(node.start + 1, Math.max(node.start + 1, node.end - 1)));
  const writer: JsonBuilder = {
    copy,
    glue: (text) => joined.glue(text),
    mark: (text, from) => joined.mark(text, at.shift + from),
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
          if (node.state === "open") joined.glue('"');
          return;
        }
        joined.embed(json, at.shift + node.start + 1);
        return;
      }
      const whole = how === "json" ? textInParts(at, node) : undefined;
      if (whole) {
        joined.embed(whole, at.shift);
        return;
      }
      // OTLP adds one more wrapper around lists and maps.
      const values = node.kind === "object" && node.members?.length === 1 ? node.members[0] : undefined;
      if (values?.key !== "values" || values.node.kind !== "array") {
        // The log ends within the value: what there is of it is closed.
        if (node.state === "open")
          writer.mark(JSON.stringify(readValue(at.bytes, node, at.level)), node.start);
        else copy(node.start, node.end);
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
      const { bytes, segments } = joined.finish();
      return { view: segmentedView(at.view, bytes, segments), bytes, shift: 0, level: 0 };
    },
  };
  return writer;
}

/** How often a text may be a JSON string again: some exporters encode what is encoded already. */
const maxEncodings = 4;

/** What a text says that is a JSON string, perhaps of another one; any other text as it is. */
function innermost(text: MappedText): MappedText {
  let said = text;
  for (let count = 0; count < maxEncodings; count++) {
    const content = said.bytes[0] === QUOTE ? contentOf(said) : undefined;
    if (!content) return said;
    said = content;
  }
  return said;
}

/** Returns the text if it is one JSON value (object or list), or what it says as the JSON string of one. */
function jsonText(whole: MappedText, how: "json" | "parts"): MappedText | undefined {
  const text = how === "json" ? innermost(whole) : whole;
  const head = text.bytes.toString("utf8", 0, 80);
  if (how === "parts" ? !partsHead.test(head) : !/^\s*[[{]/.test(head) || isWordInBrackets(head))
    return undefined;
  const node = scanJson(text.bytes, 0, text.bytes.length);
  const isWhole = node?.state === "complete" && text.bytes.toString("utf8", node.end).trim() === "";
  return isWhole ? text : undefined;
}
