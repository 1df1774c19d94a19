import type { Demands, Request, ToolChoice, ToolDefinition } from "../../conversation/exchange.ts";
import { level } from "../../traffic/certainty.ts";
import { isConverseBlock } from "../bedrock/content.ts";
import { isErrorObject } from "../errors.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Frame, Peek, Protocol, Recognition, RequestBody } from "../protocol.ts";
import { isKeyedCalls } from "../reported/message.ts";
import { isFrameworkPart, isOwnCall } from "../reported/recognize.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string, valueText } from "../wire.ts";
import { aroundPart, recognizeFragment } from "./bare-fragments.ts";
import { endpoint, paths } from "./endpoint.ts";
import { recognizeEnvelope } from "./envelopes.ts";
import { errorTexts } from "./error-texts.ts";
import { furtherFaults } from "./further-faults.ts";
import { callKinds, decodeMessage } from "./messages.ts";
import { isBareError, isPrefill, knownTools } from "./other-servers.ts";
import { neededReasoning } from "./reasoning.ts";
import { refusals } from "./refusals.ts";
import { decodeReply, meaningOf } from "./reply.ts";
import { continuesReply, decodeStream, isLater } from "./stream.ts";
import { thinkingOf } from "./thinking.ts";
import { answers, encode, idiom, writes } from "./write.ts";

const name = "openai-chat";

/** What api.openai.com requires. @see https://platform.openai.com/docs/api-reference/chat/create */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "following-run",
  resultsFirst: false,
  refusesUnanswered: true,
  refusesOrphans: true,
  hasCallsReason: true,
  forcedChoiceStops: true,
  callKinds,
  argumentsAre: "text",
  maxIdLength: 40,
  mergesRoles: false,
  hasServerHistory: false,
  keepsPrompt: false,
  refusesEmptyText: false,
  refusesDuplicateResults: true,
  reasoning: neededReasoning,
};

export const openaiChat: Protocol = {
  name,
  summary: "OpenAI Chat Completions and the many servers that speak it",
  historyKeys: ["messages"],
  stableKeys: ["tools", "functions", "response_format"],
  toolKeys: ["tools", "functions"],
  demands,
  recognize,
  paths,
  endpoint,
  idiom,
  answers,
  encode,
  decodeElement: decodeMessage,
  decodeRequest,
  loadSchema: () => import("schema:requests/openai-chat"),
  refusals,
  errorTexts,
  requestErrors: {
    // vLLM and SGLang name the class of the error, also where they answer in the form of Anthropic's API.
    types: ["invalid_request_error", "BadRequestError"],
    // What SDKs name after the status, and what servers of one's own raise before they answer with it.
    printed: {
      pattern:
        /\b(?:BadRequestError|UnprocessableEntityError|mistral_common\.exceptions\.\w{1,60}|jinja2\.exceptions\.TemplateError): (?=\S.{20})/,
      status: 400,
    },
  },
  loadServerSide: async () => (await import("./server-side.ts")).createServerSide,
  furtherFaults,
  decodeReply,
  decodeStream,
  writes,
  places: (item) => {
    const body = isFields(fields(item)["custom"]) ? "/custom" : "/function";
    return {
      callId: "/id",
      callName: `${body}/name`,
      callArguments: body === "/custom" ? "/custom/input" : "/function/arguments",
      resultId: "/tool_call_id",
      resultName: "/name",
    };
  },
  aroundPart,
  isTerminal: (frame) => frame.data.trim() === "[DONE]",
  meaningOf,
  replyId: (frame: Frame) => filled(fields(frame.value)["id"]),
  continuesReply,
  isLater,
};

function recognize(peek: Peek): Recognition | undefined {
  const envelope = recognizeEnvelope(peek) ?? recognizeFragment(peek);
  if (envelope) return envelope;
  if (peek.kind("choices") === "array") return recognizeChoices(peek);
  if (peek.kind("messages") === "array") return recognizeMessages(peek);
  if (
    peek.has("error") &&
    (peek.keys.length <= 6 || isThrown(peek)) &&
    (peek.kind("error") === "string" ||
      (peek.kind("error") === "object" && isErrorObject(peek.value("error"))))
  ) {
    return { part: "reply", certainty: level.veryVague };
  }
  return isBareError(peek) ? { part: "reply", certainty: level.veryVague } : undefined;
}

/**
 * An exception of the SDK for Node, as it is printed or logged: the body's error among its status, its
 * headers and copies of the error's members.
 * @see https://github.com/openai/openai-node/blob/master/src/core/error.ts
 */
function isThrown(peek: Peek): boolean {
  const status = peek.kind("status") === "number" ? Number(peek.value("status")) : 0;
  return (
    status >= 400 && peek.keys.length <= 10 && filled(fields(peek.value("error"))["message"]) !== undefined
  );
}

