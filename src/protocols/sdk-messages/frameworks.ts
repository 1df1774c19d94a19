import type { Item, Role, ToolResult } from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import { defined, type Fields, fields, filled, isFields, list, lookUp, string } from "../wire.ts";
import { callOf, decodePart, resultText } from "./parts.ts";

/** How one framework writes an element of a history down; `undefined` for elements of any other form. */
type Form = (message: Fields) => DecodedElement | undefined;

/**
 * Messages of frameworks that have no form in common with any API: their dumps and stores are read as what they tell. An element without
 * items is one of a list that says nothing to the model: a change of state, a count of tokens.
 */
export function toldBy(value: unknown): DecodedElement | undefined {
  const message = fields(value);
  for (const form of forms) {
    const found = form(message);
    if (found) return found;
  }
  return undefined;
}

/** @see https://ai.pydantic.dev/message-history/ */
const pydanticAi: Form = ({ kind, parts }) => {
  if (kind !== "request" && kind !== "response") return undefined;
  if (!Array.isArray(parts) || !parts.every((part) => typeof fields(part)["part_kind"] === "string"))
    return undefined;
  const role = kind === "request" ? "user" : "assistant";
  return {
    role,
    items: parts.flatMap((part, index) => pydanticPart(fields(part), `/parts/${index}`, role)),
  };
};

function pydanticPart(part: Fields, pointer: string, role: Role): Item[] {
  const { part_kind: kind, content, tool_name: name, tool_call_id: callId } = part;
  switch (kind) {
    case "system-prompt":
      return said(content, "system", pointer);
    case "tool-call":
      return [callOf(part, pointer)];
    case "builtin-tool-call":
      return [{ ...callOf(part, pointer), isHosted: true }];
    case "tool-return":
      return [result({ callId, name, output: content }, pointer)];
    case "builtin-tool-return":
      return [{ ...result({ callId, name, output: content }, pointer), isHosted: true }];
    case "retry-prompt":
      // What was wrong with a call answers it; what was wrong with a text is said by the user.
      return filled(name) === undefined
        ? said(content, "user", pointer)
        : [result({ callId, name, output: content, isError: true }, pointer)];
    case "thinking":
      return [{ kind: "reasoning", role, pointer, text: string(content) ?? "" }];
    default:
      return said(content, role, pointer);
  }
}

/**
 * Semantic Kernel and Microsoft.Extensions.AI: contents that name their type as .NET writes it, in either spelling of the members.
 * @see https://learn.microsoft.com/dotnet/api/microsoft.extensions.ai.aicontent
 */
const dotnet: Form = (message) => {
  const [key, contents] = member(message, "contents", "items");
  const typed = list(contents).map(fields);
  if (typed.length === 0 || !typed.every((part) => typeOfContent(part) !== undefined)) return undefined;
  const label = member(message, "role")[1];
  const role = roleOf(string(label) ?? string(member(fields(label), "label")[1]));
  if (role === undefined) return undefined;
  return {
    role,
    items: typed.flatMap((part, index): Item[] => {
      const pointer = `/${key}/${index}`;
      const type = typeOfContent(part)?.replace(/_/g, "").toLowerCase() ?? "";
      const callId = member(part, "callId", "call_id", "id")[1];
      const name = member(part, "functionName", "function_name", "name")[1];
      if (type.startsWith("functioncall"))
        return [callOf({ callId, name, arguments: member(part, "arguments")[1] }, pointer)];
      if (type.startsWith("functionresult"))
        return [result({ callId, name, output: member(part, "result")[1] }, pointer)];
      const text = string(member(part, "text")[1]);
      if (/^(?:text)?reasoning/.test(type)) return [{ kind: "reasoning", role, pointer, text: text ?? "" }];
      return text === undefined
        ? [{ kind: "message", role, pointer, text: "", hasMedia: true }]
        : said(text, role, pointer);
    }),
  };
};

function typeOfContent(part: Fields): string | undefined {
  return filled(part["$type"]) ?? filled(part["content_type"]);
}

