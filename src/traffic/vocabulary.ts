import { parseJson } from "../reading/parse.ts";
import { type Fields, fields, filled, isFields, list } from "../reading/values.ts";
import { speakerOf } from "./roles.ts";

/**
 * Spellings of calls and results in messages that were never sent in this form: dumps of SDKs and frameworks,
 * agents' session files, custom logs, events for a front end. They mix the providers' spellings freely.
 * Protocols do not use this table: their API takes one spelling, and any other is a finding.
 */

const words = (text: string): readonly string[] => text.split(/\s+/);

/** Where the messages of a span of Monocle stand once they are put together. */
export const monocleKey = "monocle.message";

/** Types of a part or an item that is a call. */
export const callTypes: ReadonlySet<string> = new Set(
  words("tool-call tool_call toolCall tool_use toolUse function_call functionCall custom_tool_call"),
);

/** Types of a part or an item that is a result. */
export const resultTypes: ReadonlySet<string> = new Set([
  ...words("tool-result tool_result toolResult tool_call_response tool_response tool-error"),
  ...words("function_call_output function_call_result custom_tool_call_output"),
  ...words("function_response functionResponse"),
]);

const callIdKeys = words(
  "toolCallId tool_call_id toolUseId tool_use_id toolUseID call_id callId callID tool_id",
);

const toolNameKeys = words("toolName tool_name functionName function_name");

const argumentKeys = words(
  "arguments args tool_input toolInput input parameters params argumentsJson arguments_json input_json tool_kwargs",
);

/** `error` comes last: with an output, it only says that the call failed. */
const outputKeys = words("output result tool_result tool_return observation response content text error");

/**
 * The id of a call, in the object that is the call or its result, where a plain `id` is the call's. A list of
 * ids ends with it. A masked id is ignored, since it pairs nothing.
 */
export function callIdIn(part: Fields): string | undefined {
  const id = filledUnder(part, callIdKeys) ?? filled(part["id"]) ?? filled(list(part["id"]).at(-1));
  return id !== undefined && isMaskedId(id) ? undefined : id;
}

/** Whether something stands for an id that was taken out or shortened: `<id>`, `[id]`, `***`, `call_1…`. */
export function isMaskedId(id: string): boolean {
  return /^(?:<.*>$|\[.*\]$|\*)|(?:\.{3}|…)$/s.test(id);
}

/** The id of a call in a record around it, whose `id` is the record's own. */
export function callIdBeside(record: Fields): string | undefined {
  return filledUnder(record, callIdKeys);
}

/** The tool's name, in the object that is the call or its result, where a plain `name` is the tool's. */
export function toolNameIn(part: Fields): string | undefined {
  return (
    specificName(part) ?? filled(part["name"]) ?? nameUnder(part["tool"]) ?? filled(mcpCall(part)?.["name"])
  );
}

/** What a call over MCP asks for: `{method: "tools/call", params: {name, arguments}}`. */
function mcpCall({ method, params }: Fields): Fields | undefined {
  return method === "tools/call" && isFields(params) ? params : undefined;
}

/** The tool's name in a record around a call, whose `name` is the record's own. */
export function toolNameBeside(record: Fields): string | undefined {
  return specificName(record) ?? nameUnder(record["tool"]);
}

function specificName(value: Fields): string | undefined {
  return nameUnder(value["function"]) ?? filledUnder(value, toolNameKeys);
}

/** `function` and `tool` hold a name, or an object that has one. */
function nameUnder(value: unknown): string | undefined {
  return filled(value) ?? filled(fields(value)["name"]);
}

/** The arguments of a call, as text or value; `undefined` where there are none. */
export function argumentsIn(call: Fields): unknown {
  const asked = mcpCall(call);
  if (asked) return asked["arguments"];
  const called = call["function"];
  return (isFields(called) ? valueUnder(called, argumentKeys) : undefined) ?? valueUnder(call, argumentKeys);
}

/** Where messages of most forms list their calls. */
export const callsKey = "tool_calls";

/** Whether a value is a call that says so itself, as in a list of the calls alone. */
export function isListedCall(value: unknown): boolean {
  const call = fields(value);
  const { type, name, function: body } = call;
  const isOfType =
    typeof type === "string" &&
    (callTypes.has(type) ||
      (type === "function" && (isFields(body) ? !isDeclaration(body) : call["arguments"] !== undefined)));
  return isOfType && typeof (fields(body)["name"] ?? name) === "string";
}

/** Whether the function of a tool is declared, not called: only a declaration describes it. */
function isDeclaration(body: Readonly<Record<string, unknown>>): boolean {
  return (
    body["arguments"] === undefined && (body["parameters"] !== undefined || body["description"] !== undefined)
  );
}

/** Whether an element of a list is the model's alone: its message, call or thought. */
export function isFromModel(element: unknown): boolean {
  const { role, type, content, parts } = fields(element);
  if (role !== undefined && speakerOf(filled(role)) !== "assistant") return false;
  if (role === undefined) return typeof type === "string" && (callTypes.has(type) || isThought(type));
  return ![...list(content), ...list(parts)].some((part) => {
    const inner = fields(part);
    return resultTypes.has(filled(inner["type"]) ?? "") || inner["functionResponse"] !== undefined;
  });
}

/** Whether a list is what a model said in blocks, without the message around them: `print(reply.content)`. */
export function areBlocksOfModel(values: readonly unknown[]): boolean {
  const types = values.map((value) => {
    const { role, type } = fields(value);
    return role === undefined ? filled(type) : undefined;
  });
  return (
    types.includes("tool_use") &&
    types.every((type) => type === "text" || type === "tool_use" || isThought(type ?? ""))
  );
}

function isThought(type: string): boolean {
  return /^(?:reasoning|(?:redacted_)?thinking)$/.test(type);
}

/**
 * What a message keeps as JSON in its content: its calls, or results with the ids of their calls. A model
 * that writes calls as text gives them no ids.
 */
export function keptInContent({ role, content }: Fields): readonly Fields[] | undefined {
  if (typeof content !== "string" || !/^\s*[{[]/.test(content) || !/"tool_call(?:s|_id)"/.test(content))
    return undefined;
  const kept = parseJson(content);
  const isCall = (call: unknown): boolean =>
    filled(fields(call)["id"]) !== undefined && filled(fields(call)["name"]) !== undefined;
  const isResult = (value: unknown): boolean =>
    filled(fields(value)["tool_call_id"]) !== undefined && "content" in fields(value);
  if (role === "assistant") {
    const calls = list(fields(kept)["tool_calls"]);
    return calls.length > 0 && calls.every(isCall) ? [fields(kept)] : undefined;
  }
  const results = isFields(kept) ? [kept] : list(kept).map(fields);
  return role === "tool" && results.length > 0 && results.every(isResult) ? results : undefined;
}

/** A tool's output, with the name of the member that holds it. */
export function outputIn(result: Fields): { readonly key: string; readonly value: unknown } | undefined {
  const key = outputKeys.find((name) => result[name] !== undefined && result[name] !== null);
  return key === undefined ? undefined : { key, value: result[key] };
}

/** Whether a result is explicitly marked as failed. */
export function isFailure(result: Fields): boolean {
  const { isError, is_error: hasError, error, status, success } = result;
  return isError === true || hasError === true || error === true || status === "error" || success === false;
}

function filledUnder(value: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = filled(value[key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueUnder(value: Fields, keys: readonly string[]): unknown {
  const key = keys.find((name) => value[name] !== undefined && value[name] !== null);
  return key === undefined ? undefined : value[key];
}
