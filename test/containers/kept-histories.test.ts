import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { told } from "./stories.ts";

/** The findings above info, as `rule/kind`. */
async function found(log: string, path = "run.json"): Promise<string[]> {
  const { report } = await checkFiles([{ path, source: bytesSource(path, Buffer.from(log)) }]);
  return report.findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, kind }) => `${rule}/${kind}`);
}

const json = (value: unknown): string => JSON.stringify(value);
const lines = (...records: readonly object[]): string => records.map(json).join("\n");

/** A chat as templates of open models write it: no call has an id. */
const unnamed = [
  { role: "user", content: "How far is it from Bergen to Voss?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ type: "function", function: { name: "distance", arguments: '{"to":"Voss"}' } }],
  },
  { role: "tool", name: "distance", content: "100 km" },
  { role: "assistant", content: "It is 100 km." },
];
const tools = [{ type: "function", function: { name: "distance", parameters: { type: "object" } } }];

describe("a history that nothing shows to be sent", () => {
  test.each([
    ["a template of a chat", json({ messages: unnamed, tools })],
    [
      "rows of a data set",
      lines({ messages: unnamed, tools, source: "hikes" }, { messages: unnamed, tools }),
    ],
    [
      "a stored thread with empty blocks",
      json({
        id: "T-1",
        messages: [
          { role: "user", content: [{ type: "text", text: "Plan a hike." }] },
          { role: "assistant", content: [] },
          { role: "user", content: [{ type: "text", text: "" }] },
          { role: "assistant", content: [{ type: "text", text: "Voss, 12 km." }] },
        ],
      }),
    ],
  ])("is not judged by the form of requests: %s", async (_, log) => {
    expect(await found(log)).toEqual([]);
  });

  const call = unnamed.slice(0, 2);
  const used = { type: "tool_use", id: "toolu_1", name: "distance", input: { to: "Voss" } };
  test.each<[string, object]>([
    ["a run of a benchmark", { model: "gpt-5-mini", task_id: "t-7", messages: call }],
    ["a run with its format", { format: "run-v1", model: "gpt-5-mini", messages: unnamed }],
    ["a run with its reward", { model: "gpt-5-mini", reward: 0.5, messages: unnamed }],
    ["a stored chat", { model: "gpt-5-mini", title: "Hikes", created_at: 1_700_000_000, messages: unnamed }],
    [
      "a stored chat of Anthropic's form",
      {
        model: "claude-sonnet-4-5",
        title: "Hikes",
        messages: [unnamed[0], { role: "assistant", content: [used] }],
      },
    ],
    [
      "a run in Gemini's form",
      {
        instance_id: "t-7",
        contents: [
          { role: "user", parts: [{ text: "How far is it?" }] },
          { role: "model", parts: [{ functionCall: { name: "distance", args: {} } }] },
        ],
      },
    ],
  ])("may be a record with the name of its model: %s", async (_, log) => {
    expect(await found(json(log))).toEqual([]);
    expect(
      await found(json({ ...log, max_tokens: 100, generationConfig: { maxOutputTokens: 100 } })),
    ).not.toEqual([]);
  });

  test.each([
    ["a model", { model: "gpt-5-mini", messages: unnamed, tools }],
    ["a setting", { messages: unnamed, tools, max_tokens: 200 }],
    [
      "an address",
      { url: "https://api.openai.com/v1/chat/completions", request: { messages: unnamed, tools } },
    ],
    [
      "a reply",
      {
        request: { messages: unnamed.slice(0, 3), tools },
        response: {
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: "100 km." }, finish_reason: "stop" }],
        },
      },
    ],
  ])("is a request with %s", async (_, log) => {
    expect(await found(json(log))).toContain("invalid-call-id/missing");
  });

  test("may tell of a call's arguments as code, but what begins as JSON is broken", async () => {
    const asked = (text: string): string =>
      json({
        tools: [],
        messages: [
          { role: "user", content: "Drop the third." },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_1", type: "function", function: { name: "python", arguments: text } }],
          },
          { role: "tool", tool_call_id: "call_1", content: "[1, 2]" },
        ],
      });
    expect(await found(asked("l = [1, 2, 3]\nl.pop()"))).toEqual([]);
    expect(await found(asked('{"code": "l = [1, 2'))).toEqual(["incomplete-arguments/cut"]);
  });

  test("still shows that a result answers no call", async () => {
    const orphan = { role: "tool", tool_call_id: "call_7", content: "100 km" };
    expect(await found(json({ messages: [unnamed[0], orphan], tools }))).toEqual([
      "orphaned-tool-result/noCall",
    ]);
  });
});

