import { describe, expect, test } from "vitest";
import { check, fix, read } from "../../src/index.ts";

const question = { role: "user", content: "How warm is it in Bern?" };
const request = { model: "gpt-5", messages: [question] };
const reply = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "It is 17 °C." }, finish_reason: "stop" }],
};
const url = "https://api.openai.com/v1/chat/completions";

/** One exchange in each container whose bodies are JSON of the file itself. */
const containers: Readonly<Record<string, (body: string) => string>> = {
  "run.jsonl": (body) =>
    `{"url":"${url}","request":${body},"status":200,"response":${JSON.stringify(reply)}}\n`,
  "two.jsonl": (body) => `{"url":"${url}","request":${body}}\n{"response":${JSON.stringify(reply)}}\n`,
  "run.json": (body) => `[{"url":"${url}","request":${body},"response":${JSON.stringify(reply)}}]`,
  "escaped.jsonl": (body) =>
    `${JSON.stringify({ url, body, status: 200, response: JSON.stringify(reply) })}\n`,
  "run.har": (body) =>
    `{"log":{"version":"1.2","entries":[{"request":{"method":"POST","url":"${url}","postData":{"text":${JSON.stringify(body)}}},"response":{"status":200,"content":{"text":${JSON.stringify(JSON.stringify(reply))}}}}]}}`,
  "nock.json": (body) =>
    `[{"scope":"https://api.openai.com:443","method":"POST","path":"/v1/chat/completions","body":${body},"status":200,"response":${JSON.stringify(reply)}}]`,
  "run.yaml": (body) =>
    `interactions:\n- request:\n    body: '${body}'\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: '${JSON.stringify(reply)}'\n    status:\n      code: 200\nversion: 1\n`,
  "headed.log": (body) => `--- REQUEST 1 ---\n${body}\n--- RESPONSE 1 (200) ---\n${JSON.stringify(reply)}\n`,
  "run.log": (body) => `$ curl ${url} -d '${body}'\n${JSON.stringify(reply)}\n`,
};

async function unreadableIn(name: string, log: string): Promise<readonly string[]> {
  const { findings, files } = await check(Buffer.from(log), { name });
  return [
    ...findings.flatMap(({ rule, message }) => (rule === "unreadable-record" ? [message] : [])),
    ...files.flatMap(({ skipped }) => skipped.map(({ reason }) => reason)),
  ];
}

describe.each(Object.entries(containers))("a request in %s", (name, keep) => {
  const body = JSON.stringify(request);

  test("is read where nothing is wrong", async () => {
    expect(await unreadableIn(name, keep(body))).toEqual([]);
  });

  test.each([
    ["a bad escape in a key", '"role"', '"\\x41role"'],
    ["a cut escape in a key", '"role"', '"role\\u12"'],
    ["a control character in a key", '"role"', '"\u0001role"'],
    ["a bad escape in the role", '"user"', '"\\x41user"'],
  ])("is named with %s", async (_, old, by) => {
    expect(await unreadableIn(name, keep(body.replace(old, by)))).not.toEqual([]);
  });
});

describe("a request in which a key stands twice", () => {
  const logOf = (tools: string): Buffer =>
    Buffer.from(
      `{"model":"gpt-5","tools":[],"messages":[{"role":"user","content":"How warm is it?"}],"tools":${tools}}`,
    );

  test("is named, as only one of the values is read", async () => {
    const { findings } = await check(logOf('[{"type":"function","function":{"name":"weather"}}]'));
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("`tools` occurs twice in this request"),
    ]);
  });

  test("is read in silence where both values are the same", async () => {
    expect((await check(logOf("[]"))).findings).toEqual([]);
  });
});

