import type {
  Demands,
  Request,
  RequestSettings,
  ServerLinks,
  ToolChoice,
} from "../../conversation/exchange.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Frame, Protocol, RequestBody } from "../protocol.ts";
import {
  contentText,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  list,
  number,
  string,
} from "../wire.ts";
import { endpoint, paths } from "./endpoint.ts";
import { errorTexts } from "./error-texts.ts";
import { furtherFaults } from "./further-faults.ts";
import { decodeMessage } from "./messages.ts";
import { recognize } from "./recognize.ts";
import { refusals } from "./refusals.ts";
import { decodeReply, meaningOf } from "./reply.ts";
import { decodeStream } from "./stream.ts";
import { toolsOf } from "./tools.ts";
import { answers, encode, idiom, writes } from "./write.ts";

const name = "anthropic";

/**
 * What api.anthropic.com requires: the next (merged) user message answers every call, results come first,
 * each call has one result and each result a call, and no text block is empty.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "next-message",
  resultsFirst: true,
  refusesUnanswered: true,
  refusesOrphans: true,
  hasCallsReason: true,
  forcedChoiceStops: false,
  // `server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`
  // @see https://github.com/Wei-Shaw/sub2api/issues/1308
  callKinds: new Map([["server_tool_use", { results: [], idPattern: /^srvtoolu_[a-zA-Z0-9_]+$/ }]]),
  argumentsAre: "object",
  // `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
  idPattern: /^[a-zA-Z0-9_-]+$/,
  // "Consecutive `user` or `assistant` turns in your request will be combined into a single turn."
  mergesRoles: true,
  hasServerHistory: true,
  // Threads keep the prompt; `previous_response_id` does not carry `instructions` over.
  keepsPrompt: true,
  refusesEmptyText: true,
  refusesDuplicateResults: true,
  // "Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it"
  // @see https://github.com/anthropics/claude-code/issues/64383
  pairsHosted: true,
  // `thinking.signature: Field required`, "Invalid `signature` in `thinking` block"
  needsSeals: true,
  // "Extended thinking isn't compatible with … pre-filled responses."
  refusesThinkingPrefill: true,
  isStrict: true,
  // "When thinking is disabled, an assistant message in the final position cannot contain thinking"
  refusesIdleReasoning: true,
  // "When `thinking` is enabled, a final `assistant` message must start with a thinking block". With adaptive
  // thinking the model may have produced none.
  reasoning: ({ settings }) => (settings.reasoning === true ? "first-of-turn" : undefined),
  thinkingKey: "thinking",
};

export const anthropic: Protocol = {
  name,
  summary: "Anthropic Messages, also through Bedrock InvokeModel, Vertex and servers that imitate it",
  historyKeys: ["messages"],
  stableKeys: ["tools", "system"],
  promptKeys: ["system"],
  toolKeys: ["tools"],
  demands,
  recognize,
  paths,
  endpoint,
  idiom,
  answers,
  encode,
  decodeElement: decodeMessage,
  decodeRequest,
  loadSchema: () => import("schema:requests/anthropic"),
  refusals,
  errorTexts,
  requestErrors: { types: ["invalid_request_error"] },
  loadServerSide: async () => (await import("./server-side.ts")).createServerSide,
  furtherFaults,
  decodeReply,
  decodeStream,
  writes,
  places: () => ({
    callId: "/id",
    callName: "/name",
    callArguments: "/input",
    resultId: "/tool_use_id",
    resultName: "/name",
  }),
  aroundPart: ({ type, id, tool_use_id: callId }) =>
    type === "tool_use" && typeof id === "string"
      ? { before: '{"role":"assistant","content":[', after: "]}" }
      : type === "tool_result" && typeof callId === "string"
        ? { before: '{"role":"user","content":[', after: "]}" }
        : undefined,
  isTerminal: (frame) => typeOf(frame) === "message_stop" || typeOf(frame) === "error",
  meaningOf,
  replyId: (frame) => filled(fields(fields(frame.value)["message"])["id"]),
  isLater: (frame) => /^(?:content_block_|message_(?:delta|stop)$)/.test(String(typeOf(frame))),
};

function typeOf(frame: Frame): unknown {
  return fields(frame.value)["type"] ?? frame.event;
}

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base } = body;
  return {
    place: body.place,
    historyPointer: body.isBare ? base : `${base}/messages`,
    history: historyOf(body.run ?? looseRun(list(request["messages"])), name, decodeMessage),
    system: systemOf(request["system"]),
    tools: toolsOf(body),
    toolChoice: toolChoiceOf(request["tool_choice"]),
    model: filled(request["model"]) ?? modelOfUrl(body.url),
    maxTokens: number(request["max_tokens"]),
    isStreaming:
      request["stream"] === true || /:streamRawPredict|invoke-with-response-stream/.test(body.url ?? ""),
    links: linksOf(request),
    settings: settingsOf(request),
  };
}

/** The system prompt: a string, or blocks of text. */
function systemOf(value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  return contentText(value, (part) => string(part["text"])).text;
}

/** Bedrock and Vertex name the model only in the path. */
function modelOfUrl(url: string | undefined): string | undefined {
  const found = url === undefined ? undefined : /\/models?\/([^/:?]+(?::\d+)?)(?:\/invoke|:)/.exec(url)?.[1];
  return found === undefined ? undefined : found.replaceAll("%3A", ":");
}

const choices = new Map(
  Object.entries<ToolChoice["mode"]>({
    auto: "auto",
    none: "none",
    any: "required",
  }),
);

function toolChoiceOf(value: unknown): ToolChoice | undefined {
  const choice = isFields(value) ? value : { type: value };
  const type = string(choice["type"]) ?? "";
  if (type === "tool") return defined({ mode: "tool" as const, name: filled(choice["name"]) });
  const mode = choices.get(type);
  return mode === undefined ? undefined : { mode };
}

/** Message threads: with `{type: "continue", previous_message_id}` the server has all earlier messages. */
function linksOf(request: Fields): ServerLinks {
  const thread = fields(request["thread"]);
  const isContinued = thread["type"] === "continue";
  return defined({
    previousReply: isContinued ? filled(thread["previous_message_id"]) : undefined,
    conversation: filled(thread["id"]) ?? filled(thread["thread_id"]),
    clientKey: filled(fields(request["metadata"])["user_id"]),
  });
}

const thinkingModes = new Map<string, NonNullable<RequestSettings["reasoning"]>>([
  ["enabled", true],
  // The model may legally have produced no thinking, so nothing is required.
  ["adaptive", "adaptive"],
  ["disabled", false],
]);

function settingsOf(request: Fields): RequestSettings {
  const thinking = string(fields(request["thinking"])["type"]);
  const isProbe = request["max_tokens"] === 1;
  const form = request["output_format"] ?? fields(request["output_config"])["format"];
  return defined({
    reasoning: thinkingModes.get(thinking ?? ""),
    isProbe: isProbe ? true : undefined,
    isCompaction: isFields(request["compaction"]) ? true : undefined,
    hasAnswerForm: isFields(form) ? true : undefined,
    // The fallback's token permits a request that ends with the model's own turn.
    isPrefill: filled(request["fallback_credit_token"]) === undefined ? undefined : true,
  });
}
