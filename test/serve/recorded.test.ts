import { describe, expect, test } from "vitest";
import { openLogs } from "../../src/log/open.ts";
import { memorySource } from "../../src/reading/source.ts";
import { recordedAnswers } from "../../src/serve/answers/recorded.ts";
import { scriptOf } from "../../src/serve/answers/script.ts";
import { scriptedAnswers } from "../../src/serve/answers/scripted.ts";
import { parseFault } from "../../src/serve/faults/parse.ts";
import { ModelServer } from "../../src/serve/model-server.ts";
import { startModelServer } from "../../src/serve/serve.ts";
import { answer, city, question as sessionQuestion, stories, usual } from "../containers/sessions.ts";
import { askable, logOf, replayed } from "./replayed.ts";

const path = "/v1/chat/completions";
const url = `https://api.openai.com${path}`;

const user = (content: string) => ({ role: "user", content });
const says = (content: string) => ({ role: "assistant", content });
const calls = (...ids: readonly (readonly [id: string, city: string])[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map(([id, city]) => ({
    id,
    type: "function",
    function: { name: "get_weather", arguments: JSON.stringify({ city, unit: "C" }) },
  })),
});
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const asks = (...messages: readonly object[]) => ({ model: "gpt-5", messages });
const reply = (message: object, id = "chatcmpl-1") => ({
  id,
  object: "chat.completion",
  created: 1700000000,
  model: "gpt-5",
  choices: [
    { index: 0, message, finish_reason: "tool_calls" in message ? "tool_calls" : "stop", logprobs: null },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

const question = user("Weather in Lima and Oslo?");
const both = calls(["call_1", "Lima"], ["call_2", "Oslo"]);
const whole = asks(question, both, result("call_1", "18 degrees"), result("call_2", "3 degrees"));
const log = logOf(url, [
  [asks(question), reply(both)],
  [whole, reply(says("18 and 3."), "chatcmpl-2")],
]);

test("a request with the same history gets the recorded reply as it was", async () => {
  const { ask, server } = await replayed(["run.jsonl", log]);
  expect(JSON.parse((await ask(path, asks(question))).text)).toEqual(reply(both));
  expect(JSON.parse((await ask(path, whole)).text)).toEqual(reply(says("18 and 3."), "chatcmpl-2"));
  expect(server.misses).toEqual([]);
});

describe("it makes no difference", () => {
  const first = { ...asks(question), model: "gpt-5-mini" };
  const other = calls(["x9", "Lima"], ["x7", "Oslo"]);
  const [lima, oslo] = [result("x9", "18 degrees"), result("x7", "3 degrees")];
  const cases: readonly (readonly [what: string, body: object])[] = [
    ["which model is asked", { ...whole, model: "gpt-5-mini" }],
    ["what the system prompt is", asks({ role: "system", content: "Be brief." }, ...whole.messages)],
    [
      "which tools are offered",
      {
        ...whole,
        tools: [
          {
            type: "function",
            function: { name: "get_weather", parameters: { type: "object", properties: {} } },
          },
        ],
      },
    ],
    ["what the ids of calls are", asks(question, other, lima, oslo)],
    ["which result comes first", asks(question, other, oslo, lima)],
    ["how content is written", asks(user("Weather in Lima and Oslo?\n"), ...whole.messages.slice(1))],
  ];
  test.each(cases)("%s", async (_, body) => {
    const { ask } = await replayed(["run.jsonl", log]);
    expect((await ask(path, first)).status).toBe(200);
    expect(JSON.parse((await ask(path, body)).text).id).toBe("chatcmpl-2");
  });

  test("in which temporary folder it runs", async () => {
    const asked = (folder: string) => asks(user(`<cwd>/tmp/${folder}</cwd>\nFix the test.`));
    const { ask } = await replayed(["run.jsonl", logOf(url, [[asked("agent-x1f3"), reply(says("Done."))]])]);
    expect((await ask(path, asked("agent-9cq2"))).status).toBe(200);
  });

  test("when it was, and which ids a tool made up", async () => {
    const asked = (date: string, id: string) =>
      asks(
        user(`What is new?\nCurrent date: ${date}`),
        calls(["call_1", "Lima"]),
        result("call_1", `request_id: ${id}, fetched at ${date}T10:00:00Z: it rains in Lima today`),
      );
    const { ask } = await replayed([
      "run.jsonl",
      logOf(url, [[asked("2026-01-02", "8f14e45f-ceea-467f-a8b4-31b0b3b3c0de"), reply(says("Rain."))]]),
    ]);
    const { status } = await ask(path, asked("2026-03-04", "0cc175b9-c0f1-46b6-a831-c399e2697726"));
    expect(status).toBe(200);
  });
});

test("what is equal to the letter wins over what differs in times", async () => {
  const at = (time: string) => asks(user(`The job of 2026-01-02T${time}:00Z?`));
  const { ask } = await replayed([
    "run.jsonl",
    logOf(url, [
      [at("10:00"), reply(says("Ten."))],
      [at("11:00"), reply(says("Eleven."))],
    ]),
  ]);
  expect((await ask(path, at("11:00"))).text).toContain("Eleven.");
  expect((await ask(path, at("10:00"))).text).toContain("Ten.");
});

test("equal requests get their replies in order, then the last one again", async () => {
  const { ask, notes } = await replayed([
    "run.jsonl",
    logOf(url, [
      [asks(user("A number?")), reply(says("One."))],
      [asks(user("A number?")), reply(says("Two."))],
      [asks(user("A letter?")), reply(says("A."))],
    ]),
  ]);
  const said: string[] = [];
  for (let time = 0; time < 3; time++)
    said.push(JSON.parse((await ask(path, asks(user("A number?")))).text).choices[0].message.content);
  expect(said).toEqual(["One.", "Two.", "Two."]);
  expect(notes()).toEqual([
    "1 request got a recorded reply that was already used",
    "1 recorded reply was never used",
  ]);
});

test("a reply that was not sent whole is given again", async () => {
  const { ask } = await replayed([
    "run.jsonl",
    logOf(url, [
      [asks(user("A number?")), reply(says("One."))],
      [asks(user("A number?")), reply(says("Two."))],
    ]),
  ]);
  expect((await ask(path, asks(user("A number?")), true)).text).toContain("One.");
  expect((await ask(path, asks(user("A number?")))).text).toContain("One.");
  expect((await ask(path, asks(user("A number?")))).text).toContain("Two.");
});

test("neither a broken stream nor a 429 uses a reply up", async () => {
  const numbers = logOf(url, [
    [asks(user("A number?")), reply(says("One."))],
    [asks(user("A number?")), reply(says("Two."))],
  ]);
  const source = memorySource("run.jsonl", Buffer.from(numbers));
  const answers = recordedAnswers(await openLogs([{ path: "run.jsonl", source }], { keepsReplies: true }));
  const faults = [parseFault("1:cut@2"), parseFault("2:429")];
  const server = await startModelServer({ port: 0, host: "127.0.0.1", answers, faults });
  const said: string[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    const body = JSON.stringify({ ...asks(user("A number?")), stream: attempt === 1 });
    const text = await fetch(server.url + path, { method: "POST", body })
      .then((response) => response.text())
      .catch(() => "broken");
    said.push(/One\.|Two\.|rate limit|broken/i.exec(text)?.[0] ?? text);
  }
  await server.close();
  expect(said).toEqual(["broken", "Rate limit", "One.", "Two."]);
});

test("two calls with the same text in one conversation do not collide", async () => {
  const one = [question, calls(["c1", "Lima"]), result("c1", "18 degrees")];
  const two = [...one, calls(["c2", "Lima"]), result("c2", "19 degrees")];
  const { ask } = await replayed([
    "run.jsonl",
    logOf(url, [
      [asks(...one), reply(calls(["c2", "Lima"]))],
      [asks(...two), reply(says("It gets warmer."))],
    ]),
  ]);
  expect((await ask(path, asks(...two))).text).toContain("It gets warmer.");
  expect((await ask(path, asks(...one))).text).toContain("c2");
});

describe("streams", () => {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "chatcmpl-9",
    object: "chat.completion.chunk",
    created: 1700000000,
    model: "gpt-5",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  // Spaces in the JSON, an odd fragment, a comment: what a server sends is kept as it is.
  const events = [
    JSON.stringify(chunk({ role: "assistant", content: "" })).replaceAll('":', '": '),
    JSON.stringify(chunk({ content: "It ra" })),
    JSON.stringify(chunk({ content: "ins." })),
    JSON.stringify(chunk({}, "stop")),
    "[DONE]",
  ];
  const stream = `: ping\n\n${events.map((data) => `data: ${data}\n\n`).join("")}`;
  const streamed = ["run.jsonl", logOf(url, [[{ ...asks(question), stream: true }, stream]])] as const;

  test("are sent event by event as they were recorded", async () => {
    const { ask } = await replayed(streamed);
    const { text } = await ask(path, { ...asks(question), stream: true });
    expect(text).toBe(events.map((data) => `data: ${data}\n\n`).join(""));
  });

  test("become one body where none is asked for", async () => {
    const { ask } = await replayed(streamed);
    expect(JSON.parse((await ask(path, asks(question))).text)).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { content: "It rains." }, finish_reason: "stop" }],
    });
  });

  test("are made of a body where one is asked for", async () => {
    const { ask } = await replayed(["run.jsonl", log]);
    const { text } = await ask(path, { ...asks(question), stream: true });
    expect(text).toContain('"id":"call_1"');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  test("that were cut off answer nothing", async () => {
    const cut = stream.slice(0, stream.indexOf('"ins."'));
    const { ask, notes, server } = await replayed([
      "run.jsonl",
      logOf(url, [[{ ...asks(question), stream: true }, cut]]),
    ]);
    expect((await ask(path, { ...asks(question), stream: true })).status).toBe(404);
    expect(server.misses[0]?.why).toBe("run.jsonl:1 has this history, but its reply is cut off");
    expect(notes()).toEqual(["1 exchange of the log cannot be used as an answer: 1 cut off"]);
  });
});

test("an error that was recorded is no answer, and the next attempt is", async () => {
  const { ask, notes } = await replayed([
    "run.jsonl",
    logOf(url, [
      [asks(question), { error: { message: "Rate limit reached", type: "requests", code: "rate_limit" } }],
      [asks(question), reply(says("Rain."))],
    ]),
  ]);
  expect((await ask(path, asks(question))).text).toContain("Rain.");
  expect(notes()).toEqual(["1 exchange of the log cannot be used as an answer: 1 failed"]);
});

describe("what the server has stored", () => {
  const responses = "/v1/responses";
  const response = (id: string, text: string) => ({
    id,
    object: "response",
    created_at: 1700000000,
    status: "completed",
    model: "gpt-5",
    output: [
      {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  });
  const first = { model: "gpt-5", input: "Weather in Lima?" };
  const next = (previous: string, input: string) => ({
    model: "gpt-5",
    previous_response_id: previous,
    input,
  });
  const stored = [
    "run.jsonl",
    logOf(`https://api.openai.com${responses}`, [
      [first, response("resp_a1", "18 degrees.")],
      [next("resp_a1", "And Oslo?"), response("resp_a2", "3 degrees.")],
      [{ model: "gpt-5", input: "And Oslo?" }, response("resp_b1", "Which Oslo?")],
    ]),
  ] as const;

  test("a recorded reply can be continued by its id", async () => {
    const { ask } = await replayed(stored);
    expect(JSON.parse((await ask(responses, first)).text).id).toBe("resp_a1");
    expect(JSON.parse((await ask(responses, next("resp_a1", "And Oslo?"))).text).id).toBe("resp_a2");
    expect(JSON.parse((await ask(responses, { model: "gpt-5", input: "And Oslo?" })).text).id).toBe(
      "resp_b1",
    );
  });

  test("a reply may be referred to by the ids of its items", async () => {
    const reference = { type: "item_reference", id: "msg_resp_a1" };
    const input = [user("Weather in Lima?"), reference, user("And Oslo?")];
    const { ask } = await replayed([
      "run.jsonl",
      logOf(`https://api.openai.com${responses}`, [
        [first, response("resp_a1", "18 degrees.")],
        [{ model: "gpt-5", input }, response("resp_a2", "3 degrees.")],
      ]),
    ]);
    await ask(responses, first);
    for (const said of [reference, says("18 degrees.")]) {
      const body = { model: "gpt-5", input: [user("Weather in Lima?"), said, user("And Oslo?")] };
      expect(JSON.parse((await ask(responses, body)).text).id).toBe("resp_a2");
    }
  });

  test("the run of a model server itself, with a conversation, whose ids would come again", async () => {
    const asked = (conversation: string, input: string) => ({ model: "gpt-5", conversation, input });
    const inputs = ["Weather in Lima?", "And Oslo?", "Weather in Lima?"];
    const begin = async (ask: Awaited<ReturnType<typeof replayed>>["ask"]): Promise<string> =>
      JSON.parse((await ask("/v1/conversations", {})).text).id;
    const script = scriptOf({ replies: [{ text: "One." }, { text: "Two." }, { text: "Three." }] }, "script");
    const { ask } = askable(await ModelServer.create({ answers: scriptedAnswers(script) }));
    const conversation = await begin(ask);
    const exchanges: [object, object][] = [];
    for (const input of inputs) {
      const { text } = await ask(responses, asked(conversation, input));
      exchanges.push([asked(conversation, input), JSON.parse(text)]);
    }
    const again = await replayed(["run.jsonl", logOf(`https://api.openai.com${responses}`, exchanges)]);
    const another = await begin(again.ask);
    for (const [index, input] of inputs.entries()) {
      const { text } = await again.ask(responses, asked(another, input));
      expect(JSON.parse(text)).toEqual(exchanges[index]?.[1]);
    }
  });

  test("a history that a client sends whole is the same", async () => {
    const { ask } = await replayed(stored);
    const input = [
      { role: "user", content: "Weather in Lima?" },
      { role: "assistant", content: "18 degrees." },
      { role: "user", content: "And Oslo?" },
    ];
    expect(JSON.parse((await ask(responses, { model: "gpt-5", input })).text).id).toBe("resp_a2");
  });
});

test("a log of another protocol has no answer, and is no hint", async () => {
  const { ask, server } = await replayed(["run.jsonl", log]);
  const body = { model: "gpt-5", input: "Weather in Lima and Oslo?" };
  expect((await ask("/v1/responses", body)).status).toBe(404);
  expect(server.misses[0]?.why).toBe("this request is openai-responses, and the log has only openai-chat");
});

test("a stream that is continued by its message's id", async () => {
  const messages = "/v1/messages";
  const stream = (id: string, text: string) =>
    [
      {
        type: "message_start",
        message: {
          id,
          type: "message",
          role: "assistant",
          model: "claude-sonnet-5",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 10, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  const asked = (thread: object, content: string) => ({
    model: "claude-sonnet-5",
    max_tokens: 100,
    stream: true,
    thread,
    messages: [user(content)],
  });
  const begun = asked({ type: "create" }, "Weather in Lima?");
  const continued = asked({ type: "continue", previous_message_id: "msg_01a" }, "And Oslo?");
  const { ask, server } = await replayed([
    "run.jsonl",
    logOf(`https://api.anthropic.com${messages}`, [
      [begun, stream("msg_01a", "18 degrees.")],
      [continued, stream("msg_01b", "3 degrees.")],
    ]),
  ]);
  expect((await ask(messages, begun)).text).toBe(stream("msg_01a", "18 degrees."));
  expect((await ask(messages, continued)).text).toBe(stream("msg_01b", "3 degrees."));
  expect(server.misses).toEqual([]);
});

test("a session, which has no bytes of replies, answers what it says", async () => {
  const line = (type: string, uuid: string, parentUuid: string | null, message: object) =>
    `${JSON.stringify({
      parentUuid,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ada/project",
      sessionId: "0a1b2c3d-0000-4000-8000-000000000001",
      version: "2.0.1",
      type,
      uuid,
      timestamp: "2026-01-02T03:04:05.000Z",
      message,
    })}\n`;
  const text = (id: string, said: string) => ({
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5",
    content: [{ type: "text", text: said }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  });
  const session = [
    line("user", "u1", null, user("What is two and two?")),
    line("assistant", "a1", "u1", text("msg_01a", "Four.")),
    line("user", "u2", "a1", user("And three and three?")),
    line("assistant", "a2", "u2", text("msg_01b", "Six.")),
  ].join("");
  const { ask } = await replayed(["session.jsonl", session]);
  const { status, text: body } = await ask("/v1/messages", {
    model: "claude-sonnet-5",
    max_tokens: 100,
    messages: [user("What is two and two?"), says("Four."), user("And three and three?")],
  });
  expect([status, JSON.parse(body).content]).toEqual([200, [{ type: "text", text: "Six." }]]);
});

test("the session of an agent with a form of its own answers in any protocol", async () => {
  const inAnyProtocol: string[] = [];
  for (const [name, story] of Object.entries(stories)) {
    if (story.told !== usual) continue;
    const { ask, server } = await replayed([name, story.log]);
    const asked = user(sessionQuestion);
    const first = await ask(path, asks(asked));
    // Sessions in a provider's own form answer in that form.
    if (server.misses[0]?.why.startsWith("this request is ")) continue;
    const { message } = JSON.parse(first.text).choices[0];
    const { id, function: called } = message.tool_calls[0];
    expect([name, called.name, JSON.parse(called.arguments)]).toEqual([name, "weather", city]);
    const second = await ask(path, asks(asked, message, result(id, "17 °C")));
    expect([name, JSON.parse(second.text).choices[0].message.content]).toEqual([name, answer]);
    inAnyProtocol.push(name);
  }
  expect(inAnyProtocol).toEqual(
    expect.arrayContaining(["goose", "copilot", "cursor-db", "kiro", "vscode-chat"]),
  );
});