describe("a report that leaves out the calls", () => {
  const ask = { role: "user", content: "How far is Voss?" };
  const result = (content: unknown): object => ({ role: "tool", tool_call_id: "call_7", content });
  const history = (content: unknown): object[] => [
    ask,
    { role: "assistant", content: "" },
    result(content),
    { role: "assistant", content: "It is 100 km." },
  ];
  const run = (messages: object[], more: object = {}): string =>
    json({
      results: [
        {
          task: "voss",
          tool_calls: [{ step: 1, tool_name: "distance", arguments: { to: "Voss" } }],
          conversation_log: { total_messages: messages.length, messages, ...more },
        },
      ],
    });

  test.each([
    ["an object", { km: 100 }],
    ["a list of objects", [{ km: 100 }, { km: 90 }]],
  ])("has no lost call where a result is %s", async (_, content) => {
    expect(await found(run(history(content)))).toEqual([]);
  });

  test("may be what was sent where its results have the API's form", async () => {
    expect(await found(run(history("100 km")))).toEqual(["orphaned-tool-result/noCall"]);
    expect(await found(run(history({ km: 100 }), { model: "gpt-5" }))).toContain(
      "orphaned-tool-result/noCall",
    );
  });

  test("lacks the call of one result only if it has others", async () => {
    const call = { id: "call_6", type: "function", function: { name: "distance", arguments: "{}" } };
    const more = [
      { role: "assistant", content: null, tool_calls: [call] },
      { ...result({}), tool_call_id: "call_6" },
    ];
    expect(await found(run([ask, ...more, ...history({ km: 100 }).slice(1)]))).toContain(
      "orphaned-tool-result/noCall",
    );
  });
});

describe("calls that are a message of their own", () => {
  const call = { name: "distance", arguments: { to: "Voss" } };
  const turns = (made: object): object[] => [
    { role: "user", content: "How far is Voss?" },
    made,
    { role: "tool", content: '{"km":100}' },
    { role: "assistant", content: "It is 100 km." },
  ];

  test.each([
    ["in a list", { role: "tool_calls", calls: [call] }],
    ["two at once", { role: "tool_calls", calls: [call, { ...call, arguments: { to: "Odda" } }] }],
    ["by the name of one", { role: "function_call", calls: [call] }],
  ])("are answered by the results behind them: %s", async (_, made) => {
    expect(await found(json({ tools: [], turns: turns(made) }))).toEqual([]);
  });

  test("have the place of their own in the log", async () => {
    const made = { role: "tool_calls", calls: [call, { name: "route", arguments: { to: "Odda" } }] };
    const source = bytesSource("run.json", Buffer.from(json({ turns: turns(made) })));
    const { files } = await checkFiles([{ path: "run.json", source }]);
    const items = files[0]?.exchanges[0]?.request?.history.items(1);
    expect(items?.map(({ kind, pointer }) => `${kind} ${pointer}`)).toEqual([
      "call /calls/0",
      "call /calls/1",
    ]);
  });
});

test("a framework's request with parts without a type is no request of Ollama", async () => {
  const request = {
    model: "programmable",
    messages: [{ role: "user", content: [{ text: "How far is Voss?" }] }],
    config: { temperature: 1 },
    tools: ["distance"],
  };
  expect(await found(json(request))).toEqual([]);
});

test("the role that Google's examples give to the model in a chat is the model's", async () => {
  const [ask, made, ...more] = unnamed;
  const call = { id: "call_1", type: "function", function: { name: "distance", arguments: "{}" } };
  const result = { role: "tool", tool_call_id: "call_1", name: "distance", content: "100 km" };
  expect(made).toBeDefined();
  expect(await found(json([ask, { role: "model", tool_calls: [call] }, result, ...more.slice(1)]))).toEqual(
    [],
  );
  const sent = {
    model: "gpt-5",
    messages: [ask, { role: "model", content: "100 km" }, { role: "user", content: "Sure?" }],
  };
  expect(await found(json(sent))).toContain("invalid-request/value");
});

