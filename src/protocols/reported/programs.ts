import type { Item } from "../../conversation/item.ts";
import { fields, filled, isFields, list, string } from "../wire.ts";
import { type Form, result, roleOf, said } from "./message-form.ts";
import { callOf, decodePart, resultText } from "./parts.ts";

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

/** Zed's older threads: the texts, the calls and the results of a message stand in lists of their own. */
const zedSegments: Form = (message) => {
  const { segments, tool_uses: uses, tool_results: results } = message;
  const role = roleOf(string(message["role"]));
  if (role === undefined || !Array.isArray(segments)) return undefined;
  const spoken = segments.flatMap((segment, index) => decodePart(segment, role, `/segments/${index}`));
  const calls = list(uses).map((use, index) => callOf(fields(use), `/tool_uses/${index}`));
  const given = list(results).map((value, index) => {
    const { tool_use_id: callId, content: output, is_error: isError } = fields(value);
    return result({ callId, output, isError: isError === true }, `/tool_results/${index}`);
  });
  return { role, items: [...given, ...spoken, ...calls] };
};

/** Amazon Q and Kiro on the command line: what the user sent and what the model answered are one element, each named by its one member. */
const amazonQ: Form = (turn) => {
  const { content } = fields(turn["user"]);
  if (!isFields(content) || !isFields(turn["assistant"])) return undefined;
  const items: Item[] = [];
  // Exports leave out the names of single members: a prompt is then its text, and results are their list.
  for (const key of ["ToolUseResults", "CancelledToolUses"]) {
    const at = `/user/content/${key}`;
    const [results, base] = Array.isArray(content[key])
      ? [content[key], at]
      : [list(fields(content[key])["tool_use_results"]), `${at}/tool_use_results`];
    for (const [index, value] of results.entries()) {
      const { tool_use_id: callId, content: given, status } = fields(value);
      const told = list(given).map((part) => fields(part)["Text"] ?? fields(part)["Json"] ?? part);
      const output = told.length === 1 ? told[0] : told;
      const isError = /^error$/i.test(string(status) ?? "");
      items.push(result({ callId, output, isError }, `${base}/${index}`));
    }
  }
  for (const key of ["Prompt", "CancelledToolUses"]) {
    const asked = content[key];
    if (typeof asked === "string") items.push(...said(asked, "user", `/user/content/${key}`));
    else items.push(...said(fields(asked)["prompt"], "user", `/user/content/${key}/prompt`));
  }
  for (const key of ["ToolUse", "Response"]) {
    const reply = fields(turn["assistant"][key]);
    const pointer = `/assistant/${key}`;
    items.push(...said(reply["content"], "assistant", `${pointer}/content`));
    for (const [index, value] of list(reply["tool_uses"]).entries()) {
      const { id, name, args, orig_args: asked } = fields(value);
      items.push(callOf({ id, name, arguments: asked ?? args }, `${pointer}/tool_uses/${index}`));
    }
  }
  return items.length > 0 ? { role: "user", items } : undefined;
};

/** LM Studio keeps each message in the versions that were generated; a version of the model is one text, or steps with calls and results. */
const lmStudio: Form = (message) => {
  const { versions, currentlySelected: selected } = message;
  const index = typeof selected === "number" ? selected : 0;
  const version = fields(list(versions)[index]);
  const role = roleOf(string(version["role"]) ?? string(message["role"]));
  if (role === undefined || !Array.isArray(versions)) return undefined;
  const at = `/versions/${index}`;
  const lists: (readonly [unknown, string])[] = Array.isArray(version["steps"])
    ? version["steps"].map(
        (step, place) => [fields(step)["content"], `${at}/steps/${place}/content`] as const,
      )
    : [[version["content"], `${at}/content`]];
  const items = lists.flatMap(([parts, base]) =>
    list(parts).flatMap((part, place): Item[] => {
      const { type, content, name, text } = fields(part);
      const pointer = `${base}/${place}`;
      const id = idOfLmStudio(part);
      if (type === "toolCallRequest") {
        const { parameters, arguments: written } = fields(part);
        return [callOf({ id, name, arguments: parameters ?? written }, pointer)];
      }
      if (type === "toolCallResult") return [result({ callId: id, name, output: content }, pointer)];
      return said(text, role, pointer);
    }),
  );
  return { role, items };
};

/** The number of a call is its own; older versions have no other id. */
function idOfLmStudio(part: unknown): string | undefined {
  const { toolCallRequestId: own, callId, toolCallId } = fields(part);
  const id = own ?? callId ?? toolCallId;
  return typeof id === "number" ? `${id}` : filled(id);
}

const aiStudioKeys =
  /^(?:tokenCount|isThought|finishReason|driveDocument|driveImage|driveVideo|driveAudio|inlineData|executableCode|codeExecutionResult)$/;