describe("a message in which a key stands twice", () => {
  const chat = "https://api.openai.com/v1/chat/completions";
  const bodies: Readonly<Record<string, readonly [url: string, body: string, key: string]>> = {
    "of Chat Completions": [
      chat,
      '{"model":"gpt-5","messages":[{"role":"user","content":"Is it cold?","content":"How warm is it?"}]}',
      "content",
    ],
    "of Responses": [
      "https://api.openai.com/v1/responses",
      '{"model":"gpt-5","input":[{"role":"user","role":"system","content":"How warm is it?"}]}',
      "role",
    ],
    "of Anthropic, in a part that begins with a colon": [
      "https://api.anthropic.com/v1/messages",
      '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":": cold?","text":": warm?"}]}]}',
      "text",
    ],
    "of Gemini, with spaces before its colons": [
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
      '{"contents" : [{"role" : "user", "parts" : [{"text" : "Is it cold?", "text" : "How warm is it?"}]}]}',
      "text",
    ],
    "in a call": [
      chat,
      '{"model":"gpt-5","messages":[{"role":"user","content":"How warm is it?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","id":"call_2","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_2","content":"17 °C"}],"tools":[{"type":"function","function":{"name":"weather"}}]}',
      "id",
    ],
  };

  describe.each(Object.entries(bodies))("%s", (_, [url, body, key]) => {
    const finding = expect.objectContaining({
      rule: "unreadable-record",
      severity: "info",
      message: expect.stringContaining(`\`${key}\` occurs twice in this message, and only one counts`),
      related: [expect.objectContaining({ message: "this one counts" })],
    });

    test.each<[string, string]>([
      ["run.json", `{"url":"${url}","request":${body}}`],
      ["run.jsonl", `{"url":"${url}","request":${JSON.stringify(body)}}\n`],
      ["run.log", `12:00:00 INFO POST ${url}\n${body}\n`],
      [
        "run.har",
        JSON.stringify({
          log: { entries: [{ request: { method: "POST", url, postData: { text: body } } }] },
        }),
      ],
    ])("is named with the places of both (%s)", async (name, log) => {
      expect((await check(Buffer.from(log), { name })).findings).toEqual([finding]);
    });
  });

  test("is named once, however many requests repeat the message", async () => {
    const content = `"Is it cold?","content":"${"How warm is it? ".repeat(8)}"`;
    const body = `{"model":"gpt-5","messages":[{"role":"user","content":${content}}]}`;
    const { findings } = await check(Buffer.from(`${body}\n${body}\n`), { name: "run.jsonl" });
    expect(findings.map(({ data }) => data["records"])).toEqual([1]);
  });

  test("is read in silence where both values are the same", async () => {
    const body = '{"model":"gpt-5","messages":[{"role":"user","content":"How warm?","content":"How warm?"}]}';
    expect((await check(Buffer.from(body))).findings).toEqual([]);
  });

  test("counts with its last value, also where it is the list of messages", async () => {
    const body =
      '{"model":"gpt-5","messages":[{"role":"user","content":"Is it cold?"}],"messages":[{"role":"user","content":"How warm?"}]}';
    const { exchanges } = await read(Buffer.from(body), { name: "run.json" });
    expect(exchanges.map(({ request }) => request?.history.items(0))).toMatchObject([
      [{ text: "How warm?" }],
    ]);
  });
});

describe("a reply in which a key stands twice", () => {
  const logOf = (by: string): string => {
    const said = '"content":"It is 17 °C."';
    return `{"url":"${url}","request":${JSON.stringify(request)},"response":${JSON.stringify(reply).replace(said, `${said},${by}`)}}`;
  };

  test.each(["run.json", "run.jsonl"])("is named, as only one of the values is read (%s)", async (name) => {
    expect(await unreadableIn(name, logOf('"content":"It is 18 °C."'))).toEqual([
      expect.stringContaining("`content` occurs twice in this response, and only one counts"),
    ]);
  });

  test("is read in silence where both values are the same", async () => {
    expect(await unreadableIn("run.json", logOf('"content":"It is 17 °C."'))).toEqual([]);
  });
});

describe("what stands for a request beside a message of the model", () => {
  const page = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>";
  const message = { role: "assistant", content: "It is 17 °C." };
  const logOf = (record: object): string =>
    `${JSON.stringify({ url, request, response: reply })}\n${JSON.stringify(record)}\n`;

  test.each([
    ["as text", { attributes: { request_data: page, response_data: JSON.stringify({ message }) } }],
    ["as an object", { id: "r2", request: page, response: message }],
  ])("is named where it is a page (%s)", async (_, record) => {
    expect(await unreadableIn("run.jsonl", logOf(record))).toContain(
      "an HTML page stands in place of the request to the model; the reply was not checked",
    );
  });

  test("is no loss where a program asks in its own words", async () => {
    const log = logOf({ request: "How warm?", response: message });
    expect(await unreadableIn("run.jsonl", log)).toEqual(["no model traffic in this record"]);
  });
});

