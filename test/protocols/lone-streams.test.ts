import { describe, expect, test } from "vitest";
import { check, read } from "../../src/index.ts";

/** A few events of a stream, as people paste them: the log broke the stream off, not the server. */

const sse = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(log);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);
}

const chunk = (delta: object, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1788687333,
  model: "gpt-5",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const fragment = (text: string, more: object = {}) =>
  chunk({ tool_calls: [{ index: 0, ...more, function: { arguments: text } }] });
const started = chunk({
  role: "assistant",
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
});

const callOf = (id: string, text: string) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: text },
});

const middles: Readonly<Record<string, readonly object[]>> = {
  "openai-chat, in a call": [fragment('{"city":'), fragment('"Os')],
  "openai-chat, with blank members": [fragment('{"city":', { id: "", type: "" }), fragment('"Os')],
  "openai-chat, as an SDK prints it": ['{"city":', '"Os'].map((text) =>
    chunk({
      content: null,
      role: null,
      tool_calls: [{ index: 0, id: null, function: { arguments: text, name: null }, type: "function" }],
    }),
  ),
  "openai-chat, with the role in every chunk": [
    chunk({ role: "assistant", tool_calls: [{ index: 0, function: { arguments: ', "c' } }] }),
    chunk({ role: "assistant", tool_calls: [{ index: 0, function: { arguments: 'ity"' } }] }),
  ],
  "openai-chat, in a text": [chunk({ content: "It " }), chunk({ content: "rains" })],
  "openai-chat, one chunk": [fragment('{"city":')],
  anthropic: [
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"ci' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: 'ty"' } },
  ],
  "openai-responses": [
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"ci' },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: 'ty"' },
  ],
  "bedrock-converse": [
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"ci' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: 'ty"' } } } },
  ],
};
const last = { finish_reason: "tool_calls" };
const isMiddle =
  "info truncated-stream: the log has only a part of the stream, without its beginning and its end";

describe("events out of the middle of a stream", () => {
  const kept: readonly (readonly [string, (events: readonly object[]) => string])[] = [
    ["as events", sse],
    ["as lines", (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("")],
    [
      "in a log of a program",
      (events) =>
        events.map((event) => `14:35:44 DEBUG client -- onEvent() ${JSON.stringify(event)}\n`).join(""),
    ],
  ];
  const cases = Object.entries(middles).flatMap(([name, events]) =>
    kept.map(([form, write]) => [name, form, write(events)] as const),
  );
  test.each(cases)("%s, %s", async (_name, _form, log) => {
    expect(await findingsOf(log)).toEqual([isMiddle]);
  });

  test("one chunk over several lines", async () => {
    expect(await findingsOf(JSON.stringify(fragment('{"city":'), null, 4))).toEqual([isMiddle]);
  });

  test("with the end of the stream, the arguments are no broken ones", async () => {
    const log = `${sse([fragment('slo"}'), chunk({}, { finish_reason: "tool_calls" })])}data: [DONE]\n\n`;
    expect(await findingsOf(log)).toEqual([
      "info truncated-stream: the log has only a part of the stream, without its beginning",
    ]);
  });

  test("the last chunk alone, with an empty fragment, is no fault of the server", async () => {
    expect(
      await findingsOf(sse([chunk({ tool_calls: [{ index: 0, function: { arguments: "" } }] }, last)])),
    ).toEqual(["info truncated-stream: the log has only a part of the stream, without its beginning"]);
  });

  test("a few chunks and the end may lack the one with the reason", async () => {
    const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } };
    expect(await findingsOf(`${sse([chunk({ content: "It " }), usage])}data: [DONE]\n\n`)).toEqual([
      "info truncated-stream: the log has only a part of the stream, without its beginning",
    ]);
  });

  test("a call whose first fragment is there, without a name, is the server's fault", async () => {
    const nameless = chunk({ tool_calls: [{ index: 0, id: "call_1", function: { arguments: "" } }] });
    const log = sse([nameless, fragment("{}"), chunk({}, { finish_reason: "tool_calls" })]);
    expect(await findingsOf(log)).toContainEqual(
      "warning malformed-stream: the server's fragments of a call do not fit together: no fragment names the tool",
    );
  });
});

