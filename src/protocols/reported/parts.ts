import type { Item, Reasoning, Role, ToolCall, ToolResult } from "../../conversation/item.ts";
import { parseJson } from "../../reading/parse.ts";
import {
  argumentsIn,
  callIdIn,
  callTypes,
  isFailure,
  outputIn,
  resultTypes,
  toolNameIn,
} from "../../traffic/vocabulary.ts";
import { isServerCall } from "../openai-chat/messages.ts";
import {
  callArguments,
  contentText,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  list,
  string,
} from "../wire.ts";

/** Items of the Responses API and of OpenAI's Agents SDK, which appear in a history between messages. */
export const itemTypes =
  /^((function|custom_tool|hosted_tool|computer|shell|apply_patch)_call(_output|_result)?|reasoning)$/;

/** Marks between the steps of a turn, sources of the model, and pieces of arguments that a call has whole. */
const marks = /^(step-(start|finish)|source(-\w+)?|data-.*|start-step|finish-step|input_json_delta)$/;

/**
 * Decodes one part of a message: the kinds of OpenTelemetry, the Vercel AI SDK and the providers, all of
 * which tracing tools pass on.
 * @see
 * https://github.com/open-telemetry/semantic-conventions/blob/main/docs/gen-ai/gen-ai-input-messages.json
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message
 */
export function decodePart(value: unknown, role: Role, pointer: string): Item[] {
  if (typeof value === "string") return text(value, role, pointer);
  const wrapped = fields(value)["message_content"];
  if (isFields(wrapped)) return decodePart(wrapped, role, `${pointer}/message_content`);
  const part = fields(value);
  const type = string(part["type"]);
  if (type === undefined) return untyped(part, role, pointer);
  const { inner, at } = contentOf(part, type, pointer);
  const inValue = writtenCall(part, type);
  if (inValue) return [decodeCall(inValue, `${pointer}/value`)];
  if (callTypes.has(type)) return [decodeCall(inner, at)];
  if (resultTypes.has(type)) return [decodeResult(inner, at)];
  if (type === "tool-invocation" && isFields(part["toolInvocation"]))
    return toolPart(part["toolInvocation"], string(part["toolInvocation"]["toolName"]), pointer);
  if (type === "dynamic-tool") return toolPart(part, string(part["toolName"]), pointer);
  if (type.startsWith("tool-") && part["toolCallId"] !== undefined)
    return toolPart(part, type.slice(5), pointer);
  if (/^(redacted[-_])?(reasoning|thinking)$/.test(type)) return [reasoningPart(part, role, pointer)];
  if (marks.test(type)) return [];
  const written = type === "text" ? string(part["value"]) : undefined;
  const said = string(part["text"]) ?? string(part["content"]) ?? string(part["refusal"]) ?? written;
  if (said !== undefined) return text(said, role, pointer);
  return [{ kind: "message", role, pointer, text: "", hasMedia: true }];
}

/** What a part says. Some tools keep it under the part's type: `{type: "tool-call", toolCall: {…}}`. */
export function contentOf(
  part: Fields,
  type: string,
  pointer: string,
): { readonly inner: Fields; readonly at: string } {
  const inCamelCase = type.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  for (const key of new Set([type, inCamelCase])) {
    const inner = part[key];
    if (isFields(inner)) return { inner, at: `${pointer}/${key}` };
  }
  return { inner: part, at: pointer };
}

/** The parts of a list; `base` is the pointer to it. */
export function decodeParts(values: unknown, role: Role, base: string): Item[] {
  return list(values).flatMap((part, index) => decodePart(part, role, `${base}/${index}`));
}

function untyped(part: Fields, role: Role, pointer: string): Item[] {
  for (const key of ["toolUse", "functionCall", "function_call"])
    if (isFields(part[key])) return [decodeCall(part[key], `${pointer}/${key}`)];
  for (const key of ["toolResult", "functionResponse", "function_response"])
    if (isFields(part[key])) return [decodeResult(part[key], `${pointer}/${key}`)];
  // Some tools store a chat message's calls as its content.
  if (isFields(part["function"]) && part["id"] !== undefined) return [decodeCall(part, pointer)];
  const said = string(part["text"]) ?? string(part["content"]);
  return said === undefined ? [] : text(said, role, pointer);
}

function text(said: string, role: Role, pointer: string): Item[] {
  return said === "" ? [] : [{ kind: "message", role, pointer, text: said, hasMedia: false }];
}

/**
 * A call whose name and arguments stand as JSON text in the part's `value`.
 * @see https://github.com/hiyouga/LLaMA-Factory (data of `v1_sft`)
 */
function writtenCall(part: Fields, type: string): Fields | undefined {
  if (!callTypes.has(type) || toolNameIn(part) !== undefined) return undefined;
  const written = string(part["value"]);
  const call = written === undefined ? undefined : parseJson(written);
  return isFields(call) && toolNameIn(call) !== undefined ? call : undefined;
}