describe("a body that is an object where others have a text", () => {
  test.each(["text", "tools", "config", "body"])("is read under `%s`", async (key) => {
    const tools = [
      { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
    ];
    const log = JSON.stringify({ [key]: { ...request, tools } });
    expect((await check(Buffer.from(log), { name: "run.json" })).files).toMatchObject([{ exchanges: 1 }]);
  });
});

describe("a list of recordings that ends too early", () => {
  const recording = (body: string): string =>
    `{"scope":"https://api.openai.com:443","method":"POST","path":"/v1/chat/completions","body":${body},"status":200,"response":${JSON.stringify(reply)}}`;

  test("is read behind its end, and the rest is named", async () => {
    const one = recording(JSON.stringify(request));
    const log = Buffer.from(`[${one}],\n${one}]`);
    const { files, findings } = await check(log, { name: "nock.json" });
    expect(files).toMatchObject([{ container: "nock", exchanges: 2 }]);
    expect(findings.map(({ rule }) => rule)).toContain("unreadable-record");
  });
});

describe("the output of a call that a tool reports", () => {
  test("is named with a bad escape in a key", async () => {
    const message = { role: "assistant", content: [{ text: "It is 17 °C." }] };
    const log = JSON.stringify({
      schemaType: "ModelInvocationLog",
      operation: "Converse",
      modelId: "amazon.nova-pro-v1:0",
      input: { inputBodyJson: { messages: [{ role: "user", content: [{ text: question.content }] }] } },
      output: { outputBodyJson: { output: { message }, stopReason: "end_turn" } },
    });
    expect(await unreadableIn("run.jsonl", log)).toEqual([]);
    expect(
      await unreadableIn("run.jsonl", log.replace(/"output":\{"message"/, '"\\x41output":{"message"')),
    ).toEqual(["not valid JSON: an invalid escape; this part was not checked"]);
  });
});

describe("a session of which most lines are damaged", () => {
  const lines = [
    JSON.stringify(question),
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]}',
    '{"role":"tool","tool_call_id":"c1","content":"17 °C"}',
    '{"role":"assistant","content":"It is 17 °C."}',
  ];
  const damaged = [`{x${lines[0]?.slice(1)}`, ...lines.slice(1, 3), lines[3]?.replace('"role"', "role")];

  test.each([
    ["on lines of their own", ""],
    ["behind the prefixes of a program", "2026-01-05 12:00:00 INFO agent: "],
  ])("names the damaged ones: %s", async (_, prefix) => {
    const log = Buffer.from(damaged.map((line) => `${prefix}${line}\n`).join(""));
    const { findings } = await check(log, { name: "run.log" });
    const places = findings.flatMap(({ rule, location }) =>
      rule === "unreadable-record" ? [location.line] : [],
    );
    expect(places).toEqual([1, 4]);
  });

  test.each([
    ["on lines of their own", ""],
    ["behind the prefixes of a program", "12:00:00 [app] "],
  ])("names a list of parts in the place of a record, and two lines in one: %s", async (_, prefix) => {
    const parts = '[{"type":"text","text":"How warm is it in Oslo?"}]';
    const [third = "", fourth = ""] = lines.slice(2);
    const mixed = `${third.slice(0, 3)}${prefix}${fourth.slice(0, 30)}${third.slice(3)}${fourth.slice(30)}`;
    for (const [at, log] of [
      lines.with(0, parts),
      lines.toSpliced(2, 0, parts),
      [...lines, mixed],
    ].entries()) {
      const text = log.map((line) => `${prefix}${line}\n`).join("");
      const { findings, files } = await check(Buffer.from(text), { name: "run.log" });
      const named = [
        ...findings.flatMap(({ rule, location }) => (rule === "unreadable-record" ? [location.line] : [])),
        ...(files[0]?.skipped ?? []).map(({ line }) => line),
      ];
      expect(named).toContain([1, 3, 5][at]);
    }
  });

  test("names a first line that is not quite JSON, and reads the rest", async () => {
    const records = [
      '{"uuid":"1","parentUuid":undefined,"sessionId":"q","type":"user","message":{"role":"user","parts":[{"text":"How warm is it in Bern?"}]}}',
      '{"uuid":"2","parentUuid":"1","sessionId":"q","type":"assistant","message":{"role":"model","parts":[{"text":"It is 17 °C."}]}}',
      '{"uuid":"3","parentUuid":"2","sessionId":"q","type":"user","message":{"role":"user","parts":[{"text":"And in Oslo?"}]}}',
    ];
    const log = Buffer.from(records.map((line) => `${line}\n`).join(""));
    const { files, findings } = await check(log, { name: "run.jsonl" });
    expect(files).toMatchObject([{ container: "qwen-code" }]);
    expect(findings.map(({ rule, location }) => `${rule} ${location.line}`)).toContain("unreadable-record 1");
  });

  test("names an indented line that is broken, not one that goes on below", async () => {
    const before = 'time="12:00" msg="{\\"type\\""\ntime="12:01" msg="[\n';
    const log = (line: string): string => before + line + lines.map((each) => `${each}\n`).join("");
    expect(await unreadableIn("run.log", log('  {"url":"https://a":"context"}\n'))).toEqual([
      "the line is not a valid JSON object; this part was not checked",
    ]);
    expect(await unreadableIn("run.log", log('  {"disk":\n    "full"}\n'))).toEqual([]);
  });

  test("names no line of another kind", async () => {
    const noise = ["{", "ready {1 of 4}", "2026-01-05 12:00:00 INFO config: {debug: true}"];
    const log = Buffer.from([...noise, ...lines].map((line) => `${line}\n`).join(""));
    const { findings } = await check(log, { name: "run.log" });
    expect(findings.filter(({ rule }) => rule === "unreadable-record")).toEqual([]);
  });
});

