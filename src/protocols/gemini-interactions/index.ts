import type { Demands, Request, ToolChoice, ToolDefinition } from "../../conversation/exchange.ts";
import { level } from "../../traffic/certainty.ts";
import { noDemands } from "../demands.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Peek, Protocol, Recognition, RequestBody } from "../protocol.ts";
import { defined, fields, filled, isFields, list, number, string, valueText } from "../wire.ts";
import { decodeElement } from "./contents.ts";
import { decodeReply, decodeStream, endsStream } from "./reply.ts";

const name = "gemini-interactions";

/**
 * The server keeps the history; its documents say little about what it rejects.
 * @see https://ai.google.dev/gemini-api/docs/interactions
 */
const demands: Demands = { ...noDemands, pairsBy: "id", mergesRoles: true, hasServerHistory: true };

export const geminiInteractions: Protocol = {
  name,
  summary: "Gemini Interactions: steps, with the history kept by the server or sent along",
  historyKeys: ["input"],
  stableKeys: ["tools"],
  demands,
  recognize,
  paths: [
    { pattern: /\/interactions\/[^/?#]/, purpose: "stored", speaks: "for" },
    { pattern: /\/interactions(?:[/?#]|$)/, purpose: "turn", speaks: "for" },
  ],
  endpoint: "unsupported",
  // @see https://ai.google.dev/gemini-api/docs/function-calling
  idiom: {
    append: "input.push(...interaction.steps, ...results)",
    result: '{ type: "function_result", name: call.name, call_id: call.id, result }',
  },
  answers: "unsupported",
  encode: "unsupported",
  writes: "unsupported",
  places: "unsupported",
  loadSchema: "unsupported",
  refusals: "unsupported",
  errorTexts: "unsupported",
  requestErrors: { types: ["invalid_request"] },
  loadServerSide: "unsupported",
  decodeElement,
  decodeRequest,
  decodeReply,
  decodeStream,
  isTerminal: (frame) => endsStream(frame.value) || frame.data.trim() === "[DONE]",
  replyId: (frame) => filled(fields(fields(frame.value)["interaction"])["id"]),
};

function recognize(peek: Peek): Recognition | undefined {
  const event = peek.kind("event_type") === "string" ? valueText(peek.value("event_type")) : "";
  if (/^(?:interaction|content|step)\.\w+$/.test(event))
    return { part: "event", certainty: level.nearlyCertain };
  if (peek.kind("object") === "string" && peek.value("object") === "interaction")
    return { part: "reply", certainty: level.certain };
  // What the server keeps of an interaction repeats its input among its steps.
  if (peek.kind("steps") === "array" && peek.kind("status") === "string" && peek.kind("id") === "string")
    if (list(peek.value("steps")).some(isOwnElement)) return { part: "reply", certainty: level.certain };
  if (peek.kind("input") !== "array" && peek.kind("input") !== "string") return undefined;
  const isNamed = peek.kind("model") === "string" || peek.kind("agent") === "string";
  const hasOwnKeys = ["previous_interaction_id", "system_instruction", "generation_config"].some((key) =>
    peek.has(key),
  );
  const hasSteps = list(peek.value("input")).some(isOwnElement);
  if (!isNamed || (!hasOwnKeys && !hasSteps)) return undefined;
  return { part: "request", certainty: hasSteps ? level.certain : level.strong };
}

/** Whether an element is a step, or a turn with a call or result; the Responses API names both otherwise. */
function isOwnElement(value: unknown): boolean {
  const { type, content } = fields(value);
  if (/^(?:user_input|model_output|thought|function_result)$/.test(string(type) ?? "")) return true;
  return list(content).some((part) => /^function_(?:call|result)$/.test(string(fields(part)["type"]) ?? ""));
}

function decodeRequest(body: RequestBody): Request {
  const { fields: request, base } = body;
  const { input } = request;
  const settings = fields(request["generation_config"]);
  return {
    place: body.place,
    historyPointer: body.historyPointer ?? `${base}/input`,
    history: historyOf(
      body.run ?? looseRun(isFields(input) || typeof input === "string" ? [input] : list(input)),
      name,
      decodeElement,
    ),
    system: filled(request["system_instruction"]),
    tools: toolsOf(request["tools"], base),
    toolChoice: toolChoiceOf(settings["tool_choice"]),
    model: filled(request["model"]) ?? filled(request["agent"]),
    maxTokens: number(settings["max_output_tokens"]),
    isStreaming: request["stream"] === true,
    links: defined({ previousReply: filled(request["previous_interaction_id"]) }),
    settings: defined({ isUnstored: request["store"] === false ? true : undefined }),
  };
}

/** @see https://ai.google.dev/gemini-api/docs/interactions */
const knownTools: ReadonlySet<string> = new Set(
  "function google_search code_execution url_context google_maps file_search computer_use mcp_server retrieval".split(
    " ",
  ),
);

function toolsOf(value: unknown, base: string): ToolDefinition[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(fields).map((tool, index) =>
    defined({
      name: filled(tool["name"]) ?? string(tool["type"]) ?? "",
      parameters: tool["parameters"],
      isHosted: tool["type"] !== "function",
      unknownType: knownTools.has(string(tool["type"]) ?? "function") ? undefined : string(tool["type"]),
      pointer: `${base}/tools/${index}`,
    }),
  );
}

function toolChoiceOf(value: unknown): ToolChoice | undefined {
  const mode = string(value) ?? string(fields(fields(value)["allowed_tools"])["mode"]);
  if (mode === "any") return { mode: "required" };
  return mode === "auto" || mode === "none" ? { mode } : undefined;
}
