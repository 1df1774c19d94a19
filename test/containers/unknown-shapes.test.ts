import { describe, expect, test } from "vitest";
import { check, read } from "../../src/index.ts";
import { answer, asked, city, document, lines, question, usual } from "./sessions.ts";
import { open, told } from "./stories.ts";

const written = JSON.stringify(city);

/** The session as messages in the form of the Messages API, each in a record that names its author. */
const typed = [
  { type: "user", message: { role: "user", content: question } },
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
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }] },
  },
  {
    type: "assistant",
    message: { id: "msg_2", role: "assistant", content: [{ type: "text", text: answer }] },
  },
];

const events = [
  { type: "user_message", content: question },
  { type: "tool_call", toolCallId: "call_1", toolName: "weather", args: city },
  { type: "tool_result", toolCallId: "call_1", result: "17 °C" },
  { type: "assistant_message", content: answer },
];

const chat = [
  { role: "user", content: question },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "17 °C" },
  { role: "assistant", content: answer },
];
/** The same as a program keeps it that notes which agent spoke. */
const held = chat.map((message) => ({ agentName: "root", message }));

describe("the records of a session", () => {
  test.each([
    ["under a key", document({ loglines: typed })],
    ["deep in a document", document({ run: { sessions: [{ entries: typed }] } })],
    ["as a list with notes", document([{ type: "system", subtype: "init" }, ...typed, { type: "result" }])],
    [
      "behind the prefixes of a program",
      typed.map((record) => `12:00 [DEBUG] ${JSON.stringify(record)}\n`).join(""),
    ],
    [
      "several times each",
      typed.flatMap((record) => Array(3).fill(`got ${JSON.stringify(record)}\n`)).join(""),
    ],
    ["as a list of events", document({ id: "run-1", events })],
    ["as messages under a key of each element", document(held)],
    ["as messages under a key of each line", lines(...held)],
    [
      "as messages two levels deep, with a note of another agent",
      document({ title: "Weather", messages: [...held.map((message) => ({ message })), { subSession: {} }] }),
    ],
    ["in a member of each line", lines(...events.map((event, seq) => ({ seq, run: "r1", event })))],
    [
      "in a wrapper that says who sent each to whom",
      document({
        version: "1.0",
        messages: [
          { direction: "send", message: { type: "control_request", request_id: "r1" } },
          { direction: "recv", message: { type: "control_response", response: { subtype: "success" } } },
          ...typed.map((record) => ({
            direction: record.type === "user" ? "send" : "recv",
            message: record,
          })),
        ],
      }),
    ],
    [
      "in wrappers within each other",
      document(typed.map((data, seq) => ({ seq, content: { role: "agent", content: { data } } })) as never),
    ],
    [
      "in wrappers on each line",
      lines(...typed.map((data, seq) => ({ seq, payload: { channel: "agent", body: { data } } }))),
    ],
  ])("are read %s", async (_, log) => {
    expect(await told(log)).toEqual(usual);
  });

  test.each([
    ["in camel case", "invocationId", "functionCall", "functionResponse"],
    ["in snake case", "invocation_id", "function_call", "function_response"],
  ])("of a kit whose events name an author only are read, %s", async (_, invocation, call, response) => {
    const event = (author: string, part?: object): object => ({
      ...(part && { content: { role: author === "user" ? "user" : "model", parts: [part] } }),
      [invocation]: "e1",
      author,
      id: `${author}1`,
      timestamp: 1,
    });
    // Its states are events, too, and come before the first word.
    const states = [event("guide"), event("guide"), event("guide")];
    const weather = { id: "af-1", name: "weather" };
    const log = document({
      id: "s1",
      events: [
        ...states,
        event("user", { text: question }),
        event("guide", { [call]: { ...weather, args: city } }),
        event("user", { [response]: { ...weather, response: { result: "17 °C" } } }),
        event("guide", { text: answer }),
      ],
    });
    expect(await told(log)).toEqual(usual);
  });

  test("are read in the order of their parents where they were kept as they arrived", async () => {
    const linked = typed.map((record, at) => ({
      ...record,
      sessionId: "s1",
      uuid: `r${at}`,
      parentUuid: at > 0 ? `r${at - 1}` : null,
    }));
    const [asks, calls, result, says] = linked;
    const inOrder = await told(document({ records: linked.map((data) => ({ data })) }));
    expect(await told(document({ records: [says, asks, result, calls].map((data) => ({ data })) }))).toEqual(
      inOrder,
    );
    expect(inOrder).toHaveLength(usual.length);
  });

  test("are read in wrappers although the model spoke once only", async () => {
    const [asks, , , says] = typed;
    const sent = [asks, says].map((message) => ({ direction: "recv", message }));
    expect(await told(document({ version: "1.0", messages: sent }))).toEqual([
      `${asked} → assistant "${answer}" ()`,
    ]);
  });

  test("lead to their places in the file", async () => {
    const log = document({ loglines: typed });
    const { exchanges, kind } = await open(log);
    const [, second] = exchanges;
    const { start, end } = second?.reply?.place.origin ?? { start: 0, end: 0 };
    expect(Buffer.from(log).toString("utf8", start, end)).toContain(answer);
    expect(kind).toBe("transcript");
  });

  test("are those of one fence in Markdown, not of several examples", async () => {
    const fenced = (records: readonly unknown[]): string =>
      `\`\`\`json\n${records.map((record) => `${JSON.stringify(record)}\n`).join("")}\`\`\`\n`;
    expect(await told(`The session:\n\n${fenced(typed)}\nThat is all.\n`)).toEqual(usual);
    const [asks, calls, result, says] = typed;
    const apart = [[asks, calls], [result], [says]].map(fenced).join("\nThen comes\n\n");
    expect(await told(apart)).toEqual([usual[0]]);
  });

  test("of sub-agents and of other sessions are apart, however they are mixed", async () => {
    const mix = (facts: object): string =>
      document(typed.flatMap((record) => [record, { ...record, ...facts }]));
    for (const facts of [{ isSidechain: true }, { parent_tool_use_id: "toolu_9" }, { sessionId: "s2" }])
      expect((await told(mix(facts))).sort()).toEqual([...usual, ...usual].sort());
  });

  test("of two runs are two sessions", async () => {
    expect(await told(document({ runs: [{ transcript: typed }, { transcript: typed }] }))).toEqual([
      ...usual,
      ...usual,
    ]);
  });

  test("are nothing in data that only looks like them", async () => {
    const users = [
      { name: "Ada", role: "user", team: "a" },
      { name: "Bob", role: "assistant", team: "b" },
    ];
    const replies = chat.slice(3).flatMap((message) => [{ message }, { message }]);
    expect((await open(document(replies))).kind).toBe("requests");
    for (const log of [document({ users }), document(users), lines(...users), document({ events: users })])
      expect(await told(log)).toEqual([]);
  });
});

