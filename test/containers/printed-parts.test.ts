import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { told } from "./stories.ts";

/** People print a part of a reply: `print(response.choices)`, `console.log(response.candidates)`. */

const found = async (log: string): Promise<readonly string[]> => {
  const { findings } = await check(Buffer.from(log));
  return findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, severity, location }) => `${severity} ${rule} ${location.pointer}`);
};
const cut = '{"city": "Par';
const choice = (args: string): object => ({
  index: 0,
  finish_reason: "tool_calls",
  message: {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: args } }],
  },
});
const python = (args: string): string =>
  "Choice(finish_reason='tool_calls', index=0, logprobs=None, message=ChatCompletionMessage(content=None, " +
  "refusal=None, role='assistant', function_call=None, tool_calls=[ChatCompletionMessageToolCall(id='call_1', " +
  `function=Function(arguments='${args}', name='get_weather'), type='function')]))`;
const node = (args: string): string =>
  "[\n  {\n    index: 0,\n    message: {\n      role: 'assistant',\n      content: null,\n      tool_calls: [ " +
  `{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '${args}' } } ]\n    },\n` +
  "    logprobs: null,\n    finish_reason: 'tool_calls'\n  }\n]\n";

const choices: readonly (readonly [string, (args: string) => string])[] = [
  ["JSON", (args) => JSON.stringify([choice(args)])],
  ["JSON on lines", (args) => `${JSON.stringify([choice(args)], null, 2)}\n`],
  ["one choice", (args) => JSON.stringify(choice(args))],
  ["with its name", (args) => `"choices": ${JSON.stringify([choice(args)])}\n`],
  ["Python's print", (args) => `[${python(args)}]\n`],
  ["Python's print of one, with words", (args) => `response.choices[0] = ${python(args)}\n`],
  ["Node's print", node],
];

describe("choices without their reply", () => {
  test.each(choices)("as %s", async (_, print) => {
    expect(await told(print('{"city": "Paris"}'))).toEqual([
      '? → call get_weather {"city": "Paris"} (tool_calls)',
    ]);
    expect(await found(print(cut))).toEqual(["warning incomplete-arguments /message/tool_calls/0"]);
  });

  test("answer the request above them", async () => {
    const request = { model: "gpt-5", messages: [{ role: "user", content: "Paris?" }] };
    const log = `${JSON.stringify(request)}\n[${python('{"city": "Paris"}')}]\n`;
    expect(await told(log)).toEqual(['user "Paris?" → call get_weather {"city": "Paris"} (tool_calls)']);
  });

  test("are those of a model", async () => {
    const form = { finish_reason: "done", message: { role: "admin", content: "Saved." } };
    expect(await told(JSON.stringify([form]))).toEqual([]);
  });
});

describe("candidates without their reply", () => {
  const candidate = {
    content: { parts: [{ functionCall: { name: "get_weather", args: { city: "Paris" } } }], role: "model" },
    finishReason: "MALFORMED_FUNCTION_CALL",
    index: 0,
  };
  test.each([
    ["JSON", JSON.stringify([candidate])],
    ["one candidate", JSON.stringify(candidate)],
    [
      "Python's print",
      "[Candidate(content=Content(parts=[Part(function_call=FunctionCall(id=None, args={'city': 'Paris'}, " +
        "name='get_weather'))], role='model'), citation_metadata=None, finish_message=None, " +
        "finish_reason=<FinishReason.MALFORMED_FUNCTION_CALL: 'MALFORMED_FUNCTION_CALL'>, index=None)]\n",
    ],
    [
      "Node's print",
      "[\n  {\n    content: {\n      parts: [ { functionCall: { name: 'get_weather', args: { city: 'Paris' } } } ],\n" +
        "      role: 'model'\n    },\n    finishReason: 'MALFORMED_FUNCTION_CALL',\n    index: 0\n  }\n]\n",
    ],
  ])("as %s", async (_, log) => {
    const [finding, ...further] = await found(log);
    expect(finding).toMatch(/^warning failed-reply-used \/finish_?[rR]eason$/);
    expect(further).toEqual([]);
  });
});

test("the output of Bedrock without its reply", async () => {
  const block = "{'toolUse': {'toolUseId': 'tooluse_1', 'name': 'get_weather', 'input': {'city': 'Paris'}}}";
  expect(await told(`{'message': {'role': 'assistant', 'content': [${block}]}}\n`)).toEqual([
    '? → call get_weather {"city":"Paris"} ()',
  ]);
});

