import type {
  Item,
  ItemFlaw,
  Message,
  Reasoning,
  Role,
  ToolCall,
  ToolResult,
} from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import {
  callArguments,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  jsonType,
  list,
  string,
} from "../wire.ts";

/** Converse has two roles; other roles keep their meaning. */
const roles = new Map(
  Object.entries<Role>({ user: "user", assistant: "assistant", system: "system", tool: "tool" }),
);

/** Members of a block whose content is not text. */
export const mediaKeys = ["image", "document", "video", "audio"];

/** Types of other APIs' blocks; Converse names its blocks by their only member. */
const foreignTypes =
  /^(tool[_-]use|tool[_-]result|tool[_-]call|image_url|input_\w+|output_text|function_call\w*|thinking)$/;

/** Decodes one message of a history. */
export function decodeMessage(value: unknown): DecodedElement {
  const message = fields(value);
  const role = roles.get(string(message["role"]) ?? "") ?? "unknown";
  const { content } = message;
  if (Array.isArray(content) && content.length > 0)
    return { role, items: decodeBlocks(content, role, "/content") };
  const text = string(content) ?? "";
  const pointer = content === undefined ? "" : "/content";
  const flaw: ItemFlaw =
    text === "" ? { kind: "empty-message", pointer } : { kind: "other-protocol", pointer, detail: "string" };
  return {
    role,
    items: [{ kind: "message", role, pointer: "/content", text, hasMedia: false, flaws: [flaw] }],
  };
}

/** Decodes the blocks at `base`. Cache points are omitted: they mean nothing to the model, and they move. */
export function decodeBlocks(blocks: readonly unknown[], role: Role, base: string): Item[] {
  return blocks.flatMap((block, index) => {
    const value = fields(block);
    return "cachePoint" in value ? [] : [decodeBlock(value, role, `${base}/${index}`)];
  });
}

function decodeBlock(block: Fields, role: Role, pointer: string): Item {
  const text = string(block["text"]);
  if (text !== undefined) return textItem(text, role, pointer);
  if (isFields(block["toolUse"])) return toolCall(block["toolUse"], role, pointer);
  if (isFields(block["toolResult"])) return toolResult(block["toolResult"], role, pointer);
  if (isFields(block["reasoningContent"])) return reasoning(block["reasoningContent"], role, pointer);
  const nested = wrappedText(block);
  if (nested !== undefined) return { kind: "message", role, pointer, text: nested, hasMedia: false };
  if (mediaKeys.some((key) => isFields(block[key])) || isFields(block["guardContent"]))
    return { kind: "message", role, pointer, text: "", hasMedia: true };
  const type = string(block["type"]) ?? "";
  const flaws = foreignTypes.test(type) ? [{ kind: "other-protocol" as const, pointer, detail: type }] : [];
  const wireType = type === "" ? (Object.keys(block)[0] ?? "") : type;
  return {
    kind: "opaque",
    role,
    pointer,
    wireType,
    value: block,
    ...(flaws.length > 0 && { flaws }),
  };
}

function textItem(text: string, role: Role, pointer: string): Message {
  const flaws: ItemFlaw[] = [];
  if (text === "") flaws.push({ kind: "empty-text", pointer: `${pointer}/text` });
  else if (text.trim() === "") flaws.push({ kind: "blank-text", pointer: `${pointer}/text` });
  return { kind: "message", role, pointer, text, hasMedia: false, ...(flaws.length > 0 && { flaws }) };
}

/** Text nested one level deeper: with citations, for a guardrail, or as a search result. */
function wrappedText(block: Fields): string | undefined {
  const guarded = string(fields(fields(block["guardContent"])["text"])["text"]);
  if (guarded !== undefined) return guarded;
  const cited = block["citationsContent"] ?? block["searchResult"];
  if (!isFields(cited)) return undefined;
  return list(cited["content"])
    .map((part) => string(fields(part)["text"]) ?? "")
    .join("");
}

/** `{reasoningText: {text, signature}}`, or `{redactedContent}`, which only the provider can read. */
function reasoning(content: Fields, role: Role, pointer: string): Reasoning {
  const plain = fields(content["reasoningText"]);
  const seal = filled(plain["signature"]) ?? filled(content["redactedContent"]);
  return defined({ kind: "reasoning" as const, role, pointer, text: string(plain["text"]) ?? "", seal });
}

function toolCall(call: Fields, role: Role, pointer: string): ToolCall {
  const { input } = call;
  const flaws = idFlaws(call["toolUseId"], `${pointer}/toolUse`);
  if (!isFields(input)) {
    const detail = input === undefined ? "nothing" : jsonType(input);
    flaws.push({ kind: "arguments-type", pointer: `${pointer}/toolUse/input`, detail });
  }
  return defined({
    kind: "call" as const,
    role,
    pointer,
    id: filled(call["toolUseId"]),
    name: string(call["name"]) ?? "",
    ...callArguments(input),
    isJson: true,
    wireType: "toolUse",
    // Nova's code interpreter: AWS runs it, and its result is in the same message.
    isHosted: call["type"] === "server_tool_use",
    state: "complete" as const,
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

function toolResult(result: Fields, role: Role, pointer: string): ToolResult {
  const { content, status } = result;
  const flaws = idFlaws(result["toolUseId"], `${pointer}/toolResult`);
  const parts = list(content).map(fields);
  const isEmptyError = status === "error" && parts.length === 0;
  // "The content field … cannot be empty when status value is error"; without an error it may be empty.
  if (isEmptyError || !Array.isArray(content)) {
    const detail = content === undefined ? "nothing" : isEmptyError ? "an empty list" : jsonType(content);
    flaws.push({ kind: "bad-content", pointer: `${pointer}/toolResult/content`, detail });
  }
  // "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid."
  const bare = parts.findIndex((part) => "json" in part && !isFields(part["json"]));
  if (bare >= 0)
    flaws.push({
      kind: "bad-content",
      pointer: `${pointer}/toolResult/content/${bare}/json`,
      detail: jsonType(parts[bare]?.["json"]),
    });
  const texts = parts.map(resultText);
  return defined({
    kind: "result" as const,
    role,
    pointer,
    callId: filled(result["toolUseId"]),
    text: string(content) ?? texts.filter((text) => text !== undefined).join("\n"),
    hasMedia: texts.includes(undefined),
    isError: status === "error" ? true : status === "success" ? false : undefined,
    wireType: "toolResult",
    // AWS wrote the results that are among the model's own blocks.
    isHosted: role === "assistant",
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

/** The text of a part of a result; `undefined` for media. */
function resultText(part: Fields): string | undefined {
  if ("json" in part) return JSON.stringify(part["json"]) ?? "";
  return string(part["text"]) ?? wrappedText(part);
}

/** `pointer` points to the call or result that holds the id. */
function idFlaws(id: unknown, pointer: string): ItemFlaw[] {
  if (id === undefined || id === null || id === "") return [{ kind: "missing-id", pointer }];
  if (typeof id === "string") return [];
  return [{ kind: "bad-id", pointer: `${pointer}/toolUseId`, detail: JSON.stringify(id) }];
}

/** Whether a value is a Converse block: named by its member, while other APIs' parts have a type. */
export function isConverseBlock(value: unknown): boolean {
  const block = fields(value);
  return block["type"] === undefined && ["toolUse", "toolResult", "text"].some((key) => key in block);
}