describe("the stream of a LangGraph server", () => {
  const call = { name: "weather", args: city, id: "call_1", type: "tool_call" };
  const human = { type: "human", id: "h1", content: question };
  const calls = { type: "ai", id: "run--1", content: "", tool_calls: [call] };
  const tool = { type: "tool", id: "t1", content: "17 °C", name: "weather", tool_call_id: "call_1" };
  const says = { type: "ai", id: "run--2", content: answer, tool_calls: [] };
  const all = [human, calls, tool, says];
  const events = (...sent: readonly (readonly [name: string, data: unknown])[]): string =>
    [["metadata", { run_id: "r1", attempt: 1 }] as const, ...sent, ["end", null] as const]
      .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
  const growing = all.map((_, index) => all.slice(0, index + 1));
  const checkpoint = (messages: unknown): object => ({
    type: "checkpoint",
    payload: { values: { messages } },
  });
  const update = (node: string, message: object) => ["updates", { [node]: { messages: [message] } }] as const;
  const piece = (content: string, args?: string) =>
    [
      "messages",
      [
        {
          type: "AIMessageChunk",
          id: args === undefined ? "run--2" : "run--1",
          content,
          tool_call_chunks: args === undefined ? [] : [{ index: 0, id: "call_1", name: "weather", args }],
        },
        { langgraph_node: "agent" },
      ],
    ] as const;

  test.each([
    ["states", events(...growing.map((messages) => ["values", { messages, steps: [] }] as const))],
    [
      "checkpoints, and messages that only a node saw",
      events(...growing.map((messages) => ["debug", checkpoint(messages)] as const), [
        "messages/partial",
        [{ ...calls, id: "run--9" }],
      ]),
    ],
    [
      "updates",
      events(update("ask", human), update("agent", calls), update("tools", tool), update("agent", says)),
    ],
    [
      "messages that grow",
      events(
        ["messages/complete", [human]],
        ["messages/partial", [{ ...calls, tool_calls: [] }]],
        ["messages/partial", [calls]],
        ["messages/complete", [tool]],
        ["messages/partial", [{ ...says, content: "It" }]],
        ["messages/partial", [says]],
      ),
    ],
    [
      "pieces of messages",
      events(
        ["messages", [human, {}]],
        piece("", JSON.stringify(city).slice(0, 5)),
        piece("", JSON.stringify(city).slice(5)),
        ["messages", [tool, {}]],
        piece(answer.slice(0, 3)),
        piece(answer.slice(3)),
      ),
    ],
  ])("is read in the mode of %s, also as a client wrote it down", async (_, log) => {
    const sent = log
      .trim()
      .split("\n\n")
      .map((event) => /^event: (.*)\ndata: (.*)$/.exec(event) ?? []);
    const kept = sent.map(([, event = "", data = ""]) => ({ event, data: JSON.parse(data) }));
    expect(await told(lines(...kept))).toEqual(usual);
    expect((await open(log)).container).toBe("langgraph");
    expect(await told(log)).toEqual(usual);
  });

  test("is read as the protocol sends it that wraps each event", async () => {
    const wrapped = (method: string, data: object, seq: number) => {
      const event = { type: "event", event_id: `${seq}`, seq, method, params: { namespace: [], data } };
      return { text: `event: ${method}\ndata: ${JSON.stringify(event)}\nid: ${seq}\n\n`, event };
    };
    const piece = { event: "content-block-start", index: 0, content: { type: "text", text: "It" } };
    const all = [
      wrapped("lifecycle", { event: "running", graph_name: "agent" }, 1),
      ...growing.map((messages, at) => wrapped("values", { messages }, at + 2)),
      wrapped("messages", piece, 20),
      wrapped("lifecycle", { event: "completed" }, 21),
    ];
    expect((await open(all.map(({ text }) => text).join(""))).container).toBe("langgraph");
    expect(await told(all.map(({ text }) => text).join(""))).toEqual(usual);
    expect(await told(lines(...all.map(({ event }) => event)))).toEqual(usual);
  });
});