describe("messages in an attribute that lost its name and their beginning", () => {
  const said = JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "It is 17 °C." }] }]);
  const asked = JSON.stringify([{ role: "user", parts: [{ type: "text", content: "How warm is it?" }] }]);
  const tail = asked.slice(asked.indexOf('"role"'));
  const names = ["gen_ai.operation.name", "gen_ai.output.messages"] as const;
  const otlp = (name: string, text: string): string =>
    JSON.stringify({
      spans: [
        {
          attributes: [
            { key: name, value: { stringValue: text } },
            { key: names[1], value: { stringValue: said } },
          ],
        },
      ],
    });
  const flat = (name: string, text: string): string =>
    JSON.stringify({ attributes: { [name]: text, [names[1]]: said } });

  test.each(Object.entries({ otlp, flat }))("are named (%s)", async (_, keep) => {
    expect(await unreadableIn("run.json", keep(names[0], `c${tail}`))).toEqual([
      "the beginning of the JSON is missing; this part was not checked",
    ]);
  });

  test.each(Object.entries({ otlp, flat }))("but not words that end in a bracket (%s)", async (_, keep) => {
    expect(await unreadableIn("run.json", keep(names[0], "chat with one more user [17]"))).toEqual([]);
  });
});

describe("what gave no traffic beside requests", () => {
  const body = JSON.stringify(request);
  const session = [
    { type: "user", message: { content: "Which order is late?" } },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "Order 17." }] } },
  ];
  const printed = "{'type':'user','message':{'content':'Which order is late?'}}\n";
  const told = "a user's text that no known request contains";

  async function skippedIn(name: string, log: string): Promise<readonly string[]> {
    const { files } = await check(Buffer.from(log), { name });
    return files.flatMap(({ skipped }) =>
      skipped.map(({ line, reason, count = 1 }) => `${line}: ${reason}${count > 1 ? ` (${count})` : ""}`),
    );
  }

  test("is named where it is a document with a conversation", async () => {
    const pretty = (...documents: object[]): string =>
      documents.map((each) => JSON.stringify(each, null, 2)).join("\n");
    expect(await skippedIn("run.json", pretty(session, request))).toEqual([
      "1: a document of a conversation that no known request contains",
    ]);
    expect(await skippedIn("run.json", pretty({ limits: [1, 2] }, request))).toEqual([]);
  });

  test("is named where a program printed words of a user that no request has", async () => {
    expect(await skippedIn("run.log", `${printed}POST ${body}\n`)).toEqual([`1: ${told}`]);
    const sent = JSON.stringify({
      ...request,
      messages: [{ role: "user", content: "Which order is late?" }],
    });
    expect(await skippedIn("run.log", `${printed}POST ${sent}\n`)).toEqual([]);
  });

  test("is named where it is YAML", async () => {
    const yaml = ["user", "assistant", "user"].map((role) => `  - role: ${role}\n    content: Hi there\n`);
    expect(await skippedIn("run.log", `request:\n${yaml.join("")}POST ${body}\n`)).toEqual([
      "2: messages in YAML between the lines of a log (3)",
    ]);
    const rows = ["request:", ...yaml.join("").trimEnd().split("\n"), `POST ${body.replaceAll('"', '""')}`];
    const table = `time,message\n${rows.map((row) => `12:00,"${row}"\n`).join("")}`;
    expect(await skippedIn("run.csv", table)).toEqual(["3: messages in YAML between the lines of a log (3)"]);
    expect(await skippedIn("run.log", `- name: ci\n  role: user\n  shell: sh\nPOST ${body}\n`)).toEqual([]);
  });

  test("is named where the quotes of JSON are entities", async () => {
    for (const entity of ["&quot;", "&amp;quot;", "&amp;amp;#34;"]) {
      const entities = printed.replaceAll("'", entity);
      expect(await skippedIn("run.log", `${entities}${entities}POST ${body}\n`)).toEqual([
        "1: JSON whose quotes are entities of HTML (`&quot;`) (2)",
      ]);
    }
  });
});