/** @see https://docs.llamaindex.ai/en/stable/api_reference/prompts/ */
const llamaIndex: Form = (message) => {
  const { blocks, additional_kwargs: more } = message;
  const role = roleOf(string(message["role"]));
  if (role === undefined || !Array.isArray(blocks) || !isFields(more)) return undefined;
  const parts = blocks.flatMap((block, index): Item[] => {
    const { block_type: type, text, tool_name: name, tool_call_id: id, tool_kwargs: args } = fields(block);
    const pointer = `/blocks/${index}`;
    if (type === "tool_call") return [callOf({ id, name, arguments: args }, pointer)];
    if (type === "thinking") return [{ kind: "reasoning", role, pointer, text: textIn(fields(block)) }];
    return typeof text === "string"
      ? said(text, role, pointer)
      : [{ kind: "message", role, pointer, text: "", hasMedia: true }];
  });
  if (role === "tool") {
    const output = parts.map((item) => (item.kind === "message" ? item.text : "")).join("\n");
    return { role, items: [result({ callId: more["tool_call_id"], name: more["name"], output }, "")] };
  }
  const known = new Set(parts.flatMap((item) => (item.kind === "call" ? [item.id] : [])));
  const calls = list(more["tool_calls"])
    .map((call, index) => callOf(fields(call), `/additional_kwargs/tool_calls/${index}`))
    .filter(({ id }) => id === undefined || !known.has(id));
  return { role, items: [...parts, ...calls] };
};

function textIn(block: Fields): string {
  return string(block["content"]) ?? string(block["text"]) ?? "";
}

/**
 * AutoGen: events and messages that name their class, and, before version 0.4, messages of tools with a list of what each gave back.
 * @see https://microsoft.github.io/autogen/stable/reference/python/autogen_agentchat.messages.html
 */
const autogen: Form = (message) => {
  const { type, content, source } = message;
  if (Array.isArray(message["tool_responses"])) {
    const items = message["tool_responses"].map((response, index) =>
      result(
        { callId: fields(response)["tool_call_id"], output: fields(response)["content"] },
        `/tool_responses/${index}`,
      ),
    );
    return { role: "tool", items };
  }
  if (typeof type !== "string" || !/^[A-Z]\w*(?:Message|Event)$/.test(type)) return undefined;
  if (typeof source !== "string" && type !== "FunctionExecutionResultMessage") return undefined;
  const role: Role =
    type === "SystemMessage"
      ? "system"
      : type === "UserMessage" || (source === "user" && type.endsWith("Message"))
        ? "user"
        : "assistant";
  if (type === "ThoughtEvent")
    return { role, items: [{ kind: "reasoning", role, pointer: "/content", text: string(content) ?? "" }] };
  if (typeof content === "string") return { role, items: said(content, role, "/content") };
  const items = list(content).flatMap((part, index): Item[] => {
    const { call_id: callId, name, content: output, is_error: isError, arguments: args } = fields(part);
    const pointer = `/content/${index}`;
    if (callId !== undefined) return [result({ callId, name, output, isError: isError === true }, pointer)];
    if (args !== undefined) return [callOf(fields(part), pointer)];
    return typeof part === "string" ? said(part, role, pointer) : [];
  });
  return { role: items.some(({ kind }) => kind === "result") ? "tool" : role, items };
};

/** Events of Google's Agent Development Kit. @see https://google.github.io/adk-docs/events/ */
const adk: Form = (event) => {
  const { author, content } = event;
  if (typeof author !== "string" || !["invocationId", "invocation_id"].some((key) => key in event))
    return undefined;
  const role = author === "user" ? "user" : "assistant";
  const parts = list(fields(content)["parts"]);
  return { role, items: parts.flatMap((part, index) => decodePart(part, role, `/content/parts/${index}`)) };
};

/** @see https://docs.haystack.deepset.ai/docs/chatmessage */
const haystack: Form = (message) => {
  const [key, content] = Array.isArray(message["content"])
    ? ["content", message["content"]]
    : ["_content", list(message["_content"])];
  const role = roleOf(string(message["role"]) ?? string(message["_role"]));
  const isOwn = content.some((part) =>
    isFields(fields(part)["tool_call"] ?? fields(part)["tool_call_result"]),
  );
  if (role === undefined || (!isOwn && message["_role"] === undefined)) return undefined;
  return {
    role,
    items: content.flatMap((part, index): Item[] => {
      const pointer = `/${key}/${index}`;
      const { text, tool_call: call, tool_call_result: outcome } = fields(part);
      if (isFields(call)) return [callOf(call, `${pointer}/tool_call`)];
      if (isFields(outcome)) {
        const { id: callId, tool_name: name } = fields(outcome["origin"]);
        const isError = outcome["error"] === true;
        return [result({ callId, name, output: outcome["result"], isError }, `${pointer}/tool_call_result`)];
      }
      return said(text, role, pointer);
    }),
  };
};

