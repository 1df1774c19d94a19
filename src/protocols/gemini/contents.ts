import type { Item, ItemFlaw, Role, ToolCall, ToolResult } from "../../conversation/item.ts";
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
import { member, wireName } from "./names.ts";

const roles = new Map(
  Object.entries<Role>({
    user: "user",
    model: "assistant",
    function: "tool",
    system: "system",
  }),
);

/** Decodes one content of a history. A content without a role is the user's. */
export function decodeContent(value: unknown): DecodedElement {
  const content = fields(value);
  const parts = partsIn(content);
  const isAnswer =
    parts.length > 0 && parts.every((part) => isFields(member(fields(part), "functionResponse")));
  const wireRole = string(content["role"] ?? "user") ?? "";
  const role = isAnswer ? "user" : (roles.get(wireRole) ?? "unknown");
  if (parts.length > 0)
    return {
      role,
      items: Array.isArray(content["parts"])
        ? decodeParts(parts, role, "/parts")
        : decodeParts(parts, role, "").map((item) => ({ ...item, pointer: "/parts" })),
    };
  return { role, items: [emptyMessage(content, role)] };
}

/**
 * The parts of a content. Google's servers accept a single part without its list, as in its own examples.
 * @see https://ai.google.dev/api/generate-content
 */
export function partsIn(content: Fields): readonly unknown[] {
  const { parts } = content;
  return isFields(parts) && Object.keys(parts).length > 0 ? [parts] : list(parts);
}

/** A message for absent or empty `parts`; another API's `content` in its place is a flaw. */
function emptyMessage(content: Fields, role: Role): Item {
  const isForeign = content["parts"] === undefined && content["content"] !== undefined;
  const pointer = isForeign ? "/content" : content["parts"] === undefined ? "" : "/parts";
  const flaw: ItemFlaw = isForeign
    ? { kind: "other-protocol", pointer, detail: "content" }
    : { kind: "empty-message", pointer };
  const text = isForeign ? (string(content["content"]) ?? "") : "";
  return { kind: "message", role, pointer, text, hasMedia: false, flaws: [flaw] };
}

/** Decodes the parts at `base`. Empty texts, which streaming clients keep from empty chunks, are dropped. */
export function decodeParts(parts: readonly unknown[], role: Role, base: string): Item[] {
  return parts.flatMap((part, index) => {
    const item = decodePart(fields(part), role, `${base}/${index}`);
    return item ? [item] : [];
  });
}

function decodePart(part: Fields, role: Role, pointer: string): Item | undefined {
  const text = string(part["text"]);
  if (part["thought"] === true) {
    const seal = filled(member(part, "thoughtSignature"));
    return defined({ kind: "reasoning" as const, role, pointer, text: text ?? "", seal });
  }
  if (isFields(member(part, "functionCall"))) return functionCall(part, role, pointer);
  if (isFields(member(part, "functionResponse"))) return functionResponse(part, role, pointer);
  if (text !== undefined && text !== "") return { kind: "message", role, pointer, text, hasMedia: false };
  if (isFields(member(part, "inlineData")) || isFields(member(part, "fileData"))) {
    return { kind: "message", role, pointer, text: "", hasMedia: true };
  }
  return hostedPart(part, role, pointer) ?? otherPart(part, role, pointer);
}

