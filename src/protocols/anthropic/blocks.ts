import type { Item, ItemFlaw, Message, Role, ToolCall, ToolResult } from "../../conversation/item.ts";
import { LazyString } from "../../reading/lazy-string.ts";
import type { Mutable } from "../../reading/mutable.ts";
import {
  asText,
  callArguments,
  contentText,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  isListOfData,
  jsonType,
  list,
  string,
} from "../wire.ts";

/** Blocks of other wire formats that clients put here by mistake. */
const foreignTypes = new Set([
  "image_url",
  "input_text",
  "output_text",
  "input_image",
  "function_call",
  "function_call_output",
  "tool-call",
  "tool-result",
]);

/** Events of a stream and their deltas, which clients store in place of the blocks that they make up. */
const streamTypes =
  /^(?:(?:text|input_json|thinking|signature|citations|compaction)_delta|content_block_(?:start|delta|stop))$/;

/** Calls and results of the tools that Anthropic runs; newer kinds end in the same words. */
const hostedTypes =
  /^(?:(?:server|mcp)_tool_use|(?:web_search|web_fetch|advisor|(?:bash_|text_editor_)?code_execution|tool_search|mcp)_tool_result)$/;

const mediaTypes = new Set(["image", "document", "search_result", "container_upload"]);

/** Decodes the block at `pointer` of a message of `role` into one item. */
export function decodeBlock(value: unknown, role: Role, pointer: string): Item {
  if (typeof value === "string") return textItem(value, role, pointer, pointer);
  const block = fields(value);
  const type = string(block["type"]) ?? "";
  switch (type) {
    case "text":
      if (saysElsewhere(block)) return { kind: "message", role, pointer, text: "", hasMedia: false };
      // A list or an object in its place is no text, but says something.
      return textItem(asText(block["text"]), role, pointer, `${pointer}/text`);
    case "thinking": {
      const text = string(block["thinking"]) ?? "";
      return defined({ kind: "reasoning" as const, role, pointer, text, seal: filled(block["signature"]) });
    }
    case "redacted_thinking":
      return defined({ kind: "reasoning" as const, role, pointer, text: "", seal: filled(block["data"]) });
    case "tool_use":
      return toolCall(block, role, pointer, false);
    case "tool_result":
      return toolResult(block, role, pointer);
    case "compaction":
      return { kind: "compaction", role, pointer, text: contentText(block["content"], textOfBlock).text };
  }
  const unknownKind = hostedTypes.test(type) ? {} : { isOfUnknownKind: true };
  if (type.endsWith("_tool_use")) return { ...toolCall(block, role, pointer, true), ...unknownKind };
  if (type.endsWith("_tool_result")) return { ...hostedResult(block, role, pointer), ...unknownKind };
  const flaws = flawsOfType(type, pointer);
  const text = string(block["text"]);
  if (mediaTypes.has(type) || (flaws.length > 0 && (text !== undefined || type.includes("image")))) {
    const hasMedia = text === undefined;
    return { kind: "message", role, pointer, text: text ?? "", hasMedia, ...(flaws.length > 0 && { flaws }) };
  }
  const id = filled(block["id"]);
  return {
    kind: "opaque",
    role,
    pointer,
    wireType: type,
    ...(id !== undefined && { id }),
    value,
    ...(flaws.length > 0 && { flaws }),
  };
}

/** Whether a block of text has no `text`, but another member with something in it: it is wrong, not empty. */
function saysElsewhere(block: Fields): boolean {
  return (
    !("text" in block) && Object.entries(block).some(([key, value]) => !besideText.has(key) && holds(value))
  );
}

function holds(value: unknown): boolean {
  return typeof value === "string"
    ? value !== ""
    : Object.keys(fields(value)).length > 0 || list(value).length > 0;
}

/** What a block may have beside its text. */
const besideText = new Set(["type", "id", "cache_control", "citations"]);

function flawsOfType(type: string, pointer: string): readonly ItemFlaw[] {
  if (foreignTypes.has(type)) return [{ kind: "other-protocol", pointer, detail: type }];
  return streamTypes.test(type) ? [{ kind: "stream-event", pointer, detail: type }] : [];
}

/** A text item at `pointer`; `textPointer` points to the string itself. */
function textItem(text: string, role: Role, pointer: string, textPointer: string): Message {
  const flaws: ItemFlaw[] = [];
  if (text === "") flaws.push({ kind: "empty-text", pointer: textPointer });
  else if (text.trim() === "") flaws.push({ kind: "blank-text", pointer: textPointer });
  return { kind: "message", role, pointer, text, hasMedia: false, ...(flaws.length > 0 && { flaws }) };
}

