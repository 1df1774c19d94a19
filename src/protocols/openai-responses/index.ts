import type { Demands, Request, ToolChoice, ToolDefinition } from "../../conversation/exchange.ts";
import { pushAll } from "../../reading/lists.ts";
import { level } from "../../traffic/certainty.ts";
import { speakerOf } from "../../traffic/roles.ts";
import { isConverseBlock } from "../bedrock/content.ts";
import { isErrorObject } from "../errors.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Frame, Peek, Protocol, Recognition, RequestBody } from "../protocol.ts";
import { holdsPlainTexts } from "../reported/frameworks/live-kit.ts";
import { isFrameworkPart, isOfAgentsSdk } from "../reported/recognize.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string, valueText } from "../wire.ts";
import { callKinds, typesOfResults } from "./calls.ts";
import { endpoint, paths } from "./endpoint.ts";
import { errorTexts } from "./error-texts.ts";
import { furtherFaults } from "./further-faults.ts";
import { decodeItem } from "./items.ts";
import { reasoningOf, surelyReasons } from "./reasoning.ts";
import { refusals } from "./refusals.ts";
import { decodeReply, decodeStream, isTerminalType } from "./reply.ts";
import { addsTools, definitionsOf } from "./tools.ts";
import { answers, encode, idiom, writes } from "./write.ts";

const name = "openai-responses";

/** What api.openai.com requires: it pairs by `call_id` over the whole input, in any order. */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "anywhere",
  resultsFirst: false,
  refusesUnanswered: true,
  refusesOrphans: true,
  hasCallsReason: false,
  forcedChoiceStops: false,
  callKinds,
  argumentsAre: "text",
  maxIdLength: 64,
  mergesRoles: false,
  hasServerHistory: true,
  keepsPrompt: false,
  refusesEmptyText: false,
  refusesDuplicateResults: false,
  itemPrefixes: { message: "msg_", reasoning: "rs_", call: "fc_" },
  looksIdsUp: true,
  // Items with ids are looked up, and a reasoning item must stay with the item that follows it.
  // @see https://github.com/continuedev/continue/issues/10018
  reasoning: ({ model, settings }) =>
    settings.isUnstored !== true && (model === undefined || /^(?:gpt|o\d|codex)/.test(model))
      ? "with-ids"
      : undefined,
  surelyReasons,
};

/** Keys that only a Responses request has. */
const ownKeys = [
  "instructions",
  "previous_response_id",
  "max_output_tokens",
  "reasoning",
  "include",
  "store",
  "text",
  "truncation",
  "conversation",
  "prompt_cache_key",
];

export const openaiResponses: Protocol = {
  name,
  summary: "OpenAI Responses, also as Codex, xAI, OpenRouter and others speak it",
  historyKeys: ["input"],
  stableKeys: ["tools", "text"],
  promptKeys: ["instructions"],
  toolKeys: ["tools"],
  demands,
  recognize,
  paths,
  endpoint,
  idiom,
  answers,
  encode,
  decodeElement: decodeItem,
  decodeRequest,
  loadSchema: () => import("schema:requests/openai-responses"),
  refusals,
  errorTexts,
  requestErrors: { types: ["invalid_request_error"] },
  loadServerSide: async () => (await import("./server-side.ts")).createServerSide,
  furtherFaults,
  decodeReply,
  decodeStream,
  writes,
  places: (item) => ({
    callId: "/call_id",
    callName: "/name",
    callArguments: fields(item)["type"] === "custom_tool_call" ? "/input" : "/arguments",
    resultId: "/call_id",
    resultName: "/name",
  }),
  aroundPart: ({ type, role }) =>
    role === undefined && (type === "reasoning" || callKinds.has(`${type}`) || typesOfResults.has(type))
      ? { before: "", after: "", isElement: true }
      : undefined,
  isTerminal(frame) {
    const type = string(fields(frame.value)["type"]) ?? frame.event ?? "";
    return isTerminalType(type) || type === "error";
  },
  replyId: (frame: Frame) =>
    filled(fields(fields(frame.value)["response"])["id"]) ?? filled(fields(frame.value)["response_id"]),
  isLater(frame) {
    const type = string(fields(frame.value)["type"]) ?? frame.event ?? "";
    return type.startsWith("response.") && !/^response\.(?:created|queued|in_progress|failed)$/.test(type);
  },
};