/** Steps of the Agent Trajectory Interchange Format, as Harbor and Terminal-Bench keep runs. */
const trajectory: Form = (step) => {
  const { step_id: id, source, message } = step;
  const role =
    source === "agent" ? "assistant" : source === "user" || source === "system" ? source : undefined;
  if (id === undefined || role === undefined) return undefined;
  const items: Item[] = [];
  const reasoning = filled(step["reasoning_content"]);
  if (reasoning !== undefined)
    items.push({ kind: "reasoning", role, pointer: "/reasoning_content", text: reasoning });
  items.push(
    ...(typeof message === "string"
      ? said(message, role, "/message")
      : list(message).flatMap((part, index) => decodePart(part, role, `/message/${index}`))),
  );
  for (const [index, call] of list(step["tool_calls"]).map(fields).entries())
    items.push(callOf({ ...call, name: call["function_name"] }, `/tool_calls/${index}`));
  for (const [index, outcome] of list(fields(step["observation"])["results"]).map(fields).entries()) {
    const { source_call_id: callId, content: output } = outcome;
    // What the surroundings said without having been called.
    const pointer = `/observation/results/${index}`;
    items.push(
      ...(callId === undefined || callId === null
        ? said(resultText(output), "user", pointer)
        : [result({ callId, output }, pointer)]),
    );
  }
  return { role, items };
};

/** xAI's own SDK speaks gRPC: what recorders keep of it are its messages as JSON, with the names of its enumerations. */
const grpc: Form = (message) => {
  const { role: word, content } = message;
  const role = typeof word === "string" && word.startsWith("ROLE_") ? roleOf(word.slice(5)) : undefined;
  if (role === undefined) return undefined;
  const parts = typeof content === "string" ? [content] : list(content);
  const key = typeof content === "string" ? "/content" : undefined;
  if (role === "tool") {
    const output = parts.map((part) => string(part) ?? string(fields(part)["text"]) ?? "").join("\n");
    return { role, items: [result({ callId: message["tool_call_id"], output }, "")] };
  }
  const calls = list(message["tool_calls"]).map((call, index) =>
    callOf(fields(call), `/tool_calls/${index}`),
  );
  const texts = parts.flatMap((part, index) => decodePart(part, role, key ?? `/content/${index}`));
  return { role, items: [...texts, ...calls] };
};

/**
 * Continue: a message beside what it had for context. Its command line keeps the calls of a message in their states, with what came of
 * them; its extensions keep the calls in the message, and the results as messages of their own.
 */
const continued: Form = (entry) => {
  const { message, toolCallStates: states } = entry;
  const { role: word, content, toolCalls } = fields(message);
  if (!["contextItems", "toolCallStates", "editorState"].some((key) => key in entry)) return undefined;
  if (word === "thinking")
    return {
      role: "assistant",
      items: [
        { kind: "reasoning", role: "assistant", pointer: "/message/content", text: resultText(content) },
      ],
    };
  const role = roleOf(string(word));
  if (role === undefined) return undefined;
  if (role === "tool") {
    const { toolCallId: callId } = fields(message);
    return { role, items: [result({ callId, output: content }, "/message/content")] };
  }
  const calls = list(toolCalls).map((call, index) => callOf(fields(call), `/message/toolCalls/${index}`));
  const spoken =
    typeof content === "string"
      ? said(content.trim(), role, "/message/content")
      : list(content).flatMap((part, index) => decodePart(part, role, `/message/content/${index}`));
  const kept = calls.length > 0 ? [] : list(states).map(fields);
  const known = new Set(spoken.flatMap((item) => (item.kind === "call" ? [item.id] : [])));
  const told = kept.flatMap((state, index): Item[] => {
    const pointer = `/toolCallStates/${index}`;
    const call = { ...callOf(fields(state["toolCall"]), `${pointer}/toolCall`) };
    const id = filled(state["toolCallId"]) ?? call.id;
    if (known.has(id)) return [];
    const { output, status } = state;
    const isDone = output !== undefined || /^(?:done|errored|canceled)$/.test(string(status) ?? "");
    const text = list(output)
      .map((part) => string(fields(part)["content"]) ?? "")
      .join("\n");
    return [
      { ...call, ...(id !== undefined && { id }) },
      ...(isDone
        ? [
            result(
              {
                callId: id,
                output: typeof output === "string" ? output : text,
                isError: status === "errored",
              },
              pointer,
            ),
          ]
        : []),
    ];
  });
  return { role, items: [...spoken, ...calls, ...told] };
};

/** LibreChat's exports: a call and what it gave are one part. */
const libreChat: Form = (message) => {
  const { isCreatedByUser: isUser, content, text } = message;
  if (typeof isUser !== "boolean" || typeof text !== "string") return undefined;
  const role = isUser ? "user" : "assistant";
  const items = list(content).flatMap((part, index): Item[] => {
    const pointer = `/content/${index}`;
    const call = fields(part)["tool_call"];
    if (!isFields(call)) return decodePart(part, role, pointer);
    const { output, id: callId, name } = call;
    const called = callOf(call, `${pointer}/tool_call`);
    return output === undefined
      ? [called]
      : [called, result({ callId, name, output }, `${pointer}/tool_call`)];
  });
  return { role, items: items.length > 0 ? items : said(text, role, "/text") };
};