function recognizeChoices(peek: Peek): Recognition | undefined {
  const object = peek.kind("object") === "string" ? valueText(peek.value("object")) : "";
  const choices = list(peek.value("choices"));
  const first = fields(choices[0]);
  // Tools that assemble a stream may keep the chunks' `object`.
  if (isFields(first["message"]) && !isFields(first["delta"]))
    return { part: "reply", certainty: level.nearlyCertain };
  if (object.endsWith("chunk") || isFields(first["delta"]))
    return { part: "event", certainty: level.nearlyCertain };
  if (isFields(first["message"])) return { part: "reply", certainty: level.nearlyCertain };
  if (choices.length === 0 && (peek.has("usage") || peek.has("id")))
    return { part: "event", certainty: level.possible };
  return undefined;
}

function isRole(value: unknown): boolean {
  return ["system", "developer", "user", "assistant", "tool", "function"].includes(valueText(value));
}

function recognizeMessages(peek: Peek): Recognition | undefined {
  const messages = list(peek.value("messages")).map(fields);
  // Permissions have roles too, but no content.
  const speaks = (message: Fields): boolean =>
    typeof message["role"] === "string" &&
    ["content", "tool_calls", "function_call"].some((key) => key in message);
  if (messages.length > 0 && !messages.some((message) => speaks(message) || isRole(message["role"])))
    return undefined;
  if (
    messages.some(
      ({ tool_calls: calls }) =>
        list(calls).map(fields).some(isOwnCall) || (!peek.has("model") && isKeyedCalls(calls)),
    )
  )
    return undefined;
  const tools = list(peek.value("tools")).map(fields);
  const hasChatTools = tools.some((tool) => isFields(tool["function"]) || isFields(tool["custom"]));
  const hasChatForms = messages.some(
    (message) =>
      message["role"] === "tool" || message["role"] === "developer" || Array.isArray(message["tool_calls"]),
  );
  const parts = messages.flatMap(({ content }) => list(content));
  // Beside tools of this API, a part without its type is a mistake and no block of Converse.
  if (parts.some((part) => isFrameworkPart(part) || (isConverseBlock(part) && !hasChatTools)))
    return undefined;
  const hasOwnKeys = [
    "stream_options",
    "max_completion_tokens",
    "parallel_tool_calls",
    "response_format",
    "reasoning_effort",
    "tool_choice",
    "n",
    "seed",
  ].some((key) => peek.has(key));
  if (messages.length === 0 && !peek.has("model")) return undefined;
  let certainty = level.even;
  if (peek.has("model")) certainty += 0.1;
  if (hasChatTools || hasChatForms) certainty += 0.25;
  if (hasOwnKeys) certainty += 0.05;
  return { part: "request", certainty };
}

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base } = body;
  const choice = request["tool_choice"] ?? request["function_call"];
  return {
    place: body.place,
    historyPointer: `${base}/messages`,
    history: historyOf(body.run ?? looseRun(list(request["messages"])), name, decodeMessage),
    system: undefined,
    tools: toolsOf(
      request["tools"] ?? request["functions"],
      base,
      request["tools"] === undefined ? "functions" : "tools",
    ),
    toolChoice: toolChoiceOf(choice),
    model: filled(request["model"]),
    maxTokens: number(request["max_completion_tokens"]) ?? number(request["max_tokens"]),
    isStreaming: request["stream"] === true,
    links: defined({ clientKey: filled(request["prompt_cache_key"]) }),
    settings: defined({
      reasoning: thinkingOf(request),
      isPrefill: isPrefill(request, body.run) ? true : undefined,
      hasAnswerForm: /^json_/.test(string(fields(request["response_format"])["type"]) ?? "")
        ? true
        : undefined,
    }),
  };
}

function toolsOf(value: unknown, base: string, key: string): ToolDefinition[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((entry, index) => {
    const tool = fields(entry);
    const body = isFields(tool["function"])
      ? tool["function"]
      : isFields(tool["custom"])
        ? tool["custom"]
        : tool;
    return defined({
      name: string(body["name"]) ?? "",
      parameters: body["parameters"],
      isStrict: body["strict"] === true ? true : undefined,
      isHosted: false,
      unknownType: knownTools.has(filled(tool["type"]) ?? "function") ? undefined : filled(tool["type"]),
      pointer: `${base}/${key}/${index}`,
    });
  });
}

function toolChoiceOf(value: unknown): ToolChoice | undefined {
  if (value === "auto" || value === "none" || value === "required") return { mode: value };
  if (value === "any") return { mode: "required" };
  if (!isFields(value)) return undefined;
  const forced =
    filled(fields(value["function"])["name"]) ??
    filled(fields(value["custom"])["name"]) ??
    filled(value["name"]);
  return forced === undefined ? undefined : { mode: "tool", name: forced };
}