describe("YAML", () => {
  const messages = `
      - role: user
        content: ${question}
      - role: assistant
        tool_calls:
          - id: call_1
            type: function
            function: {name: weather, arguments: '${written}'}
      - role: tool
        tool_call_id: call_1
        content: 17 °C
`;
  const history = `${usual[1]?.split(" → ")[0]} → ?`;

  test.each([
    ["a conversation of a test", `models:\n  - gpt-5\nconversations:\n  - messages:${messages}`],
    ["a list of messages", messages.replace(/^ {6}/gm, "")],
    ["a history deep in a case", `name: Bern\ncase:\n  given:\n    messages:${messages}`],
  ])("of %s is read like JSON", async (_, log) => {
    const { container } = await open(log);
    expect(container).toBe("yaml");
    expect(await told(log)).toEqual([history]);
  });

  test("of WireMock has requests and replies", async () => {
    const asked = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: question }] });
    const log = `mappings:
  - request:
      method: POST
      urlPath: /v1/chat/completions
      bodyPatterns:
        - equalToJson: '${asked}'
    response:
      status: 200
      jsonBody:
        id: chatcmpl-1
        object: chat.completion
        choices:
          - index: 0
            finish_reason: stop
            message: {role: assistant, content: ${answer}}
`;
    expect(await told(log)).toEqual([`user "${question}" → assistant "${answer}" (stop)`]);
  });

  test.each([
    ["a service", "services:\n  web:\n    image: nginx\n    labels:\n      role: user\n"],
    [
      "roles of a team",
      "users:\n  - name: ada\n    role: user\n    message: hi\n  - name: bob\n    role: assistant\n",
    ],
    [
      "a description of an API",
      `openapi: 3.1.0\npaths:\n  /chat:\n    post:\n      requestBody:\n        example:\n          messages:${messages}`,
    ],
    [
      "a program's log",
      "--- REQUEST 1 ---\nrequest:\n  role: user\n  content: Hi\nresponse:\n  role: assistant\n",
    ],
    ["a workflow", "on: [push]\njobs:\n  test:\n    steps:\n      - uses: actions/checkout\n"],
  ])("of %s is no log", async (_, log) => {
    expect(await told(log)).toEqual([]);
  });
});