describe("a result with an id of the client after a call that the model wrote as text", () => {
  const asked = 'Call a tool as JSON: [{"tool": "distance", "tool_input": {"to": "Voss"}}]';
  const human = { type: "human", content: "How far is it to Voss?" };
  const ai = { type: "ai", content: '[{"tool": "distance", "tool_input": {"to": "Voss"}}]' };
  const message = { type: "tool", content: "100 km", tool_call_id: "0" };
  const said = "I look it up.";
  test.each([
    ["messages of LangChain", json({ messages: [{ type: "system", content: asked }, human, ai, message] })],
    [
      "what Python prints of them",
      `[SystemMessage(content='${asked}'), HumanMessage(content='How far?'), AIMessage(content='${ai.content}'), ToolMessage(content='100 km', tool_call_id='0')]`,
    ],
    [
      "a chat that a program kept",
      json({
        history: [
          { role: "user", content: "How far is it?" },
          { role: "assistant", content: '{"name": "distance", "arguments": {"to": "Voss"}}' },
          { role: "tool", name: "distance", toolCallId: "1", content: "100 km" },
        ],
      }),
    ],
  ])("answers it in %s", async (_, log) => {
    expect(await found(log)).toEqual([]);
  });
  test.each([
    ["the text is no call", [human, { ...ai, content: said }, message]],
    [
      "the history has calls",
      [
        human,
        ai,
        { ...ai, content: said, tool_calls: [{ name: "distance", args: {}, id: "1" }] },
        { ...message, tool_call_id: "1" },
        human,
        ai,
        message,
      ],
    ],
  ])("answers none where %s", async (_, messages) => {
    expect(await found(json({ messages }))).toContain("orphaned-tool-result/noCall");
  });
});

describe("what one step of a run adds is no request that lost the rest", () => {
  const state = [
    "HumanMessage(content='How far is it to Voss?', id='1a')",
    "AIMessage(content='100 km.', id='2a')",
    "HumanMessage(content='And to Oslo?', id='3a')",
  ].join(", ");
  const added = "AIMessage(content='463 km.', id='4a')";
  const chat = [
    { role: "user", content: "How far is it to Voss?" },
    { role: "assistant", content: "100 km." },
    { role: "user", content: "And to Oslo?" },
  ];
  const reply = { role: "assistant", content: "463 km." };
  test.each([
    [
      "the stream of a graph, in two modes",
      `values: {'messages': [${state}]}\nvalues: {'messages': [${state}]}\nupdates: {'model': {'messages': [${added}]}}\nvalues: {'messages': [${state}, ${added}]}`,
    ],
    [
      "lists of a chat, line by line",
      lines(
        { at: 1, messages: chat },
        { at: 2, messages: chat },
        { at: 3, messages: [reply] },
        { at: 4, messages: [...chat, reply] },
      ),
    ],
    [
      "steps of an agent",
      lines(
        { step: 1, history: [...chat, unnamed[1]] },
        { step: 2, history: [unnamed[1], unnamed[2]] },
        { step: 3, history: [...chat, unnamed[1], unnamed[2], reply] },
      ),
    ],
  ])("in %s", async (_, log) => {
    expect(await found(log)).toEqual([]);
  });
});

test("an id that is printed where there is none is no id to copy", async () => {
  const printed = (
    id: string,
  ) => `[ChatMessage(role='user', content='How far is it?', name=None, tool_calls=None),
 ChatMessage(role='assistant', content='', name=None, tool_calls=[ToolCall(id=${id}, type=<ToolType.function: 'function'>, function=FunctionCall(name='distance', arguments='{"to":"Voss"}'))]),
 ChatMessage(role='tool', content='100 km', name='distance', tool_calls=None)]`;
  expect(await found(printed("'null'"))).toEqual(["call-id-mismatch/no-ids"]);
  expect(await found(printed("'call_1'"))).toEqual(["call-id-mismatch/missing-id"]);
});