/** Zed's threads name each message and part by its one member. */
const zed: Form = (message) => {
  const [key] = Object.keys(message);
  const inner = fields(message[key ?? ""]);
  if ((key !== "User" && key !== "Agent") || !Array.isArray(inner["content"])) return undefined;
  const role = key === "User" ? "user" : "assistant";
  const items = inner["content"].flatMap((part, index): Item[] => {
    const { Text: text, Thinking: thought, ToolUse: use } = fields(part);
    const pointer = `/${key}/content/${index}`;
    if (isFields(use)) return [callOf(use, `${pointer}/ToolUse`)];
    if (isFields(thought)) return [{ kind: "reasoning", role, pointer, text: string(thought["text"]) ?? "" }];
    return typeof text === "string" ? said(text, role, pointer) : [];
  });
  const results = Object.entries(fields(inner["tool_results"])).map(([id, value]) => {
    const { content, tool_name: name, is_error: isError } = fields(value);
    const output = fields(content)["Text"] ?? content;
    return result({ callId: id, name, output, isError: isError === true }, `/${key}/tool_results/${id}`);
  });
  return { role, items: [...items, ...results] };
};

/** Augment's sessions: a request and its reply are one element, with the results that were sent and the calls that came back as nodes. */
const augment: Form = (element) => {
  const exchange = fields(element["exchange"]);
  const { request_message: asked, response_text: answer } = exchange;
  if (typeof asked !== "string" || typeof answer !== "string") return undefined;
  const results = list(exchange["request_nodes"]).flatMap((node, index): Item[] => {
    const given = fields(node)["tool_result_node"];
    if (!isFields(given)) return [];
    const { tool_use_id: callId, content: output, is_error: isError } = given;
    const pointer = `/exchange/request_nodes/${index}/tool_result_node`;
    return [result({ callId, output, isError: isError === true }, pointer)];
  });
  const calls = list(exchange["response_nodes"]).flatMap((node, index): Item[] => {
    const use = fields(node)["tool_use"];
    if (!isFields(use)) return [];
    const { tool_use_id: id, tool_name: name, input_json: written } = use;
    return [callOf({ id, name, arguments: written }, `/exchange/response_nodes/${index}/tool_use`)];
  });
  const user = said(asked, "user", "/exchange/request_message");
  const model = said(answer, "assistant", "/exchange/response_text");
  return { role: "user", items: [...results, ...user, ...model, ...calls] };
};

/** Messages of claude.ai's export, and of Mastra's store: the calls and what they gave stand in one message. */
const keptWhole: Form = (message) => {
  const { sender, content } = message;
  const role = sender === "human" ? "user" : sender === "assistant" ? sender : undefined;
  if (role !== undefined && (Array.isArray(content) || typeof message["text"] === "string")) {
    const parts = list(content);
    const items = parts.flatMap((part, index) => decodePart(part, role, `/content/${index}`));
    return { role, items: parts.length > 0 ? items : said(message["text"], role, "/text") };
  }
  const spoken = roleOf(string(message["role"]));
  const parts = isFields(content) && list(content["parts"]);
  if (spoken === undefined || !parts || parts.length === 0) return undefined;
  const items = parts.flatMap((part, index) => decodePart(part, spoken, `/content/parts/${index}`));
  return { role: spoken, items };
};

const forms: readonly Form[] = [
  pydanticAi,
  dotnet,
  llamaIndex,
  autogen,
  adk,
  haystack,
  trajectory,
  grpc,
  continued,
  libreChat,
  zed,
  augment,
  keptWhole,
];

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

function roleOf(word: string | undefined): Role | undefined {
  return lookUp(roles, word?.toLowerCase());
}

/** A member by the first of its names, whether it is written with a capital or not, and its key. */
function member(value: Fields, ...names: readonly string[]): readonly [key: string, value: unknown] {
  for (const name of names)
    for (const key of [name, name[0]?.toUpperCase() + name.slice(1)])
      if (value[key] !== undefined) return [key, value[key]];
  return ["", undefined];
}

function said(value: unknown, role: Role, pointer: string): Item[] {
  const text = typeof value === "string" ? value : resultText(value);
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

function result(
  told: { callId: unknown; name?: unknown; output: unknown; isError?: boolean },
  pointer: string,
): ToolResult {
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: filled(told.callId),
    name: filled(told.name),
    text: resultText(told.output),
    hasMedia: false,
    isError: told.isError === true ? true : undefined,
    wireType: "tool-result",
    isHosted: false,
  });
}
