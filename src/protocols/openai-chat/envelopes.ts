import { level } from "../../traffic/certainty.ts";
import type { Peek, Recognition } from "../protocol.ts";
import { type Fields, fields, filled, isFields, list, string } from "../wire.ts";

/** Vendors that put the chat API's choices, or its message, into an object of their own. */

export interface OpenedReply {
  readonly value: Fields;
  /** Pointer from the body to a choice. */
  pointerTo(choice: number): string;
}

/** Members of a DashScope reply. @see https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-dashscope */
const dashScopeKeys = new Set(["output", "usage", "request_id", "status_code", "code", "message"]);

/**
 * `{output: {choices}, usage, request_id}`: DashScope's own API; a choice alone, as people print it. Others
 * are returned as they are.
 */
export function opened(value: Fields): OpenedReply {
  const { output, usage, request_id: id } = value;
  if (isChoice(value)) return { value: { choices: [value] }, pointerTo: () => "" };
  if (!isFields(output) || value["choices"] !== undefined || !Array.isArray(output["choices"]))
    return { value, pointerTo: (choice) => `/choices/${choice}` };
  return { value: { id, usage, ...output }, pointerTo: (choice) => `/output/choices/${choice}` };
}

/** Whether a value is a choice of a whole reply, without the reply: `print(response.choices)`. */
function isChoice({ choices, message, finish_reason: reason }: Fields): boolean {
  return (
    choices === undefined &&
    (reason === null || filled(reason) !== undefined) &&
    isFields(message) &&
    message["role"] === "assistant"
  );
}

/**
 * The message of a Workers AI reply: `{result: {response, tool_calls}, success}`, its calls without ids.
 * @see https://developers.cloudflare.com/workers-ai/features/function-calling/
 */
export function workersAiMessage(value: Fields): Fields | undefined {
  const { result, success } = value;
  if (typeof success !== "boolean" || !isFields(result) || !isWorkersAi(result)) return undefined;
  const { response, tool_calls: calls } = result;
  const text = typeof response === "string" || response === null ? response : JSON.stringify(response);
  return {
    role: "assistant",
    content: text ?? null,
    ...(list(calls).length > 0 && { tool_calls: list(calls).map((call) => wireCall(fields(call))) }),
  };
}

/** The members of a chunk of Workers AI; `p` pads it, so that its size does not give the text away. */
const workersAiKeys = new Set(["response", "tool_calls", "p", "usage"]);

/**
 * What a chunk of a Workers AI stream is in the chat API's form: a piece of the text, or whole calls. Its
 * streams state no reason for their end; the last chunk has the usage.
 */
export function workersAiChunk(value: Fields): Fields | undefined {
  const { response, tool_calls: calls, p: padding, usage } = value;
  const isOurs = typeof padding === "string" || (response !== undefined && isFields(usage));
  if (!isOurs || !Object.keys(value).every((key) => workersAiKeys.has(key))) return undefined;
  const text = typeof response === "string" ? response : JSON.stringify(response ?? "");
  const content = response === undefined || response === null ? {} : { content: text };
  const whole = list(calls).map((call) => wireCall(fields(call)));
  return { usage, choices: [{ delta: { ...content, ...(whole.length > 0 && { tool_calls: whole }) } }] };
}

function isWorkersAi({ response, tool_calls: calls }: Fields): boolean {
  return response !== undefined || Array.isArray(calls);
}

function wireCall(call: Fields): Fields {
  if (isFields(call["function"])) return call;
  const { name, arguments: written, ...rest } = call;
  const text = typeof written === "string" ? written : JSON.stringify(written ?? {});
  return { ...rest, type: "function", function: { name, arguments: text } };
}

export function recognizeEnvelope(peek: Peek): Recognition | undefined {
  if (peek.kind("output") === "object" && peek.keys.every((key) => dashScopeKeys.has(key))) {
    const choice = fields(list(fields(peek.value("output"))["choices"])[0]);
    if (isFields(choice["message"]) && string(fields(choice["message"])["role"]) !== undefined)
      return { part: "reply", certainty: level.strong };
  }
  if (peek.kind("message") === "object" && peek.has("finish_reason") && peek.keys.length <= 10) {
    const [message, reason] = [peek.value("message"), peek.value("finish_reason")];
    if (!peek.has("choices") && isChoice({ message, finish_reason: reason }))
      return { part: "reply", certainty: level.possible };
  }
  if (peek.kind("p") === "string" && peek.keys.every((key) => workersAiKeys.has(key)))
    return { part: "event", certainty: level.likely };
  if (peek.kind("result") === "object" && peek.kind("success") === "boolean") {
    const result = fields(peek.value("result"));
    const speaks = filled(result["response"]) !== undefined || Array.isArray(result["tool_calls"]);
    if (isWorkersAi(result) && speaks) return { part: "reply", certainty: level.likely };
  }
  return undefined;
}