test("an object that a program prints line by line is no stream that broke off", async () => {
  const error = ["ModelNotFoundError: no such model", "data: {", 'model: "gpt-9",', "suggestions: [],", "},"];
  const printed = error.map((line) => `[stderr] ${line}\n\n`).join("");
  const request = { model: "gpt-5", messages: [{ role: "user", content: "Hi" }] };
  expect(await findingsOf(`${printed}[stdout] ${JSON.stringify(request)}\n`)).toEqual([]);
});

describe("a log that ends in the middle of an event", () => {
  const whole = sse([started, fragment('{"city":')]);
  const cut = `${whole}data: ${JSON.stringify(fragment('"Oslo')).slice(0, -40)}`;

  test.each([
    ["of raw events", cut],
    ["of indented events", cut.replaceAll(/^(?=.)/gm, "   ")],
    ["and a line end", `${cut}\n`],
  ])("%s", async (_, log) => {
    expect(await findingsOf(log)).toContainEqual(
      "info truncated-stream: the log ends in the middle of an event of the stream",
    );
  });

  test("at the end of an event, it may be the stream that ended", async () => {
    expect(await findingsOf(whole)).toEqual([
      "warning truncated-stream: the stream ends without its terminal event, inside the call to `weather`",
    ]);
  });

  test.each(["curl", "log"])("behind its request, in a paste (%s)", async (form) => {
    const request = JSON.stringify({
      model: "gpt-5",
      stream: true,
      messages: [{ role: "user", content: "Rain?" }],
    });
    const asked =
      form === "curl"
        ? `$ curl -N http://localhost:3001/v1/chat/completions \\\n  -d '${request}'`
        : `12:00:01 POST ${request}`;
    expect(await findingsOf(`${asked}\n${cut}`)).toContainEqual(
      "info truncated-stream: the log ends in the middle of an event of the stream",
    );
  });

  test("in a record, the reply broke off after its request", async () => {
    const request = { model: "gpt-5", stream: true, messages: [{ role: "user", content: "Rain?" }] };
    const [found] = await findingsOf(JSON.stringify({ request, response: cut }));
    expect(found).toBe(
      "error truncated-stream: the stream ends without its terminal event, inside the call to `weather`",
    );
  });
});

describe("arguments that begin with an empty object", () => {
  const begun = (more: object = {}) =>
    chunk({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "{}" }, ...more },
      ],
    });
  const end = chunk({}, { finish_reason: "tool_calls" });
  const said = (text: string): string =>
    `warning malformed-stream: the server begins a call's arguments with an empty object and goes on after it: \`${text}\``;

  test("and fragments are the server's fault", async () => {
    expect(await findingsOf(sse([begun(), fragment('{"city":'), fragment('"Oslo"}'), end]))).toContainEqual(
      said('{}{"city":"Oslo"}'),
    );
  });

  test("also where the stream ends before they do", async () => {
    const found = await findingsOf(sse([begun(), fragment(""), fragment('{"ci')]));
    expect(found).toContainEqual(said('{}{"ci'));
  });

  test("are whole where nothing or white space follows", async () => {
    const found = await findingsOf(sse([begun(), fragment(""), fragment(" "), end]));
    expect(found.filter((each) => !each.includes("unclosed-loop"))).toEqual([]);
  });

  test("twice are two calls under one index", async () => {
    const found = await findingsOf(sse([begun(), fragment("{}"), end]));
    expect(found.join()).toContain("2 concatenated JSON values");
  });
});

