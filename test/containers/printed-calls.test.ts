import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** What is found above info, as `rule: message`. */
async function found(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, message }) => `${rule}: ${message}`);
}

/** How programs print one call alone, with the arguments in a text. */
const prints: Readonly<Record<string, (given: string) => string>> = {
  "Go, with %+v": (given) =>
    `got {Index:<nil> ID:call_1 Type:function Function:{Name:get_fare Arguments:${given}}}`,
  "Go, with %#v": (given) =>
    `resp: openai.ToolCall{Index:(*int)(nil), ID:"call_1", Type:"function", Function:openai.FunctionCall{Name:"get_fare", Arguments:${JSON.stringify(given)}}}`,
  "Go, a message with %#v": (given) =>
    `msg=openai.ChatCompletionMessage{Role:"assistant", Content:"", FunctionCall:(*openai.FunctionCall)(nil), ToolCalls:[]openai.ToolCall{openai.ToolCall{ID:"call_1", Type:"function", Function:openai.FunctionCall{Name:"get_fare", Arguments:${JSON.stringify(given)}}}}}`,
  Elixir: (given) =>
    `%LangChain.Message.ToolCall{status: :complete, type: :function, call_id: "call_1", name: "get_fare", arguments: ${JSON.stringify(given)}, index: nil}`,
  Ruby: (given) =>
    `#<RubyLLM::ToolCall:0x00000001289344b8 @arguments=${JSON.stringify(given)}, @id="call_1", @name="get_fare">`,
  Python: (given) => `FunctionCall(id='call_1', arguments='${given}', name='get_fare')`,
  "Python, what LangChain could not parse": (given) =>
    `{'name': 'get_fare', 'args': '${given}', 'id': 'call_1', 'error': None, 'type': 'invalid_tool_call'}`,
  JSON: (given) => JSON.stringify({ id: "call_1", name: "get_fare", arguments: given }),
};

describe.each(Object.entries(prints))("one call alone: %s", (_, print) => {
  test("has arguments that are cut off", async () => {
    expect(await found(`${print('{"to":"Gh')}\n`)).toEqual([
      'incomplete-arguments: the arguments of `get_fare` are cut off: they end in `{"to":"Gh`',
    ]);
  });

  test("is sound", async () => {
    expect(await found(`${print('{"to":"Ghent"}')}\n`)).toEqual([]);
  });
});

describe("the calls that LangChain could not parse are calls of the message", () => {
  const question = { type: "human", content: "What is the fare?" };
  const sound = { name: "get_fare", args: { to: "Ghent" }, id: "call_1", type: "tool_call" };
  const broken = {
    name: "get_fare",
    args: '{"to":"Br',
    id: "call_2",
    error: null,
    type: "invalid_tool_call",
  };
  const answer = { type: "tool", content: "12 EUR", tool_call_id: "call_1" };
  const log = (message: object, ...more: object[]): string =>
    JSON.stringify({ messages: [question, { type: "ai", content: "", ...message }, ...more] });
  const cut = 'incomplete-arguments: the arguments of `get_fare` are cut off: they end in `{"to":"Br`';

  test("alone", async () => {
    expect(await found(log({ tool_calls: [], invalid_tool_calls: [broken] }))).toEqual([cut]);
  });

  test("beside others, which have their results", async () => {
    expect(await found(log({ tool_calls: [sound], invalid_tool_calls: [broken] }, answer))).toEqual([
      cut,
      "unanswered-tool-call: call `call_2` to `get_fare` has no result anywhere in this request",
    ]);
  });

  test("once, where the provider's list has them, too", async () => {
    const raw = { id: "call_2", type: "function", function: { name: "get_fare", arguments: '{"to":"Br' } };
    const message = {
      additional_kwargs: { tool_calls: [raw] },
      tool_calls: [],
      invalid_tool_calls: [broken],
    };
    expect(await found(log(message))).toEqual([cut]);
  });

  test("but not the fragments of a stream, which have no name", async () => {
    const fragment = { name: null, args: '"Br', id: null, error: null, type: "invalid_tool_call" };
    expect(await found(log({ tool_calls: [sound], invalid_tool_calls: [fragment] }, answer))).toEqual([]);
  });

  test("in Python's print", async () => {
    const text =
      "[HumanMessage(content='What is the fare?'), AIMessage(content='', additional_kwargs={}, tool_calls=[], invalid_tool_calls=[{'name': 'get_fare', 'args': '{\"to\":\"Br', 'id': 'call_2', 'error': 'not valid JSON', 'type': 'invalid_tool_call'}])]";
    expect(await found(text)).toEqual([cut]);
  });
});
