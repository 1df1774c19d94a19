import type { Item, Message, Role, ToolCall, ToolResult } from "../../conversation/item.ts";
import { pushAll } from "../../reading/lists.ts";
import { printedValue } from "../../reading/literal.ts";
import { parseJson } from "../../reading/parse.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { anySpeakerOf } from "../../traffic/roles.ts";
import { callIdBeside, isFailure, toolNameIn } from "../../traffic/vocabulary.ts";
import type { DecodedElement } from "../protocol.ts";
import { defined, type Fields, fields, filled, isFields, list, string } from "../wire.ts";
import type { Unwrapped } from "./frameworks/framework.ts";
import { decodeOwnForm, unwrapped } from "./frameworks/index.ts";
import { decodeCall, decodePart, decodeResult, itemTypes, resultText } from "./parts.ts";

/** The role of a message in any known spelling; `undefined` for other words. */
function roleOf({ message, kind }: Unwrapped): Role | undefined {
  const word =
    ["role", "from", "sender"].map((key) => string(message[key])).find(Boolean) ??
    kind ??
    string(message["type"]);
  return anySpeakerOf(word);
}

/** Decodes one message of an SDK, framework or tracing tool. It was not sent in this form. */
export function decodeMessage(value: unknown): DecodedElement {
  if (typeof value === "string")
    return {
      role: "user",
      items: [{ kind: "message", role: "user", pointer: "", text: value, hasMedia: false }],
    };
  const own = decodeOwnForm(value);
  if (own) return own;
  const found = unwrapped(value);
  const { message, base } = found;
  if (/^(function|tool)_calls?$/.test(string(message["from"]) ?? string(message["role"]) ?? ""))
    return writtenCall(message);
  if (isItem(found)) {
    const role = /_(?:output|result)$/.test(found.kind ?? "") ? "tool" : "assistant";
    return { role, items: decodePart(message, role, base) };
  }
  const role = roleOf(found) ?? "unknown";
  // In τ²-bench the simulated user also has tools, which the model does not see.
  if (message["requestor"] === "user" && role === "tool") return { role, items: [] };
  const key = ["content", "parts", "contents", "value", "text"].find(
    (member) => message[member] !== undefined && message[member] !== null,
  );
  const content = key === undefined ? undefined : saidIn(message[key]);
  const items: Item[] = [];
  const reasoning = filled(message["reasoning_content"]) ?? filled(message["reasoning"]);
  if (reasoning !== undefined && role === "assistant")
    items.push({ kind: "reasoning", role, pointer: base, text: reasoning });
  const parts = partsOf(message, content);
  const given = listedResults(message, base);
  if (given.length > 0) return { role, items: [...items, ...given] };
  if (parts)
    pushAll(
      items,
      withServersResults(
        parts.list.flatMap((part, index) => decodePart(part, role, `${base}/${parts.key}/${index}`)),
      ),
    );
  else if (role === "tool") return { role, items: [plainResult(message, content, base)] };
  else if (content !== undefined) pushAll(items, textOf(content, role, `${base}/${key}`));
  const listed = role === "user" ? [] : calls(message, base);
  // LangChain keeps the block of a streamed call without its arguments, which its own list has.
  for (const [index, item] of items.entries()) {
    if (item.kind !== "call" || item.id === undefined || !/^(?:\{\})?$/.test(item.argumentsText)) continue;
    const whole = listed.find((other) => other.kind === "call" && other.id === item.id);
    if (whole) items[index] = whole;
  }
  const known = new Set(items.flatMap((item) => (item.kind === "call" ? [item.id ?? item.name] : [])));
  const idOf = (item: Item): string | undefined =>
    item.kind === "call" ? (item.id ?? item.name) : item.kind === "result" ? item.callId : undefined;
  pushAll(
    items,
    listed.filter((item) => !known.has(idOf(item) ?? "")),
  );
  // A tool message whose parts contain only the tool's output.
  if (role === "tool" && !items.some(({ kind }) => kind === "result"))
    return { role, items: [plainResult(message, content, base)] };
  return { role, items };
}

