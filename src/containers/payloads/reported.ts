import type { JsonNode, Member } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { parseJson } from "../../reading/parse.ts";
import { isPageOfItems } from "../../traffic/listed-items.ts";
import { anySpeakerOf } from "../../traffic/roles.ts";
import type { Context } from "./record-context.ts";
import type { Slice } from "./slice.ts";

/** Records of tracing tools, benchmarks and frameworks, which report the traffic in a form of their own. */

export const inputKey = /^(inputs?|prompt|request_data|model_input_messages)$/;
export const outputKey = /^(outputs?|completion|generations?|response_data|model_output_message)$/;
/** Keys of a tool's input and output; no program names its own traffic so. */
export const reportKey = /^((in|out)puts?|model_(input_messages|output_message))$/;
/** MLflow's attributes of a span. */
const mlflowKey = /^mlflow\.span(Inputs|Outputs)$/;
export const rawKey = /^(raw_(request|response|chunks)|call)$/;
/** Keys under which a provider's own log keeps the wire body within an input or output record. */
export const bodyKey = /^(in|out)putBodyJson$/;
/** Keys of a whole run in benchmarks and frameworks: one list of messages that was never sent as such. */
export const transcriptKey = /^(traj(ectory)?|history|train_messages|conversations?|dialogue?|transcript)$/;

/** The half of an exchange that a tool's report holds under a key. */
export function reportedHalf(key: string): "request" | "reply" | undefined {
  if (inputKey.test(key)) return "request";
  if (outputKey.test(key)) return "reply";
  const [, name] = mlflowKey.exec(key) ?? [];
  return name === undefined ? undefined : name === "Inputs" ? "request" : "reply";
}

/** Keys of the records of tracing tools. */
const traceKey =
  /^(trace_?id|span_?id|observation_?id|parent_?observation_?id|run_?type|parent_?(span|run)_?id|dotted_order|span_attributes|span_kind)$/i;

/** A tracing tool's record with an input or an output, which are not in an API's format. */
export function isObservation(node: JsonNode): boolean {
  const members = node.members ?? [];
  return (
    members.some(({ key }) => /^(in|out)puts?$/.test(key)) && members.some(({ key }) => traceKey.test(key))
  );
}

/** The items that a recorder notes as added to the former history or taken from it, in place of all. */
const changeKey = /^(?:(?:messages|contents|input|history)[+-]|[+-](?:messages|contents|input|history))$/;

/**
 * What nobody sent: what a test or an evaluation expects of its input, perhaps single messages of it, the
 * code of a cell in a notebook, the change of a history, and the items that a server lists.
 */
export function isUnsent(key: string, node: JsonNode): boolean {
  const { members } = node;
  const has = (name: RegExp): boolean => members?.some((member) => name.test(member.key)) ?? false;
  if (changeKey.test(key) || (key === "data" && isPageOfItems(node))) return true;
  return (key === "expected" && has(inputKey)) || (key === "source" && has(/^cell_type$/));
}

/** In a tool's report, an object with a model is the body as sent; everything else is the tool's own form. */
export function isReport(at: Slice, context: Context, node: JsonNode): boolean {
  if (keepsRunTools(at, node)) return true;
  return context.fidelity === "reported" && !(node.members?.some(({ key }) => key === "model") ?? false);
}

/** Agno's runs: `tools` lists the tools that ran with their arguments, not those that the request offers. */
function keepsRunTools({ bytes, level }: Slice, node: JsonNode): boolean {
  const tools = node.members?.find(({ key }) => key === "tools")?.node;
  if (tools?.kind !== "array" || !bytes.subarray(tools.start, tools.end).includes("tool_call_id"))
    return false;
  const [first] = readValue(bytes, tools, level) as readonly unknown[];
  return typeof first === "object" && first !== null && "tool_call_id" in first;
}

/** An event of LangChain's callbacks, and what it holds. */
export interface CallbackEvent {
  /** What runs: `chat_model`, `chain`, `tool`, `retriever` and others. */
  readonly step: string;
  readonly phase: "start" | "stream" | "end" | "error";
  readonly data: JsonNode;
}