function functionCall(part: Fields, role: Role, base: string): ToolCall {
  const key = wireName(part, "functionCall");
  const call = fields(part[key]);
  const { args, id } = call;
  const flaws: ItemFlaw[] = [];
  // A call without parameters has no arguments at all.
  if (args !== undefined && args !== null && !isFields(args)) {
    const detail = Array.isArray(args) ? "array" : typeof args;
    flaws.push({ kind: "arguments-type", pointer: `${base}/${key}/args`, detail });
  }
  return defined({
    kind: "call" as const,
    role,
    pointer: base,
    id: filled(id),
    name: string(call["name"]) ?? "",
    ...callArguments(args ?? {}),
    isJson: true,
    wireType: "functionCall",
    isHosted: false,
    isSigned: filled(member(part, "thoughtSignature")) === undefined ? undefined : true,
    state: "complete" as const,
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

function functionResponse(part: Fields, role: Role, base: string): ToolResult {
  const key = wireName(part, "functionResponse");
  const result = fields(part[key]);
  const { response } = result;
  const flaws: ItemFlaw[] = [];
  if (!isFields(response)) {
    const detail = response === undefined ? "nothing" : jsonType(response);
    flaws.push({ kind: "bad-content", pointer: `${base}/${key}/response`, detail });
  }
  const hasFailed = isFields(response) && Object.keys(response).length === 1 && "error" in response;
  return defined({
    kind: "result" as const,
    role,
    pointer: base,
    callId: filled(result["id"]),
    name: filled(result["name"]),
    text: responseText(response),
    hasMedia: list(result["parts"]).length > 0,
    isError: hasFailed ? true : undefined,
    wireType: "functionResponse",
    isHosted: false,
    flaws: flaws.length > 0 ? flaws : undefined,
  });
}

/** The tool's output: inside `{output}`, `{result}` or `{error}`, else the object itself. */
function responseText(response: unknown): string {
  if (response === undefined || response === null) return "";
  if (typeof response === "string") return response;
  const [key, ...others] = Object.keys(fields(response));
  if (others.length === 0 && (key === "output" || key === "result" || key === "error")) {
    const inner = fields(response)[key];
    return typeof inner === "string" ? inner : JSON.stringify(inner);
  }
  return JSON.stringify(response);
}

/** Tools that Google runs: code execution, and calls that the server both makes and answers. */
function hostedPart(part: Fields, role: Role, pointer: string): Item | undefined {
  const hosted = { role, pointer, isHosted: true as const };
  const called = { isJson: true, state: "complete" as const };
  const code = member(part, "executableCode");
  if (isFields(code)) {
    const { argumentsText, arguments: parsed } = callArguments(code);
    const name = "code_execution";
    return {
      kind: "call",
      ...hosted,
      ...called,
      name,
      argumentsText,
      arguments: parsed,
      wireType: "executableCode",
    };
  }
  const outcome = member(part, "codeExecutionResult");
  if (isFields(outcome)) {
    const isError = string(outcome["outcome"])?.endsWith("_OK") === false;
    const text = string(outcome["output"]) ?? "";
    const name = "code_execution";
    return {
      kind: "result",
      ...hosted,
      name,
      text,
      hasMedia: false,
      isError,
      wireType: "codeExecutionResult",
    };
  }
  const call = member(part, "toolCall");
  if (isFields(call)) {
    const name = string(member(call, "toolType")) ?? string(call["name"]) ?? "";
    const id = filled(call["id"]);
    const { argumentsText, arguments: parsed } = callArguments(call["args"] ?? {});
    const item = { kind: "call" as const, ...hosted, ...called, name, argumentsText, arguments: parsed };
    return { ...item, ...(id !== undefined && { id }), wireType: "toolCall" };
  }
  const answer = member(part, "toolResponse");
  if (!isFields(answer)) return undefined;
  return defined({
    kind: "result" as const,
    ...hosted,
    callId: filled(answer["id"]),
    name: string(member(answer, "toolType")),
    text: responseText(answer["response"]),
    hasMedia: false,
    wireType: "toolResponse",
  });
}

const foreignTypes = /^(tool_use|tool_result|image_url|tool-call|tool-result|function_call|text)$/;

/**
 * A call or an answer of an unknown kind, which its member names. Who runs it is unknown, so no result is
 * missed.
 */
function pairedPart(part: Fields, role: Role, pointer: string): Item | undefined {
  const key = Object.keys(part).find(
    (name) => isFields(part[name]) && /(?:Call|_call|Response|_response)$/.test(name),
  );
  if (key === undefined) return undefined;
  const inner = fields(part[key]);
  const [id, name] = [filled(inner["id"]), filled(inner["name"])];
  const hosted = { role, pointer, isHosted: true as const, isOfUnknownKind: true as const, wireType: key };
  if (/[Cc]all$/.test(key)) {
    const args = callArguments(inner["args"] ?? {});
    const item = { kind: "call" as const, ...hosted, name: name ?? key, ...args, isJson: true };
    return { ...item, ...(id !== undefined && { id }), state: "complete" };
  }
  const text = responseText(inner["response"]);
  return defined({ kind: "result" as const, ...hosted, callId: id, name, text, hasMedia: false });
}

/** A part without any data that this API knows; empty texts become no item. */
function otherPart(part: Fields, role: Role, pointer: string): Item | undefined {
  if (part["text"] === "") return undefined;
  const paired = pairedPart(part, role, pointer);
  if (paired) return paired;
  const type = string(part["type"]) ?? "";
  const value: unknown = part;
  const wireType = type === "" ? (Object.keys(part)[0] ?? "") : type;
  const flaws = foreignTypes.test(type) ? [{ kind: "other-protocol" as const, pointer, detail: type }] : [];
  return { kind: "opaque", role, pointer, wireType, value, ...(flaws.length > 0 && { flaws }) };
}
