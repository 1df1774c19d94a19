import type { Request, ToolChoice, ToolDefinition } from "../../conversation/exchange.ts";
import { parseJson } from "../../reading/parse.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { historyOf, looseRun } from "../history.ts";
import type { RequestBody } from "../protocol.ts";
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
import { decodeMessage } from "./message.ts";
import { runOnServer } from "./server-runs.ts";
import { historyKeys } from "./trace-attributes.ts";

export function decodeRequest(name: string, body: RequestBody): Request {
  const { fields: request, base } = body;
  const key = historyKeys.find((candidate) => Array.isArray(request[candidate])) ?? "messages";
  const run =
    body.run ?? looseRun(typeof request["prompt"] === "string" ? [request["prompt"]] : list(request[key]));
  return {
    place: body.place,
    historyPointer: body.historyPointer ?? `${base}/${key}`,
    history: historyOf(run, name, decodeMessage),
    system: systemOf(request),
    tools: toolsOf(request, base),
    toolChoice: toolChoiceOf(
      request["ai.prompt.toolChoice"] ?? request["toolChoice"] ?? request["tool_choice"],
    ),
    model: firstOf(request, [
      "gen_ai.request.model",
      "llm.model_name",
      "ai.model.id",
      "model",
      "modelId",
      "model_id",
    ]),
    maxTokens: number(request["gen_ai.request.max_tokens"]) ?? number(request["maxOutputTokens"]),
    isStreaming: false,
    links: defined({ conversation: run.length > 0 ? runOnServer(run.element(0).value) : undefined }),
    settings: {},
  };
}

function firstOf(request: Fields, keys: readonly string[]): string | undefined {
  return keys.map((key) => filled(request[key])).find((value) => value !== undefined);
}

function systemOf(request: Fields): string | undefined {
  const value = request["gen_ai.system_instructions"] ?? request["system"];
  if (typeof value === "string") return filled(value);
  if (!Array.isArray(value)) return undefined;
  return contentText(value, (part) => string(part["content"]) ?? string(part["text"])).text;
}

function toolsOf(request: Fields, base: string): ToolDefinition[] | undefined {
  for (const key of [
    "gen_ai.tool.definitions",
    "llm.tools",
    "llm.request.functions",
    "ai.prompt.tools",
    "tools",
  ]) {
    if (!Array.isArray(request[key])) continue;
    return list(request[key]).map((entry, index) =>
      defined({ ...toolOf(entry), pointer: `${base}/${pointerToken(key)}/${index}` }),
    );
  }
  return undefined;
}

/** A tool definition as an object, as JSON text, or in OpenInference's wrapper. */
function toolOf(entry: unknown): Pick<ToolDefinition, "name" | "parameters" | "isHosted"> {
  const value = typeof entry === "string" ? parseJson(entry) : entry;
  const wrapped = fields(fields(value)["tool"])["json_schema"] ?? fields(value)["tool.json_schema"];
  if (wrapped !== undefined) return toolOf(wrapped);
  const tool = isFields(fields(value)["function"]) ? fields(fields(value)["function"]) : fields(value);
  const parameters = tool["parameters"] ?? tool["inputSchema"] ?? tool["input_schema"];
  const schema = typeof parameters === "string" ? parseJson(parameters) : parameters;
  const type = string(tool["type"]);
  return defined({
    name: string(tool["name"]) ?? "",
    parameters: isFields(schema) ? schema : undefined,
    isHosted: type === "provider" || type === "provider-defined",
  });
}

function toolChoiceOf(value: unknown): ToolChoice | undefined {
  const choice = typeof value === "string" && value.startsWith("{") ? parseJson(value) : value;
  const word = string(choice) ?? string(fields(choice)["type"]);
  if (word === "auto" || word === "none" || word === "required") return { mode: word };
  if (word === "any") return { mode: "required" };
  const forced = filled(fields(choice)["toolName"]) ?? filled(fields(fields(choice)["function"])["name"]);
  return forced === undefined ? undefined : { mode: "tool", name: forced };
}