function recognize(peek: Peek): Recognition | undefined {
  const type = peek.kind("type") === "string" ? valueText(peek.value("type")) : "";
  if (peek.value("object") === "response.input_tokens")
    return { part: "reply", certainty: level.strong, isCount: true };
  // Over a socket, a request is an event, too.
  if (type === "response.create")
    return peek.kind("input") === "array" ? { part: "request", certainty: level.certain } : undefined;
  if (type.startsWith("response."))
    return { part: isOfRealtime(peek) ? "aside" : "event", certainty: level.nearlyCertain };
  // Other protocols have the same error; the URL decides.
  if (peek.kind("error") === "object" && peek.keys.length === 1 && isErrorObject(peek.value("error")))
    return { part: "reply", certainty: level.weak };
  if (
    peek.kind("output") === "array" &&
    (peek.kind("input") === undefined || peek.value("object") === "response")
  )
    return recognizeOutput(peek);
  if (peek.kind("input") === "array") return recognizeInput(peek);
  if (peek.kind("input") === "string" && peek.kind("model") === "string") {
    if (/embed/i.test(valueText(peek.value("model"))) || peek.has("encoding_format") || peek.has("voice"))
      return undefined;
    return {
      part: "request",
      certainty: ownKeys.some((key) => peek.has(key)) || peek.has("tools") ? level.veryLikely : level.vague,
    };
  }
  return undefined;
}

/**
 * The Realtime API has events of the same names, about a history that the server keeps. Each of its events
 * has an id and no sequence number.
 * @see https://platform.openai.com/docs/api-reference/realtime-server-events
 */
function isOfRealtime(peek: Peek): boolean {
  if (peek.kind("response") === "object")
    return /^realtime\./.test(valueText(fields(peek.value("response"))["object"]));
  return peek.kind("event_id") === "string" && !peek.has("sequence_number");
}

function recognizeOutput(peek: Peek): Recognition | undefined {
  if (peek.kind("object") === "string")
    return /^response(?:\.compaction)?$/.test(valueText(peek.value("object")))
      ? { part: "reply", certainty: level.certain }
      : undefined;
  const items = list(peek.value("output")).map(fields);
  const isOurs =
    items.length > 0 &&
    items.every((item) => typeof item["type"] === "string") &&
    (peek.has("id") || peek.has("status"));
  return isOurs && items.some(isOutputItem) ? { part: "reply", certainty: level.likely } : undefined;
}

function isOutputItem(item: unknown): boolean {
  return ["message", "function_call", "reasoning", "custom_tool_call"].includes(
    valueText(fields(item)["type"]),
  );
}

function recognizeInput(peek: Peek): Recognition | undefined {
  const raw = list(peek.value("input"));
  const items = raw.filter(isFields);
  const hasOwnKeys = ownKeys.some((key) => peek.has(key));
  // `output` is a list of items here. In other forms it comes from a tracing tool that keeps it next to an
  // input.
  if (peek.kind("output") === "object" || peek.kind("output") === "string") return undefined;
  if (items.length === 0)
    return hasOwnKeys && peek.has("model") && raw.length === 0
      ? { part: "request", certainty: level.possible }
      : undefined;
  // Steps of Gemini Interactions.
  if (items.some(({ type }) => /^(?:user_input|model_output|thought|function_result)$/.test(valueText(type))))
    return undefined;
  // What Codex shows of a thread has names of its own.
  if (items.some(({ type }) => /^(?:userMessage|agentMessage|commandExecution)$/.test(valueText(type))))
    return undefined;
  if (items.some(({ content }) => holdsPlainTexts(content))) return undefined;
  // What OpenAI's Agents SDK for JavaScript keeps of a run has names of its own. With a model, it was sent.
  if (!peek.has("model") && items.some(isOfAgentsSdk)) return undefined;
  const isTyped = items.some(
    (item) =>
      "call_id" in item ||
      /^(function_call|custom_tool_call|reasoning|item_reference|local_shell_call|compaction|additional_tools)/.test(
        valueText(item["type"]),
      ),
  );
  // If the outputs are not items, a tracing tool recorded another API's input.
  if (peek.kind("output") === "array" && !list(peek.value("output")).some(isOutputItem)) return undefined;
  const isMessages = items.some((item) => item["type"] === "message" || isMessage(item));
  if (!isTyped && !isMessages) return undefined;
  // Beside tools of this API, a part without its type is a mistake and no block of Converse.
  const hasTools = list(peek.value("tools")).some(
    (tool) => fields(tool)["type"] === "function" && typeof fields(tool)["name"] === "string",
  );
  const parts = items.flatMap(({ content }) => list(content));
  if (parts.some((part) => isFrameworkPart(part) || (isConverseBlock(part) && !hasTools))) return undefined;
  let certainty = isTyped
    ? level.likely
    : items.some((item) => item["type"] === "message")
      ? level.fairlyPlausible
      : level.vague;
  if (peek.kind("model") === "string") certainty += 0.2;
  if (hasOwnKeys) certainty += 0.1;
  return { part: "request", certainty: Math.min(1, certainty) };
}

