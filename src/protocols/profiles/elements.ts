import type { RequestFault } from "../../conversation/exchange.ts";
import { type Fields, fields, list, lookUp, string } from "../wire.ts";

/**
 * What OpenAI requires of each message, and no other provider of the chat API: content, unless the model's
 * message has something in its place, and whole calls.
 * `Invalid value for 'content': expected a string, got null.`
 * `Missing required parameter: 'messages[1].tool_calls[0].type'.`
 * @see https://github.com/run-llama/llama_index/pull/17921
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function openAiFaults(element: unknown): readonly RequestFault[] {
  const message = fields(element);
  return [...absentContent(message), ...partialCalls(message)];
}

function absentContent(message: Fields): readonly RequestFault[] {
  const { role, content } = message;
  const isKnown = ["system", "developer", "user", "assistant", "tool"].includes(string(role) ?? "");
  // Calls, a refusal or audio stand in for content, and a misspelt member is a mistake of its own.
  const { role: _, name: __, content: ___, ...others } = message;
  const hasOther = role === "assistant" && Object.values(others).some((value) => (value ?? null) !== null);
  if (!isKnown || hasOther || (content ?? null) !== null) return [];
  return content === undefined
    ? [{ kind: "missing", pointer: "", member: "content", wanted: "`content`", known: [] }]
    : [{ kind: "type", pointer: "/content", wanted: "a string or a list", seen: "null", known: [] }];
}

/** Calls without the members that make a call. */
export function partialCallsIn(element: unknown): readonly RequestFault[] {
  return partialCalls(fields(element));
}

function partialCalls(message: Fields): readonly RequestFault[] {
  return list(message["tool_calls"]).flatMap((value, index) => {
    const call = fields(value);
    const pointer = `/tool_calls/${index}`;
    const lacks = (of: Fields, member: string, at: string): readonly RequestFault[] =>
      of[member] === undefined
        ? [{ kind: "missing", pointer: at, member, wanted: `\`${member}\``, known: [] }]
        : [];
    return [
      ...lacks(call, "type", pointer),
      ...("function" in call ? lacks(fields(call["function"]), "arguments", `${pointer}/function`) : []),
    ];
  });
}

/** Members that a chat message of each role may have; the API's own, and what Groq answers with. */
const groqMembers: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: [
    "role",
    "content",
    "name",
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
    "annotations",
    "executed_tools",
    // `refused-reasoning` reports these.
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "reasoning_text",
    // `invalid-call-id`, `orphaned-tool-result` or the schema report a result in an assistant's message.
    "tool_call_id",
  ],
  tool: ["role", "content", "name", "tool_call_id"],
};

/**
 * `'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'timestamp' is
 * unsupported)]`, `('messages.4.content' : value must be a string)`
 * @see https://github.com/ServiceStack/llms/issues/17
 * Results may be lists of parts since July 2025, says the description of its API.
 * @see https://github.com/tidyverse/ellmer/issues/162
 * @see https://github.com/groq/groq-typescript/blob/v0.27.0/src/resources/chat/completions.ts
 */
export function groqFaults(element: unknown): readonly RequestFault[] {
  const message = fields(element);
  const role = string(message["role"]);
  const known = lookUp(groqMembers, role);
  if (!known) return [];
  const unknown = Object.keys(message)
    .filter((member) => !known.includes(member))
    .map((member) => ({ kind: "misplaced" as const, pointer: "", member, wanted: "nothing", known: [] }));
  const isList = role === "assistant" && Array.isArray(message["content"]);
  return isList
    ? [...unknown, { kind: "type", pointer: "/content", wanted: "a string", seen: "a list", known: [] }]
    : unknown;
}

/**
 * Arguments that are an empty text. Most servers read it as "no arguments"; these parse it as JSON.
 * `The arguments to a tool_call with ID '…' are not a valid JSON string`
 */
export function emptyArguments(element: unknown): readonly RequestFault[] {
  return list(fields(element)["tool_calls"]).flatMap((call, index) => {
    const written = fields(fields(call)["function"])["arguments"];
    const isEmpty = typeof written === "string" && written.trim() === "";
    return isEmpty
      ? [
          {
            kind: "type" as const,
            pointer: `/tool_calls/${index}/function/arguments`,
            wanted: "JSON, at least `{}`",
            seen: "an empty text",
            known: [],
          },
        ]
      : [];
  });
}

/**
 * `messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool``
 * @see https://github.com/decolua/9router/issues/773
 */
export function deepseekFaults(element: unknown): readonly RequestFault[] {
  if (fields(element)["role"] !== "developer") return [];
  const wanted = "`system`, `user`, `assistant` or `tool`";
  return [{ kind: "type", pointer: "/role", wanted, seen: '"developer"', known: [] }];
}

/** `Function name was get.weather but must be a-z, A-Z, 0-9, or contain underscores and dashes` */
export const mistralName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Members of a message that Mistral does not have, even where they are `null`. */
const extras: Readonly<Record<string, readonly string[]>> = {
  system: ["name", "tool_calls", "tool_call_id"],
  user: ["name", "tool_calls", "tool_call_id"],
  assistant: ["refusal", "audio", "annotations", "function_call"],
};

