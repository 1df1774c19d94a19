import { answer, city, question } from "./sessions.ts";

const written = '{"city":"Bern"}';

/** The same small history, as each framework keeps it in a file. */
export const dumps: Readonly<Record<string, unknown>> = {
  "Pydantic AI": [
    { kind: "request", parts: [{ part_kind: "user-prompt", content: question }] },
    {
      kind: "response",
      model_name: "gpt-5",
      parts: [{ part_kind: "tool-call", tool_name: "weather", args: written, tool_call_id: "call_1" }],
    },
    {
      kind: "request",
      parts: [{ part_kind: "tool-return", tool_name: "weather", content: "17 °C", tool_call_id: "call_1" }],
    },
    { kind: "response", parts: [{ part_kind: "text", content: answer }] },
  ],
  "Semantic Kernel": [
    { Role: { Label: "user" }, Items: [{ $type: "TextContent", Text: question }] },
    {
      Role: { Label: "assistant" },
      Items: [{ $type: "FunctionCallContent", Id: "call_1", FunctionName: "weather", Arguments: city }],
    },
    {
      Role: { Label: "tool" },
      Items: [{ $type: "FunctionResultContent", CallId: "call_1", FunctionName: "weather", Result: "17 °C" }],
    },
    { Role: { Label: "assistant" }, Items: [{ $type: "TextContent", Text: answer }] },
  ],
  "Microsoft.Extensions.AI": [
    { role: "user", contents: [{ $type: "text", text: question }] },
    {
      role: "assistant",
      contents: [{ $type: "functionCall", callId: "call_1", name: "weather", arguments: city }],
    },
    { role: "tool", contents: [{ $type: "functionResult", callId: "call_1", result: "17 °C" }] },
    { role: "assistant", contents: [{ $type: "text", text: answer }] },
  ],
  LlamaIndex: [
    { role: "user", additional_kwargs: {}, blocks: [{ block_type: "text", text: question }] },
    {
      role: "assistant",
      additional_kwargs: {
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
      },
      blocks: [],
    },
    {
      role: "tool",
      additional_kwargs: { tool_call_id: "call_1", name: "weather" },
      blocks: [{ block_type: "text", text: "17 °C" }],
    },
    { role: "assistant", additional_kwargs: {}, blocks: [{ block_type: "text", text: answer }] },
  ],
  AutoGen: {
    messages: [
      { type: "TextMessage", source: "user", content: question },
      {
        type: "ToolCallRequestEvent",
        source: "guide",
        content: [{ id: "call_1", name: "weather", arguments: written }],
      },
      {
        type: "ToolCallExecutionEvent",
        source: "guide",
        content: [{ call_id: "call_1", name: "weather", content: "17 °C", is_error: false }],
      },
      { type: "TextMessage", source: "guide", content: answer },
    ],
  },
  "AutoGen before version 0.4": [
    { role: "user", name: "ada", content: question },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
    },
    {
      role: "tool",
      name: "ada",
      content: "17 °C",
      tool_responses: [{ role: "tool", tool_call_id: "call_1", content: "17 °C" }],
    },
    { role: "assistant", content: answer },
  ],
  "Agent Development Kit": {
    id: "s1",
    appName: "guide",
    events: [
      { author: "user", invocationId: "e1", content: { role: "user", parts: [{ text: question }] } },
      {
        author: "guide",
        invocationId: "e1",
        content: { role: "model", parts: [{ functionCall: { id: "call_1", name: "weather", args: city } }] },
      },
      { author: "guide", invocationId: "e1", actions: { stateDelta: { seen: true } } },
      {
        author: "guide",
        invocationId: "e1",
        content: {
          role: "user",
          parts: [{ functionResponse: { id: "call_1", name: "weather", response: "17 °C" } }],
        },
      },
      { author: "guide", invocationId: "e1", content: { role: "model", parts: [{ text: answer }] } },
    ],
  },
  Haystack: [
    { role: "user", meta: {}, content: [{ text: question }] },
    {
      role: "assistant",
      meta: {},
      content: [{ tool_call: { id: "call_1", tool_name: "weather", arguments: city } }],
    },
    {
      role: "tool",
      meta: {},
      content: [
        {
          tool_call_result: {
            result: "17 °C",
            origin: { id: "call_1", tool_name: "weather", arguments: city },
            error: false,
          },
        },
      ],
    },
    { role: "assistant", meta: {}, content: [{ text: answer }] },
  ],
  "the Agent Trajectory Interchange Format": {
    schema_version: "ATIF-v1.4",
    steps: [
      { step_id: 1, source: "user", message: question },
      {
        step_id: 2,
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: "call_1", function_name: "weather", arguments: city }],
        observation: { results: [{ source_call_id: "call_1", content: "17 °C" }] },
      },
      { step_id: 3, source: "agent", message: answer },
    ],
  },
  "the export of claude.ai": [
    {
      uuid: "c1",
      chat_messages: [
        { sender: "human", text: question, content: [{ type: "text", text: question }] },
        {
          sender: "assistant",
          text: "",
          content: [
            { type: "tool_use", id: "call_1", name: "weather", input: city },
            { type: "tool_result", tool_use_id: "call_1", name: "weather", content: "17 °C" },
            { type: "text", text: answer },
          ],
        },
      ],
    },
  ],
  Mastra: [
    { id: "1", role: "user", content: { format: 2, parts: [{ type: "text", text: question }] } },
    {
      id: "2",
      role: "assistant",
      content: {
        format: 2,
        parts: [
          {
            type: "tool-invocation",
            toolInvocation: {
              state: "result",
              toolCallId: "call_1",
              toolName: "weather",
              args: city,
              result: "17 °C",
            },
          },
          { type: "text", text: answer },
        ],
      },
    },
  ],
  "a list of the AI SDK's UI messages": [
    { id: "1", role: "user", content: question, parts: [{ type: "text", text: question }] },
    {
      id: "2",
      role: "assistant",
      content: answer,
      parts: [
        {
          type: "tool-invocation",
          toolInvocation: {
            state: "result",
            toolCallId: "call_1",
            toolName: "weather",
            args: city,
            result: "17 °C",
          },
        },
        { type: "text", text: answer },
      ],
      toolInvocations: [
        { state: "result", toolCallId: "call_1", toolName: "weather", args: city, result: "17 °C" },
      ],
    },
  ],
  "xAI's SDK": {
    model: "grok-4",
    messages: [
      { role: "ROLE_USER", content: [{ text: question }] },
      {
        role: "ROLE_ASSISTANT",
        tool_calls: [
          {
            id: "call_1",
            type: "TOOL_CALL_TYPE_CLIENT_SIDE_TOOL",
            function: { name: "weather", arguments: written },
          },
        ],
      },
      { role: "ROLE_TOOL", content: [{ text: "17 °C" }] },
      { role: "ROLE_ASSISTANT", content: [{ text: answer }] },
    ],
  },
  "Augment's sessions": {
    sessionId: "s1",
    chatHistory: [
      {
        exchange: {
          request_message: question,
          response_text: "",
          response_nodes: [
            {
              id: 1,
              type: 5,
              tool_use: { tool_use_id: "call_1", tool_name: "weather", input_json: written },
            },
          ],
        },
      },
      {
        exchange: {
          request_message: "",
          response_text: answer,
          request_nodes: [{ id: 1, type: 1, tool_result_node: { tool_use_id: "call_1", content: "17 °C" } }],
        },
      },
    ],
  },
  LibreChat: {
    conversationId: "c1",
    messages: [
      { isCreatedByUser: true, sender: "User", text: question },
      {
        isCreatedByUser: false,
        sender: "GPT",
        text: "",
        content: [
          { type: "tool_call", tool_call: { id: "call_1", name: "weather", args: written, output: "17 °C" } },
          { type: "text", text: answer },
        ],
      },
    ],
  },
  "Zed's threads": {
    version: "0.3.0",
    messages: [
      { User: { id: "1", content: [{ Text: question }] } },
      {
        Agent: {
          content: [{ ToolUse: { id: "call_1", name: "weather", input: city } }],
          tool_results: { call_1: { tool_name: "weather", is_error: false, content: { Text: "17 °C" } } },
        },
      },
      { Agent: { content: [{ Text: answer }], tool_results: {} } },
    ],
  },
  "Continue's command line": {
    sessionId: "s1",
    history: [
      { message: { role: "user", content: question }, contextItems: [] },
      {
        message: { role: "assistant", content: "" },
        contextItems: [],
        toolCallStates: [
          {
            toolCallId: "call_1",
            status: "done",
            toolCall: { id: "call_1", type: "function", function: { name: "weather", arguments: written } },
            output: [{ name: "weather", content: "17 °C" }],
          },
        ],
      },
      { message: { role: "assistant", content: answer }, contextItems: [] },
    ],
  },
  Continue: {
    sessionId: "s1",
    history: [
      { message: { role: "user", content: question }, contextItems: [] },
      {
        message: {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
        },
        contextItems: [],
      },
      { message: { role: "tool", content: "17 °C", toolCallId: "call_1" }, contextItems: [] },
      { message: { role: "assistant", content: answer }, contextItems: [] },
    ],
  },
};