describe("deltas and choices of chunks, without the chunks", () => {
  const call = (fragment: string): object[] => [
    { index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } },
    { index: 0, function: { arguments: fragment } },
  ];
  const deltas = (fragment: string): object[] => [
    { role: "assistant", content: null },
    ...call(fragment).map((one) => ({ tool_calls: [one] })),
    {},
  ];
  const lines = (values: readonly object[], words = ""): string =>
    values.map((value) => `${words}${JSON.stringify(value)}\n`).join("");
  const pythonDelta = (calls: string): string =>
    `ChoiceDelta(content=None, function_call=None, refusal=None, role=None, tool_calls=${calls})`;
  const pythonCalls = (fragment: string): string[] => [
    "[ChoiceDeltaToolCall(index=0, id='call_1', function=ChoiceDeltaToolCallFunction(arguments='', name='get_weather'), type='function')]",
    `[ChoiceDeltaToolCall(index=0, id=None, function=ChoiceDeltaToolCallFunction(arguments='${fragment}', name=None), type=None)]`,
    "None",
  ];

  test.each<[string, (fragment: string) => string]>([
    ["deltas", (fragment) => lines(deltas(fragment))],
    ["deltas with words", (fragment) => lines(deltas(fragment), "delta: ")],
    [
      "choices",
      (fragment) =>
        lines(
          deltas(fragment).map((delta, at) => ({
            index: 0,
            delta,
            finish_reason: at === 3 ? "tool_calls" : null,
          })),
        ),
    ],
    [
      "Python's deltas",
      (fragment) =>
        pythonCalls(fragment)
          .map((calls) => `${pythonDelta(calls)}\n`)
          .join(""),
    ],
    [
      "Python's choices",
      (fragment) =>
        pythonCalls(fragment)
          .map(
            (calls) => `[Choice(delta=${pythonDelta(calls)}, finish_reason=None, index=0, logprobs=None)]\n`,
          )
          .join(""),
    ],
  ])("as %s", async (_, print) => {
    expect(await told(print('{"city": "Paris"}'))).toEqual([
      expect.stringMatching(/^\? → call get_weather \{"city": "Paris"\} \((?:tool_calls)?\)$/),
    ]);
    const [finding, ...further] = await found(print(cut));
    expect(finding).toMatch(/^warning incomplete-arguments /);
    expect(further).toEqual([]);
  });

  test("are no messages that keep the index", async () => {
    const tool_calls = [
      { index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
    ];
    const messages = [
      { role: "user", content: "Paris?" },
      { role: "assistant", content: null, tool_calls },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
    ];
    expect(await told(lines(messages))).toEqual([
      'user "Paris?" → call get_weather {} ()',
      'user "Paris?", call get_weather {}, result rain → ?',
    ]);
  });
});

describe("what LangChain for Elixir prints", () => {
  const delta = (calls: string, status = "incomplete"): string =>
    `%LangChain.MessageDelta{\n  content: nil,\n  merged_content: [],\n  status: :${status},\n  index: 0,\n` +
    `  role: :unknown,\n  tool_calls: ${calls},\n  metadata: nil\n}\n`;
  const call = (id: string, name: string, args: string): string =>
    `[%LangChain.Message.ToolCall{status: :incomplete, type: :function, call_id: ${id}, name: ${name}, arguments: ${args}, index: 0}]`;
  const first = delta(call('"call_1"', '"get_weather"', "nil"));
  const second = (args: string): string => delta(call("nil", "nil", args));

  test("deltas are one reply", async () => {
    const log = first + second('"{\\"city\\": \\"Paris\\"}"') + delta("nil", "complete");
    expect(await told(log)).toEqual(['? → call get_weather {"city": "Paris"} ()']);
    expect(await found(first + second('"{\\"city"') + delta("nil", "complete"))).toEqual([
      "warning incomplete-arguments ",
    ]);
  });

  test("of deltas whose end was not pasted nothing is claimed", async () => {
    expect(await found(first + second('"{\\"city"'))).toEqual([]);
  });

  test("a whole message is one, and results stand in a list of their own", async () => {
    const message = (role: string, calls: string, results: string): string =>
      `%LangChain.Message{content: nil, index: 0, status: :complete, role: :${role}, name: nil, tool_calls: ${calls}, tool_results: ${results}}`;
    const made = message("assistant", call('"call_1"', '"get_weather"', '%{"city" => "Paris"}'), "nil");
    expect(await told(`${made}\n`)).toEqual(['? → call get_weather {"city":"Paris"} ()']);
    const result =
      '[%LangChain.Message.ToolResult{type: :function, tool_call_id: "call_1", name: "get_weather", content: "rain"}]';
    expect(await told(`[${made}, ${message("tool", "[]", result)}]\n`)).toEqual([
      'call get_weather {"city":"Paris"}, result rain → ?',
    ]);
  });
});