/**
 * The parts of a message, where a result of the server's own call is the server's as well. The AI SDK marks
 * only the call.
 */
function withServersResults(items: readonly Item[]): readonly Item[] {
  const own = new Set(items.flatMap((item) => (item.kind === "call" && item.isHosted ? [item.id] : [])));
  return items.map((item) =>
    item.kind === "result" && item.callId !== undefined && own.has(item.callId)
      ? { ...item, isHosted: true }
      : item,
  );
}

/** Content that is an object around a text, as RubyLLM prints it: `{text, attachments}`. */
function saidIn(content: unknown): unknown {
  return isFields(content) && content["type"] === undefined ? (string(content["text"]) ?? content) : content;
}

/** A Responses API item stored among messages. */
export function isItem({ message, kind }: Unwrapped): boolean {
  return message["role"] === undefined && kind !== undefined && itemTypes.test(kind);
}

/**
 * A message of nothing but calls. ShareGPT and training data store them as JSON text or printed Python,
 * without ids; others as a list beside the role.
 */
function writtenCall(message: Fields): DecodedElement {
  const key = ["value", "calls", "tool_calls"].find((member) => message[member] !== undefined) ?? "content";
  const text = message[key];
  const value = typeof text === "string" ? (parseJson(text) ?? printedValue(text)) : text;
  const made = (Array.isArray(value) ? value : [value]).filter(isFields);
  const role = "assistant";
  // What a text holds has no pointer of its own.
  const isList = Array.isArray(text) && made.length === text.length;
  if (made.length > 0)
    return { role, items: made.map((call, at) => decodeCall(call, isList ? `/${key}/${at}` : `/${key}`)) };
  return { role, items: textOf(text, role, `/${key}`) };
}

/** UI messages have both: `content` repeats the text of the `parts`. */
function partsOf(message: Fields, content: unknown): { list: readonly unknown[]; key: string } | undefined {
  for (const key of ["parts", "content", "contents"]) {
    const parts = list(message[key]);
    if (parts.length > 0) return { list: parts, key };
  }
  return Array.isArray(content) ? { list: [], key: "content" } : undefined;
}