describe("a server without roles that gives each chunk an id of its own", () => {
  const own = (index: number, delta: object, more: object = {}) => ({
    ...chunk(delta, more),
    id: `chatcmpl-${index}`,
  });
  const call = (id: string, name: string, text: string) => ({
    tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: text } }],
  });
  const chunks = [
    own(0, { content: "" }),
    own(1, call("call_a", "weather", "")),
    own(2, call("call_b", "", '{"city":"Os')),
    own(3, call("call_c", "", 'lo"}')),
    own(4, {}, { finish_reason: "tool_calls" }),
  ];

  test.each([
    ["as events", `${sse(chunks)}data: [DONE]\n\n`],
    ["as lines", chunks.map((each) => `${JSON.stringify(each)}\n`).join("")],
  ])("sends one reply, with one call: %s", async (_, log) => {
    const report = await check(log);
    expect(report.files[0]?.exchanges).toBe(1);
    const found = report.findings.map(({ severity, message }) => `${severity}: ${message}`);
    expect(found).toContainEqual(
      "info: the server sends a call without a usable id: the id changes from `call_a` to `call_b`",
    );
    expect(found.filter((each) => !each.startsWith("info"))).toEqual([]);
  });

  test("two replies of servers that give one id to all chunks stay two", async () => {
    const text = (id: string, content: string) => ({ ...chunk({ content }), id });
    const end = (id: string) => ({ ...chunk({}, { finish_reason: "stop" }), id });
    const log = sse([text("a", "It "), text("a", "rains"), text("b", "Not "), text("b", "here"), end("b")]);
    expect((await check(log)).files[0]?.exchanges).toBe(2);
  });
});

