import type { Request, ToolDefinition } from "../../conversation/exchange.ts";
import { noDemands } from "../demands.ts";
import { errorIn } from "../errors.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Protocol, RequestBody } from "../protocol.ts";
import { defined, fields, filled, isFields, list, number, string } from "../wire.ts";
import { endpoint, paths } from "./endpoint.ts";
import { errorTexts } from "./error-texts.ts";
import { decodeMessage } from "./messages.ts";
import { recognize } from "./recognize.ts";
import { refusals } from "./refusals.ts";
import { decodeReply, decodeStream } from "./reply.ts";
import { answers, encode, idiom, writes } from "./write.ts";

const name = "ollama";

/**
 * Ollama requires almost nothing. It checks no pairing: the template renders any input, and the model
 * misbehaves. It rejects only arguments that are not an object.
 * @see https://github.com/ollama/ollama/blob/main/docs/api.md
 */
const demands = noDemands;

export const ollama: Protocol = {
  name,
  summary: "Ollama's own /api/chat; its /v1 endpoints speak the other protocols",
  historyKeys: ["messages"],
  stableKeys: ["tools"],
  toolKeys: ["tools"],
  demands,
  recognize,
  paths,
  endpoint,
  idiom,
  answers,
  encode,
  decodeElement: (value) => decodeMessage(value),
  decodeRequest,
  loadSchema: () => import("schema:requests/ollama"),
  refusals,
  errorTexts,
  loadServerSide: async () => (await import("./server-side.ts")).createServerSide,
  decodeReply,
  decodeStream,
  writes,
  places: () => ({
    callId: "/id",
    callName: "/function/name",
    callArguments: "/function/arguments",
    resultId: "/tool_call_id",
    resultName: "/tool_name",
  }),
  asksAs: "openai-chat",
  isTerminal: ({ value }) => fields(value)["done"] === true || errorIn(fields(value)) !== undefined,
  replyId: () => undefined,
};

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base } = body;
  const options = fields(request["options"]);
  const run = body.run ?? looseRun(list(request["messages"]));
  const { think } = request;
  const reasoning = typeof think === "boolean" ? think : filled(think) === undefined ? undefined : true;
  return {
    place: body.place,
    historyPointer: body.isBare ? base : `${base}/messages`,
    history: historyOf(run, name, (value) => decodeMessage(value)),
    system: undefined,
    tools: toolsOf(request["tools"], base),
    // The server ignores `tool_choice`, so a client's choice forces nothing.
    toolChoice: undefined,
    model: filled(request["model"]),
    maxTokens: number(options["num_predict"]),
    // The server streams unless told otherwise; without a model, it was sent nothing.
    isStreaming:
      request["stream"] !== false && (request["stream"] === true || filled(request["model"]) !== undefined),
    links: {},
    // A request without messages only loads or unloads the model.
    settings: defined({
      reasoning,
      isProbe: run.length === 0 ? true : undefined,
      hasAnswerForm: isFields(request["format"]) || request["format"] === "json" ? true : undefined,
    }),
  };
}

function toolsOf(value: unknown, base: string): ToolDefinition[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((entry, index) => {
    const tool = fields(entry);
    const body = isFields(tool["function"]) ? tool["function"] : tool;
    const { parameters } = body;
    return defined({
      name: string(body["name"]) ?? "",
      parameters,
      isHosted: false,
      unknownType: (filled(tool["type"]) ?? "function") === "function" ? undefined : filled(tool["type"]),
      pointer: `${base}/tools/${index}`,
    });
  });
}
