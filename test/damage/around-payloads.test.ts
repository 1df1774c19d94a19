import { describe, expect, test } from "vitest";
import { check, read } from "../../src/index.ts";

/** What is said of a log that could not be read in full: `line: words`. */
async function toldOf(name: string, log: string): Promise<readonly string[]> {
  const { findings, files } = await check(Buffer.from(log), { name });
  const reading = findings.filter(({ rule }) => /unreadable-record|malformed-stream/.test(rule));
  return [
    ...reading.map(({ location, message }) => `${location.line}: ${message}`),
    ...files.flatMap(({ skipped }) => skipped.map(({ line, reason }) => `${line}: ${reason}`)),
  ];
}

const question = { role: "user", content: "How warm is it in Bern?" };
const request = { model: "gpt-5", messages: [question] };
const reply = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "It is 17 °C." }, finish_reason: "stop" }],
};
const url = "https://api.openai.com/v1/chat/completions";
const record = (more: object = {}): string =>
  JSON.stringify({ url, method: "POST", request, status: 200, response: reply, ...more });

test("a half of an exchange that stands twice, once with nothing that can be read, is named", async () => {
  const entry = (broken: string): string =>
    `{"log":{"entries":[{"request":{"method":"POST","url":"${url}","postData":{"text":${JSON.stringify(JSON.stringify(request))}}},${broken}"response":{"status":200,"content":{"text":${JSON.stringify(JSON.stringify(reply))}}}}]}}`;
  expect(await toldOf("run.har", entry(""))).toEqual([]);
  expect(await toldOf("run.har", entry('"response":{"status":200,"content":{"text":"eyJjcHt%%"}},'))).toEqual(
    [expect.stringContaining("`response` occurs twice")],
  );
});

describe("a slip of JSON around the bodies of a record", () => {
  test.each([
    [
      "a key with a bad escape",
      '"request":',
      '"\\x41request":',
      "1: not valid JSON: an invalid escape; toollint read it anyway",
    ],
    [
      "a key with a control character",
      '"response":',
      '"\u0001response":',
      "1: not valid JSON: the control character 0x01 is not escaped in a string; toollint read it anyway",
    ],
    [
      "two commas",
      '"status":200,',
      '"status":200,,',
      "1: the line is not valid JSON: a key in quotes is expected here; what came after is not checked",
    ],
  ])("is named: %s", async (_, old, by, told) => {
    expect(await toldOf("run.jsonl", `${record().replace(old, by)}\n`)).toContain(told);
  });

  test("is named in a recording of nock", async () => {
    const call = { scope: "https://api.openai.com:443", method: "POST", path: "/v1/chat/completions" };
    const log = JSON.stringify([{ ...call, body: request, status: 200, response: reply }]);
    expect(await toldOf("nock.json", log.replace('"body"', '"\\x41body"'))).toEqual([
      "1: not valid JSON: an invalid escape; this part was not checked",
    ]);
  });

  test("is not named where both halves were read, and it is a word of another language", async () => {
    expect(await toldOf("run.jsonl", record({ score: "?" }).replace('"?"', "NaN"))).toEqual([]);
  });

  test("is named in a record without traffic, as it may be why there is none", async () => {
    const log = `{"id":1,\n"rows":[oops]}\n${JSON.stringify(JSON.parse(record()), null, 1)}`;
    expect(await toldOf("run.json", log)).toEqual([
      "2: not valid JSON: `oops` is not a JSON value; toollint read it anyway",
    ]);
  });
});

describe("a broken history", () => {
  const broken = JSON.stringify(request).replace('"content":', '"content":0x1F? ');

  test("is named under a key that says nothing, where the address is a model's", async () => {
    const log = JSON.stringify({ url, body: broken, status: 200, response: JSON.stringify(reply) });
    expect(await toldOf("run.jsonl", `${log}\n`)).toEqual([
      "1: not valid JSON: a comma or `}` is expected here; this part was not checked",
    ]);
  });

  test("is named in one record of a list on one line, beside a whole one", async () => {
    const log = `[${record()},${record().replace(JSON.stringify(request), broken)}]`;
    for (const name of ["run.jsonl", "run.json"])
      expect(await toldOf(name, log)).toEqual([
        "1: not valid JSON: a comma or `}` is expected here; this part was not checked",
      ]);
  });
});