const singles: Readonly<Record<string, object>> = {
  "openai-chat, the role": chunk({ role: "assistant", content: "" }),
  "openai-chat, a call": started,
  "openai-chat, the end": chunk({}, { finish_reason: "tool_calls" }),
  "openai-chat, the end of a text": chunk({}, { finish_reason: "stop" }),
  "openai-chat, usage": { ...chunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
  "anthropic, the start": {
    type: "message_start",
    message: { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [] },
  },
  "anthropic, the end": { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
  "openai-responses": {
    type: "response.created",
    response: { id: "resp_1", object: "response", status: "in_progress", output: [] },
  },
  "bedrock-converse": { messageStop: { stopReason: "tool_use" } },
  ollama: {
    model: "llama3",
    created_at: "2026-01-05T00:00:00Z",
    message: { role: "assistant", content: "It " },
    done: false,
  },
  cohere: {
    type: "tool-call-start",
    index: 0,
    delta: { message: { tool_calls: { id: "c1", function: { name: "weather", arguments: "" } } } },
  },
};
const isBlamed = (finding: string): boolean => !finding.startsWith("info");

describe("one event of a stream as an example", () => {
  const ask = [{ role: "user", content: "Is it raining in Oslo?" }];
  const kept: readonly (readonly [string, (event: object) => string])[] = [
    ["alone", (event) => JSON.stringify(event, null, 2)],
    ["in a line", (event) => `${JSON.stringify({ event })}\n`],
    ["as an event", (event) => sse([event])],
    ["in a document", (event) => JSON.stringify({ name: "one chunk", example: { value: event } }, null, 2)],
    ["in YAML", (event) => `name: one chunk\nexample: ${JSON.stringify(event)}\n`],
    ["as text and parsed", (event) => JSON.stringify({ raw: JSON.stringify(event), parsed: event })],
    ["beside what was asked", (event) => JSON.stringify({ templating: ask, final_result: event }, null, 2)],
    [
      "twice, as a gateway got it and passed it on",
      (event) => JSON.stringify({ intermediate_results: { llm: event }, final_result: event }),
    ],
  ];
  const cases = Object.entries(singles).flatMap(([name, event]) =>
    kept.map(([form, write]) => [name, form, write(event)] as const),
  );
  test.each(cases)("%s, %s, tells nothing of the server", async (_name, _form, log) => {
    expect((await findingsOf(log)).filter(isBlamed)).toEqual([]);
  });

  test("is named as such", async () => {
    expect(await findingsOf(JSON.stringify(singles["anthropic, the start"], null, 2))).toEqual([
      "info truncated-stream: the log has only single events of the stream, without the others",
    ]);
  });

  test("each in a block of a page", async () => {
    const page = Object.values(singles)
      .slice(0, 3)
      .map((event) => `Then comes:\n\n\`\`\`json\n${JSON.stringify(event, null, 2)}\n\`\`\`\n`);
    expect((await findingsOf(page.join("\n"))).filter(isBlamed)).toEqual([]);
  });
});

describe("a log that keeps one event of each reply beside its request", () => {
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  const ask = { role: "user", content: "Is it raining in Oslo?" };
  const round = [
    { role: "assistant", content: "I look it up.", tool_calls: [callOf("call_1", '{"city":"Oslo"}')] },
    { role: "tool", tool_call_id: "call_1", content: "rain" },
  ];
  const requestOf = (messages: readonly object[]) => ({ model: "gpt-5", stream: true, messages, tools });
  const logOf = (first: object, second: object): string =>
    [
      { request: requestOf([ask]), response: { ...first, id: "chatcmpl-1" } },
      { request: requestOf([ask, ...round]), response: { ...second, id: "chatcmpl-2" } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");

  test.each([
    ["the last", chunk({}, { finish_reason: "tool_calls" }), chunk({}, { finish_reason: "stop" })],
    ["the first", started, chunk({ role: "assistant", content: "" })],
    ["one in the middle", fragment('{"ci'), chunk({ content: "rains" })],
  ])("%s", async (_, first, second) => {
    const report = await check(logOf(first, second));
    expect(report.files[0]?.exchanges).toBe(2);
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("on lines of their own, the reply broke off after its first event", async () => {
    const log = `${JSON.stringify(requestOf([ask]))}\n${JSON.stringify(started)}\n`;
    expect(await findingsOf(log)).toContainEqual(
      "error truncated-stream: the stream ends without its terminal event, after 1 item",
    );
  });

  test("in a list, the reply broke off after its only event", async () => {
    const log = JSON.stringify({ request: requestOf([ask]), response: { events: [started] } });
    expect((await findingsOf(log)).filter(isBlamed)).toHaveLength(1);
  });
});

describe("a gateway that repeats each chunk in its event", () => {
  const twice = (event: object) => ({ intermediate_results: { llm: event }, final_result: event });
  const lines = [
    started,
    fragment('{"city":'),
    fragment('"Oslo"}'),
    chunk({}, { finish_reason: "tool_calls" }),
  ];

  test("sends one call", async () => {
    const log = lines.map((event) => `${JSON.stringify(twice(event))}\n`).join("");
    expect((await findingsOf(log)).filter(isBlamed)).toEqual([]);
    expect(await findingsOf(log)).toContainEqual(
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    );
  });

  test("equal events of a list follow each other", async () => {
    const events = [started, fragment('{"text":"'), fragment("ha"), fragment("ha"), fragment('"}')];
    const log = JSON.stringify({ events: events.map((data) => ({ at: 1, data })) });
    const { conversations } = await read(log);
    expect(conversations[0]?.steps[0]?.reply?.items[0]).toMatchObject({ argumentsText: '{"text":"haha"}' });
  });
});

describe("fragments of calls that a program printed without their chunks", () => {
  const parts = (...texts: readonly string[]): readonly object[] =>
    texts.map((text, place) => ({
      index: 0,
      ...(place === 0 && { id: "call_1", type: "function" }),
      function: { ...(place === 0 && { name: "weather" }), arguments: text },
    }));
  const inPython = (fragments: readonly object[]): string =>
    fragments
      .map((fragment) => {
        const { function: body, id = null } = fragment as { function: Record<string, string>; id?: string };
        const text = (value: string | null | undefined): string => (value ? `'${value}'` : "None");
        return `ChoiceDeltaToolCall(index=0, id=${text(id)}, function=ChoiceDeltaToolCallFunction(arguments='${body["arguments"]}', name=${text(body["name"])}), type=None)\n`;
      })
      .join("");
  const inJson = (fragments: readonly object[]): string =>
    fragments.map((fragment, place) => `chunk ${place + 1}: ${JSON.stringify(fragment)}\n`).join("");

  test.each([
    ["as JSON", inJson],
    ["as Python prints them", inPython],
  ])("are one call, %s", async (_, print) => {
    const whole = print(parts('{"city":', '"Oslo"}'));
    expect(await findingsOf(whole)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
    expect(await findingsOf(print(parts("", '{"city":"Oslo"}', '{"city":"Oslo"}')))).toContainEqual(
      'warning incomplete-arguments: the arguments of `weather` are 2 concatenated JSON values: `{"city":"Oslo"}{"city":"Oslo"}`',
    );
    expect(await findingsOf(print(parts('{"city":', '"Os', 'lo"}').slice(1)))).toEqual([
      "info truncated-stream: the log has only a part of the stream, without its beginning",
    ]);
  });

  test("calls that a list numbers are no fragments", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const log = JSON.stringify({ role: "assistant", content: null, tool_calls: [call] });
    expect((await check(log)).files[0]?.protocols).toEqual(["openai-chat"]);
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });
});

describe("events that a gateway wraps in its own", () => {
  const wrappers: Readonly<Record<string, (event: object) => object>> = {
    "twice, as the orchestration of SAP does": (event) => ({
      request_id: "r",
      intermediate_results: { llm: event },
      final_result: event,
    }),
    "with a name": (event) => ({ kind: "raw", payload: event }),
    "as a text": (event) => ({ seq: 1, chunk: JSON.stringify(event) }),
  };
  const events = [
    started,
    fragment('{"city":'),
    fragment('"Oslo"}'),
    chunk({}, { finish_reason: "tool_calls" }),
  ];

  test.each(Object.entries(wrappers))("%s", async (_, wrap) => {
    const log = `${sse(events.map(wrap))}data: [DONE]\n\n`;
    const { conversations } = await read(log);
    const calls = conversations.flatMap(({ steps }) => steps.flatMap(({ reply }) => reply?.items ?? []));
    expect(calls).toMatchObject([{ name: "weather", argumentsText: '{"city":"Oslo"}' }]);
    expect((await findingsOf(log)).filter(isBlamed)).toEqual([]);
  });

  test("are none where another program streams", async () => {
    await expect(
      read(
        sse([
          { event: "tick", at: 1 },
          { event: "tick", at: 2 },
        ]),
      ),
    ).rejects.toThrow(/no conversation/);
  });
});

describe("a stream that ends behind the end of a call", () => {
  const streams: Readonly<Record<string, (text: string) => readonly object[]>> = {
    anthropic: (text) => [
      {
        type: "message_start",
        message: { id: "msg_1", role: "assistant", content: [], model: "m", usage: {} },
      },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: text } },
      { type: "content_block_stop", index: 0 },
    ],
    "bedrock-converse": (text) => [
      { messageStart: { role: "assistant" } },
      {
        contentBlockStart: {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: "tooluse_1", name: "weather" } },
        },
      },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: text } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
    ],
  };

  test.each(Object.entries(streams))(
    "has broken arguments, where they begin as no JSON: %s",
    async (_, of) => {
      expect(await findingsOf(sse(of('city": "Oslo"}')))).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^warning incomplete-arguments: .* not valid JSON: `city": "Oslo"}`$/),
          expect.stringMatching(/^warning truncated-stream: .*after 1 item$/),
        ]),
      );
      expect((await findingsOf(sse(of('{"city": "Os')))).join("\n")).toMatch(
        /inside the call to `weather`$/m,
      );
    },
  );
});
