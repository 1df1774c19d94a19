import type {
  Demands,
  Request,
  RequestFault,
  RequestSettings,
  ToolChoice,
  ToolDefinition,
} from "../../conversation/exchange.ts";
import { takesNoSampling, takesOneSampling } from "../anthropic/sampling.ts";
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
import { errorTexts } from "./error-texts.ts";
import { isException, readEvent } from "./events.ts";
import { recognize } from "./recognize.ts";
import { decodeReply } from "./reply.ts";
import { decodeStream } from "./stream.ts";
import { answers, idiom, writes } from "./write.ts";

const name = "bedrock-converse";

/**
 * What Bedrock requires: the next message holds all results of a turn, as many as there were calls. Bedrock
 * checks this before the request reaches a model; further rules (Claude wants results first) depend on the
 * model.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
 */
const demands: Demands = {
  pairsBy: "id",
  adjacency: "next-message",
  resultsFirst: false,
  // "Expected toolResult blocks at messages.2.content for the following Ids: …"
  refusesUnanswered: true,
  // "The number of toolResult blocks … exceeds the number of toolUse blocks of previous turn."
  refusesOrphans: true,
  hasCallsReason: true,
  forcedChoiceStops: false,
  callKinds: new Map(),
  argumentsAre: "object",
  idPattern: /^[a-zA-Z0-9_.:-]+$/,
  maxIdLength: 64,
  // Consecutive user messages are accepted, but results spread over them are not found.
  mergesRoles: false,
  hasServerHistory: false,
  keepsPrompt: false,
  refusesEmptyText: true,
  // "The text field in the ContentBlock object at messages.1.content.0 is blank."
  refusesBlankText: true,
  refusesDuplicateResults: true,
  isStrict: true,
  // Claude's rule, which Bedrock passes on: "The model returned the following errors: messages.1: …".
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
  namesModelInPath: true,
  recognize,
  paths: [
    { pattern: /\/converse(-stream)?(?:[?#]|$)/, purpose: "turn" },
    { pattern: /\/model\/[^/]*\/count-tokens\b/, purpose: "count" },
    { pattern: /\/guardrail\/[^/]*\/version\/[^/]*\/apply\b/, purpose: "other" },
    // InvokeModel takes the same bodies for Amazon's own models; other makers' models take their own.
    { pattern: /\/model\/[^/]*nova[^/]*\/invoke/, purpose: "turn" },
    { pattern: /\/model\/[^/]*\/invoke/i, purpose: "other" },
  ],
  decodeElement: decodeMessage,
  decodeRequest,
  loadSchema: () => import("schema:requests/bedrock-converse"),
  refusals: "unsupported",
  errorTexts,
  requestErrors: {
    types: ["ValidationException"],
    // @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
    printed: {
      pattern:
        /\(ValidationException\) when calling the (?:Converse|InvokeModel)|(?:^|[\s.])ValidationException: (?=\S.{20})/,
      status: 400,
    },
  },
  loadServerSide: "unsupported",
  furtherFaults: (body) => [...forcedWhileThinking(body), ...claudeSampling(body)],
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
  aroundPart: ({ toolUse, toolResult }) =>
    isFields(toolUse)
      ? { before: '{"role":"assistant","content":[', after: "]}" }
      : isFields(toolResult)
        ? { before: '{"role":"user","content":[', after: "]}" }
        : undefined,
  isTerminal(frame) {
    const event = readEvent(frame.value, frame.event);
    return event !== undefined && (event.name === "metadata" || isException(event));
  },
  replyId: () => undefined,
  isLater(frame) {
    const event = readEvent(frame.value, frame.event);
    return event !== undefined && event.name !== "messageStart" && !isException(event);
  },
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
    settings: settingsOf(request, maxTokens),
  };
}

/** The system prompt: blocks of text, possibly with cache points in between. */
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
    if (key === undefined) {
      const [other] = Object.keys(tool);
      if (other === undefined || other === "cachePoint") return [];
      const pointer = `${base}/toolConfig/tools/${index}`;
      return [{ name: other, isHosted: true, unknownType: other, pointer }];
    }
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

/** One member names the mode: `{auto: {}}`, `{any: {}}`, `{tool: {name}}`. There is none for "none". */
function toolChoiceOf(value: unknown): ToolChoice | undefined {
  const choice = fields(value);
  if ("tool" in choice)
    return defined({ mode: "tool" as const, name: filled(fields(choice["tool"])["name"]) });
  if ("any" in choice) return { mode: "required" };
  return "auto" in choice ? { mode: "auto" } : undefined;
}

/** Claude's rule, which Bedrock passes on: `Thinking may not be enabled when tool_choice forces tool use.` */
function* forcedWhileThinking({ fields: request, base, url }: RequestBody): Generator<RequestFault> {
  const choice = fields(fields(request["toolConfig"])["toolChoice"]);
  const [forced] = ["any", "tool"].filter((mode) => mode in choice);
  const { reasoning } = settingsOf(request, undefined);
  const model = filled(request["modelId"]) ?? modelOfUrl(url);
  if (forced === undefined || reasoning !== true || model?.includes("claude") === false) return;
  const pointer = `${base}/toolConfig/toolChoice`;
  yield { kind: "limit", pointer, wanted: "`auto` while thinking is on", seen: `"${forced}"`, known: [] };
}

/** Claude's limits on sampling, which Bedrock passes on. */
function* claudeSampling({ fields: request, base, url }: RequestBody): Generator<RequestFault> {
  const model = filled(request["modelId"]) ?? modelOfUrl(url);
  const { temperature, topP } = fields(request["inferenceConfig"]);
  const at = { kind: "limit" as const, known: [] };
  if (typeof temperature === "number" && typeof topP === "number" && takesOneSampling(model))
    yield {
      ...at,
      pointer: `${base}/inferenceConfig/topP`,
      wanted: "`temperature` or `topP` for this model, but not both",
      seen: `${topP}`,
    };
  if (typeof temperature === "number" && temperature !== 1 && takesNoSampling(model))
    yield {
      ...at,
      pointer: `${base}/inferenceConfig/temperature`,
      wanted: "no `temperature` but 1 for this model",
      seen: `${temperature}`,
    };
}

/** Each maker has its own key for thinking: two for Claude, one for Nova. */
function settingsOf(request: Fields, maxTokens: number | undefined): RequestSettings {
  const more = fields(request["additionalModelRequestFields"]);
  const thinking = more["thinking"] ?? more["reasoning_config"] ?? more["reasoningConfig"];
  const type = fields(thinking)["type"];
  const isProbe = maxTokens === 1;
  const form = fields(request["outputConfig"])["textFormat"];
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
    hasAnswerForm: isFields(form) ? true : undefined,
  });
}