describe("a list that a program prints while it adds results one by one", () => {
  const asks = { role: "user", content: "How far is it to Voss and to Oslo?" };
  const call = (id: string, to: string) => ({
    id,
    type: "function",
    function: { name: "distance", arguments: json({ to }) },
  });
  const made = {
    role: "assistant",
    content: null,
    tool_calls: [call("call_1", "Voss"), call("call_2", "Oslo")],
  };
  const given = ["100 km", "463 km"].map((content, at) => ({
    role: "tool",
    tool_call_id: `call_${at + 1}`,
    content,
  }));
  const item = (id: string, to: string) =>
    `ResponseFunctionToolCall(arguments='{"to": "${to}"}', call_id='${id}', name='distance', type='function_call', id='fc_${id}', status='completed')`;
  const output = (at: number) =>
    `{'type': 'function_call_output', 'call_id': 'call_${at}', 'output': '${at}00 km'}`;
  const items = `{'role': 'user', 'content': 'How far?'}, ${item("call_1", "Voss")}, ${item("call_2", "Oslo")}`;
  test.each([
    [
      "a chat, line by line",
      lines(...[1, 2].map((length) => ({ messages: [asks, made, ...given.slice(0, length)] }))),
    ],
    [
      "items of the Responses API, as Python prints them",
      `[${items}, ${output(1)}]\n[${items}, ${output(1)}, ${output(2)}]\n`,
    ],
  ])("has no call without a result: %s", async (_, log) => {
    expect(await found(log)).toEqual([]);
  });

  test("lacks one that no later list has, or that a request was sent without", async () => {
    const one = { messages: [asks, made, given[0]] };
    expect(await found(json(one))).toEqual(["unanswered-tool-call/noResult"]);
    const response = { choices: [{ message: { role: "assistant", content: "100 km." } }] };
    const sent = lines(
      { request: { model: "gpt-5", ...one }, response },
      { request: { model: "gpt-5", messages: [asks, made, ...given] }, response },
    );
    expect(await found(sent)).toContain("unanswered-tool-call/noResult");
  });
});

describe("runs of one agent in one document, which begin and end alike", () => {
  const prompt = { role: "system", content: "You book trips by train." };
  const thanks = { role: "user", content: "Thank you. ###STOP###" };
  const places = ["Bergen", "Voss", "Oslo"];
  const asked = places.map((place) => ({ role: "user", content: `How do I get to ${place}?` }));
  const parts = asked.map(({ role, content }) => ({ role, parts: [{ text: content }] }));
  const chats = asked.map((each) => [prompt, each, { role: "assistant", content: "By train." }, thanks]);
  const turns = parts.map((each) => [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ text: "Hello" }] },
    each,
    { role: "model", parts: [{ text: "By train." }] },
  ]);
  const blocks = chats.map((chat) => chat.slice(1).map((each) => ({ ...each, extra: 1 })));
  test.each([
    ["a list of runs with their scores", json(chats.map((traj, trial) => ({ trial, reward: 1, traj })))],
    [
      "requests under names",
      json({ runs: Object.fromEntries(chats.map((messages, at) => [`run ${at}`, { messages }])) }),
    ],
    ["a list of lists", json({ name: "trains", conversations: chats })],
    ["contents of Gemini", json({ tests: turns.map((contents) => ({ request: { contents } })) })],
    [
      "bodies of Anthropic in one line",
      json({ calls: blocks.map((messages) => ({ model: "claude-opus-4-6", max_tokens: 9, messages })) }),
    ],
    ["YAML", stringify({ conversations: chats.map((messages) => ({ messages })) })],
  ])("are each read from %s", async (_, log) => {
    const read = (await told(log)).join("\n");
    for (const place of places) expect(read).toContain(`How do I get to ${place}?`);
  });
});

describe("what a test expects of its input", () => {
  const input = { model: "gpt-5", messages: [{ role: "user", content: "How far is Voss?" }] };
  const messages = [{ index: 2, role: "tool", tool_call_id: "call_1", content: "100 km" }];

  test("was not sent", async () => {
    expect(await found(json({ name: "one result", input, expected: { messages } }))).toEqual([]);
  });

  test("is a log's own member where there is no input", async () => {
    expect(await found(json({ expected: { model: "gpt-5", messages } }))).toContain(
      "orphaned-tool-result/cut",
    );
  });
});

