import type { Demands, Request, ToolChoice, ToolDefinition } from "../../conversation/exchange.ts";
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
import { aroundPart } from "./around-part.ts";
import { decodeContent } from "./contents.ts";
import { endpoint, paths } from "./endpoint.ts";
import { errorTexts } from "./error-texts.ts";
import { furtherFaults } from "./further-faults.ts";
import { member, wireName } from "./names.ts";
import { recognize } from "./recognize.ts";
import { refusals } from "./refusals.ts";
import { decodeReply, finishOf, unwrap } from "./reply.ts";
import { signsCalls } from "./signatures.ts";
import { decodeStream } from "./stream.ts";
import { answers, encode, idiom, writes } from "./write.ts";

const name = "gemini";

/**
 * What the Gemini API requires: "the number of function response parts is equal to the number of function
 * call parts of the function call turn". It merges consecutive contents of one role, then counts, and the
 * responses must follow directly.
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 */
const demands: Demands = {
  pairsBy: "order",
  adjacency: "next-message",
  // Gemini-2.5 accepted a text before the responses; gemini-3.7 on Vertex rejected it.
  resultsFirst: false,
  refusesUnanswered: true,
  refusesOrphans: true,
  hasCallsReason: false,
  forcedChoiceStops: false,
  callKinds: new Map(),
  argumentsAre: "object",
  mergesRoles: true,
  hasServerHistory: false,
  keepsPrompt: false,
  // Clients keep the empty texts of empty chunks, and the API accepts them.
  refusesEmptyText: false,
  refusesDuplicateResults: false,
  // `* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.`
  // @see https://github.com/coze-dev/coze-studio/issues/46
  refusesEmptyMessages: true,
  // `Please ensure that function call turn comes immediately after a user turn or after a function response
  // turn.`
  // @see https://github.com/google-gemini/gemini-cli/issues/11814
  refusesFirstCall: true,
  isStrict: true,
  // `Function call is missing a thought_signature in functionCall parts.`
  reasoning: ({ model }) => (signsCalls(model) ? "signed-calls" : undefined),
};

export const gemini: Protocol = {
  name,
  summary: "Gemini generateContent: AI Studio, Vertex AI, Cloud Code Assist",
  historyKeys: ["contents"],
  stableKeys: ["tools", "systemInstruction", "system_instruction"],
  promptKeys: ["systemInstruction", "system_instruction"],
  toolKeys: ["tools"],
  demands,
  namesModelInPath: true,
  recognize,
  paths,
  endpoint,
  idiom,
  answers,
  encode,
  decodeElement: decodeContent,
  decodeRequest,
  loadSchema: () => import("schema:requests/gemini"),
  refusals,
  errorTexts,
  requestErrors: {
    types: ["INVALID_ARGUMENT"],
    printed: { pattern: /\b400\W{1,3}INVALID_ARGUMENT/i, status: 400 },
  },
  loadServerSide: async () => (await import("./server-side.ts")).createServerSide,
  furtherFaults,
  decodeReply,
  decodeStream,
  writes,
  places: (item) => {
    const call = wireName(fields(item), "functionCall");
    const response = wireName(fields(item), "functionResponse");
    return {
      callId: `/${call}/id`,
      callName: `/${call}/name`,
      callArguments: `/${call}/args`,
      resultId: `/${response}/id`,
      resultName: `/${response}/name`,
    };
  },
  aroundPart,
  // A chunk with only usage may follow.
  isTerminal: (frame) => finishOf(unwrap(frame.value)) !== undefined,
  replyId: (frame) => filled(member(unwrap(frame.value).value, "responseId")),
};