function toolCall(block: Fields, role: Role, pointer: string, isHosted: boolean): ToolCall {
  const input = block["input"];
  const flaws = idFlaws(block["id"], pointer, "id");
  if (!isFields(input)) {
    const detail = input === undefined ? "nothing" : jsonType(input);
    flaws.push({ kind: "arguments-type", pointer: `${pointer}/input`, detail });
  }
  const id = filled(block["id"]);
  const toolset = filled(block["toolset_name"]);
  const caller = string(fields(block["caller"])["type"]);
  const { argumentsText, arguments: values } = callArguments(input);
  // Calls and results are most of a session, and spreading members into them takes longer than the rest.
  const call: Mutable<ToolCall> = {
    kind: "call",
    role,
    pointer,
    name: string(block["name"]) ?? "",
    argumentsText,
    arguments: values,
    isJson: true,
    wireType: string(block["type"]) ?? "",
    isHosted,
    state: "complete",
  };
  if (id !== undefined) call.id = id;
  if (toolset !== undefined) call.toolset = toolset;
  if (caller !== undefined && caller !== "direct") call.isByProgram = true;
  if (flaws.length > 0) call.flaws = flaws;
  return call;
}

function toolResult(block: Fields, role: Role, pointer: string): ToolResult {
  const content = block["content"];
  const flaws = idFlaws(block["tool_use_id"], pointer, "tool_use_id");
  const isList = Array.isArray(content);
  const isText = content === undefined || typeof content === "string" || content instanceof LazyString;
  // "Anthropic rejects an empty `tool_result.content` list"; omitting `content` or sending "" is legal.
  const isData = isListOfData(content);
  if (isList ? content.length === 0 || isData : !isText) {
    const detail = isData ? "array (without content blocks)" : isList ? "an empty list" : jsonType(content);
    flaws.push({ kind: "bad-content", pointer: `${pointer}/content`, detail });
  }
  const callId = filled(block["tool_use_id"]);
  const isError = block["is_error"];
  const result: Mutable<ToolResult> = {
    kind: "result",
    role,
    pointer,
    wireType: "tool_result",
    isHosted: false,
    text: "",
    hasMedia: false,
  };
  if (callId !== undefined) result.callId = callId;
  if (typeof isError === "boolean") result.isError = isError;
  if (flaws.length > 0) result.flaws = flaws;
  if (content instanceof LazyString) return withText(result, content);
  const { text, hasMedia } = contentText(content, textOfBlock);
  const references = referencesIn(content, `${pointer}/content`);
  if (references.length > 0) result.references = references;
  result.text = isData || isFields(content) ? JSON.stringify(content) : text;
  result.hasMedia = hasMedia && !isData;
  return result;
}

/** A result whose text is read on each access; a copy of the result stores the text itself. */
function withText(result: ToolResult, lazy: LazyString): ToolResult {
  Object.defineProperty(result, "held", { value: lazy });
  return Object.defineProperty(result, "text", textOfHeld) as ToolResult;
}

const textOfHeld: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: { readonly held: LazyString }): string {
    return this.held.text;
  },
};

/** `web_search_tool_result` and the like: the provider ran the tool and wrote the block. */
function hostedResult(block: Fields, role: Role, pointer: string): ToolResult {
  const content = block["content"];
  const texts = contentText(content, textOfBlock);
  const found = `${pointer}/content/tool_references`;
  const references = referencesIn(fields(content)["tool_references"], found);
  const hasFailed =
    block["is_error"] === true || string(fields(content)["type"])?.endsWith("_error") === true;
  return defined({
    kind: "result" as const,
    role,
    pointer,
    callId: filled(block["tool_use_id"]),
    text: texts.text !== "" ? texts.text : content === undefined ? "" : JSON.stringify(content),
    hasMedia: false,
    isError: hasFailed ? true : undefined,
    wireType: string(block["type"]) ?? "",
    isHosted: true,
    references: references.length > 0 ? references : undefined,
  });
}

/** The tools that a search found, or that a client's own search names. */
function referencesIn(value: unknown, pointer: string): NonNullable<ToolResult["references"]> {
  return list(value).flatMap((entry, index) => {
    const part = fields(entry);
    const name = part["type"] === "tool_reference" ? filled(part["tool_name"]) : undefined;
    return name === undefined ? [] : [{ name, pointer: `${pointer}/${index}/tool_name` }];
  });
}

/** The text inside a result; documents and search results nest it one level deeper. */
function textOfBlock(block: Fields): string | undefined {
  const text = string(block["text"]);
  if (text !== undefined) return text;
  if (block["type"] === "tool_reference") return string(block["tool_name"]) ?? "";
  if (block["type"] === "search_result") {
    const parts = list(block["content"]).map((part) => string(fields(part)["text"]) ?? "");
    return [string(block["title"]) ?? "", ...parts].join("\n");
  }
  const source = fields(block["source"]);
  return source["type"] === "text" ? string(source["data"]) : undefined;
}

function idFlaws(id: unknown, pointer: string, key: string): ItemFlaw[] {
  if (id === undefined || id === null || id === "") return [{ kind: "missing-id", pointer }];
  if (typeof id !== "string")
    return [{ kind: "bad-id", pointer: `${pointer}/${key}`, detail: JSON.stringify(id) }];
  return [];
}