/** Chunks of a prompt of AI Studio: a part of Gemini's, with the role beside it. */
const aiStudio: Form = (chunk) => {
  const { role: word, isThought, text } = chunk;
  if ((word !== "user" && word !== "model") || "content" in chunk || "parts" in chunk) return undefined;
  const isPart = isFields(chunk["functionCall"]) || isFields(chunk["functionResponse"]);
  if (!isPart && !Object.keys(chunk).some((key) => aiStudioKeys.test(key))) return undefined;
  const role = word === "model" ? "assistant" : word;
  if (isThought === true)
    return { role, items: [{ kind: "reasoning", role, pointer: "", text: string(text) ?? "" }] };
  return { role, items: decodePart(chunk, role, "") };
};

/** Codebuff: the blocks of a message are texts, thoughts, and calls with what they gave. */
const codebuff: Form = (message) => {
  const { variant, content, blocks } = message;
  const role =
    variant === "user" ? "user" : variant === "ai" || variant === "agent" ? "assistant" : undefined;
  if (role === undefined || typeof content !== "string") return undefined;
  const items = list(blocks).flatMap((block, index): Item[] => {
    const {
      type,
      textType,
      content: text,
      toolName: name,
      toolCallId: callId,
      input,
      output,
    } = fields(block);
    const pointer = `/blocks/${index}`;
    if (type === "tool") {
      const call = callOf({ id: callId, name, arguments: input }, pointer);
      return output === undefined ? [call] : [call, result({ callId, name, output }, pointer)];
    }
    if (type !== "text") return [];
    return textType === "reasoning"
      ? [{ kind: "reasoning", role, pointer, text: string(text) ?? "" }]
      : said(text, role, pointer);
  });
  return { role, items: items.length > 0 ? items : said(content, role, "/content") };
};

/** Windsurf and Antigravity: a cascade is steps. The planner tells its calls, and what a tool did is a step of its own. */
const cascade: Form = (step) => {
  const kind = /^CORTEX_STEP_TYPE_(\w+)$/.exec(string(step["type"]) ?? "")?.[1];
  if (kind === undefined) return undefined;
  if (kind === "USER_INPUT") {
    const { userResponse, query, items: asked } = fields(step["userInput"]);
    const text =
      filled(userResponse) ?? filled(query) ?? list(asked).map((part) => string(fields(part)["text"]) ?? "");
    return { role: "user", items: said(Array.isArray(text) ? text.join("") : text, "user", "/userInput") };
  }
  if (kind === "PLANNER_RESPONSE") {
    const { thinking, response, modifiedResponse, toolCalls } = fields(step["plannerResponse"]);
    const at = "/plannerResponse";
    const thought = filled(thinking);
    const calls = list(toolCalls).map((call, index) => {
      const inner = fields(call)["toolCall"];
      const pointer = `${at}/toolCalls/${index}`;
      return isFields(inner) ? callOf(inner, `${pointer}/toolCall`) : callOf(fields(call), pointer);
    });
    return {
      role: "assistant",
      items: [
        ...(thought === undefined
          ? []
          : [
              {
                kind: "reasoning" as const,
                role: "assistant" as const,
                pointer: `${at}/thinking`,
                text: thought,
              },
            ]),
        ...said(filled(modifiedResponse) ?? response ?? "", "assistant", `${at}/response`),
        ...calls,
      ],
    };
  }
  const { id: callId, name } = fields(fields(step["metadata"])["toolCall"]);
  const isOver = /_(?:DONE|ERROR|CANCELED|CANCELLED|INVALID|INTERRUPTED|HALTED)$/.test(
    string(step["status"]) ?? "_DONE",
  );
  if (callId === undefined || !isOver) return { role: "system", items: [] };
  const own = kind.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const done = step[own] ?? step["error"] ?? {};
  const isError = /_ERROR$/.test(string(step["status"]) ?? "");
  return { role: "tool", items: [result({ callId, name, output: outputOf(done), isError }, `/${own}`)] };
};

/** What a tool gave, where its step says that apart from what it was asked. */
function outputOf(done: unknown): unknown {
  const told = fields(done);
  for (const key of [
    "renderedOutput",
    "combinedOutput",
    "stdout",
    "output",
    "content",
    "rawContent",
    "resultString",
    "result",
    "results",
  ]) {
    const value = told[key];
    const text = filled(value) ?? filled(fields(value)["full"]) ?? filled(fields(value)["text"]);
    if (text !== undefined) return text;
  }
  return done;
}

/** The messages of chat programs and agents, as they keep and export them. */
export const programs: readonly Form[] = [
  continued,
  libreChat,
  zed,
  zedSegments,
  augment,
  amazonQ,
  lmStudio,
  aiStudio,
  codebuff,
  cascade,
  keptWhole,
];
