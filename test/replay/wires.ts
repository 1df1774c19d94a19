/**
 * The five wire formats as a scripted server needs them: what a history says, what its provider refuses, and how a reply is written. Written for the
 * tests alone, from the providers' documents and error texts, so that it does not share the program's mistakes.
 */

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One element of a history, in the order in which it was sent. */
export type Said =
  | { readonly kind: "text"; readonly role: string }
  | ({ readonly kind: "call"; readonly id: string } & Call)
  | { readonly kind: "result"; readonly id: string };

type Made = Call & { readonly id: string };

export interface Wire {
  /** Whether a request with this path is meant for it. */
  owns(path: string): boolean;
  isStreaming(path: string, body: Body): boolean;
  read(body: Body): Said[];
  /** The provider's error text about a history; `undefined` when it takes it. */
  refuses(body: Body, said: readonly Said[]): string | undefined;
  error(message: string): unknown;
  reply(calls: readonly Made[], text: string): unknown;
  /** The reply as the pieces of a stream. */
  stream(calls: readonly Made[], text: string): string[];
}

// biome-ignore lint/suspicious/noExplicitAny: what tests were told to send
export type Body = any;

function sse(event: string | undefined, data: unknown): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Calls and results matched in order: what is left over on either side. */
function unmatched(said: readonly Said[]): { missing: string[]; orphans: string[] } {
  const open: string[] = [];
  const orphans: string[] = [];
  for (const one of said) {
    if (one.kind === "call") open.push(one.id);
    if (one.kind !== "result") continue;
    const at = open.indexOf(one.id);
    if (at < 0) orphans.push(one.id);
    else open.splice(at, 1);
  }
  return { missing: open, orphans };
}

/** The providers take arguments that are no JSON, and so does a model. */
function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return { broken: text };
  }
}

const usage = { prompt_tokens: 10, completion_tokens: 5 };

const chat: Wire = {
  owns: (path) => path.endsWith("/chat/completions"),
  isStreaming: (_, body) => body.stream === true,
  read: ({ messages }) =>
    messages.flatMap((message: Body): Said[] =>
      message.role === "tool"
        ? [{ kind: "result", id: message.tool_call_id }]
        : [
            { kind: "text", role: message.role },
            ...(message.tool_calls ?? []).map((call: Body) => ({
              kind: "call",
              id: call.id,
              name: call.function.name,
              args: argumentsOf(call.function.arguments),
            })),
          ],
    ),
  refuses({ messages }) {
    let open: string[] = [];
    for (const [index, message] of [...messages, { role: "end" }].entries()) {
      if (message.role === "tool") {
        if (!open.includes(message.tool_call_id)) {
          return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${index}].role)`;
        }
        open = open.filter((id) => id !== message.tool_call_id);
        continue;
      }
      if (open.length > 0) {
        return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`;
      }
      open = (message.tool_calls ?? []).map(({ id }: Body) => id);
    }
    return undefined;
  },
  error: (message) => ({ error: { message, type: "invalid_request_error", param: "messages", code: null } }),
  reply: (calls, text) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "scripted",
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
        message: {
          role: "assistant",
          content: text || null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(args) },
            })),
          }),
        },
      },
    ],
    usage,
  }),
  stream(calls, text) {
    const chunk = (delta: unknown, finish: string | null = null) =>
      sse(undefined, {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        model: "scripted",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const fragments = calls.flatMap(({ id, name, args }, index) => {
      const json = JSON.stringify(args);
      return [
        { index, id, type: "function", function: { name, arguments: "" } },
        { index, function: { arguments: json.slice(0, json.length >> 1) } },
        { index, function: { arguments: json.slice(json.length >> 1) } },
      ];
    });
    return [
      chunk({ role: "assistant", content: text || null }),
      ...fragments.map((fragment) => chunk({ tool_calls: [fragment] })),
      chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
      sse(undefined, "[DONE]"),
    ];
  },
};

function outputOf(calls: readonly Made[], text: string): Body[] {
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    ...(text ? [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }] : []),
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    })),
  ];
}

const response = { id: "resp_1", object: "response", model: "scripted" };