describe("a message that stands alone", () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: written } };
  const lc = { name: "weather", args: city, id: "call_1", type: "tool_call" };

  test.each<[string, unknown]>([
    ["the chat API", { role: "assistant", content: null, tool_calls: [call] }],
    [
      "the Messages API",
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: city }] },
    ],
    ["Gemini", { role: "model", parts: [{ functionCall: { name: "weather", args: city } }] }],
    ["the Responses API", { type: "function_call", call_id: "call_1", name: "weather", arguments: written }],
    [
      "LangChain's dumps",
      {
        lc: 1,
        type: "constructor",
        id: ["langchain", "schema", "AIMessage"],
        kwargs: { content: "", tool_calls: [lc] },
      },
    ],
    [
      "LangChain's model_dump",
      { content: "", type: "ai", id: "run-1", tool_calls: [lc], additional_kwargs: {} },
    ],
    [
      "the AI SDK",
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: city }],
      },
    ],
    [
      "Semantic Kernel",
      {
        Role: { Label: "assistant" },
        Items: [{ $type: "FunctionCallContent", Id: "call_1", FunctionName: "weather", Arguments: city }],
      },
    ],
    [
      "Haystack",
      {
        _role: "assistant",
        _content: [{ tool_call: { tool_name: "weather", arguments: city, id: "call_1" } }],
      },
    ],
    ["LlamaIndex", { role: "assistant", additional_kwargs: { tool_calls: [call] }, blocks: [] }],
    [
      "Pydantic AI",
      {
        kind: "response",
        parts: [{ part_kind: "tool-call", tool_name: "weather", args: written, tool_call_id: "call_1" }],
      },
    ],
    [
      "AutoGen",
      {
        source: "assistant",
        content: [{ id: "call_1", name: "weather", arguments: written }],
        type: "ToolCallRequestEvent",
      },
    ],
    [
      "Spring AI",
      {
        messageType: "ASSISTANT",
        text: "",
        toolCalls: [{ id: "call_1", name: "weather", arguments: written }],
      },
    ],
    [
      "LangChain4j",
      { type: "AI", toolExecutionRequests: [{ id: "call_1", name: "weather", arguments: written }] },
    ],
    [
      "Microsoft.Extensions.AI",
      {
        role: "assistant",
        contents: [{ $type: "functionCall", callId: "call_1", name: "weather", arguments: city }],
      },
    ],
  ])("is a reply, in the form of %s", async (_, message) => {
    const log = document(message as object);
    expect(await told(log)).toEqual(['? → call weather {"city":"Bern"} ()']);
    expect((await check(Buffer.from(log))).findings.filter(({ severity }) => severity !== "info")).toEqual(
      [],
    );
  });

  test("is no reply of its own beside anything else", async () => {
    const asks = { model: "gpt-5", messages: [{ role: "user", content: question }] };
    const log = lines(
      { level: "info", request: asks },
      { level: "info", request: { ...asks, model: "gpt-5-mini" } },
      { role: "assistant", content: answer, level: "info" },
    );
    expect(await told(log)).toEqual([`user "${question}" → ?`, `user "${question}" → ?`]);
  });

  test("is nothing in a program's source", async () => {
    const code = `export function write(text) {\n  return { role: "assistant", content: text };\n}\n`;
    expect(await told(`${code}// ${"x".repeat(200)}\n`)).toEqual([]);
    expect(await told(document({ role: "user", content: question }))).toEqual([]);
  });

  test("has its faults found", async () => {
    const cut = { ...call, function: { name: "weather", arguments: '{"city":"Be' } };
    const log = document({ role: "assistant", content: null, tool_calls: [cut] });
    expect((await check(Buffer.from(log))).findings.map(({ rule }) => rule)).toContain(
      "incomplete-arguments",
    );
  });
});