describe("what is no JSON in a string around a reply that was read is named", () => {
  const record = { run: 7, request: { ...request }, response: reply };
  const flaws: Readonly<Record<string, (json: string) => string>> = {
    "a bracket of another kind": (json) => json.replace("}]", "}}"),
    "a digit in full width": (json) => json.replace('"content":', '"content":\uff11 '),
    "a key without its colon": (json) => json.replace('"messages":', '"messages" '),
  };
  const keepings: Readonly<Record<string, (json: string) => string>> = {
    "JSON lines of strings": (json) => JSON.stringify(json),
    "a field of a record": (json) => JSON.stringify({ level: "info", body: json }),
    "bytes of Python": (json) => `INFO:root:b'${json}'`,
    "a record of Docker": (json) =>
      JSON.stringify({ log: `${JSON.stringify({ body: json })}\n`, stream: "stdout" }),
  };

  test.each(
    Object.keys(flaws).flatMap((flaw) => Object.keys(keepings).map((keeping) => [flaw, keeping] as const)),
  )("%s in %s", async (flaw, keeping) => {
    const json = JSON.stringify(record);
    const log = [json, flaws[flaw]?.(json) ?? ""].map((each) => `${keepings[keeping]?.(each)}\n`);
    const { findings, files } = await check(Buffer.from(log.join("")), { name: "run.log" });
    const named = [
      ...findings.filter(({ rule }) => rule === "unreadable-record").map(({ location }) => location.line),
      ...(files[0]?.skipped ?? []).map(({ line }) => line),
    ];
    expect(named).toContain(2);
    expect(named).not.toContain(1);
  });
});

test.each<[string, string]>([
  ["Go", `map[run:7 input:[map[roleuser content:${question.content}]] output:[map[`],
  [
    "Scala",
    `Map(run -> 7, input -> List(Map(roleuser, content -> ${question.content})), output -> List(Map(`,
  ],
  ["Rust", `Run { run: 7, input: [Message { roleuser, content: "${question.content}" }], output: [Some(`],
])("words of a message in a print of %s around a reply that was read are named", async (_, before) => {
  const log = `INFO ${before}${JSON.stringify(reply)}\n`;
  const { files } = await check(Buffer.from(log), { name: "run.log" });
  expect(files[0]?.skipped.map(({ line }) => line)).toEqual([1]);
  const quoted = `INFO (content: see the docs) got ${JSON.stringify(reply)}\n`;
  expect((await check(Buffer.from(quoted), { name: "run.log" })).files[0]?.skipped).toEqual([]);
});