describe("an empty line of a reply", () => {
  const say = (role: string, content: unknown): object => ({
    role,
    content,
    timestamp: "2026-07-16T00:39:22Z",
  });
  const text = [{ type: "text", text: "Let me look." }];
  const use = [{ type: "tool_use", id: "toolu_1", name: "distance", input: {} }];
  const answer = [{ type: "tool_result", tool_use_id: "toolu_1", content: "100 km" }];
  const log = (...more: object[]): string => lines(say("user", "How far is Voss?"), ...more);

  test("is part of the reply that the next lines hold", async () => {
    const own = log(say("assistant", []), say("assistant", text), say("assistant", use), say("user", answer));
    expect(await found(own, "session.jsonl")).toEqual([]);
  });

  test("is empty where the reply has no other", async () => {
    const [well, made] = [say("user", "Well?"), say("assistant", use)];
    const own = log(say("assistant", []), well, say("assistant", text), made, say("user", answer));
    expect(await found(own, "session.jsonl")).toEqual(["empty-content/message"]);
  });
});

describe("training examples with typed parts", () => {
  const part = (type: string, value: string): object => ({ type, value });
  const row = (question: string, thought: string, to: string): object => ({
    messages: [
      { role: "system", content: [part("text", "You plan hikes.")] },
      { role: "user", content: [part("text", question)] },
      {
        role: "assistant",
        content: [
          part("reasoning", thought),
          part("tool_call", json({ name: "distance", arguments: { to } })),
        ],
      },
    ],
    tools: "[]",
  });

  test("are conversations of their own, and their calls are read", async () => {
    const log = lines(
      row("How far is Voss?", "They ask for Voss.", "Voss"),
      row("And Odda?", "Now Odda.", "Odda"),
    );
    const path = "rows.jsonl";
    const { report, files } = await checkFiles([{ path, source: bytesSource(path, Buffer.from(log)) }]);
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(report.files[0]).toMatchObject({ exchanges: 2, conversations: 2 });
    const items = files[0]?.exchanges.map(({ request }) => request?.history.items(2).map(({ kind }) => kind));
    expect(items).toEqual([
      ["reasoning", "call"],
      ["reasoning", "call"],
    ]);
  });

  test("of which nothing can be read do not continue each other", async () => {
    const opaque = (key: string): object => ({
      messages: ["user", "assistant", "user", "assistant", "user", "assistant"].map((role, at) => ({
        role,
        content: [{ type: "blob", data: `${key}${at}` }],
      })),
    });
    const shorter = { messages: (opaque("b") as { messages: object[] }).messages.slice(0, 3) };
    expect(await found(lines(opaque("a"), shorter, opaque("c")), "rows.jsonl")).toEqual([]);
  });
});

test("members that a Python logger wrote as `None` were not sent", async () => {
  const body = {
    model: "gpt-5-mini",
    messages: [{ role: "user", content: "Hi." }],
    logit_bias: "None",
    user: "None",
  };
  expect(await found(json(body))).toEqual([]);
  const { user: _, ...one } = body;
  expect(await found(json(one))).toEqual(["invalid-request/type"]);
});

describe("a call that is sent as a reference", () => {
  const ask = { role: "user", content: "Is the pass open?" };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "passes", arguments: "{}" };
  const made = {
    url: "https://api.openai.com/v1/responses",
    request: { model: "gpt-5", input: [ask] },
    response: { id: "resp_1", object: "response", status: "completed", output: [call] },
    status: 200,
  };
  const input = [
    ask,
    { type: "item_reference", id: "fc_1" },
    { type: "function_call_output", call_id: "call_1", output: "open" },
  ];
  const next = (more: object): string =>
    lines(made, { ...made, request: { model: "gpt-5", input }, ...more });

  test("is known to the server that accepts the request", async () => {
    const said = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "It is open." }],
    };
    const response = { id: "resp_2", object: "response", status: "completed", output: [said] };
    expect(await found(next({ response }), "run.jsonl")).toEqual([]);
  });

  test("is not dropped where the server refuses it; the reference is the cause", async () => {
    const response = { error: { message: "No tool call found for call_1.", type: "invalid_request_error" } };
    const rules = await found(next({ response, status: 400 }), "run.jsonl");
    expect(rules).toContain("unresolvable-reference/call");
    expect(rules).not.toContain("dropped-tool-call/withResult");
  });
});

