import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { Origin } from "../../src/reading/origin.ts";
import { written } from "./edits.ts";
import { open, spot, told } from "./stories.ts";

const stamp = "[2025-09-14 14:20:23 - openai._base_client:482 - DEBUG]";
const tool = "{'type': 'function', 'function': {'name': 'weather', 'parameters': {'type': 'object'}}}";
const user = `{'role': 'user', 'content': "How's the weather in Zürich?"}`;
const call = `{'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'call_1', 'type': 'function', 'function': {'name': 'weather', 'arguments': '{"city":"Zürich"}'}}]}`;
const result = "{'role': 'tool', 'tool_call_id': 'call_1', 'content': '{\"celsius\":18}\\nclear'}";

const options = (...messages: string[]): string =>
  `${stamp} Request options: {'method': 'post', 'url': '/chat/completions', 'headers': NOT_GIVEN, 'files': None, 'idempotency_key': 'stainless-python-retry-1', 'json_data': {'messages': [${messages.join(", ")}], 'model': 'gpt-5', 'tools': [${tool}]}}`;

const log = [
  options(user),
  `${stamp} Sending HTTP Request: POST https://api.openai.com/v1/chat/completions`,
  `[2025-09-14 14:20:25 - httpx:1025 - INFO] HTTP Request: POST https://api.openai.com/v1/chat/completions "HTTP/1.1 200 OK"`,
  `${stamp} HTTP Response: POST https://api.openai.com/v1/chat/completions "200 OK" Headers({'date': 'Sun, 14 Sep 2025 12:20:25 GMT', 'openai-processing-ms': '812'})`,
  options(user, call, result),
  "",
].join("\n");

test("the debug log of the openai package holds each request, and no replies", async () => {
  const { container, exchanges } = await open(log);
  expect(container).toBe("text");
  expect(exchanges.map(({ protocol }) => protocol)).toEqual(["openai-chat", "openai-chat"]);
  expect(await told(log)).toEqual([
    `user "How's the weather in Zürich?" → ?`,
    `user "How's the weather in Zürich?", call weather {"city":"Zürich"}, result {"celsius":18}\nclear → ?`,
  ]);
});

test("values keep their places, also behind other quotes and letters of two bytes", async () => {
  const { exchanges } = await open(log);
  const place = exchanges[1]?.request?.place;
  const column = (options(user, call, result).indexOf("'call_1', 'content'") + 1).toString();
  const bytes = Buffer.byteLength(options(user, call, result).slice(0, Number(column) - 1)) + 1;
  expect(place && spot(place.locate("/messages/2/tool_call_id"))).toBe(`5:${column} 'call_1'`);
  expect(place?.locate("/messages/2/tool_call_id").start).toBe(
    Buffer.byteLength(log.split("\n").slice(0, 4).join("\n")) + bytes,
  );
});

test("what a script prints is read: messages by themselves, and replies as objects", async () => {
  const reply =
    "ChatCompletion(id='chatcmpl-1', choices=[Choice(finish_reason='tool_calls', index=0, logprobs=None, message=ChatCompletionMessage(content=None, refusal=None, role='assistant', tool_calls=[ChatCompletionMessageFunctionToolCall(id='call_1', function=Function(arguments='{}', name='weather'), type='function')]))], created=1757852423, model='gpt-5', object='chat.completion', usage=None)";
  expect(await told(`messages:\n[${user}]\nresponse: ${reply}\n`)).toEqual([
    `user "How's the weather in Zürich?" → call weather {} (tool_calls)`,
  ]);
});

test("a dict that is no body is stepped over", async () => {
  expect(await told(`config: {'model': 'gpt-5', 'retries': 3}\n${options(user)}\n`)).toEqual([
    `user "How's the weather in Zürich?" → ?`,
  ]);
});

describe("a literal that its logger cut", () => {
  test("gives what stands before the cut", async () => {
    const { exchanges, defects } = await open(log.slice(0, -40));
    expect(exchanges.at(-1)?.request?.isCut).toBe(true);
    expect(defects).toMatchObject([{ kind: "unfinished" }]);
  });
});

test("what Node prints of a request and its reply is read where it stands, and can be written", async () => {
  const printed = `request {
  model: 'gpt-5',
  messages: [
    { role: 'user', content: "How's the weather in Zürich?" },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Zürich"}' }
        }
      ]
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'clear\\n' + 'and cold' }
  ],
  stream: false
}
response ChatCompletion {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [ { index: 0, message: { role: 'assistant', content: "It's clear." }, finish_reason: 'stop' } ]
}
`;
  expect(await told(printed)).toEqual([
    `user "How's the weather in Zürich?", call weather {"city":"Zürich"}, result clear\nand cold → assistant "It's clear." (stop)`,
  ]);
  const { exchanges } = await open(printed);
  expect(spot(exchanges[0]?.request?.place.locate("/messages/2/tool_call_id") as Origin)).toBe(
    "16:35 'call_1'",
  );
  expect(
    await written(printed, { 1: [{ op: "replace", pointer: "/messages/2/tool_call_id", json: '"call_2"' }] }),
  ).toBe(printed.replace("tool_call_id: 'call_1'", "tool_call_id: 'call_2'"));
});

test("hashes that Ruby printed are read", async () => {
  const printed = `request {"model"=>"gpt-5", "messages"=>[{"role"=>"user", "content"=>"Hi"}]}
response {"id"=>"chatcmpl-1", "object"=>"chat.completion", "choices"=>[{"index"=>0, "message"=>{"role"=>"assistant", "content"=>"Hello.", "refusal"=>nil}, "finish_reason"=>"stop"}]}
`;
  expect(await told(printed)).toEqual(['user "Hi" → assistant "Hello." (stop)']);
});

describe("a literal behind the prefix of each line", () => {
  const stamped = (text: string): string =>
    `${text
      .split("\n")
      .map((line, place) => `2025-09-22T11:01:0${place % 10}.${1234567 + place}Z ${line}`)
      .join("\n")}\n`;
  const body = {
    model: "gpt-5",
    messages: [{ role: "user", content: "How's the weather in Zürich?" }],
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
  };
  const python = `{'model': 'gpt-5',
 'messages': [${user}],
 'tools': [${tool}]}`;

  test.each([
    ["of Node", inspect(body, { depth: null, compact: false })],
    ["of Node, in colours", inspect(body, { depth: null, compact: false, colors: true })],
    ["of Python", python],
  ])("%s is read", async (_, printed) => {
    const log = stamped(`sending\n${printed}\ndone {really}`);
    expect(await told(log)).toEqual([`user "How's the weather in Zürich?" → ?`]);
    const { exchanges } = await open(log);
    const place = exchanges[0]?.request?.place;
    expect(place && spot(place.locate("/messages/0/content"))).toMatch(/^\d+:\d+ .?.?.?.?.?.How/);
  });

  test("is followed by what the log has behind it", async () => {
    const reply = JSON.stringify({
      choices: [{ message: { role: "assistant", content: "18 °C" }, finish_reason: "stop" }],
    });
    expect(
      await told(`${stamped(`request: ${inspect(body, { depth: null, compact: false })}`)}${stamped(reply)}`),
    ).toEqual([`user "How's the weather in Zürich?" → assistant "18 °C" (stop)`]);
  });

  test("is repaired behind it", async () => {
    const log = stamped(inspect(body, { depth: null, compact: false }));
    const after = await written(log, { 1: [{ op: "replace", pointer: "/model", json: '"gpt-5-mini"' }] });
    expect(after).toBe(log.replace("'gpt-5'", "'gpt-5-mini'"));
  });
});