describe("a file that is JSON by its brackets, but was searched as text", () => {
  const lines = [
    JSON.stringify(question),
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]}',
    '{"role":"tool","tool_call_id":"c1","content":"17 °C"}',
    '{"role":"assistant","content":"It is 17 °C."}',
  ];

  test("names its lines that are no JSON", async () => {
    const log = [`{${lines[0]}`, lines[1], lines[2]?.replace('"content"', "content"), lines[3]].join("\n");
    const told = await toldOf("run.log", log);
    expect(told.map((each) => each.slice(0, 2)).sort()).toEqual(["1:", "3:"]);
  });

  test("is a text log where other words stand between: nothing is named", async () => {
    const log = `{"ready":true}\nasking the model\n${record()}\n{it went well}\n`;
    expect(await toldOf("run.log", log)).toEqual([]);
  });
});

describe("events of an application on the lines of a log", () => {
  const events = [
    '{"type":"start","messageId":"m1"}',
    '{"type":"text-start","id":"t"}',
    '{"type":"text-delta","id":"t","delta":"It is 17 °C."}',
    '{"type":"text-delta","id":"t","delta":" It rains."}',
    '{"type":"text-end","id":"t"}',
    '{"type":"finish"}',
  ];
  const log = (delta: string): string =>
    events.map((event, index) => `12:00:0${index} INFO event ${index === 2 ? delta : event}\n`).join("");
  const [, , delta = ""] = events;

  test.each([
    ["a colon is missing", delta.replace(":", " ")],
    ["a quote is missing", delta.replace('"', "")],
    ["a bracket is missing", delta.slice(0, -1)],
    ["a key has a bad escape", delta.replace('"delta"', '"\\x41delta"')],
    ["it is cut", delta.slice(0, 30)],
  ])("are named by the lines beside them: %s", async (_, broken) => {
    expect((await toldOf("run.log", log(broken))).map((told) => told.slice(0, 2))).toContain("3:");
  });

  test("are read where nothing is wrong", async () => {
    expect(await toldOf("run.log", log(delta))).toEqual([]);
  });

  test("are named in a list of chunks", async () => {
    const list = `[${events.join(",")}]`.replace('"delta":"It', '"\\x41delta":"It');
    expect(await toldOf("run.json", list)).toEqual([
      "1: not valid JSON: an invalid escape; toollint read it anyway",
    ]);
  });

  test("of another kind than the traffic are no matter", async () => {
    const other = '12:00:09 INFO metric {"tokens":, "cost":}\n';
    expect(await toldOf("run.log", log(delta) + other)).toEqual([]);
  });
});

describe("a body that Python printed into a string of a record", () => {
  const printed =
    "{'model': 'gpt-5', 'messages': [{'role': 'user', 'content': \"How's Bern?\"}], 'tools': None}";
  const log = (body: string): string => `${JSON.stringify({ url, request: body, response: reply })}\n`;

  test("is read", async () => {
    const { exchanges } = await read(Buffer.from(log(printed)), { name: "run.jsonl" });
    expect(exchanges.map(({ request, reply }) => [request?.history.length, reply !== undefined])).toEqual([
      [1, true],
    ]);
    expect(await toldOf("run.jsonl", log(printed))).toEqual([
      "1: the body is an object as a program prints it, not JSON; toollint read it anyway",
    ]);
  });

  test("is named where it is broken", async () => {
    expect(await toldOf("run.jsonl", log(printed.replace("'role':", "'role'")))).toEqual([
      "1: not valid JSON: a key in quotes is expected here; what came after is not checked",
    ]);
  });
});

test("a control character, which YAML does not have, is named", async () => {
  const log =
    "messages:\n  - role: user\n    content: How warm is it in Bern?\n  - role: assistant\n    content: 17\0\0\0\n";
  expect(await toldOf("run.yaml", log)).toEqual([
    "5: this is not valid YAML: the control character 0x00; toollint read it anyway",
  ]);
});