describe("records of Claude Code", () => {
  const record = (own: string, before: string | null, message: object, more: object = {}): object => ({
    parentUuid: before,
    isSidechain: false,
    sessionId: "s1",
    version: "2.1.39",
    uuid: own,
    type: (message as { role: string }).role,
    message,
    ...more,
  });
  const said = (text: string): object => ({ role: "user", content: text });

  test("of a sub-agent that goes on in the middle of another file are not called lost", async () => {
    const agent = { isSidechain: true, agentId: "a1" };
    const records = (first: string | null): string =>
      lines(
        record("n1", first, said("The hook added a note."), agent),
        record("n2", "x2", said("The hook added another."), agent),
        record("n3", "n2", said("Sum up the talk."), agent),
        record(
          "n4",
          "n3",
          { id: "m1", role: "assistant", content: [{ type: "text", text: "A hike." }] },
          agent,
        ),
      );
    expect(await found(records("x1"), "agent-a1.jsonl")).toEqual([]);
    expect(await found(records(null), "agent-a1.jsonl")).toEqual(["unreadable-record/unlinked"]);
  });

  test("of one reply stand together: a blank text beside a call is the model's own", async () => {
    const block = (own: string, before: string, content: object): object =>
      record(own, before, { id: "m1", role: "assistant", model: "claude-opus-4-6", content: [content] });
    const log = (...rest: readonly object[]): string =>
      lines(
        record("u1", null, said("Find the trail.")),
        block("b1", "u1", { type: "text", text: "\n\n" }),
        ...rest,
      );
    const searched = log(
      block("b2", "b1", { type: "tool_use", id: "toolu_1", name: "Grep", input: { pattern: "trail" } }),
      record("u2", "b2", {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "trail.md" }],
      }),
      record("b3", "u2", { id: "m2", role: "assistant", content: [{ type: "text", text: "In trail.md." }] }),
    );
    expect(await found(searched, "s1.jsonl")).toEqual([]);
    const alone = log(
      record("u2", "b1", said("And?")),
      record("b3", "u2", { id: "m2", role: "assistant", content: [{ type: "text", text: "Nothing." }] }),
    );
    expect(await found(alone, "s1.jsonl")).toEqual(["empty-content/blank"]);
  });
});

test("a system prompt that a span keeps as a JSON string is whole", async () => {
  const span = (prompt: string): string =>
    json({
      spanName: "llm_call",
      attributes: {
        "gen_ai.request.model": "gemini-2.5-flash",
        "gen_ai.system_instructions": prompt,
        "gen_ai.input.messages": json([{ role: "user", parts: [{ type: "text", content: "Plan a hike." }] }]),
      },
    });
  expect(await found(span(json('You plan hikes. Answer {"km": 12}.')))).toEqual([]);
  expect(await found(span('"You plan hikes." and more'))).toEqual(["unreadable-record/broken"]);
});

describe("a history whose calls are text, as data sets and programs keep it", () => {
  const call = (name: string): string =>
    `<tool_call>\n{"name": "${name}", "arguments": {"city": "Bern"}}\n</tool_call>`;
  const history = (results: readonly object[]): object[] => [
    { role: "user", content: "Is it raining in Bern?" },
    { role: "assistant", content: `${call("get_weather")}\n${call("get_time")}` },
    ...results,
    { role: "assistant", content: "It is sunny." },
  ];
  const result = (name: string): object => ({ role: "tool", name, content: "sunny" });
  const both = [result("get_weather"), result("get_time")];

  test("its results answer those calls", async () => {
    expect(await found(json(history(both)))).toEqual([]);
    expect(await found(json({ model: "gpt-5", messages: history(both) }))).toEqual([]);
    const unnamed = [{ role: "tool", content: "<tool_response>sunny</tool_response>" }];
    expect(await found(json({ messages: history(unnamed) }))).toEqual([]);
  });

  test("a result of another tool answers none", async () => {
    expect(await found(json(history([result("get_rain")])))).toContain("orphaned-tool-result/unnamed");
  });

  test("in a request that was sent, the API misses the calls", async () => {
    const request = { model: "gpt-5", messages: history(both) };
    const response = { status: 400, body: { error: { message: "Missing parameter 'tool_call_id'." } } };
    expect(await found(json({ request, response }))).toContain("orphaned-tool-result/unnamed");
    expect(await found(json({ ...request, max_tokens: 100 }))).toContain("orphaned-tool-result/unnamed");
  });
});