/**
 * A record of `astream_events` or `streamEvents`: `{event: "on_chat_model_end", run_id, data}`.
 * @see https://docs.langchain.com/oss/python/langchain/streaming
 */
export function callbackEvent(at: Slice, node: JsonNode): CallbackEvent | undefined {
  const members = node.members ?? [];
  const event = members.find(({ key }) => key === "event")?.node;
  if (event?.kind !== "string") return undefined;
  const data = members.find(({ key }) => key === "data")?.node;
  if (data?.kind !== "object" || !members.some(({ key }) => key === "run_id")) return undefined;
  const name = String(readValue(at.bytes, event, at.level));
  const [, step, phase] = /^on_(\w+)_(start|stream|end|error)$/.exec(name) ?? [];
  return step === undefined ? undefined : { step, phase: phase as CallbackEvent["phase"], data };
}

/**
 * The chunk or message of a pair that LangGraph streams as `messages`: `[chunk, {langgraph_step, …}]`.
 * @see https://docs.langchain.com/oss/python/langgraph/streaming
 */
export function streamedMessage({ items = [] }: JsonNode): JsonNode | undefined {
  const [message, metadata] = items;
  if (items.length !== 2 || message?.kind !== "object") return undefined;
  return metadata?.members?.some(({ key }) => /^langgraph_(?:step|node)$/.test(key)) ? message : undefined;
}

/** The record declares a step without a model call. Its input and output may still look like messages. */
export function asksNoModel(at: Slice, node: JsonNode): boolean {
  return /^(tool|prompt|retriever|parser|embedding|evaluator|guardrail|score)$/i.test(kindOf(at, node));
}

/**
 * Whether a record says that it is a call of a model. Other steps of a graph carry the messages, too, but
 * nobody sent them; `undefined` where the record does not say what it is.
 */
export function isModelCall(at: Slice, node: JsonNode): boolean | undefined {
  const kind = kindOf(at, node);
  if (/^(generation|llm|chat_model)$/i.test(kind)) return true;
  return /^(span|chain|agent|event|workflow|task)$/i.test(kind) ? false : undefined;
}

/** What a tracing tool calls the step of a record; empty if it says nothing. */
function kindOf(at: Slice, node: JsonNode): string {
  const members = node.members ?? [];
  const attributes = members.find(({ key }) => key === "span_attributes")?.node.members ?? [];
  const kind = [...members, ...attributes].find(
    ({ key, node: value }) => /^(type|run_type|observation_type)$/.test(key) && value.kind === "string",
  )?.node;
  return kind === undefined ? "" : String(readValue(at.bytes, kind, at.level));
}

/** The ids of a span, observation or run and of its parent. */
export function spanIds(at: Slice, node: JsonNode): { own?: string; parent?: string } | undefined {
  const members = node.members ?? [];
  const isSpan = members.some(({ key }) => traceKey.test(key) || /^(spanContext|context)$/.test(key));
  if (!isSpan) return undefined;
  const read = (among: readonly Member[], names: RegExp): string | undefined => {
    const found = among.find(({ key, node: value }) => names.test(key) && value.kind === "string")?.node;
    return found && (String(readValue(at.bytes, found, at.level)) || undefined);
  };
  const inside = (names: RegExp): readonly Member[] =>
    members.find(({ key }) => names.test(key))?.node.members ?? [];
  const own =
    read(members, /^span_?id$/i) ??
    read(inside(/^(spanContext|context)$/), /^span_?id$/i) ??
    read(members, /^id$/);
  const list = members.find(({ key }) => key === "span_parents")?.node.items?.[0];
  const parent =
    read(members, /^parent_?(span|observation|run)?_?id$/i) ??
    read(inside(/^parentSpanContext$/), /^span_?id$/i) ??
    (list?.kind === "string" ? String(readValue(at.bytes, list, at.level)) : undefined);
  return { ...(own !== undefined && { own }), ...(parent !== undefined && parent !== own && { parent }) };
}

