import type { Item, Role, ToolCall } from "../../conversation/item.ts";
import { printedValue } from "../../reading/literal.ts";
import { type Fields, fields, filled, isFields, list, string } from "../wire.ts";
import { type Form, result, roleOf, said } from "./message-form.ts";
import { callOf, decodePart, resultText } from "./parts.ts";

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

/** A turn of a case to evaluate, as the same kit keeps it. @see https://google.github.io/adk-docs/evaluate/ */
const adkTurn: Form = (turn) => {
  const [asked, user] = member(turn, "user_content", "userContent");
  if (!isFields(user) || !Array.isArray(user["parts"])) return undefined;
  const [between, data] = member(turn, "intermediate_data", "intermediateData");
  const [final, answer] = member(turn, "final_response", "finalResponse");
  const [used, uses] = member(fields(data), "tool_uses", "toolUses");
  const [returned, responses] = member(fields(data), "tool_responses", "toolResponses");
  const spoken = (value: unknown, role: Role, at: string): Item[] =>
    list(fields(value)["parts"]).flatMap((part, index) => decodePart(part, role, `${at}/parts/${index}`));
  const calls = list(uses).map((use, index) => callOf(fields(use), `/${between}/${used}/${index}`));
  const given = list(responses).map((value, index) => {
    const { id: callId, name, response: output } = fields(value);
    return result({ callId, name, output }, `/${between}/${returned}/${index}`);
  });
  const items = [...spoken(user, "user", `/${asked}`), ...calls, ...given];
  return { role: "user", items: [...items, ...spoken(answer, "assistant", `/${final}`)] };
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

/**
 * smolagents: calls and what they gave are texts, under roles of their own; the calls as Python prints them.
 * @see https://github.com/huggingface/smolagents/blob/main/src/smolagents/memory.py
 */
const smolagents: Form = ({ role, content }) => {
  if (role !== "tool-call" && role !== "tool-response") return undefined;
  const text = resultText(content);
  if (role === "tool-response") {
    const callId = /^Call id: (\S+)\n/.exec(text)?.[1];
    return { role: "tool", items: [result({ callId, output: text }, "/content")] };
  }
  const listed = /^Calling tools:\s*/.exec(text)?.[0];
  const calls = listed === undefined ? [] : list(printedValue(text.slice(listed.length)));
  const items = calls.map((call): ToolCall => {
    const read = callOf(fields(call), "/content");
    // Code stands where arguments would.
    return typeof fields(fields(call)["function"])["arguments"] === "string"
      ? { ...read, isJson: false }
      : read;
  });
  if (items.length === 0) return { role: "assistant", items: said(text, "assistant", "/content") };
  // One observation behind them tells what all of them gave: it is the first one's.
  const told = items.slice(1).map(({ id: callId, name }) => result({ callId, name, output: "" }, "/content"));
  return { role: "assistant", items: [...items, ...told] };
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
 * Letta: what the model thought, called and said are messages of their own, which name their kind.
 * @see https://docs.letta.com/api-reference/agents/messages/list
 */
const letta: Form = (message) => {
  const { message_type: kind, content, reasoning, tool_call: call, tool_calls: calls } = message;
  switch (kind) {
    case "system_message":
      return { role: "system", items: said(content, "system", "/content") };
    case "user_message":
      return { role: "user", items: said(content, "user", "/content") };
    case "assistant_message":
      return { role: "assistant", items: said(content, "assistant", "/content") };
    case "reasoning_message":
      return {
        role: "assistant",
        items: [
          { kind: "reasoning", role: "assistant", pointer: "/reasoning", text: string(reasoning) ?? "" },
        ],
      };
    case "tool_call_message":
    case "approval_request_message": {
      const made = Array.isArray(calls) && calls.length > 0 ? calls : [];
      const items = made.map((one, index) => callOf(fields(one), `/tool_calls/${index}`));
      return { role: "assistant", items: made.length > 0 ? items : [callOf(fields(call), "/tool_call")] };
    }
    case "tool_return_message": {
      const { tool_call_id: callId, name, tool_return: output, status } = message;
      return {
        role: "tool",
        items: [result({ callId, name, output, isError: status === "error" }, "/tool_return")],
      };
    }
    default:
      return typeof kind === "string" && kind.endsWith("_message")
        ? { role: "system", items: [] }
        : undefined;
  }
};

/** A member by the first of its names, whether it is written with a capital or not, and its key. */
function member(value: Fields, ...names: readonly string[]): readonly [key: string, value: unknown] {
  for (const name of names)
    for (const key of [name, name[0]?.toUpperCase() + name.slice(1)])
      if (value[key] !== undefined) return [key, value[key]];
  return ["", undefined];
}

/** The messages of frameworks that have no form in common with any API. */
export const frameworks: readonly Form[] = [
  pydanticAi,
  dotnet,
  llamaIndex,
  autogen,
  adk,
  adkTurn,
  haystack,
  trajectory,
  smolagents,
  grpc,
  letta,
];
