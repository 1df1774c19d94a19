/** The same small session, as each agent keeps it: somebody asks for the weather, a tool is called, the model answers. */
export const question = "How warm is it in Bern?";
export const city = { city: "Bern" };
export const answer = "It is 17 °C.";

export const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
export const document = (value: object): string => JSON.stringify(value, undefined, 2);

export const asked = `user "${question}"`;
const called = 'call weather {"city":"Bern"}';
const result = "result 17 °C";
export const usual = [`${asked} → ${called} ()`, `${asked}, ${called}, ${result} → assistant "${answer}" ()`];

export interface Story {
  readonly log: string;
  readonly told: readonly string[];
  /** What is no part of the conversation, and why. */
  readonly skipped?: readonly string[];
}

export const stories: Readonly<Record<string, Story>> = {
  crush: {
    log: lines(
      { sqlite: { tables: { messages: ["id", "session_id", "role", "parts", "created_at"] } } },
      {
        table: "messages",
        id: "m1",
        session_id: "s1",
        role: "user",
        parts: [{ type: "text", data: { text: question } }],
        created_at: 1,
      },
      {
        table: "messages",
        id: "m2",
        session_id: "s1",
        role: "assistant",
        parts: [
          {
            type: "tool_call",
            data: { id: "call_1", name: "weather", input: JSON.stringify(city), finished: true },
          },
          { type: "finish", data: { reason: "tool_use" } },
        ],
        created_at: 2,
      },
      {
        table: "messages",
        id: "m3",
        session_id: "s1",
        role: "tool",
        parts: [{ type: "tool_result", data: { tool_call_id: "call_1", name: "weather", content: "17 °C" } }],
        created_at: 3,
      },
      {
        table: "messages",
        id: "m4",
        session_id: "s1",
        role: "assistant",
        parts: [{ type: "text", data: { text: answer } }],
        created_at: 4,
      },
    ),
    told: [`${asked} → ${called} (tool_use)`, usual[1] as string],
    skipped: ["a row of another table"],
  },
  "cursor-db": {
    log: lines(
      { sqlite: { tables: { ItemTable: ["key", "value"], cursorDiskKV: ["key", "value"] } } },
      { table: "cursorDiskKV", key: "bubbleId:c1:b3", value: { type: 2, text: answer } },
      {
        table: "cursorDiskKV",
        key: "bubbleId:c1:b2",
        value: {
          type: 2,
          text: "",
          toolFormerData: {
            toolCallId: "t1",
            name: "weather",
            rawArgs: JSON.stringify(city),
            status: "completed",
            result: "17 °C",
          },
        },
      },
      { table: "cursorDiskKV", key: "bubbleId:c1:b1", value: { type: 1, text: question } },
      {
        table: "cursorDiskKV",
        key: "composerData:c1",
        value: { fullConversationHeadersOnly: [{ bubbleId: "b1" }, { bubbleId: "b2" }, { bubbleId: "b3" }] },
      },
    ),
    told: usual,
    skipped: ["a setting of the editor"],
  },
  "langgraph-store": {
    log: lines(
      {
        sqlite: {
          tables: {
            checkpoints: [
              "thread_id",
              "checkpoint_ns",
              "checkpoint_id",
              "parent_checkpoint_id",
              "checkpoint",
              "metadata",
            ],
          },
        },
      },
      ...[1, 2, 4].map((length, index) => ({
        table: "checkpoints",
        thread_id: "t1",
        checkpoint_ns: "",
        checkpoint_id: `1f0-${index + 1}`,
        parent_checkpoint_id: index === 0 ? null : "1f0-1",
        type: "msgpack",
        checkpoint: {
          v: 4,
          channel_values: {
            step: 3,
            messages: [
              { content: question, additional_kwargs: {}, type: "human", id: "m1" },
              {
                content: "",
                additional_kwargs: {},
                type: "ai",
                id: "m2",
                tool_calls: [{ name: "weather", args: city, id: "call_1", type: "tool_call" }],
              },
              { content: "17 °C", type: "tool", tool_call_id: "call_1", status: "success", id: "m3" },
              { content: answer, additional_kwargs: {}, type: "ai", id: "m4" },
            ].slice(0, length),
          },
        },
        metadata: { source: "loop", step: index },
      })),
      { table: "checkpoints", thread_id: "t2", checkpoint_id: "1f0-4", type: "pickle", checkpoint: null },
      {
        table: "writes",
        thread_id: "t1",
        checkpoint_id: "1f0-3",
        channel: "messages",
        type: "msgpack",
        value: [{ content: answer, type: "ai", id: "m4" }],
      },
    ),
    told: usual,
    skipped: [
      "a state that cannot be read",
      "what a step wrote into a state",
      "a state that a later one continues",
      "a state that the thread went back from",
    ],
  },
  "message-rows": {
    log: lines(
      { sqlite: { tables: { agent_messages: ["id", "session_id", "message_data"] } } },
      { table: "agent_messages", id: 1, session_id: "s1", message_data: { role: "user", content: question } },
      {
        table: "agent_messages",
        id: 2,
        session_id: "s1",
        message_data: {
          type: "function_call",
          call_id: "call_1",
          name: "weather",
          arguments: JSON.stringify(city),
        },
      },
      {
        table: "agent_messages",
        id: 3,
        session_id: "s1",
        message_data: { type: "function_call_output", call_id: "call_1", output: "17 °C" },
      },
      {
        table: "agent_messages",
        id: 4,
        session_id: "s1",
        message_data: { role: "assistant", content: answer },
      },
    ),
    told: usual,
    skipped: ["a row that is not a message"],
  },
  openhands: {
    log: lines(
      {
        id: "e0",
        kind: "ConversationStateUpdateEvent",
        source: "environment",
        key: "execution_status",
        value: "running",
      },
      {
        id: "e1",
        kind: "MessageEvent",
        source: "user",
        llm_message: { role: "user", content: [{ type: "text", text: question }] },
      },
      {
        id: "e2",
        kind: "ActionEvent",
        source: "agent",
        thought: [],
        action: { kind: "WeatherAction", ...city },
        tool_name: "weather",
        tool_call_id: "call_1",
        tool_call: { id: "call_1", name: "weather", arguments: JSON.stringify(city), origin: "completion" },
        llm_response_id: "r1",
      },
      {
        id: "e3",
        kind: "ObservationEvent",
        source: "environment",
        tool_name: "weather",
        tool_call_id: "call_1",
        observation: {
          kind: "WeatherObservation",
          content: [{ type: "text", text: "17 °C" }],
          is_error: false,
        },
        action_id: "e2",
      },
      {
        id: "e4",
        kind: "MessageEvent",
        source: "agent",
        llm_response_id: "r2",
        llm_message: { role: "assistant", content: [{ type: "text", text: answer }] },
      },
    ),
    told: usual,
    skipped: ["a record of type `ConversationStateUpdateEvent`, not a message"],
  },
  "openhands-trajectory": {
    log: document([
      { id: 0, source: "user", action: "message", args: { content: question } },
      { id: 1, source: "agent", action: "recall", args: { query: question } },
      {
        id: 2,
        source: "agent",
        action: "call_tool_mcp",
        args: { name: "weather", arguments: city, thought: "" },
        tool_call_metadata: {
          function_name: "weather",
          tool_call_id: "call_1",
          model_response: {
            id: "r1",
            choices: [
              {
                message: {
                  role: "assistant",
                  content: null,
                  tool_calls: [
                    {
                      id: "call_1",
                      type: "function",
                      function: { name: "weather", arguments: JSON.stringify(city) },
                    },
                  ],
                },
              },
            ],
          },
        },
      },
      {
        id: 3,
        source: "agent",
        cause: 2,
        observation: "mcp",
        content: "17 °C",
        extras: {},
        tool_call_metadata: { function_name: "weather", tool_call_id: "call_1" },
      },
      { id: 4, source: "agent", action: "finish", args: { final_thought: answer } },
    ] as never),
    told: usual,
    skipped: ["an event of the program, not a message"],
  },
  events: {
    log: lines(
      { ts: 1, event: "run_started" },
      { ts: 2, event: "user_message", content: question },
      { ts: 3, event: "tool_call", data: { id: "c1", name: "weather", arguments: city } },
      { ts: 4, event: "tool_result", data: { id: "c1", output: "17 °C" } },
      { ts: 5, event: "assistant_message", content: answer },
    ),
    told: usual,
    skipped: ["an event that is not a message, call or result"],
  },
  "claude-managed": {
    log: lines(
      { type: "session.status_running", id: "e0" },
      { type: "user.message", id: "e1", content: [{ type: "text", text: question }] },
      { type: "span.model_request_start", id: "e2" },
      { type: "agent.tool_use", id: "call_1", name: "weather", input: city, evaluated_permission: "allow" },
      { type: "span.model_request_end", id: "e3", model_usage: { input_tokens: 2 } },
      {
        type: "agent.tool_result",
        id: "e4",
        tool_use_id: "call_1",
        is_error: false,
        content: [{ type: "text", text: "17 °C" }],
      },
      { type: "span.model_request_start", id: "e5" },
      { type: "agent.message", id: "e6", content: [{ type: "text", text: answer }] },
      { type: "session.status_idle", id: "e7", stop_reason: { type: "end_turn" } },
    ),
    told: usual,
    skipped: [
      "an event of type `session.status_running`, not a message",
      "an event of type `span.model_request_start`, not a message",
      "an event of type `span.model_request_end`, not a message",
      "an event of type `session.status_idle`, not a message",
    ],
  },
  "claude-stream": {
    log: lines(
      { type: "system", subtype: "init", session_id: "s1", tools: ["weather"] },
      { type: "user", session_id: "s1", message: { role: "user", content: question } },
      { type: "stream_event", session_id: "s1", event: { type: "message_start" } },
      {
        type: "assistant",
        session_id: "s1",
        parent_tool_use_id: null,
        message: {
          id: "msg_1",
          role: "assistant",
          stop_reason: null,
          content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: city }],
        },
      },
      {
        type: "stream_event",
        session_id: "s1",
        event: { type: "message_delta", delta: { stop_reason: "tool_use" } },
      },
      {
        type: "user",
        session_id: "s1",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }],
        },
      },
      {
        type: "assistant",
        session_id: "s1",
        message: { id: "msg_2", role: "assistant", content: [{ type: "text", text: answer }] },
      },
      { type: "result", subtype: "success", session_id: "s1", result: answer },
    ),
    told: [`${asked} → ${called} (tool_use)`, usual[1] as string],
    skipped: [
      "a record of type `system`, not a message",
      "an event of a reply that the file also has in full",
      "a record of type `result`, not a message",
    ],
  },
  codex: {
    log: lines(
      { timestamp: "2026-03-01T09:00:00Z", type: "session_meta", payload: { id: "r1", cwd: "/home/ada" } },
      { type: "turn_context", payload: { model: "gpt-5-codex" } },
      {
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: question }] },
      },
      { type: "event_msg", payload: { type: "user_message", message: question } },
      {
        type: "response_item",
        payload: {
          type: "function_call",
          name: "weather",
          arguments: JSON.stringify(city),
          call_id: "call_1",
        },
      },
      {
        type: "response_item",
        payload: { type: "function_call_output", call_id: "call_1", output: "17 °C" },
      },
      {
        type: "response_item",
        payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] },
      },
    ),
    told: usual,
    skipped: [
      "a record of type `session_meta`, not a message",
      "a display event of type `user_message`, not a message",
    ],
  },
  "codex-exec": {
    log: lines(
      { type: "thread.started", thread_id: "t1" },
      {
        type: "item.started",
        item: { id: "item_1", type: "command_execution", command: "curl wttr.in", status: "in_progress" },
      },
      {
        type: "item.completed",
        item: {
          id: "item_1",
          type: "command_execution",
          command: "curl wttr.in",
          aggregated_output: "17 °C",
          exit_code: 0,
          status: "completed",
        },
      },
      { type: "item.completed", item: { id: "item_2", type: "agent_message", text: answer } },
      {
        type: "item.started",
        item: { id: "item_3", type: "command_execution", command: "sleep 9", status: "in_progress" },
      },
    ),
    told: [
      ' → call command_execution {"command":"curl wttr.in"} ()',
      `call command_execution {"command":"curl wttr.in"}, result 17 °C → assistant "${answer}", call command_execution {"command":"sleep 9"} ()`,
    ],
    skipped: ["a record of type `thread.started`, not a message"],
  },
  "gemini-cli": {
    log: document({
      sessionId: "g1",
      projectHash: "0b7d",
      messages: [
        { id: "m1", type: "user", content: question },
        {
          id: "m2",
          type: "gemini",
          content: "",
          model: "gemini-3-pro",
          toolCalls: [
            {
              id: "weather-1",
              name: "weather",
              args: city,
              status: "success",
              result: [{ functionResponse: { id: "weather-1", response: { output: "17 °C" } } }],
            },
          ],
        },
        { id: "m3", type: "info", content: "Request took long." },
        { id: "m4", type: "gemini", content: answer },
      ],
    }),
    told: usual,
    skipped: ["a record of type `info`, not a message"],
  },
  "gemini-stream": {
    log: lines(
      { type: "init", timestamp: "2026-03-01T09:00:00Z", session_id: "g1", model: "gemini-3-pro" },
      { type: "message", role: "user", content: question },
      { type: "tool_use", tool_name: "weather", tool_id: "weather-1", parameters: city },
      { type: "tool_result", tool_id: "weather-1", status: "success", output: "17 °C" },
      { type: "message", role: "assistant", content: answer, delta: true },
      { type: "result", status: "success", stats: {} },
    ),
    told: usual,
    skipped: ["a record of type `init`, not a message", "a record of type `result`, not a message"],
  },
  "ag-ui": {
    log: lines(
      { type: "RUN_STARTED", threadId: "t1", runId: "r1" },
      { type: "TEXT_MESSAGE_START", messageId: "m1", role: "user" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: question },
      { type: "TEXT_MESSAGE_END", messageId: "m1" },
      { type: "TOOL_CALL_START", toolCallId: "call_1", toolCallName: "weather", parentMessageId: "m2" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call_1", delta: '{"city":' },
      { type: "TOOL_CALL_ARGS", toolCallId: "call_1", delta: '"Bern"}' },
      { type: "TOOL_CALL_END", toolCallId: "call_1" },
      { type: "TOOL_CALL_RESULT", messageId: "m3", toolCallId: "call_1", content: "17 °C", role: "tool" },
      { type: "TEXT_MESSAGE_START", messageId: "m4", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m4", delta: answer },
      { type: "TEXT_MESSAGE_END", messageId: "m4" },
      { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },
    ),
    told: usual,
    skipped: [
      "a record of type `RUN_STARTED`, not a message",
      "a record of type `RUN_FINISHED`, not a message",
    ],
  },
  langgraph: {
    log: lines(
      { user: { messages: [{ type: "human", id: "m1", content: question }] } },
      {
        agent: {
          messages: [
            {
              type: "ai",
              id: "m2",
              content: "",
              tool_calls: [{ name: "weather", args: city, id: "call_1", type: "tool_call" }],
            },
          ],
        },
      },
      { tools: { messages: [{ type: "tool", id: "m3", content: "17 °C", tool_call_id: "call_1" }] } },
      { agent: { messages: [{ type: "ai", id: "m4", content: answer }] } },
    ),
    told: usual,
  },
  "typed-messages": {
    log: lines(
      { type: "user", message: { content: question } },
      {
        type: "assistant",
        message: {
          id: "msg_1",
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: city }],
        },
      },
      {
        type: "assistant",
        message: {
          id: "msg_1",
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: city }],
        },
      },
      {
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }],
        },
      },
      { type: "summary", note: "one call" },
      { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: answer }] } },
    ),
    told: usual,
    skipped: ["a repeat of an earlier record", "a record of type `summary`, not a message"],
  },
  "cursor-stream": {
    log: lines(
      { type: "system", subtype: "init", session_id: "c1" },
      {
        type: "user",
        session_id: "c1",
        message: { role: "user", content: [{ type: "text", text: question }] },
      },
      {
        type: "tool_call",
        subtype: "started",
        call_id: "toolu_1",
        tool_call: { weatherToolCall: { args: city } },
      },
      {
        type: "tool_call",
        subtype: "completed",
        call_id: "toolu_1",
        tool_call: { weatherToolCall: { args: city, result: { success: { content: "17 °C" } } } },
      },
      {
        type: "assistant",
        session_id: "c1",
        message: { role: "assistant", content: [{ type: "text", text: answer }] },
      },
      { type: "result", subtype: "success", session_id: "c1" },
    ),
    told: usual,
    skipped: ["a record of type `system`, not a message", "a record of type `result`, not a message"],
  },
  "vscode-chat": {
    log: document({
      responderUsername: "GitHub Copilot",
      requests: [
        {
          message: { text: question },
          response: [{ kind: "toolInvocationSerialized", toolId: "weather" }, { value: answer }],
          result: {
            metadata: {
              toolCallRounds: [
                {
                  id: "r1",
                  response: "",
                  toolCalls: [{ id: "call_1", name: "weather", arguments: JSON.stringify(city) }],
                },
                { id: "r2", response: answer, toolCalls: [] },
              ],
              toolCallResults: { call_1: { content: [{ value: "17 °C" }] } },
            },
          },
        },
      ],
    }),
    told: usual,
  },
  "openai-agents": {
    log: document({
      $schemaVersion: "1.13",
      original_input: question,
      generated_items: [
        {
          type: "tool_call_item",
          agent: { name: "guide" },
          raw_item: {
            type: "function_call",
            id: "1",
            call_id: "call_1",
            name: "weather",
            arguments: JSON.stringify(city),
          },
        },
        {
          type: "tool_approval_item",
          raw_item: { type: "function_call", id: "1", call_id: "call_1", name: "weather", arguments: "{}" },
        },
        {
          type: "tool_call_output_item",
          raw_item: { type: "function_call_output", call_id: "call_1", output: "17 °C" },
          output: "17 °C",
        },
        {
          type: "message_output_item",
          raw_item: {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: answer, annotations: [] }],
          },
        },
      ],
      model_responses: [],
    }),
    told: usual,
    skipped: ["an approval request; its call has a record of its own"],
  },
  "adk-events": {
    log: lines(
      { invocationId: "e-1", author: "user", content: { role: "user", parts: [{ text: question }] } },
      {
        invocationId: "e-1",
        author: "forecaster",
        partial: true,
        content: { role: "model", parts: [{ text: "It is" }] },
      },
      {
        invocationId: "e-1",
        author: "forecaster",
        content: { role: "model", parts: [{ functionCall: { id: "adk-1", name: "weather", args: city } }] },
        timestamp: 1_795_783_640_386,
        finishReason: "STOP",
      },
      { invocationId: "e-1", author: "forecaster", actions: { stateDelta: { step: 1 } } },
      {
        invocationId: "e-1",
        author: "forecaster",
        content: {
          role: "user",
          parts: [{ functionResponse: { id: "adk-1", name: "weather", response: { output: "17 °C" } } }],
        },
      },
      {
        invocationId: "e-1",
        author: "forecaster",
        content: { role: "model", parts: [{ text: answer }] },
        finishReason: "STOP",
      },
    ),
    told: usual.map((turn) => turn.replace("()", "(STOP)")),
    skipped: ["a part of a reply; a later event has all of it", "an event without content"],
  },
  strands: {
    log: document({
      message: {
        role: "assistant",
        content: [{ text: "Let me see." }, { toolUse: { toolUseId: "tu1", name: "weather", input: city } }],
      },
      message_id: 1,
    }),
    told: [` → assistant "Let me see.", ${called} ()`],
  },
  "qwen-code": {
    log: lines(
      {
        uuid: "1",
        parentUuid: null,
        sessionId: "q",
        type: "user",
        message: { role: "user", parts: [{ text: question }] },
      },
      {
        uuid: "2",
        parentUuid: "1",
        sessionId: "q",
        type: "assistant",
        message: { role: "model", parts: [{ functionCall: { id: "c1", name: "weather", args: city } }] },
      },
      {
        uuid: "3",
        parentUuid: "2",
        sessionId: "q",
        type: "tool_result",
        message: {
          role: "user",
          parts: [{ functionResponse: { id: "c1", name: "weather", response: { output: "17 °C" } } }],
        },
      },
      {
        uuid: "4",
        parentUuid: "3",
        sessionId: "q",
        type: "assistant",
        message: { role: "model", parts: [{ text: answer }] },
      },
    ),
    told: usual,
  },
  opencode: {
    log: document({
      info: { id: "ses_1", title: "Weather" },
      messages: [
        { info: { id: "msg_1", role: "user" }, parts: [{ type: "text", text: question }] },
        {
          info: { id: "msg_2", role: "assistant", modelID: "qwen3-coder", finish: "length" },
          parts: [
            { type: "step-start" },
            {
              type: "tool",
              tool: "weather",
              callID: "call_1",
              state: { status: "completed", input: city, output: "17 °C" },
            },
            { type: "step-finish", reason: "tool-calls", tokens: { input: 10, output: 5 } },
            { type: "step-start" },
            { type: "text", text: "It is" },
          ],
        },
      ],
    }),
    told: [
      `${asked} → ${called} (tool-calls)`,
      `${asked}, ${called}, ${result} → assistant "It is" (length)`,
    ],
  },
  pi: {
    log: lines(
      { type: "session", version: 3, id: "p1", cwd: "/home/ada" },
      { type: "message", id: "a", parentId: null, message: { role: "user", content: question } },
      {
        type: "message",
        id: "b",
        parentId: "a",
        message: {
          role: "assistant",
          stopReason: "toolUse",
          content: [{ type: "toolCall", id: "tc1", name: "weather", arguments: city }],
        },
      },
      {
        type: "message",
        id: "c",
        parentId: "b",
        message: { role: "toolResult", toolCallId: "tc1", content: [{ type: "text", text: "17 °C" }] },
      },
      {
        type: "message",
        id: "d",
        parentId: "c",
        message: { role: "assistant", stopReason: "stop", content: [{ type: "text", text: answer }] },
      },
    ),
    told: [`${asked} → ${called} (toolUse)`, `${asked}, ${called}, ${result} → assistant "${answer}" (stop)`],
  },
  "pi-stream": {
    log: lines(
      { type: "session", version: 3, id: "p1", cwd: "/home/ada" },
      { type: "agent_start" },
      { type: "turn_start" },
      { type: "message_start", message: { role: "user", content: [{ type: "text", text: question }] } },
      { type: "message_end", message: { role: "user", content: [{ type: "text", text: question }] } },
      { type: "message_start", message: { role: "assistant", content: [], stopReason: "stop" } },
      {
        type: "message_update",
        assistantMessageEvent: { type: "toolcall_delta", contentIndex: 0, delta: '{"city":' },
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: "tc1", name: "weather", arguments: {} }],
        },
      },
      {
        type: "message_end",
        message: {
          role: "assistant",
          stopReason: "toolUse",
          content: [{ type: "toolCall", id: "tc1", name: "weather", arguments: city }],
        },
      },
      { type: "tool_execution_start", toolCallId: "tc1", toolName: "weather", args: city },
      { type: "tool_execution_end", toolCallId: "tc1", toolName: "weather", result: { content: [] } },
      {
        type: "message_end",
        message: { role: "toolResult", toolCallId: "tc1", content: [{ type: "text", text: "17 °C" }] },
      },
      { type: "turn_end", message: { role: "assistant", content: [] }, toolResults: [] },
      { type: "turn_start" },
      {
        type: "message_end",
        message: { role: "assistant", stopReason: "stop", content: [{ type: "text", text: answer }] },
      },
      { type: "agent_end", messages: [{ role: "user", content: [{ type: "text", text: question }] }] },
    ),
    told: [`${asked} → ${called} (toolUse)`, `${asked}, ${called}, ${result} → assistant "${answer}" (stop)`],
    skipped: [
      "a record of type `session`, not a message",
      "an event about messages that the file also has in full",
    ],
  },
  droid: {
    log: lines(
      { type: "session_start", id: "d1", title: "Weather" },
      { type: "message", id: "a", parentId: "d1", message: { role: "user", content: question } },
      {
        type: "message",
        id: "b",
        parentId: "a",
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: "tu1", name: "weather", input: city }],
        },
      },
      {
        type: "message",
        id: "c",
        parentId: "b",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "tu1", content: "17 °C" }] },
      },
      { type: "message", id: "d", parentId: "c", message: { role: "assistant", content: answer } },
    ),
    told: usual,
  },
  cline: {
    log: document([
      { role: "user", ts: 1770000000000, content: [{ type: "text", text: question }] },
      {
        role: "assistant",
        ts: 1770000001000,
        content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: city }],
      },
      {
        role: "user",
        ts: 1770000002000,
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }],
      },
      { role: "assistant", ts: 1770000003000, content: [{ type: "text", text: answer }] },
    ] as never),
    told: usual,
  },
  goose: {
    log: lines(
      { working_dir: "/home/ada", description: "Weather" },
      { role: "user", created: 1, content: [{ type: "text", text: question }] },
      {
        role: "assistant",
        created: 2,
        content: [
          {
            type: "toolRequest",
            id: "c1",
            toolCall: { status: "success", value: { name: "weather", arguments: city } },
          },
        ],
      },
      {
        role: "user",
        created: 3,
        content: [
          {
            type: "toolResponse",
            id: "c1",
            toolResult: { status: "success", value: [{ type: "text", text: "17 °C" }] },
          },
        ],
      },
      { role: "assistant", created: 4, content: [{ type: "text", text: answer }] },
    ),
    told: usual,
    skipped: ["data about the session, not a message"],
  },
  copilot: {
    log: lines(
      { type: "session.start", id: "e1", parentId: null, data: { sessionId: "s" } },
      { type: "user.message", id: "e2", parentId: "e1", data: { content: question } },
      {
        type: "assistant.message",
        id: "e3",
        parentId: "e2",
        data: {
          content: "",
          messageId: "m1",
          toolRequests: [{ toolCallId: "c1", name: "weather", arguments: city }],
        },
      },
      { type: "tool.execution_start", id: "e4", parentId: "e3", data: { toolCallId: "c1" } },
      {
        type: "tool.execution_complete",
        id: "e5",
        parentId: "e4",
        data: { toolCallId: "c1", success: true, result: { content: "17 °C" } },
      },
      {
        type: "assistant.message",
        id: "e6",
        parentId: "e5",
        data: { content: answer, messageId: "m2", toolRequests: [] },
      },
    ),
    told: usual,
    skipped: [
      "a record of type `session.start`, not a message",
      "a record of type `tool.execution_start`, not a message",
    ],
  },
  kimi: {
    log: lines(
      { type: "metadata", protocol_version: "1.4" },
      {
        type: "context.append_message",
        message: { role: "user", content: [{ type: "text", text: question }], toolCalls: [] },
      },
      {
        type: "context.append_loop_event",
        event: { type: "tool.call", stepUuid: "s1", toolCallId: "weather_0", name: "weather", args: city },
      },
      {
        type: "context.append_loop_event",
        event: { type: "tool.result", toolCallId: "weather_0", result: { output: "17 °C" } },
      },
      {
        type: "context.append_loop_event",
        event: { type: "step.end", uuid: "s1", finishReason: "tool_use" },
      },
      {
        type: "context.append_loop_event",
        event: { type: "content.part", stepUuid: "s2", part: { type: "text", text: answer } },
      },
      {
        type: "context.append_loop_event",
        event: { type: "step.end", uuid: "s2", finishReason: "end_turn" },
      },
    ),
    told: [
      `${asked} → ${called} (tool_use)`,
      `${asked}, ${called}, ${result} → assistant "${answer}" (end_turn)`,
    ],
    skipped: ["a record of type `metadata`, not a message"],
  },
  "kimi-wire": {
    log: lines(
      { type: "metadata", protocol_version: "1.9" },
      { timestamp: 1, message: { type: "TurnBegin", payload: { user_input: question } } },
      { timestamp: 2, message: { type: "StepBegin", payload: { n: 1 } } },
      {
        timestamp: 3,
        message: {
          type: "ToolCall",
          payload: {
            type: "function",
            id: "tool_1",
            function: { name: "weather", arguments: JSON.stringify(city) },
            extras: null,
          },
        },
      },
      {
        timestamp: 4,
        message: {
          type: "ToolResult",
          payload: {
            tool_call_id: "tool_1",
            return_value: { is_error: false, output: "17 °C", message: "", display: [] },
          },
        },
      },
      { timestamp: 5, message: { type: "StepBegin", payload: { n: 2 } } },
      { timestamp: 6, message: { type: "ContentPart", payload: { type: "text", text: answer } } },
      { timestamp: 7, message: { type: "TurnEnd", payload: {} } },
    ),
    told: usual,
    skipped: [
      "a record of type `metadata`, not a message",
      "a record of type `StepBegin`, not a message",
      "a record of type `TurnEnd`, not a message",
    ],
  },
  kiro: {
    log: lines(
      { version: "v1", kind: "Prompt", data: { content: [{ kind: "text", data: question }] } },
      {
        version: "v1",
        kind: "AssistantMessage",
        data: {
          message_id: "m1",
          content: [{ kind: "toolUse", data: { toolUseId: "t1", name: "weather", input: city } }],
        },
      },
      {
        version: "v1",
        kind: "ToolResults",
        data: {
          content: [
            { kind: "toolResult", data: { toolUseId: "t1", content: [{ kind: "text", data: "17 °C" }] } },
          ],
        },
      },
      {
        version: "v1",
        kind: "AssistantMessage",
        data: { message_id: "m2", content: [{ kind: "text", data: answer }] },
      },
    ),
    told: usual,
  },
  grok: {
    log: lines(
      { type: "user", content: [{ type: "text", text: question }], prompt_index: 0 },
      {
        type: "assistant",
        content: "",
        model_id: "grok-4.5",
        tool_calls: [{ id: "c1", name: "weather", arguments: JSON.stringify(city) }],
      },
      { type: "tool_result", tool_call_id: "c1", content: "17 °C" },
      { type: "assistant", content: answer, model_id: "grok-4.5" },
    ),
    told: usual,
  },
  amp: {
    log: document({
      v: 3,
      id: "T-1",
      messages: [
        { role: "user", content: [{ type: "text", text: question }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t1", name: "weather", input: city }],
          state: { type: "complete", stopReason: "tool_use" },
        },
        {
          role: "user",
          content: [{ type: "tool_result", toolUseID: "t1", run: { status: "done", result: "17 °C" } }],
        },
        {
          role: "assistant",
          content: [{ type: "text", text: answer }],
          state: { type: "complete", stopReason: "end_turn" },
        },
      ],
    }),
    told: [
      `${asked} → ${called} (tool_use)`,
      `${asked}, ${called}, ${result} → assistant "${answer}" (end_turn)`,
    ],
  },
  hermes: {
    log: document({
      session_id: "h1",
      platform: "cli",
      model: "gpt-5.2",
      messages: [
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "weather", arguments: JSON.stringify(city) },
            },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "17 °C" },
        { role: "assistant", content: answer, finish_reason: "stop" },
        { role: "session_meta" },
      ],
    }),
    told: [`${asked} → ${called} ()`, `${asked}, ${called}, ${result} → assistant "${answer}" (stop)`],
    skipped: ["data about the session, not a message"],
  },
  antigravity: {
    log: lines(
      { step_index: 0, source: "USER_EXPLICIT", type: "USER_INPUT", content: question },
      {
        step_index: 1,
        source: "MODEL",
        type: "PLANNER_RESPONSE",
        tool_calls: [{ name: "weather", args: city }],
      },
      { step_index: 2, source: "MODEL", type: "RUN_COMMAND", content: "17 °C" },
      { step_index: 3, source: "MODEL", type: "PLANNER_RESPONSE", content: answer },
    ),
    told: usual,
  },
  acp: {
    log: lines(
      ...[
        { sessionUpdate: "user_message_chunk", content: { type: "text", text: question } },
        { sessionUpdate: "tool_call", toolCallId: "t1", title: "weather", kind: "other", status: "pending" },
        { sessionUpdate: "tool_call_update", toolCallId: "t1", title: "Look at Bern", rawInput: city },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t1",
          status: "completed",
          content: [{ type: "content", content: { type: "text", text: "17 °C" } }],
        },
        { sessionUpdate: "plan", entries: [] },
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: answer } },
      ].map((update) => ({ method: "session/update", params: { sessionId: "s1", update } })),
    ),
    told: usual,
    skipped: ["a notice of type `plan`, not a message"],
  },
  "deepseek-harness": {
    log: lines(
      { type: "session", version: 3, id: "d1", createdAt: 1, cwd: "/home/ada", agentPreset: "coding" },
      {
        type: "user/message",
        seq: 1,
        data: { role: "user", content: [{ type: "text", text: question }] },
        surfaceOp: "append",
      },
      {
        type: "assistant/message",
        seq: 2,
        data: {
          message: {
            id: "a1",
            role: "assistant",
            content: [{ type: "tool-call", id: "call_1", name: "weather", arguments: JSON.stringify(city) }],
          },
        },
        surfaceOp: "append",
      },
      { type: "tool/call", seq: 3, data: { callId: "call_1", name: "weather" } },
      {
        type: "tool/result",
        seq: 4,
        data: {
          message: {
            role: "user",
            content: [
              { type: "tool-result", toolCallId: "call_1", content: [{ type: "text", text: "17 °C" }] },
            ],
          },
        },
        surfaceOp: "append",
      },
      {
        type: "assistant/message",
        seq: 5,
        data: { message: { id: "a2", role: "assistant", content: [{ type: "text", text: answer }] } },
        surfaceOp: "append",
      },
    ),
    told: usual,
    skipped: ["a record of type `session`, not a message", "a record of type `tool/call`, not a message"],
  },
  chatgpt: {
    log: document({
      id: "c1",
      mapping: {
        root: { id: "root", parent: null, children: ["a"], message: null },
        a: {
          id: "a",
          parent: "root",
          children: ["b"],
          message: { author: { role: "user" }, content: { content_type: "text", parts: [question] } },
        },
        b: {
          id: "b",
          parent: "a",
          children: [],
          message: { author: { role: "assistant" }, content: { content_type: "text", parts: [answer] } },
        },
      },
    }),
    told: [`${asked} → assistant "${answer}" ()`],
  },
  messages: {
    log: lines(
      { role: "user", content: question },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: JSON.stringify(city) } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "17 °C" },
      { role: "assistant", content: answer },
    ),
    told: usual,
  },
};