describe("what Python prints and programs write", () => {
  const history = [`user "${question}", call weather {"city":"Bern"}, result 17 °C → ?`];
  const calls = `tool_calls=[{'name': 'weather', 'args': {'city': 'Bern'}, 'id': 'call_1', 'type': 'tool_call'}]`;

  test.each([
    [
      "messages of LangChain",
      `[HumanMessage(content='${question}'), AIMessage(content='', ${calls}), ToolMessage(content='17 °C', tool_call_id='call_1')]`,
    ],
    [
      "the same as written",
      `messages = [\n    HumanMessage("${question}"),\n    AIMessage(\n        content="",\n        ${calls},\n    ),\n    ToolMessage("17 °C", tool_call_id="call_1"),\n]`,
    ],
    [
      "the state of a graph",
      `{'messages': [HumanMessage(content='${question}'), AIMessage(content='', ${calls}), ToolMessage(content='17 °C', tool_call_id='call_1')]}`,
    ],
    [
      "contents of Gemini",
      `[types.Content(role='user', parts=[types.Part(text='${question}')]), types.Content(role='model', parts=[types.Part(function_call=types.FunctionCall(name='weather', args={'city': 'Bern'}))]), types.Content(role='user', parts=[types.Part(function_response=types.FunctionResponse(name='weather', response={'result': '17 °C'}))])]`,
    ],
    [
      "messages of OpenAI among dicts",
      `[{'role': 'user', 'content': '${question}'}, ChatCompletionMessage(content=None, role='assistant', tool_calls=[ChatCompletionMessageToolCall(id='call_1', function=Function(arguments='{"city":"Bern"}', name='weather'), type='function')]), {'role': 'tool', 'tool_call_id': 'call_1', 'content': '17 °C'}]`,
    ],
  ])("is read: %s", async (_, log) => {
    expect(await told(`${log}\n`)).toEqual(history);
  });

  test.each([
    ["by its constructor", `AIMessage(content='', response_metadata={}, id='run-1', ${calls})`],
    ["by its text", `content='' additional_kwargs={} response_metadata={} id='run-1' ${calls}`],
    [
      "by the constructor of OpenAI",
      `ChatCompletionMessage(content=None, role='assistant', tool_calls=[ChatCompletionMessageToolCall(id='call_1', function=Function(arguments='{"city":"Bern"}', name='weather'), type='function')])`,
    ],
  ])("is one message, told %s", async (_, log) => {
    expect(await told(`${log}\n`)).toEqual(['? → call weather {"city":"Bern"} ()']);
  });

  const parallel = [1, 2].map((index) => ({ id: `call_${index}`, arguments: `{"city":"Bern"}` }));
  test.each([
    [
      "the output of the Responses API, printed",
      `[${parallel.map(({ id, arguments: json }) => `ResponseFunctionToolCall(arguments='${json}', call_id='${id}', name='weather', type='function_call', id='fc_${id}', status='completed')`).join(", ")}]`,
    ],
    [
      "the blocks of Anthropic's message, printed",
      `assistant: [TextBlock(citations=None, text='Let me look.', type='text'), ${parallel.map(({ id, arguments: json }) => `ToolUseBlock(id='${id}', input=${json}, name='weather', type='tool_use')`).join(", ")}]`,
    ],
    [
      "a message of Anthropic, laid out by rich",
      `Message(\n    id='msg_1',\n    content=[${parallel.map(({ id, arguments: json }) => `\n        ToolUseBlock(\n            id='${id}',\n            input=${json},\n            name='weather',\n            type='tool_use'\n        )`).join(",")}\n    ],\n    model='claude-sonnet-4-5',\n    role='assistant',\n    stop_reason='tool_use',\n    type='message'\n)`,
    ],
    [
      "a message with calls, as a line of JSON",
      JSON.stringify({
        role: "assistant",
        tool_calls: parallel.map(({ id, arguments: json }) => ({
          id,
          type: "function",
          function: { name: "weather", arguments: json },
        })),
      }),
    ],
  ])("of a model alone is a reply, however often it is printed: %s", async (_, log) => {
    const again = log.replaceAll("call_", "call_b").replace("msg_1", "msg_2");
    const { findings, files } = await check(Buffer.from(`${log}\n${again}\n`));
    expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
      "info unclosed-loop",
      "info unclosed-loop",
    ]);
    expect(files[0]?.exchanges).toBe(2);
  });

  test("a history that lost its call is broken", async () => {
    const log = `[HumanMessage(content='${question}'), ToolMessage(content='17 °C', tool_call_id='call_1')]\n`;
    expect((await check(Buffer.from(log))).findings.map(({ rule }) => rule)).toContain(
      "orphaned-tool-result",
    );
  });
});