const responses: Wire = {
  owns: (path) => path.endsWith("/responses"),
  isStreaming: (_, body) => body.stream === true,
  read: ({ input }) =>
    (typeof input === "string" ? [{ role: "user" }] : input).map((item: Body): Said => {
      if (item.type === "function_call")
        return { kind: "call", id: item.call_id, name: item.name, args: argumentsOf(item.arguments) };
      if (item.type === "function_call_output") return { kind: "result", id: item.call_id };
      return { kind: "text", role: item.role ?? item.type };
    }),
  refuses({ input, previous_response_id: previous }, said) {
    if (previous !== undefined) return `Previous response with id '${previous}' not found.`;
    const untyped =
      typeof input === "string" ? -1 : input.findIndex((item: Body) => !item.type && !item.role);
    if (untyped >= 0)
      return `Invalid value: ''. Supported values are: 'message', 'function_call_output'. (input[${untyped}])`;
    const { missing, orphans } = unmatched(said);
    if (orphans.length > 0) return `No tool call found for function call output with call_id ${orphans[0]}.`;
    return missing.length > 0 ? `No tool output found for function call ${missing[0]}.` : undefined;
  },
  error: (message) => ({ error: { message, type: "invalid_request_error", param: "input", code: null } }),
  reply: (calls, text) => ({
    ...response,
    status: "completed",
    output: outputOf(calls, text),
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  stream(calls, text) {
    const output = outputOf(calls, text);
    const event = (type: string, data: object) => sse(type, { type, ...data });
    return [
      event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      ...output.flatMap((item, index) => {
        const at = { item_id: item.id, output_index: index };
        const isCall = item.type === "function_call";
        return [
          event("response.output_item.added", {
            output_index: index,
            item: isCall ? { ...item, arguments: "" } : { ...item, content: [] },
          }),
          ...(isCall
            ? [
                event("response.function_call_arguments.delta", { ...at, delta: item.arguments }),
                event("response.function_call_arguments.done", { ...at, arguments: item.arguments }),
              ]
            : []),
          event("response.output_item.done", { output_index: index, item }),
        ];
      }),
      event("response.completed", { response: { ...response, status: "completed", output } }),
    ];
  },
};

function blocksOf(calls: readonly Made[], text: string): Body[] {
  return [
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
}

const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted" };

const anthropic: Wire = {
  owns: (path) => path.endsWith("/v1/messages"),
  isStreaming: (_, body) => body.stream === true,
  read: ({ messages }) =>
    messages.flatMap(({ role, content }: Body): Said[] =>
      (typeof content === "string" ? [{ type: "text" }] : content).map((block: Body): Said => {
        if (block.type === "tool_use")
          return { kind: "call", id: block.id, name: block.name, args: block.input };
        return block.type === "tool_result"
          ? { kind: "result", id: block.tool_use_id }
          : { kind: "text", role };
      }),
    ),
  refuses({ messages }) {
    const merged: { role: string; blocks: Body[] }[] = [];
    for (const { role, content } of messages) {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const last = merged.at(-1);
      if (last?.role === role) last?.blocks.push(...blocks);
      else merged.push({ role, blocks: [...blocks] });
    }
    for (const [index, { blocks }] of merged.entries()) {
      if (blocks.some(({ type, text }) => type === "text" && text === ""))
        return `messages.${index}: text content blocks must be non-empty`;
      const results = (merged[index + 1]?.blocks ?? []).map(({ tool_use_id: id }) => id);
      const missing = blocks.filter(({ type, id }) => type === "tool_use" && !results.includes(id));
      if (missing.length > 0) {
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.map(({ id }) => id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      }
      const calls = (merged[index - 1]?.blocks ?? []).map(({ id }) => id);
      const orphan = blocks.find(
        ({ type, tool_use_id: id }) => type === "tool_result" && !calls.includes(id),
      );
      if (orphan) {
        return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
    }
    return undefined;
  },
  error: (text) => ({ type: "error", error: { type: "invalid_request_error", message: text } }),
  reply: (calls, text) => ({
    ...message,
    content: blocksOf(calls, text),
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  stream(calls, text) {
    const event = (type: string, data: object) => sse(type, { type, ...data });
    return [
      event("message_start", {
        message: {
          ...message,
          content: [],
          stop_reason: null,
          usage: { input_tokens: 10, output_tokens: 1 },
        },
      }),
      ...blocksOf(calls, text).flatMap((block, index) => {
        const isText = block.type === "text";
        return [
          event("content_block_start", {
            index,
            content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
          }),
          event("content_block_delta", {
            index,
            delta: isText
              ? { type: "text_delta", text: block.text }
              : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          }),
          event("content_block_stop", { index }),
        ];
      }),
      event("message_delta", {
        delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
        usage: { output_tokens: 5 },
      }),
      event("message_stop", {}),
    ];
  },
};

function partsOf(calls: readonly Call[], text: string): Body[] {
  return [...(text ? [{ text }] : []), ...calls.map(({ name, args }) => ({ functionCall: { name, args } }))];
}

const gemini: Wire = {
  owns: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  isStreaming: (path) => path.includes(":stream"),
  read: ({ contents }) =>
    contents.flatMap(({ role, parts }: Body): Said[] =>
      parts.map((part: Body): Said => {
        const { functionCall: call, functionResponse: result } = part;
        if (call) return { kind: "call", id: call.name, name: call.name, args: call.args ?? {} };
        return result ? { kind: "result", id: result.name } : { kind: "text", role };
      }),
    ),
  // Contents of one role that follow each other are read as one turn.
  refuses({ contents }) {
    const turns: { role: string; parts: Body[] }[] = [];
    for (const { role = "user", parts } of contents) {
      const last = turns.at(-1);
      if (last?.role === role) last?.parts.push(...parts);
      else turns.push({ role, parts: [...parts] });
    }
    const count = (at: number, key: string) => (turns[at]?.parts ?? []).filter((part) => part[key]).length;
    for (const at of turns.keys()) {
      const calls = count(at, "functionCall");
      if (calls > 0 && at + 1 < turns.length && calls !== count(at + 1, "functionResponse")) {
        return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      }
      if (count(at, "functionResponse") > 0 && count(at - 1, "functionCall") === 0) {
        return "Please ensure that function response turn comes immediately after a function call turn.";
      }
    }
    return undefined;
  },
  error: (text) => ({ error: { code: 400, message: text, status: "INVALID_ARGUMENT" } }),
  reply: (calls, text) => ({
    candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: partsOf(calls, text) } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
    modelVersion: "scripted",
  }),
  stream: (calls, text) =>
    [...partsOf(calls, text), undefined].map((part) =>
      sse(undefined, {
        candidates: [
          part
            ? { index: 0, content: { role: "model", parts: [part] } }
            : { index: 0, finishReason: "STOP", content: { role: "model", parts: [{ text: "" }] } },
        ],
        modelVersion: "scripted",
      }),
    ),
};

function ollamaLine(calls: readonly Call[], text: string, isDone: boolean): object {
  const made = calls.map(({ name, args }) => ({ function: { name, arguments: args } }));
  return {
    model: "scripted",
    created_at: "2026-01-05T12:00:00Z",
    message: { role: "assistant", content: text, ...(made.length > 0 && { tool_calls: made }) },
    done: isDone,
    ...(isDone && { done_reason: "stop", prompt_eval_count: 10, eval_count: 5 }),
  };
}

const ollama: Wire = {
  owns: (path) => path.endsWith("/api/chat"),
  isStreaming: (_, body) => body.stream !== false,
  read: ({ messages }) =>
    messages.flatMap((one: Body): Said[] =>
      one.role === "tool"
        ? [{ kind: "result", id: one.tool_name ?? one.name ?? "" }]
        : [
            { kind: "text", role: one.role },
            ...(one.tool_calls ?? []).map(({ function: { name, arguments: args } }: Body) => ({
              kind: "call",
              id: name,
              name,
              args,
            })),
          ],
    ),
  refuses: ({ messages }) =>
    messages.some(({ tool_calls: calls = [] }: Body) =>
      calls.some((call: Body) => typeof call.function.arguments !== "object"),
    )
      ? "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments"
      : undefined,
  error: (text) => ({ error: text }),
  reply: (calls, text) => ollamaLine(calls, text, true),
  stream: (calls, text) =>
    [ollamaLine(calls, text, false), ollamaLine([], "", true)].map((line) => `${JSON.stringify(line)}\n`),
};

/** By the program's names for them. */
export const wires: Readonly<Record<string, Wire>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
  ollama,
};