/** Agents of a crew have roles, too: what is no speaker's makes a message only of what says something. */
function isMessage({ role, content }: Fields): boolean {
  return typeof role === "string" && (content !== undefined || speakerOf(role) !== undefined);
}

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base } = body;
  const input = request["input"];
  const conversation = request["conversation"];
  const metadata = fields(request["client_metadata"]);
  return {
    place: body.place,
    historyPointer: `${base}/input`,
    history: historyOf(
      body.run ?? looseRun(typeof input === "string" ? [input] : list(input)),
      name,
      decodeItem,
    ),
    system: filled(request["instructions"]),
    tools: toolsOf(request["tools"], base, body),
    toolChoice: toolChoiceOf(request["tool_choice"]),
    model: filled(request["model"]),
    maxTokens: number(request["max_output_tokens"]),
    isStreaming: request["stream"] === true,
    links: defined({
      previousReply: filled(request["previous_response_id"]),
      conversation: filled(conversation) ?? filled(fields(conversation)["id"]),
      clientKey: filled(metadata["thread_id"]) ?? filled(request["prompt_cache_key"]),
    }),
    settings: defined({
      reasoning: reasoningOf(request),
      isUnstored: request["store"] === false ? true : undefined,
      // Codex warms up a connection with a request that generates nothing.
      isProbe: request["generate"] === false ? true : undefined,
      hasAnswerForm: /^json_/.test(string(fields(fields(request["text"])["format"])["type"]) ?? "")
        ? true
        : undefined,
      // `{id, version, variables}`: the stored prompt has instructions and tools, so a request may omit them.
      hasStoredPrompt: filled(fields(request["prompt"])["id"]) === undefined ? undefined : true,
    }),
  };
}

/**
 * The tools of the request, those inside namespaces, and those that items of the history add: lists of
 * additional tools, and what tool searches found.
 * @see https://developers.openai.com/api/docs/guides/tools-tool-search
 */
function toolsOf(value: unknown, base: string, body: RequestBody): ToolDefinition[] | undefined {
  const tools = Array.isArray(value) ? definitionsOf(value, `${base}/tools`) : undefined;
  const run = body.run;
  const added: ToolDefinition[] = [];
  for (let index = 0; run && index < run.length; index++) {
    const item = fields(run.element(index).value);
    if (addsTools(item)) pushAll(added, definitionsOf(list(item["tools"]), `${base}/input/${index}/tools`));
  }
  return tools || added.length > 0 ? [...(tools ?? []), ...added] : undefined;
}

function toolChoiceOf(value: unknown): ToolChoice | undefined {
  if (value === "auto" || value === "none" || value === "required") return { mode: value };
  if (!isFields(value)) return undefined;
  if (value["type"] === "allowed_tools")
    return value["mode"] === "required" ? { mode: "required" } : { mode: "auto" };
  const forced = filled(value["name"]) ?? filled(fields(value["function"])["name"]);
  return forced === undefined ? { mode: "required" } : { mode: "tool", name: forced };
}