describe("the history of a run in OpenAI's Agents SDK for JavaScript", () => {
  const run = [
    { type: "message", role: "user", content: question },
    { type: "reasoning", id: "rs_1", content: [], providerData: { encrypted_content: "gAAAA" } },
    ...["Bern", "Basel"].map((city, index) => ({
      type: "function_call",
      id: "chatcmpl-1",
      callId: `call_${index}`,
      name: "weather",
      status: "completed",
      arguments: JSON.stringify({ city }),
    })),
    ...[0, 1].map((index) => ({
      type: "function_call_result",
      name: "weather",
      callId: `call_${index}`,
      status: "completed",
      output: { type: "text", text: "17 °C" },
    })),
  ];
  const rulesOf = async (items: readonly unknown[]) =>
    (await check(Buffer.from(JSON.stringify(items, null, 1)))).findings.map(({ rule }) => rule);

  test("has names of its own, and no finding", async () => {
    expect(await rulesOf(run)).toEqual([]);
  });

  test("lacks a result", async () => {
    expect(await rulesOf(run.toSpliced(4, 1))).toEqual(["unanswered-tool-call"]);
  });
});

test("a response that no protocol knows is named with its place", async () => {
  const asks = { model: "gpt-5", messages: [{ role: "user", content: question }] };
  const log = lines({ request: asks, status: 200, response: { vendor: { said: ["a", "b", "c"] }, code: 7 } });
  const { files, notChecked } = await check(Buffer.from(log));
  const reason = expect.stringContaining("its reply was not understood");
  expect(files[0]?.skipped).toEqual([expect.objectContaining({ line: 1, reason })]);
  expect(notChecked.map(({ why }) => why)).toContain("the responses in the log were not understood");
  const without = await check(Buffer.from(lines({ request: asks, status: 200, response: {} })));
  expect(without.files[0]?.skipped).toEqual([]);
  expect(without.notChecked.map(({ why }) => why)).toContain("the log has only requests, no replies");
});

test("a body that stands in a fence, as in Markdown, is read", async () => {
  const fenced = (value: object): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
  const asks = { model: "gpt-5", messages: [{ role: "user", content: question }] };
  const choices = [{ index: 0, message: { role: "assistant", content: answer }, finish_reason: "stop" }];
  const attributes = {
    request_data: fenced(asks),
    response_data: fenced({ object: "chat.completion", choices }),
  };
  const { exchanges } = await read(Buffer.from(lines({ span_id: "s1", attributes })));
  expect(exchanges.map(({ request, reply }) => [request?.history.length, reply?.items.length])).toEqual([
    [1, 1],
  ]);
});

