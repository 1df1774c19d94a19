import type { History, RequestFault } from "../../conversation/exchange.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { RequestBody } from "../../traffic/payload.ts";
import { type Fields, fields, isFields, list, lookUp, string } from "../wire.ts";
import { takesNoSampling, takesOneSampling } from "./sampling.ts";
import { takesNoForcedTool, thinksAlways } from "./thinking-modes.ts";
import { olderSchemas } from "./tool-schemas.ts";
import { changesTools } from "./tools.ts";

/**
 * `A maximum of 4 blocks with cache_control may be provided. Found 5.`
 * @see https://github.com/tghamm/Anthropic.SDK/issues/50
 */
const maxMarks = 4;

/** Faults that concern several places of a request at once: members, cache marks, tool names, roles. */
export function furtherFaults(body: RequestBody, history: History): readonly RequestFault[] {
  return [
    ...conflicts(body),
    ...repeatedNames(body),
    ...olderSchemas(body.fields["tools"]).map((fault) => ({
      ...fault,
      pointer: `${body.base}${fault.pointer}`,
    })),
    ...surplusMarks(body, history),
    ...blocksOfOthers(body, history),
    ...missingContainer(body, history),
  ];
}

/** A value that the API rejects because of another member of the request. */
interface Conflict {
  /** RFC 6901 pointer to the value, from the request. */
  readonly at: string;
  /** What the API takes instead. */
  readonly wanted: string;
  readonly isIn: (value: unknown, request: Fields, body: RequestBody) => boolean;
}

const isThinking = ({ thinking }: Fields): boolean => fields(thinking)["type"] === "enabled";

const memberConflicts: readonly Conflict[] = [
  {
    // `Thinking may not be enabled when tool_choice forces tool use.`
    at: "/tool_choice/type",
    wanted: "`auto` or `none` while thinking is on",
    isIn: (type, request) => (type === "any" || type === "tool") && isThinking(request),
  },
  {
    at: "/tool_choice/type",
    wanted: "`auto` or `none` for this model",
    isIn: (type, request) =>
      (type === "any" || type === "tool") &&
      !isThinking(request) &&
      takesNoForcedTool(string(request["model"])),
  },
  {
    at: "/thinking/type",
    wanted: "`adaptive` for this model",
    isIn: (type, { model }) => type === "disabled" && thinksAlways(string(model)),
  },
  {
    // `Tool 'get_time' not found in provided tools`
    at: "/tool_choice/name",
    wanted: "the name of a tool that the request offers",
    isIn: (name, request, { run }) =>
      typeof name === "string" &&
      fields(request["tool_choice"])["type"] === "tool" &&
      !list(request["tools"]).some((tool) => offers(fields(tool), name)) &&
      (run === undefined || !changesTools(run)),
  },
  {
    // "`temperature` may only be set to 1 when thinking is enabled"
    // @see https://github.com/MartialBE/one-hub/issues/529
    at: "/temperature",
    wanted: "1 while thinking is on",
    isIn: (value, request) => typeof value === "number" && value !== 1 && isThinking(request),
  },
  {
    // "`max_tokens` must be greater than `thinking.budget_tokens`". Thinking between calls may take more.
    at: "/max_tokens",
    wanted: "more than `thinking.budget_tokens`",
    isIn: (value, request) => {
      const budget = fields(request["thinking"])["budget_tokens"];
      const hasTools = list(request["tools"]).length > 0;
      return typeof value === "number" && typeof budget === "number" && value <= budget && !hasTools;
    },
  },
  {
    // `thinking.enabled.budget_tokens: Input should be greater than or equal to 1024`
    at: "/thinking/budget_tokens",
    wanted: "1024 or more",
    isIn: (value, request) => typeof value === "number" && value < 1024 && isThinking(request),
  },
  {
    at: "/top_p",
    wanted: "`temperature` or `top_p` for this model, but not both",
    isIn: (value, { model, temperature }) =>
      typeof value === "number" && typeof temperature === "number" && takesOneSampling(string(model)),
  },
  {
    at: "/temperature",
    wanted: "no `temperature` but 1 for this model",
    isIn: (value, request) =>
      typeof value === "number" &&
      value !== 1 &&
      takesNoSampling(string(request["model"])) &&
      !isThinking(request),
  },
  {
    at: "/top_k",
    wanted: "no `top_k` for this model",
    isIn: (value, { model }) => typeof value === "number" && takesNoSampling(string(model)),
  },
];

/** Toolsets of other servers offer tools under names that the request does not list. */
function offers(tool: Fields, name: string): boolean {
  const isToolset =
    typeof tool["mcp_server_name"] === "string" || /_toolset_/.test(string(tool["type"]) ?? "");
  return tool["name"] === name || isToolset;
}

function* conflicts(body: RequestBody): Generator<RequestFault> {
  const { fields: request, base } = body;
  for (const { at, wanted, isIn } of memberConflicts) {
    const value = valueAt(request, at);
    if (isIn(value, request, body))
      yield { kind: "limit", pointer: `${base}${at}`, wanted, seen: JSON.stringify(value), known: [] };
  }
  // `tool_choice.any may only be specified while providing tools`
  const isWithout = list(request["tools"]).length === 0 && request["mcp_servers"] === undefined;
  if (fields(request["tool_choice"])["type"] === "any" && isWithout)
    yield { kind: "alone", pointer: base, member: "tool_choice", wanted: "`tools`", known: [] };
}