test.each([
  ["a text log", ""],
  ["the log of a container", "2026-01-05T12:00:00.123456789Z stdout F "],
])("a reply behind its status that is no JSON is named in %s", async (_, prefix) => {
  const [asked, said] = [
    '{"role":"user","content":"How warm is it?"}',
    '{"role":"assistant","content":"17 °C"}',
  ];
  const lines = [true, "None"].flatMap((done) => [
    `POST http://localhost:11434/api/chat {"model":"qwen3:8b","messages":[${asked}],"stream":false}`,
    `200 {"model":"qwen3:8b","message":${said},"done":${done},"done_reason":"stop"}`,
  ]);
  const log = lines.map((line) => `${prefix}${line}\n`).join("");
  expect(await unreadableIn("run.log", log)).toEqual([
    "not valid JSON, although it stands where other records are traffic; this part was not checked",
  ]);
});

test("a message that a tool reports as the reply is named where it is not quite JSON", async () => {
  const span = (message: string): string =>
    JSON.stringify({
      span_id: "s2",
      attributes: { request_data: JSON.stringify(request), response_data: message },
    });
  const whole = '{"message":{"role":"assistant","content":"It is 17 °C."}}';
  expect(await unreadableIn("run.jsonl", `${span(whole)}\n`)).toEqual([]);
  expect(await unreadableIn("run.jsonl", `${span(whole.replace("}}", ",}}"))}\n`)).toEqual([
    "not valid JSON: a trailing comma; this part was not checked",
  ]);
});

test("a message whose role is no word is named in a history that was kept, and what is not read", async () => {
  const parts = [{ type: "text", text: "It is 17 °C." }];
  const log = JSON.stringify([
    { role: "user", parts: [{ type: "text", text: "How warm is it in Bern?" }] },
    { role: 5, parts },
  ]);
  const { findings } = await check(Buffer.from(log), { name: "run.json" });
  expect(findings.map(({ rule, message }) => [rule, message])).toEqual([
    ["unknown-feature", "the member `parts` is unknown to toollint; its meaning was not checked"],
    ["unknown-feature", "the role `5` is unknown to toollint; its meaning was not checked"],
  ]);
});

test.each([
  ["an object", { order: "What about order 17?" }, "an object"],
  ["a block without its list", { type: "text", text: "What about order 17?" }, "an object"],
  ["a number", 17, "`17`"],
])("what a message says in a form of its own is not called empty: %s", async (_, content, seen) => {
  const messages = [question, { role: "user", content }];
  const log = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages });
  const { findings } = await check(Buffer.from(log), { name: "run.json" });
  expect(findings.map(({ rule, message }) => [rule, message])).toEqual([
    ["invalid-request", `\`messages[1].content\` is ${seen}; the API requires a string or a list`],
  ]);
});

test("a text block whose text is a list is no empty one, and stays", async () => {
  const content = [{ type: "text", text: ["What about order 17?"] }];
  const log = JSON.stringify({
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    messages: [question, { role: "user", content }],
  });
  const { bytes, report } = await fix(Buffer.from(log), { name: "run.json" });
  expect(Buffer.from(bytes).toString()).toBe(log);
  expect(report.edits).toEqual([]);
});

test("a list of exchanges whose replies are streams in strings is no stream in segments", async () => {
  const chunk = {
    ...reply,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content: "Hi" } }],
  };
  const response = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
  const log = `{"data":${JSON.stringify([1, 2].map(() => ({ url, request, status: 200, response })))}}\n`;
  const { exchanges } = await read(Buffer.from(log), { name: "run.jsonl" });
  expect(exchanges.map((each) => [each.request !== undefined, each.reply !== undefined])).toEqual([
    [true, true],
    [true, true],
  ]);
});
