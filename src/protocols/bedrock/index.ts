import type {
  Demands,
  Request,
  RequestSettings,
  ToolChoice,
  ToolDefinition,
} from "../../conversation/exchange.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Protocol, RequestBody } from "../protocol.ts";
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
import { decodeMessage } from "./content.ts";
import { isException, readEvent } from "./events.ts";
import { recognize } from "./recognize.ts";
import { decodeReply } from "./reply.ts";
import { decodeStream } from "./stream.ts";
import { answers, idiom, writes } from "./write.ts";

const name = "bedrock-converse";

/**
 * What Bedrock insists on: all results of a turn stand in the one next message, as many as there were calls. That is counted
 * before the request reaches a model; what the models add (Claude wants results first) differs from one to the next.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
 */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "next-message",
  resultsFirst: false,
  // "Expected toolResult blocks at messages.2.content for the following Ids: …"
  refusesUnanswered: true,
  // "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn."
  refusesOrphans: true,
  hasCallsReason: true,
  forcedChoiceStops: false,
  callKinds: new Map(),
  argumentsAre: "object",
  idPattern: /^[a-zA-Z0-9_.:-]+$/,
  maxIdLength: 64,
  // User messages in a row are accepted, but results that are spread over them are not found.
  mergesRoles: false,
  hasServerHistory: false,
  keepsPrompt: false,
  refusesEmptyText: true,
  refusesDuplicateResults: true,
  // Claude's demand, which Bedrock passes on: "The model returned the following errors: messages.1: …".
  reasoning: ({ model, settings }) =>
    settings.reasoning === true && model?.includes("claude") === true ? "first-of-turn" : undefined,
};

export const bedrock: Protocol = {
  name,
  summary: "AWS Bedrock Converse and ConverseStream, and Amazon Nova through InvokeModel",
  historyKeys: ["messages"],
  stableKeys: ["toolConfig", "system"],
  promptKeys: ["system"],
  toolKeys: ["toolConfig"],
  demands,
  recognize,
  paths: [
    { pattern: /\/converse(-stream)?(?:[?#]|$)/, purpose: "turn" },
    // Amazon's own models take the same bodies through InvokeModel; those of other makers take their own.
    { pattern: /\/model\/[^/]*nova[^/]*\/invoke/, purpose: "turn" },
    { pattern: /\/model\/[^/]*\/invoke/i, purpose: "other" },
  ],
  decodeElement: decodeMessage,
  decodeRequest,
  loadSchema: () => import("schema:requests/bedrock-converse"),
  decodeReply,
  decodeStream,
  endpoint: "unsupported",
  idiom,
  answers,
  encode: "unsupported",
  writes,
  places: () => ({
    callId: "/toolUse/toolUseId",
    callName: "/toolUse/name",
    callArguments: "/toolUse/input",
    resultId: "/toolResult/toolUseId",
    resultName: "/toolResult/name",
  }),
  // `metadata`, with the usage, follows `messageStop`.
  isTerminal(frame) {
    const event = readEvent(frame.value, frame.event);
    return event !== undefined && (event.name === "metadata" || isException(event));
  },
  replyId: () => undefined,
};

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base, url } = body;
  const config = fields(request["inferenceConfig"]);
  const tools = fields(request["toolConfig"]);
  const maxTokens = number(config["maxTokens"]) ?? number(config["max_new_tokens"]);
  return {
    place: body.place,
    historyPointer: body.isBare ? base : `${base}/messages`,
    history: historyOf(body.run ?? looseRun(list(request["messages"])), name, decodeMessage),
    system: systemOf(request["system"]),
    tools: toolsOf(tools["tools"], base),
    toolChoice: toolChoiceOf(tools["toolChoice"]),
    model: filled(request["modelId"]) ?? modelOfUrl(url),
    maxTokens,
    isStreaming: /\/(converse-stream|invoke-with-response-stream)\b/.test(url ?? ""),
    links: {},
    settings: settingsOf(request, maxTokens, url),
  };
}

/** The system prompt: blocks of text, among which cache points stand. */
function systemOf(value: unknown): string | undefined {
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  return contentText(value, (part) => {
    return string(part["text"]) ?? string(fields(fields(part["guardContent"])["text"])["text"]);
  }).text;
}

/** The path names the model, with its colon and an ARN's slashes escaped. */
function modelOfUrl(url: string | undefined): string | undefined {
  const found = /\/model\/([^/?#]+)\//.exec(url ?? "")?.[1];
  return found?.replaceAll(/%3A/gi, ":").replaceAll(/%2F/gi, "/");
}

function toolsOf(value: unknown, base: string): ToolDefinition[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry, index): ToolDefinition[] => {
    const tool = fields(entry);
    const key = ["toolSpec", "systemTool"].find((member) => isFields(tool[member]));
    // The rest are cache points.
    if (key === undefined) return [];
    const spec = fields(tool[key]);
    return [
      defined({
        name: string(spec["name"]) ?? "",
        parameters: fields(spec["inputSchema"])["json"],
        isHosted: key === "systemTool",
        pointer: `${base}/toolConfig/tools/${index}/${key}`,
      }),
    ];
  });
}

/** One member says it: `{auto: {}}`, `{any: {}}`, `{tool: {name}}`. There is no word for none. */
function toolChoiceOf(value: unknown): ToolChoice | undefined {
  const choice = fields(value);
  if ("tool" in choice)
    return defined({ mode: "tool" as const, name: filled(fields(choice["tool"])["name"]) });
  if ("any" in choice) return { mode: "required" };
  return "auto" in choice ? { mode: "auto" } : undefined;
}

/** Each maker has its own word for thinking: Claude's two, and Nova's. */
function settingsOf(
  request: Fields,
  maxTokens: number | undefined,
  url: string | undefined,
): RequestSettings {
  const more = fields(request["additionalModelRequestFields"]);
  const thinking = more["thinking"] ?? more["reasoning_config"] ?? more["reasoningConfig"];
  const type = fields(thinking)["type"];
  const isProbe = maxTokens === 1 || url?.includes("/count-tokens") === true;
  return defined({
    reasoning:
      type === "enabled"
        ? true
        : type === "disabled"
          ? false
          : type === "adaptive"
            ? ("adaptive" as const)
            : undefined,
    isProbe: isProbe ? true : undefined,
  });
}