function reasoningPart(part: Fields, role: Role, pointer: string): Item {
  const said = ["text", "content", "thinking", "reasoning", "value"].map((key) => string(part[key]));
  return defined({
    kind: "reasoning" as const,
    role,
    pointer,
    text: said.find((word) => word !== undefined) ?? "",
    seal: filled(part["signature"]) ?? filled(part["data"]),
  });
}

/** Decodes an object as a call, under any known member names. */
export function decodeCall(part: Fields, pointer: string): ToolCall {
  const given = argumentsIn(part);
  return defined({
    kind: "call" as const,
    role: "assistant" as const,
    pointer,
    id: callIdIn(part),
    name: unprinted(toolNameIn(part) ?? ""),
    ...callArguments(typeof given === "string" ? unprinted(given) : given),
    isJson: true,
    wireType: "tool-call",
    isHosted: part["providerExecuted"] === true || isServerCall(part["type"]),
    state: "complete" as const,
  });
}

/** A text without the quotes that some tracers take over from Python's `repr`: `'weather'`, `'{…}'`. */
function unprinted(text: string): string {
  return /^'(?:[\w.-]+|\{[\s\S]*\})'$/.test(text) ? text.slice(1, -1) : text;
}

/** The calls of a list; `base` is the pointer to it. */
export function callsOf(values: unknown, base: string): ToolCall[] {
  return list(values).map((call, index) => decodeCall(fields(call), `${base}/${index}`));
}

/** Decodes an object as a call's result, under any known member names. */
export function decodeResult(part: Fields, pointer: string): ToolResult {
  const value = outputIn(part)?.value;
  // The AI SDK tags its outputs: `{type: "json", value}`, `{type: "error-text", value}`.
  const typed = fields(value);
  const isTyped = /^(json|text|content|error-(json|text)|execution-denied)$/.test(
    string(typed["type"]) ?? "",
  );
  const hasFailed =
    isFailure(part) ||
    part["type"] === "tool-error" ||
    (isTyped && string(typed["type"])?.startsWith("error") === true);
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: callIdIn(part),
    name: toolNameIn(part),
    text: resultText(isTyped ? (typed["value"] ?? typed["text"] ?? typed["reason"]) : value),
    hasMedia: false,
    isError: hasFailed ? true : undefined,
    wireType: "tool-result",
    isHosted: part["providerExecuted"] === true,
  });
}

/** A call of a UI message, which includes its result. */
function toolPart(part: Fields, name: string | undefined, pointer: string): Item[] {
  const call = { ...decodeCall(part, pointer), name: name ?? "" };
  const state = string(part["state"]) ?? "";
  const output = part["output"] ?? part["result"];
  const failure = filled(part["errorText"]);
  if (!/^(output-available|output-error|output-denied|result)$/.test(state) && output === undefined) {
    // Incomplete calls are dropped when the message is resent.
    const isOpen = state === "input-streaming" || state === "partial-call";
    return [isOpen ? { ...call, state: "open" } : { ...call, state: "complete", lacksResult: true }];
  }
  const result: ToolResult = {
    kind: "result",
    role: "tool",
    pointer,
    ...(call.id !== undefined && { callId: call.id }),
    name: call.name,
    text: failure ?? resultText(output),
    hasMedia: false,
    ...((failure !== undefined || state === "output-error") && { isError: true }),
    wireType: "tool-result",
    isHosted: call.isHosted,
  };
  return [call, result];
}

/** A tool's output as text: verbatim if it is text or parts of text. */
export function resultText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  const parts = list(value);
  if (
    parts.length > 0 &&
    parts.every((part) => isFields(part) && (part["text"] ?? part["content"]) !== undefined)
  )
    return contentText(parts, (part) => string(part["text"]) ?? string(part["content"])).text;
  return JSON.stringify(value);
}

/** A text as the items of a message: none if it is empty. */
export function said(value: unknown, role: Role, pointer: string): Item[] {
  const text = typeof value === "string" ? value : resultText(value);
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

export function reasoning(text: unknown, role: Role, pointer: string): Reasoning {
  return { kind: "reasoning", role, pointer, text: string(text) ?? "" };
}

/** The result of a call, from members that the caller found under its framework's names. */
export function result(
  members: { callId: unknown; name?: unknown; output: unknown; isError?: boolean },
  pointer: string,
): ToolResult {
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: filled(members.callId),
    name: filled(members.name),
    text: resultText(members.output),
    hasMedia: false,
    isError: members.isError === true ? true : undefined,
    wireType: "tool-result",
    isHosted: false,
  });
}

/** A member under the first name that exists, capitalised or not, and its key. */
export function member(value: Fields, ...names: readonly string[]): readonly [key: string, value: unknown] {
  for (const name of names)
    for (const key of [name, name[0]?.toUpperCase() + name.slice(1)])
      if (value[key] !== undefined) return [key, value[key]];
  return ["", undefined];
}

/** Rebases an item to `base`; without a role, the model said it. */
export function itemBelow(item: Item, base: string): Item {
  return {
    ...item,
    ...(item.role === "unknown" && { role: "assistant" as const }),
    pointer: `${base}${item.pointer}`,
    ...(item.flaws && { flaws: item.flaws.map((flaw) => ({ ...flaw, pointer: `${base}${flaw.pointer}` })) }),
  };
}