const onlyIn: Readonly<Record<string, { readonly role: string; readonly wanted: string }>> = {
  tool_use: { role: "assistant", wanted: "such a block in messages of the model only" },
  thinking: { role: "assistant", wanted: "such a block in messages of the model only" },
  tool_result: { role: "user", wanted: "such a block in messages of the user only" },
};

/** "`tool_use` blocks can only be in `assistant` messages", "`tool_result` blocks can only be in `user` …" */
function* blocksOfOthers({ base }: RequestBody, history: History): Generator<RequestFault> {
  for (let index = 0; index < history.length; index++) {
    const role = history.role(index);
    if (role !== "user" && role !== "assistant") continue;
    for (const { pointer, ...item } of history.items(index)) {
      const type = item.kind === "reasoning" ? "thinking" : "wireType" in item ? item.wireType : "";
      const rule = lookUp(onlyIn, type);
      if (rule && rule.role !== role)
        yield {
          kind: "limit",
          pointer: `${base}/messages/${index}${pointer}/type`,
          wanted: rule.wanted,
          seen: JSON.stringify(type),
          known: [],
        };
    }
  }
}

/**
 * The container in which code waits for the results that a request ends with: "container_id is required when
 * there are pending tool uses generated by code execution with tools."
 */
function* missingContainer(
  { fields: request, base }: RequestBody,
  history: History,
): Generator<RequestFault> {
  if (request["container"] !== undefined && request["container"] !== null) return;
  const callers = new Map<string, string>();
  const ended = new Set<string>();
  for (let index = 0; index < history.length; index++)
    for (const value of list(fields(history.element(index).value)["content"])) {
      const block = fields(value);
      const [id, caller] = [string(block["id"]), string(fields(block["caller"])["tool_id"])];
      const isEnd = /_execution_tool_result$/.test(string(block["type"]) ?? "");
      if (id !== undefined && caller !== undefined) callers.set(id, caller);
      if (isEnd) ended.add(string(block["tool_use_id"]) ?? "");
    }
  const last = history.length - 1;
  const answered = last < 0 ? [] : history.items(last);
  const isPending = answered.some((item) => {
    const caller = item.kind === "result" ? callers.get(item.callId ?? "") : undefined;
    return caller !== undefined && !ended.has(caller);
  });
  if (isPending)
    yield { kind: "missing", pointer: base, member: "container", wanted: "`container`", known: [] };
}

/** `tools: Tool names must be unique.` @see https://github.com/danny-avila/LibreChat/issues/13162 */
function* repeatedNames({ fields: request, base }: RequestBody): Generator<RequestFault> {
  const seen = new Set<string>();
  for (const [index, tool] of list(request["tools"]).entries()) {
    const name = string(fields(tool)["name"]);
    if (name === undefined) continue;
    if (seen.has(name))
      yield {
        kind: "limit",
        pointer: `${base}/tools/${index}/name`,
        wanted: "each name of a tool once",
        seen: JSON.stringify(name),
        known: [],
      };
    seen.add(name);
  }
}

/** The first mark beyond the limit, counted over the whole request. */
function surplusMarks({ fields: request, base }: RequestBody, history: History): readonly RequestFault[] {
  let count = isFields(request["cache_control"]) ? 1 : 0;
  let fifth: string | undefined;
  const add = (marks: readonly string[], pointer: string): void => {
    if (count <= maxMarks && count + marks.length > maxMarks)
      fifth = `${pointer}${marks[maxMarks - count] ?? ""}/cache_control`;
    count += marks.length;
  };
  add(marksOf(request["tools"]), `${base}/tools`);
  add(marksOf(request["system"]), `${base}/system`);
  for (let index = 0; index < history.length; index++)
    add(marksIn(history.element(index)), `${base}/messages/${index}/content`);
  if (fifth === undefined) return [];
  const seen = `the fifth mark for the cache, of ${count}`;
  return [{ kind: "limit", pointer: fifth, wanted: `at most ${maxMarks}`, seen, known: [] }];
}

const known = new WeakMap<object, readonly string[]>();

/** The marks of a message. Requests share messages, so each message is examined once. */
function marksIn(element: { readonly value: unknown }): readonly string[] {
  const marks = known.get(element) ?? marksOf(fields(element.value)["content"]);
  known.set(element, marks);
  return marks;
}

/** Pointers below a list to its marked blocks, including results and their parts. */
function marksOf(value: unknown): readonly string[] {
  return list(value).flatMap((block, index) => {
    if (!isFields(block)) return [];
    const inner = block["type"] === "tool_result" ? marksOf(block["content"]) : [];
    return [
      ...(isFields(block["cache_control"]) ? [`/${index}`] : []),
      ...inner.map((mark) => `/${index}/content${mark}`),
    ];
  });
}
