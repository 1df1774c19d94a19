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
import { callArguments, defined, type Fields, fields, filled, isFields, list, string } from "../wire.ts";

/** Converse has two roles; the other ones are kept as what they were meant to be. */
const roles = new Map(
  Object.entries<Role>({ user: "user", assistant: "assistant", system: "system", tool: "tool" }),
);

/** Members of a block that hold nothing to read. */
const mediaKeys = ["image", "document", "video", "audio"];

/** Types of other APIs' blocks; Converse names its blocks by their one member. */
const foreignTypes =
  /^(tool[_-]use|tool[_-]result|tool[_-]call|image_url|input_\w+|output_text|function_call\w*|thinking)$/;

/** Reads one message of a history. */
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

/** Reads blocks that stand at `base`. Cache points say nothing to the model: clients move them from request to request. */
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
  const told = wrappedText(block);
  if (told !== undefined) return { kind: "message", role, pointer, text: told, hasMedia: false };
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

/** Texts that stand a level deeper: with their citations, for a guardrail, or as something that was found. */
function wrappedText(block: Fields): string | undefined {
  const guarded = string(fields(fields(block["guardContent"])["text"])["text"]);
  if (guarded !== undefined) return guarded;
  const cited = block["citationsContent"] ?? block["searchResult"];
  if (!isFields(cited)) return undefined;
  return list(cited["content"])
    .map((part) => string(fields(part)["text"]) ?? "")
    .join("");
}

/** `{reasoningText: {text, signature}}`, or `{redactedContent}` for what only the provider can read. */
function reasoning(content: Fields, role: Role, pointer: string): Reasoning {
  const told = fields(content["reasoningText"]);
  const seal = filled(told["signature"]) ?? filled(content["redactedContent"]);
  return defined({ kind: "reasoning" as const, role, pointer, text: string(told["text"]) ?? "", seal });
}

function toolCall(call: Fields, role: Role, pointer: string): ToolCall {
  const { input } = call;
  const flaws = idFlaws(call["toolUseId"], `${pointer}/toolUse`);
  if (!isFields(input)) {
    const detail = input === undefined ? "nothing" : nameOfKind(input);
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
    // Nova's code interpreter: AWS runs it, and its result stands in the same message.
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
  // "The content field … cannot be empty when status value is error"; without an error it can.
  if (isEmptyError || !Array.isArray(content)) {
    const detail = content === undefined ? "nothing" : isEmptyError ? "an empty list" : nameOfKind(content);
    flaws.push({ kind: "bad-content", pointer: `${pointer}/toolResult/content`, detail });
  }
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
    // What stands among the model's own blocks, AWS wrote there.
    isHosted: role === "assistant",
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

/** What a part of a result says; `undefined` for media. */
function resultText(part: Fields): string | undefined {
  if ("json" in part) return JSON.stringify(part["json"]) ?? "";
  return string(part["text"]) ?? wrappedText(part);
}

/** `pointer` is the call or the result itself, which holds its id. */
function idFlaws(id: unknown, pointer: string): ItemFlaw[] {
  if (id === undefined || id === null || id === "") return [{ kind: "missing-id", pointer }];
  if (typeof id === "string") return [];
  return [{ kind: "bad-id", pointer: `${pointer}/toolUseId`, detail: JSON.stringify(id) }];
}

function nameOfKind(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** A block of a Converse message: it is named by its member, where the parts of other APIs have a type. */
export function isConverseBlock(value: unknown): boolean {
  const block = fields(value);
  return block["type"] === undefined && ["toolUse", "toolResult", "text"].some((key) => key in block);
}