test("of a key that stands twice the last value is read, also to tell what a body is", async () => {
  const asks = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: question }] });
  const choices = '[{"index":0,"message":{"role":"assistant","content":"17 °C."}}]';
  const said = async (members: string) => {
    const log = `{"request":${asks},"status":200,"response":{"object":"chat.completion",${members}}}\n`;
    return (await check(Buffer.from(log))).files[0]?.skipped.map(({ reason }) => reason);
  };
  expect(await said(`"choices":"other","choices":${choices}`)).toEqual([]);
  expect(await said(`"choices":${choices},"choices":"other"`)).toEqual([
    expect.stringContaining("its reply was not understood"),
  ]);
});

test("the steps of a graph beside the calls of models are no requests", async () => {
  const messages = [
    { role: "user", content: question },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "17 °C" },
    { role: "assistant", content: answer },
  ];
  const observation = (id: string, type: string, second: number, input: unknown, output: unknown) => ({
    id,
    traceId: "t1",
    type,
    startTime: `2026-01-01T10:00:0${second}.000Z`,
    input,
    output,
  });
  const observations = [
    observation("s2", "SPAN", 3, { messages: messages.slice(0, 2) }, "tools"),
    observation("g2", "GENERATION", 5, messages.slice(0, 3), messages[3]),
    observation("s1", "SPAN", 4, { messages: messages.slice(0, 2) }, { messages: [messages[2]] }),
    observation("g1", "GENERATION", 1, messages.slice(0, 1), messages[1]),
  ];
  const { findings, files } = await check(Buffer.from(document({ trace: { id: "t1" }, observations })));
  expect(findings).toEqual([]);
  expect(files[0]).toMatchObject({ exchanges: 2, conversations: 1, calls: 1 });
});

describe("messages that a program keeps in its own form", () => {
  test("have calls with names of its own, also beside names that Ollama has", async () => {
    const log = document({
      messages: [
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          stop_reason: "end_of_turn",
          tool_calls: [{ call_id: "1", tool_name: "weather", arguments: city }],
        },
        { role: "tool", call_id: "1", tool_name: "weather", content: "17 °C" },
        { role: "assistant", content: answer },
      ],
    });
    const { findings, files } = await check(Buffer.from(log));
    expect(findings).toEqual([]);
    expect(files[0]?.protocols).toEqual(["sdk-messages"]);
  });

  test("show what a tool did without its call, which is no lost call", async () => {
    const shown = {
      role: "tool",
      content: "asked for the weather",
      kind: "trace",
      turn: "t1",
      phase: "work",
    };
    const messages = [{ role: "user", content: question }, shown, { role: "assistant", content: answer }];
    expect((await check(Buffer.from(document(messages as never)))).findings).toEqual([]);
    // What a client sends has no such members, and a model has to see the call.
    const sent = document({
      model: "gpt-5-mini",
      messages: [messages[0], { role: "tool", content: "17 °C" }],
    });
    const { findings } = await check(Buffer.from(sent));
    expect(findings.map(({ severity }) => severity)).toContain("error");
  });

  test("name their session beside their own content, which opencode never does", async () => {
    const message = (number: number, more: object) => ({
      id: `m${number}`,
      sessionID: "s1",
      time: number,
      ...more,
    });
    const log = lines(
      message(1, { role: "user", content: question }),
      message(2, {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
      }),
      message(3, { role: "tool", tool_call_id: "call_2", content: "17 °C" }),
      message(4, { role: "assistant", content: answer }),
    );
    const { findings, files } = await check(Buffer.from(log));
    expect(files[0]?.calls).toBe(1);
    expect(findings[0]?.rule).toBe("call-id-mismatch");
  });
});
