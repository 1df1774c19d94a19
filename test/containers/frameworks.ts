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
  "LlamaIndex before its blocks": [
    { role: "user", content: question, additional_kwargs: {} },
    {
      role: "assistant",
      content: null,
      additional_kwargs: {
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
      },
    },
    { role: "tool", content: "17 °C", additional_kwargs: { tool_call_id: "call_1", name: "weather" } },
    { role: "assistant", content: answer, additional_kwargs: {} },
  ],
  "LlamaIndex for TypeScript": {
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: "",
        options: { toolCall: [{ id: "call_1", name: "weather", input: city }] },
      },
      { role: "user", content: "17 °C", options: { toolResult: { id: "call_1", result: "17 °C" } } },
      { role: "assistant", content: answer, options: {} },
    ],
  },
  "Spring AI": [
    { messageType: "USER", text: question, metadata: {} },
    {
      messageType: "ASSISTANT",
      text: "",
      toolCalls: [{ id: "call_1", type: "function", name: "weather", arguments: written }],
    },
    { messageType: "TOOL", responses: [{ id: "call_1", name: "weather", responseData: "17 °C" }] },
    { messageType: "ASSISTANT", text: answer, toolCalls: [] },
  ],
  forge: {
    id: "f1",
    context: {
      conversation_id: "f1",
      messages: [
        { text: { role: "User", content: question, raw_content: { Text: question }, model: "gpt-5" } },
        {
          text: {
            role: "Assistant",
            content: "",
            tool_calls: [{ name: "weather", call_id: "call_1", arguments: city }],
          },
          usage: { prompt_tokens: { actual: 9 } },
        },
        {
          tool: {
            name: "weather",
            call_id: "call_1",
            output: { is_error: false, values: [{ text: "17 °C" }, "empty"] },
          },
        },
        { text: { role: "Assistant", content: answer } },
      ],
    },
  },
  "Copilot Chat's debug view": {
    totalPrompts: 1,
    prompts: [
      {
        prompt: question,
        logs: [
          { id: "e1", kind: "element", name: "Prompt", tokens: 403 },
          {
            id: "r1",
            kind: "request",
            type: "ChatMLCancelation",
            requestMessages: {
              messages: [
                { role: 1, content: [{ type: 1, text: question }] },
                {
                  role: 2,
                  content: [{ type: 2, value: { type: "stateful_marker", value: {} } }],
                  toolCalls: [
                    { id: "call_1", type: "function", function: { name: "weather", arguments: written } },
                  ],
                },
                {
                  role: 3,
                  content: [
                    { type: 1, text: "17 °C" },
                    { type: 3, cacheType: "ephemeral" },
                  ],
                  toolCallId: "call_1",
                },
                { role: 2, content: [{ type: 1, text: answer }] },
              ],
            },
            response: { type: "canceled" },
          },
        ],
      },
    ],
  },
  "messages whose calls are tool uses": {
    entries: [
      { role: "user", timestamp: "2026-05-04T10:00:00Z", text: question },
      {
        role: "assistant",
        timestamp: "2026-05-04T10:00:01Z",
        text: "",
        toolUses: [{ name: "weather", id: "tu_1", input: city }],
      },
      { role: "tool_result", toolUseId: "tu_1", isError: false, text: "17 °C" },
      { role: "assistant", timestamp: "2026-05-04T10:00:02Z", text: answer },
    ],
  },
  "events with roles": {
    events: [
      { id: "evt-1", kind: "user_message", role: "user", content: question },
      { id: "evt-2", kind: "tool_use", role: "assistant", name: "weather", toolUseId: "t1", input: city },
      {
        id: "evt-3",
        kind: "tool_result",
        role: "tool",
        toolUseId: "t1",
        toolName: "weather",
        content: "17 °C",
      },
      { id: "evt-4", kind: "assistant_text", role: "assistant", content: answer },
    ],
  },
  "turns with types": {
    turns: [
      { type: "message", role: "user", content: question },
      {
        type: "tool_call",
        content: "",
        tool_calls: [{ call_id: "c1", name: "weather", arguments: city }],
      },
      { type: "tool_result", call_id: "c1", outcome: { type: "success", result: "17 °C" } },
      { type: "message", role: "assistant", content: answer },
    ],
  },
  LangChain4j: [
    { type: "USER", contents: [{ type: "TEXT", text: question }] },
    { type: "AI", toolExecutionRequests: [{ id: "call_1", name: "weather", arguments: written }] },
    { type: "TOOL_EXECUTION_RESULT", id: "call_1", toolName: "weather", text: "17 °C" },
    { type: "AI", text: answer, toolExecutionRequests: [] },
  ],
  "calls that hold their results": {
    transcript: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ tool: "weather", id: "call_1", input: city, output: "17 °C" }],
      },
      { role: "assistant", content: answer },
    ],
  },
  "calls by their ids": {
    messages: [
      { role: "user", content: question },
      { role: "assistant", content: "", tool_calls: { call_1: { name: "weather", arguments: city } } },
      { role: "tool", tool_call_id: "call_1", content: "17 °C" },
      { role: "assistant", content: answer },
    ],
  },
  "results of a role of their own": {
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: [{ type: "toolCall", id: "call_1", name: "weather", arguments: city }],
      },
      { role: "toolResult", toolCallId: "call_1", content: [{ type: "text", text: "17 °C" }] },
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ],
  },
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
  Invariant: [
    { role: "user", content: question },
    { id: "call_1", type: "function", function: { name: "weather", arguments: city } },
    { role: "tool", tool_call_id: "call_1", content: "17 °C" },
    { role: "assistant", content: answer },
  ],
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
  "fast-agent": {
    messages: [
      { role: "user", content: [{ type: "text", text: question }], is_template: false },
      {
        role: "assistant",
        content: [],
        tool_calls: {
          call_1: { method: "tools/call", params: { meta: null, name: "weather", arguments: city } },
        },
        channels: { reasoning: [{ type: "text", text: "I look." }] },
        stop_reason: "toolUse",
        is_template: false,
      },
      {
        role: "user",
        content: [],
        tool_results: { call_1: { content: [{ type: "text", text: "17 °C" }], isError: false } },
        is_template: false,
      },
      { role: "assistant", content: [{ type: "text", text: answer }], stop_reason: "endTurn" },
    ],
  },
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
  "Inspect, which keeps the name of a function alone": {
    version: 2,
    status: "success",
    eval: { task: "weather", model: "openai/gpt-5" },
    samples: [
      {
        id: 1,
        messages: [
          { id: "m1", role: "user", content: question, source: "input" },
          {
            id: "m2",
            role: "assistant",
            content: "",
            tool_calls: [{ id: "call_1", function: "weather", arguments: city, type: "function" }],
          },
          { id: "m3", role: "tool", content: "17 °C", tool_call_id: "call_1", function: "weather" },
          { id: "m4", role: "assistant", content: answer, source: "generate" },
        ],
      },
    ],
  },
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
  "Zed's older threads": {
    version: "0.2.0",
    messages: [
      { id: 0, role: "user", segments: [{ type: "text", text: question }], tool_uses: [], tool_results: [] },
      {
        id: 1,
        role: "assistant",
        segments: [],
        tool_uses: [{ id: "call_1", name: "weather", input: city }],
        tool_results: [],
      },
      {
        id: 2,
        role: "user",
        segments: [],
        tool_uses: [],
        tool_results: [{ tool_use_id: "call_1", is_error: false, content: "17 °C" }],
      },
      {
        id: 3,
        role: "assistant",
        segments: [{ type: "text", text: answer }],
        tool_uses: [],
        tool_results: [],
      },
    ],
  },
  "Amazon Q's and Kiro's command lines": {
    conversation_id: "c1",
    history: [
      {
        user: { content: { Prompt: { prompt: question } } },
        assistant: {
          ToolUse: {
            content: "",
            tool_uses: [{ id: "call_1", name: "weather", args: {}, orig_args: city }],
          },
        },
      },
      {
        user: {
          content: {
            ToolUseResults: {
              tool_use_results: [{ tool_use_id: "call_1", content: [{ Text: "17 °C" }], status: "Success" }],
            },
          },
        },
        assistant: { Response: { content: answer } },
      },
    ],
  },
  "LM Studio": {
    name: "Weather",
    messages: [
      {
        versions: [{ type: "singleStep", role: "user", content: [{ type: "text", text: question }] }],
        currentlySelected: 0,
      },
      {
        versions: [
          {
            type: "multiStep",
            role: "assistant",
            steps: [
              {
                type: "contentBlock",
                content: [{ type: "toolCallRequest", callId: 1, name: "weather", parameters: city }],
              },
              {
                type: "contentBlock",
                content: [{ type: "toolCallResult", toolCallId: 1, content: "17 °C" }],
              },
              { type: "contentBlock", content: [{ type: "text", text: answer }] },
            ],
          },
        ],
        currentlySelected: 0,
      },
    ],
  },
  "AI Studio": {
    runSettings: { model: "models/gemini-2.5-pro" },
    chunkedPrompt: {
      chunks: [
        { text: question, role: "user", tokenCount: 8 },
        { role: "model", functionCall: { name: "weather", args: city } },
        { role: "user", functionResponse: { name: "weather", response: "17 °C" } },
        { text: answer, role: "model", finishReason: "STOP" },
      ],
    },
  },
  "the Agent Development Kit's cases to evaluate": {
    eval_set_id: "weather",
    eval_cases: [
      {
        eval_id: "1",
        conversation: [
          {
            invocation_id: "i1",
            user_content: { role: "user", parts: [{ text: question }] },
            final_response: { role: "model", parts: [{ text: answer }] },
            intermediate_data: {
              tool_uses: [{ id: "call_1", name: "weather", args: city }],
              tool_responses: [{ id: "call_1", name: "weather", response: "17 °C" }],
            },
          },
        ],
      },
    ],
  },
  "a list whose calls are flat": {
    nodes: [
      { message_id: "1", role: "user", content: question },
      {
        message_id: "2",
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", index: 0, kind: "function", name: "weather", arguments: city }],
      },
      { message_id: "3", role: "tool", tool_call_id: "call_1", content: "17 °C" },
      { message_id: "4", role: "assistant", content: answer },
    ],
  },
  "τ²-bench, where the user has tools as well": {
    simulations: [
      {
        messages: [
          { role: "user", content: question, tool_calls: null },
          {
            role: "user",
            content: null,
            tool_calls: [{ id: "u1", name: "look_out", arguments: {}, requestor: "user" }],
          },
          { id: "u1", role: "tool", content: "sunny", requestor: "user", error: false },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_1", name: "weather", arguments: city, requestor: "assistant" }],
          },
          { id: "call_1", role: "tool", content: "17 °C", requestor: "assistant", error: false },
          { role: "assistant", content: answer, tool_calls: null },
        ],
      },
    ],
  },
  "a list whose words stand under text": [
    { role: "user", text: question },
    { role: "ai", text: "", tool_calls: [{ id: "call_1", name: "weather", args: city }] },
    { role: "tool", tool_call_id: "call_1", text: "17 °C" },
    { role: "ai", text: answer },
  ],
  "Kiro's export, which leaves out the names of single members": {
    conversation_id: "k1",
    history: [
      {
        user: { content: { Prompt: question } },
        assistant: { ToolUse: { content: "", tool_uses: [{ id: "call_1", name: "weather", args: city }] } },
      },
      {
        user: {
          content: {
            ToolUseResults: [{ tool_use_id: "call_1", content: [{ Text: "17 °C" }], status: "Success" }],
          },
        },
        assistant: { Response: { content: answer } },
      },
    ],
  },
  "a cascade of Windsurf and Antigravity": {
    trajectory: {
      steps: [
        {
          type: "CORTEX_STEP_TYPE_USER_INPUT",
          status: "CORTEX_STEP_STATUS_DONE",
          userInput: { userResponse: question },
        },
        {
          type: "CORTEX_STEP_TYPE_PLANNER_RESPONSE",
          status: "CORTEX_STEP_STATUS_DONE",
          plannerResponse: {
            toolCalls: [{ id: "call_1", name: "weather", argumentsJson: JSON.stringify(city) }],
          },
        },
        {
          type: "CORTEX_STEP_TYPE_WEATHER",
          status: "CORTEX_STEP_STATUS_DONE",
          metadata: { toolCall: { id: "call_1", name: "weather" } },
          weather: { combinedOutput: { full: "17 °C" } },
        },
        { type: "CORTEX_STEP_TYPE_CHECKPOINT", status: "CORTEX_STEP_STATUS_DONE", checkpoint: {} },
        { type: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", plannerResponse: { response: answer } },
      ],
    },
  },
  "a table of Phoenix's spans": {
    "context.span_id": "s",
    "attributes.llm.input_messages": [
      { "message.role": "user", "message.content": question },
      {
        "message.role": "assistant",
        "message.tool_calls": [
          {
            "tool_call.id": "call_1",
            "tool_call.function.name": "weather",
            "tool_call.function.arguments": JSON.stringify(city),
          },
        ],
      },
      { "message.role": "tool", "message.content": "17 °C", "message.tool_call_id": "call_1" },
      { "message.role": "assistant", "message.content": answer },
    ],
  },
  "messages of Datadog, whose results stand beside the content": {
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ name: "weather", arguments: city, tool_id: "call_1" }],
      },
      {
        role: "tool",
        content: "",
        tool_results: [{ result: "17 °C", tool_id: "call_1", type: "tool_result" }],
      },
      { role: "assistant", content: answer },
    ],
  },
  "messages of Letta": [
    { id: "message-1", message_type: "user_message", content: question },
    {
      id: "message-2",
      message_type: "tool_call_message",
      tool_call: { name: "weather", arguments: JSON.stringify(city), tool_call_id: "call_1" },
    },
    {
      id: "message-3",
      message_type: "tool_return_message",
      tool_return: "17 °C",
      status: "success",
      tool_call_id: "call_1",
    },
    { id: "message-4", message_type: "assistant_message", content: answer },
  ],
  "runs of Agno, with the tools that ran": {
    session_id: "s",
    runs: [
      {
        run_id: "r",
        model: "gpt-4o",
        messages: [
          { role: "user", content: question, from_history: false },
          {
            role: "assistant",
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name: "weather", arguments: JSON.stringify(city) },
              },
            ],
          },
          { role: "tool", content: "17 °C", tool_call_id: "call_1", tool_name: "weather", tool_args: city },
          { role: "assistant", content: answer },
        ],
        tools: [{ tool_call_id: "call_1", tool_name: "weather", tool_args: city, result: "17 °C" }],
      },
    ],
  },
  Codebuff: [
    { id: "1", variant: "user", content: question },
    {
      id: "2",
      variant: "ai",
      content: "",
      blocks: [
        { type: "tool", toolCallId: "call_1", toolName: "weather", input: city, output: "17 °C" },
        { type: "text", textType: "text", content: answer },
      ],
    },
  ],
  "parts that hold what they say once more under their type": {
    session_id: "c1",
    history: [
      { role: "user", id: "1", content: [{ type: "text", text: question }] },
      {
        role: "assistant",
        id: "2",
        content: [{ type: "tool_use", tool_use: { tool_use_id: "call_1", name: "weather", input: city } }],
      },
      {
        role: "user",
        id: "3",
        content: [
          {
            type: "tool_result",
            tool_result: {
              tool_use_id: "call_1",
              name: "weather",
              content: [{ type: "text", text: "17 °C" }],
            },
          },
        ],
      },
      { role: "assistant", id: "4", content: [{ type: "text", text: answer }] },
    ],
  },
  "a list in which some name the sender, and some the role": {
    app: "Windsurf",
    conversation: {
      messages: [
        { role: "user", content: question },
        {
          sender: "assistant",
          parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: city }],
        },
        { sender: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "17 °C" }] },
        { sender: "assistant", parts: [{ type: "text", text: answer }] },
      ],
    },
  },
  "steps with a whole message, and what came of its calls": {
    schema_version: "1.5",
    agent: { name: "almanac", version: "1" },
    steps: [
      { step_id: 1, message: { role: "user", content: question } },
      {
        step_id: 2,
        message: { role: "agent", content: "" },
        tool_calls: [{ id: "call_1", name: "weather", arguments: city }],
        observation: { results: [{ source_call_id: "call_1", content: "17 °C" }] },
      },
      { step_id: 3, message: { role: "agent", content: answer } },
    ],
  },
  "a data set whose messages have one call each": {
    plan: "p-7",
    turns: [
      { role: "user", content: question, tool_call: null },
      { role: "assistant", content: null, tool_call: { name: "weather", arguments: city } },
      { role: "tool", content: "17 °C", tool_call: null },
      { role: "assistant", content: answer, tool_call: null },
    ],
    final_response: answer,
    score: { passed: true },
  },
  "messages with one call each, in other words": {
    turns: [
      { role: "user", content: question },
      { role: "assistant", content: "", toolCall: { id: "call_1", tool: "weather", args: city } },
      { role: "tool", content: "17 °C", tool_call_id: "call_1" },
      { role: "assistant", content: answer },
    ],
    source: "simulated",
  },
  "messages with a list under the name of one call": {
    dialogue: [
      { role: "user", content: question },
      { role: "assistant", content: "", tool_call: [{ id: "call_1", name: "weather", arguments: city }] },
      { role: "tool", content: "17 °C", tool_call_id: "call_1" },
      { role: "assistant", content: answer },
    ],
  },
};
