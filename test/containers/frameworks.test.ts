import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { dumps } from "./frameworks.ts";
import { answer, asked } from "./sessions.ts";
import { told } from "./stories.ts";

describe("the history in a dump is read", () => {
  test.each(Object.entries(dumps))("of %s", async (_, dump) => {
    const log = JSON.stringify(dump, undefined, 1);
    expect(await told(log)).toEqual([
      `${asked}, call weather {"city":"Bern"}, result 17 °C, assistant "${answer}" → ?`,
    ]);
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });
});

describe("the steps of smolagents", () => {
  const asked = [{ role: "user", content: [{ type: "text", text: "How warm is it in Bern and Basel?" }] }];
  const call = (id: string, city: string): object => ({
    id,
    type: "function",
    function: { name: "weather", arguments: { city } },
  });

  test("have the calls as Python prints them, and one text for all that they gave", async () => {
    const printed =
      "[{'id': 'call_1', 'type': 'function', 'function': {'name': 'weather', 'arguments': {'city': 'Bern'}}}, " +
      "{'id': 'call_2', 'type': 'function', 'function': {'name': 'weather', 'arguments': {'city': 'Basel'}}}]";
    const steps = [
      {
        step_number: 1,
        model_input_messages: asked,
        model_output_message: {
          role: "assistant",
          content: "",
          tool_calls: [call("call_1", "Bern"), call("call_2", "Basel")],
        },
      },
      {
        step_number: 2,
        model_input_messages: [
          ...asked,
          { role: "tool-call", content: [{ type: "text", text: `Calling tools:\n${printed}` }] },
          { role: "tool-response", content: [{ type: "text", text: "Observation:\n17\n18" }] },
        ],
        model_output_message: { role: "assistant", content: "17 °C and 18 °C." },
      },
    ];
    const log = Buffer.from(JSON.stringify({ steps }, undefined, 1));
    expect((await told(log)).at(-1)).toBe(
      'user "How warm is it in Bern and Basel?", call weather {"city":"Bern"}, call weather {"city":"Basel"}, result , result Observation:\n17\n18 → assistant "17 °C and 18 °C." ()',
    );
    expect((await check(log)).findings).toEqual([]);
  });

  test("may have code in place of arguments", async () => {
    const code =
      "[{'id': 'call_1', 'type': 'function', 'function': {'name': 'python_interpreter', 'arguments': 'print(2 + 2)'}}]";
    const messages = [
      { role: "user", content: [{ type: "text", text: "Add." }] },
      { role: "tool-call", content: [{ type: "text", text: `Calling tools:\n${code}` }] },
      { role: "tool-response", content: [{ type: "text", text: "Observation:\n4" }] },
    ];
    expect((await check(Buffer.from(JSON.stringify(messages)))).findings).toEqual([]);
  });
});

test("a call without its `function` is the client's mistake where a whole request is there", async () => {
  const request = {
    model: "gpt-5",
    temperature: 0,
    messages: [
      { role: "user", content: "How warm is it in Bern?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", name: "weather", arguments: "{}" }],
      },
      { role: "tool", tool_call_id: "call_1", content: "17 °C" },
    ],
    tools: [
      { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
    ],
  };
  const { findings } = await check(Buffer.from(JSON.stringify(request)));
  expect(findings.map(({ rule }) => rule)).toContain("invalid-request");
});

test("a data set may have objects as results", async () => {
  const turns = ["Bern", "Basel"].flatMap((name) => [
    { role: "assistant", content: null, tool_call: { name: "weather", arguments: { city: name } } },
    { role: "tool", content: { ok: true, result: { city: name, degrees: 17 } }, tool_call: null },
  ]);
  const row = { id: "r1", turns: [{ role: "user", content: "How warm is it?", tool_call: null }, ...turns] };
  const { findings, files } = await check(Buffer.from(`${JSON.stringify(row)}\n${JSON.stringify(row)}\n`));
  expect(findings).toEqual([]);
  expect(files).toMatchObject([{ exchanges: 2 }]);
});

test("a tracer may print names and arguments as Python does", async () => {
  const call = { name: "'weather'", arguments: `'{"city":"Bern"}'` };
  const input = [
    { role: "user", content: "How warm is it in Bern?" },
    { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] },
    { role: "tool", tool_call_id: "call_1", name: "weather", content: "17 °C" },
  ];
  const log = JSON.stringify({ llmSpans: [{ uuid: "s1", type: "llm", input, output: answer }] });
  expect((await told(log)).at(-1)).toContain('call weather {"city":"Bern"}, result 17 °C');
  expect((await check(Buffer.from(log))).findings).toEqual([]);
});

describe("the replies that Copilot Chat's debug view shows", () => {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "weather", arguments: '{"city":"Bern"}' },
  };
  const asks = { role: 1, content: [{ type: 1, text: "How warm is it in Bern?" }] };
  const calls = (text: string): object => ({
    role: 2,
    content: [{ type: 1, text }],
    toolCalls: [call],
  });
  const gives = { role: 3, content: [{ type: 1, text: "17 °C" }], toolCallId: "call_1" };
  const logs = (text: string): object[] => [
    {
      id: "r1",
      kind: "request",
      type: "ChatMLSuccess",
      metadata: { model: "gpt-5", tools: [call] },
      requestMessages: { messages: [asks] },
      response: { type: "success", message: [text] },
    },
    {
      id: "call_1__vscode-1",
      kind: "toolCall",
      tool: "weather",
      args: '{"city":"Bern"}',
      response: ["17 °C"],
    },
    {
      id: "r2",
      kind: "request",
      type: "ChatMLSuccess",
      requestMessages: { messages: [asks, calls(text), gives] },
      response: { type: "success", message: [answer] },
    },
  ];

  test.each([
    ["texts, without the calls beside them", "I will look.", 'assistant "I will look."'],
    ["nothing of a reply that only called", "", '→ assistant "" ()'],
  ])("are %s", async (_, text, shown) => {
    const exported = { totalPrompts: 1, prompts: [{ prompt: "How warm?", logs: logs(text) }] };
    for (const log of [
      JSON.stringify(exported, undefined, 1),
      logs(text)
        .map((each) => JSON.stringify(each))
        .join("\n"),
    ]) {
      const read = await told(log);
      expect(read[0]).toContain(shown);
      expect(read[1]).toContain(`result 17 °C → assistant "${answer}"`);
      expect((await check(Buffer.from(log))).findings).toEqual([]);
    }
  });

  test("lack where the request failed", async () => {
    const failed = {
      ...logs("")[0],
      type: "ChatMLFailure",
      response: { type: "failure", reason: "timeout" },
    };
    expect(await told(JSON.stringify({ prompts: [{ logs: [failed] }] }))).toEqual([`${asked} → ?`]);
  });
});