function decodeRequest(body: RequestBody): Request {
  const { fields: request, envelope, base, url } = body;
  const config = fields(member(request, "generationConfig") ?? request["config"]);
  const run = body.run ?? looseRun(list(request["contents"]));
  const reasoning = reasoningOf(fields(member(config, "thinkingConfig")));
  return {
    place: body.place,
    historyPointer: body.isBare ? base : `${base}/contents`,
    history: historyOf(run, name, decodeContent),
    system: systemOf(member(request, "systemInstruction")),
    tools: toolsOf(request["tools"], base),
    toolChoice: toolChoiceOf(fields(member(request, "toolConfig"))),
    model: filled(request["model"]) ?? filled(envelope["model"]) ?? modelOfUrl(url),
    maxTokens: number(member(config, "maxOutputTokens")),
    isStreaming: /:streamGenerateContent\b/i.test(url ?? ""),
    links: defined({ clientKey: filled(member(request, "sessionId")) }),
    settings: defined({ reasoning, hasAnswerForm: hasAnswerForm(config) ? true : undefined }),
  };
}

/** @see https://ai.google.dev/gemini-api/docs/structured-output */
function hasAnswerForm(config: Fields): boolean {
  const type = string(member(config, "responseMimeType")) ?? "text/plain";
  return (
    !type.startsWith("text/plain") ||
    ["responseSchema", "responseJsonSchema"].some((key) => isFields(member(config, key)))
  );
}

function modelOfUrl(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /\/models\/([^/:?]+):/.exec(url)?.[1];
}

/** The system prompt: a content, or a string or list of parts, which SDKs allow. */
function systemOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const parts = isFields(value) ? value["parts"] : value;
  return Array.isArray(parts) ? contentText(parts, (part) => string(part["text"])).text : undefined;
}

/** Google's tools in lower case. @see https://ai.google.dev/api/caching#Tool */
const knownTools: ReadonlySet<string> = new Set(
  `functiondeclarations googlesearch googlesearchretrieval codeexecution urlcontext googlemaps retrieval filesearch
  computeruse enterprisewebsearch mcpservers parallelaisearch exaaisearch imagegeneration`.split(/\s+/),
);

/**
 * One entry holds many declarations, or names one tool that Google runs (`{googleSearch: {}}`). A single
 * entry may stand without its list, as a single part may.
 */
function toolsOf(value: unknown, base: string): ToolDefinition[] | undefined {
  if (isFields(value)) return toolsIn(value, `${base}/tools`);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry, place) => toolsIn(fields(entry), `${base}/tools/${place}`));
}

function toolsIn(entry: Fields, pointer: string): ToolDefinition[] {
  const key = wireName(entry, "functionDeclarations");
  const declared = list(entry[key]).map((declaration, index): ToolDefinition => {
    const tool = fields(declaration);
    const parameters = member(tool, "parametersJsonSchema") ?? member(tool, "parameters");
    return defined({
      name: string(tool["name"]) ?? "",
      parameters,
      isHosted: false,
      pointer: `${pointer}/${key}/${index}`,
    });
  });
  const hosted = Object.keys(entry)
    .filter((other) => other !== key && isFields(entry[other]))
    .map((other) => ({
      name: other,
      isHosted: true,
      ...(!knownTools.has(other.replaceAll("_", "").toLowerCase()) && { unknownType: other }),
      pointer: `${pointer}/${other}`,
    }));
  return [...declared, ...hosted];
}

const modes = new Map(
  Object.entries<ToolChoice["mode"]>({
    AUTO: "auto",
    VALIDATED: "auto",
    ANY: "required",
    NONE: "none",
  }),
);

function toolChoiceOf(config: Fields): ToolChoice | undefined {
  const calling = fields(member(config, "functionCallingConfig"));
  const word = string(calling["mode"])?.toUpperCase() ?? "";
  const mode = modes.get(word);
  if (mode === undefined) return undefined;
  const allowed = list(member(calling, "allowedFunctionNames"));
  const only = allowed.length === 1 ? filled(allowed[0]) : undefined;
  return mode === "required" && only !== undefined ? { mode: "tool", name: only } : { mode };
}

/** Whether thinking is on: a budget of 0 means off; another budget, a level or shown thoughts mean on. */
function reasoningOf(thinking: Fields): boolean | undefined {
  const budget = member(thinking, "thinkingBudget");
  if (typeof budget === "number") return budget !== 0;
  if (member(thinking, "includeThoughts") === true || filled(member(thinking, "thinkingLevel"))) return true;
  return undefined;
}