function textOf(content: unknown, role: Role, pointer: string): Message[] {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

/** Under which names messages list their calls. */
const callKeys = ["tool_calls", "toolCalls", "tool_uses", "toolUses", "toolInvocations", "tool_call"];

/** The lists of calls next to the content, by known names; LangChain also stores the provider's list. */
function calls(message: Fields, base: string): Item[] {
  const more = fields(message["additional_kwargs"]);
  const found = listedCalls(message, more, base);
  // The provider's list has them, too.
  const isWhole = found.some(({ pointer }) => pointer.startsWith(`${base}/additional_kwargs/`));
  return isWhole ? found : [...found, ...unparsedCalls(message, base)];
}

/**
 * The calls whose arguments LangChain could not parse. It keeps them apart, and sends them with the others.
 * One without a name is a fragment.
 * @see https://reference.langchain.com/python/langchain_core/messages/
 */
function unparsedCalls(message: Fields, base: string): Item[] {
  return list(message["invalid_tool_calls"]).flatMap((call, index) =>
    toolNameIn(fields(call)) === undefined
      ? []
      : [decodeCall(fields(call), `${base}/invalid_tool_calls/${index}`)],
  );
}

function listedCalls(message: Fields, more: Fields, base: string): Item[] {
  const holders: [holder: Fields, at: string][] = [
    [message, base],
    [more, `${base}/additional_kwargs`],
  ];
  if (holdsFragments(more)) holders.reverse();
  for (const [holder, at] of holders) {
    for (const key of callKeys) {
      const found = callList(holder[key]);
      if (found.length > 0)
        return found.flatMap(([index, call]) => {
          const pointer = `${at}/${key}/${index}`;
          // OpenInference: `{tool_call: {…}}`. The AI SDK's invocations include their results.
          if (key === "toolInvocations")
            return decodePart({ type: "tool-invocation", toolInvocation: call }, "assistant", pointer);
          const inner = fields(call)["tool_call"];
          const made = decodeCall(
            fields(inner ?? call),
            inner === undefined ? pointer : `${pointer}/tool_call`,
          );
          return [made, ...resultInside(fields(call), made)];
        });
    }
    for (const key of ["function_call", "functionCall"])
      if (isFields(holder[key])) return [decodeCall(holder[key], `${at}/${key}`)];
    for (const key of ownCallKeys)
      if (holdsCall(holder, key)) return [decodeCall(fields(holder[key]), `${at}/${key}`)];
  }
  return [];
}

/**
 * Whether LangChain's list of the provider's calls has fragments that nothing joined. Its own list then has
 * some of them as calls without arguments, and the others as invalid ones.
 */
function holdsFragments(more: Fields): boolean {
  return list(more["tool_calls"]).some((call, index) => {
    const { name, arguments: text } = fields(fields(call)["function"]);
    return index > 0 && filled(name) === undefined && filled(text) !== undefined;
  });
}

/** Where home-made logs keep the one call of a message. */
const ownCallKeys = ["tool_call", "toolCall"] as const;

/** Whether a message keeps its one call in a member that no API has: `{tool_call: {name, arguments}}`. */
export function keepsOneCall(message: Fields): boolean {
  return ownCallKeys.some((key) => holdsCall(message, key));
}

function holdsCall(message: Fields, key: string): boolean {
  return toolNameIn(fields(message[key])) !== undefined;
}

/** The calls of a message with their keys: a list, or an object whose keys are the ids. */
function callList(value: unknown): readonly (readonly [key: string | number, call: unknown])[] {
  if (!isFields(value)) return list(value).map((call, index) => [index, call]);
  return isKeyedCalls(value)
    ? Object.entries(value).map(([id, call]) => [pointerToken(id), { id, ...fields(call) }])
    : [];
}

/** Calls by their ids: `{call_1: {name, arguments}}`. */
export function isKeyedCalls(value: unknown): boolean {
  const calls = Object.values(fields(value));
  return calls.length > 0 && calls.every((call) => isFields(call) && toolNameIn(call) !== undefined);
}

/** The result that some programs keep in the call: `{tool, input, output}`. */
function resultInside(call: Fields, made: ToolCall): ToolResult[] {
  const output = keptResult(call);
  if (output === undefined) return [];
  const result = decodeResult({ ...call, output }, made.pointer);
  return [defined({ ...result, callId: made.id, name: made.name })];
}

/** What a call keeps as its result; the arguments have other names. */
export function keptResult(call: Fields): unknown {
  return [call["output"], call["result"], call["response"], call["observation"]].find(
    (value) => value !== undefined && value !== null,
  );
}

/**
 * Datadog and LangChain for Elixir store tool results in a list next to the content, which is then empty;
 * fast-agent stores them by the ids of their calls.
 */
function listedResults(message: Fields, base: string): Item[] {
  return keyedOrListed(message["tool_results"]).flatMap(([key, value]): Item[] => {
    const kept = fields(value);
    const { tool_id: toolId, tool_call_id: id = toolId, content, result: output = content, name } = kept;
    const callId = filled(id) ?? filled(key);
    if (callId === undefined || output === undefined) return [];
    const pointer = `${base}/tool_results/${typeof key === "string" ? pointerToken(key) : key}`;
    const { isError } = kept;
    return [plainResult({ tool_call_id: callId, tool_name: name, isError }, output, pointer)];
  });
}

function keyedOrListed(value: unknown): readonly (readonly [key: string | number, element: unknown])[] {
  return isFields(value) ? Object.entries(value) : list(value).map((each, index) => [index, each]);
}

function plainResult(message: Fields, content: unknown, pointer: string): Item {
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId:
      callIdBeside(message) ??
      filled(list(message["tool_call_ids"])[0]) ??
      // In τ²-bench a result's own id is that of its call.
      (message["requestor"] === undefined ? undefined : filled(message["id"])),
    name: toolNameIn(message),
    text: resultText(content),
    hasMedia: false,
    isError: isFailure(message) ? true : undefined,
    wireType: "tool-result",
    isHosted: false,
  });
}