/** Whether an input and an output are members of the same object. */
export function standsForExchange(node: JsonNode): boolean {
  const members = node.members ?? [];
  // A run of several requests also has an input and an output.
  if (members.some(({ key }) => /^(messages|events|transcript|steps|runs|spans)$/.test(key))) return false;
  return members.some(({ key }) => inputKey.test(key)) && members.some(({ key }) => outputKey.test(key));
}

/** A prompt: the text itself, or the only text among the arguments of a function. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === "string") {
    const inner = /^\s*[{["]/.test(value) ? parseJson(value) : undefined;
    return inner === undefined ? (value.trim() === "" ? undefined : value) : textIn(inner);
  }
  if (Array.isArray(value)) return value.length === 1 ? textIn(value[0]) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const named = ["args", "prompt", "prompts", "input", "query", "question", "text"].filter(
    (key) => members[key] !== undefined,
  );
  return named.length === 1 ? textIn(members[named[0] as string]) : undefined;
}

interface Output {
  readonly value: unknown;
  /** Pointer below the output; for a text that holds JSON, the pointer of the text. */
  readonly pointer: string;
}

/** Whether a text is JSON of a message of the model, or was until it was damaged. */
export function beginsAsMessage(text: string): boolean {
  const isMessage = /"role"\s*:\s*"\s*(?:assistant|ai|model)"|"choices"\s*:|"tool_calls"\s*:/;
  return /^\s*(?:\[\s*)?\{\s*"/.test(text) && isMessage.test(text.slice(0, 400));
}

/** A message of the model, several of them, or its text; `undefined` for any other output. */
export function saidBy(value: unknown, pointer = ""): Output | undefined {
  if (typeof value === "string") {
    // A byte order mark counts as white space for the pattern, but not for JSON.
    const inner = /^\s*[[{"]/.test(value) ? parseJson(value.replace(/^\ufeff/, "")) : undefined;
    if (inner === undefined) return value.trim() === "" ? undefined : { value, pointer };
    const output = saidBy(inner);
    return output && { ...output, pointer };
  }
  if (isMessageOfModel(value) && !isWrapped(value)) return { value, pointer };
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === "string")
    return saidBy(value[0], `${pointer}/0`);
  if (Array.isArray(value))
    return value.length > 0 && (value.every(isMessageOfModel) || value.every(isPartOfReply))
      ? { value, pointer }
      : undefined;
  if (typeof value !== "object" || value === null || Object.keys(value).length > 4) return undefined;
  // Some tools add a wrapper: `{message: {…}}`, `{messages: […]}`, `{data: […]}`, `{output: {…}}`.
  const inner = Object.entries(value).filter(([key]) =>
    /^(message|messages|data|output|llm_output|content|text)$/.test(key),
  );
  const [only] = inner;
  return only && inner.length === 1 ? saidBy(only[1], `${pointer}/${only[0]}`) : undefined;
}

/** A text or a thought of the model, which spans list next to its calls. */
function isPartOfReply(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type, text } = value as Readonly<Record<string, unknown>>;
  return (type === "text" || type === "reasoning") && typeof text === "string";
}

/** `{message: {…}}`, perhaps with a token count. */
function isWrapped(value: unknown): boolean {
  const { role, message } = value as Readonly<Record<string, unknown>>;
  return role === undefined && typeof message === "object" && message !== null;
}

function isMessageOfModel(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const message = value as Readonly<Record<string, unknown>>;
  const inner = message["kwargs"] ?? message["message"] ?? message["data"];
  const id = message["id"];
  if (Array.isArray(id) && typeof inner === "object") return /AIMessage/.test(String(id.at(-1)));
  const role = message["role"] ?? (message["content"] === undefined ? undefined : message["type"]);
  if (role === undefined && message["message"] !== undefined) return isMessageOfModel(message["message"]);
  return typeof role === "string" && anySpeakerOf(role) === "assistant";
}