/**
 * Members and names of calls that Mistral refuses: `messages, 0, user, name: Extra inputs are not permitted`
 * @see https://github.com/Gage-Technologies/mistral-go/issues/3
 */
export function mistralFaults(element: unknown): readonly RequestFault[] {
  const message = fields(element);
  const refused = (lookUp(extras, string(message["role"])) ?? [])
    .filter((member) => message[member] !== undefined)
    .map((member) => ({ kind: "misplaced" as const, pointer: "", member, wanted: "nothing", known: [] }));
  return [...refused, ...badNames(message)];
}

function badNames(message: Fields): readonly RequestFault[] {
  return list(message["tool_calls"]).flatMap((call, index) => {
    const name = fields(fields(call)["function"])["name"];
    return typeof name === "string" && !mistralName.test(name)
      ? [
          {
            kind: "type" as const,
            pointer: `/tool_calls/${index}/function/name`,
            wanted: "up to 64 letters, digits, `_` and `-`",
            seen: JSON.stringify(name),
            known: [],
          },
        ]
      : [];
  });
}

/**
 * A result beside other content, which models of Meta and Mistral refuse: `Conversation blocks and tool
 * result blocks cannot be provided in the same turn.`
 * @see https://github.com/langchain-ai/langchain-aws/issues/141
 */
export function besideResults(element: unknown): readonly RequestFault[] {
  const content = list(fields(element)["content"]).map(fields);
  const beside = content.findIndex((block) => !("toolResult" in block) && !("cachePoint" in block));
  if (beside < 0 || !content.some((block) => "toolResult" in block)) return [];
  const wanted = "results only in a message with results";
  return [{ kind: "limit", pointer: `/content/${beside}`, wanted, seen: "another block", known: [] }];
}

/**
 * A result with anything but text in its parts: `data did not match any variant of untagged enum
 * ChatCompletionRequestToolMessageContent`
 * @see https://github.com/NousResearch/hermes-agent/pull/111236
 */
export function partsInResults(element: unknown): readonly RequestFault[] {
  const { role, content } = fields(element);
  if (role !== "tool") return [];
  const other = list(content).findIndex((part) => (string(fields(part)["type"]) ?? "text") !== "text");
  if (other < 0) return [];
  const seen = JSON.stringify(fields(list(content)[other])["type"]);
  return [{ kind: "type", pointer: `/content/${other}/type`, wanted: "`text`", seen, known: [] }];
}

/**
 * Calls of freeform tools: `data did not match any variant of untagged enum ModelInput`
 * @see https://github.com/router-for-me/CLIProxyAPI/issues/3704
 */
export function freeformCalls(element: unknown): readonly RequestFault[] {
  if (fields(element)["type"] !== "custom_tool_call") return [];
  return [
    { kind: "type", pointer: "/type", wanted: "`function_call`", seen: '"custom_tool_call"', known: [] },
  ];
}

/**
 * A content of Gemini's API without a role, or with that of the system. AI Studio takes the first for the
 * user's; Vertex takes neither: `Please use a valid role: user, model.`
 * @see https://github.com/BasedHardware/omi/pull/7083
 */
export function vertexFaults(element: unknown): readonly RequestFault[] {
  const { parts, role } = fields(element);
  if (!Array.isArray(parts)) return [];
  if ((role ?? "") === "")
    return [{ kind: "missing", pointer: "", member: "role", wanted: "`role`", known: [] }];
  const wanted = "`user` or `model`";
  return role === "system"
    ? [{ kind: "value", pointer: "/role", wanted, seen: JSON.stringify(role), known: ["user", "model"] }]
    : [];
}

/** The result of a part, in both spellings. */
function responseOf(part: unknown): { readonly at: string; readonly value: Fields } | undefined {
  const at = ["functionResponse", "function_response"].find((name) => name in fields(part));
  return at === undefined ? undefined : { at, value: fields(fields(part)[at]) };
}

/**
 * Parts of a result, such as images, which only Gemini 3 and later read: `function_response.parts is not
 * supported for this model`
 * @see https://github.com/google-gemini/gemini-cli/issues/19436
 */
export function partsOfResponses(content: unknown): readonly RequestFault[] {
  return list(fields(content)["parts"]).flatMap((part, index) => {
    const response = responseOf(part);
    return list(response?.value["parts"]).length > 0
      ? [
          {
            kind: "misplaced" as const,
            pointer: `/parts/${index}/${response?.at}`,
            member: "parts",
            wanted: "nothing",
            known: [],
          },
        ]
      : [];
  });
}

/**
 * Words beside a result. From 3.5 Flash-Lite and 3.6 Flash on, Vertex refuses them, and says `Requests ending
 * with a model turn are not supported.`
 * @see https://github.com/envoyproxy/ai-gateway/pull/2686
 * @see https://github.com/Prism-Shadow/agenthub/pull/191
 */
export function wordsBesideResponses(content: unknown): readonly RequestFault[] {
  const { parts, role } = fields(content);
  if (role === "model" || !list(parts).some((part) => responseOf(part) !== undefined)) return [];
  const beside = list(parts).findIndex((part) => typeof fields(part)["text"] === "string");
  if (beside < 0) return [];
  const wanted = "results only in a content with results";
  return [{ kind: "limit", pointer: `/parts/${beside}`, wanted, seen: "a text", known: [] }];
}
