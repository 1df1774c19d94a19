import { describe, expect, it, test } from "vitest";
import { text } from "../../src/containers/files/text/text.ts";
import { check } from "../../src/index.ts";
import {
  answers,
  ask,
  asks,
  chunks,
  completion,
  goesOn,
  open,
  question,
  result,
  run,
  say,
  spot,
  stream,
  told,
  url,
  wantsTool,
} from "./stories.ts";

const json = (value: unknown): string => JSON.stringify(value);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const prefixed = (prefix: string, lines: string): string => lines.replaceAll(/^/gm, prefix);

describe("the run is found in a log that people read", () => {
  const logs: readonly (readonly [string, string])[] = [
    [
      "compact JSON behind words",
      `2025-09-14 12:00:00 INFO request body=${json(asks)}
2025-09-14 12:00:01 INFO response status=200 body=${json(wantsTool)}
2025-09-14 12:00:01 INFO running weather
2025-09-14 12:00:02 INFO request body=${json(goesOn)}
2025-09-14 12:00:03 INFO response status=200 body=${json(answers)}
`,
    ],
    [
      "pretty JSON under headings",
      `--- REQUEST 1 ---
${pretty(asks)}
--- RESPONSE 1 (200) ---
${pretty(wantsTool)}

--- REQUEST 2 ---
${pretty(goesOn)}
--- RESPONSE 2 (200) ---
${pretty(answers)}
`,
    ],
    [
      "sections of XML, a stream and a reply",
      `<calls><call><request><![CDATA[${json(asks)}]]></request><response><![CDATA[${stream("chatcmpl-1")}]]></response></call>
<call><request><![CDATA[${json(goesOn)}]]></request><response><![CDATA[${json(answers)}]]></response></call></calls>
`,
    ],
    [
      "rows with bars, a stream as a string of JSON",
      `a|${json(asks)}|${json(stream("chatcmpl-1"))}\nb|${json(goesOn)}|${json(answers)}\n`,
    ],
    [
      "a table of Markdown, a stream as a string of JSON",
      `| request | reply |\n|---|---|\n| \`${json(asks)}\` | \`${json(stream("chatcmpl-1"))}\` |\n| \`${json(goesOn)}\` | \`${json(answers)}\` |\n`,
    ],
    [
      "strings of C#, whose quotes are doubled",
      `var asks = @"${pretty(asks).replaceAll('"', '""')}";
// got @"${json(wantsTool).replaceAll('"', '""')}"
var goesOn = @"${pretty(goesOn).replaceAll('"', '""')}";
// got @"${json(answers).replaceAll('"', '""')}"
`,
    ],
    [
      "streams under headings",
      `--- REQUEST 1 ---
${pretty(asks)}
--- RESPONSE 1 ---
${stream("chatcmpl-1")}--- REQUEST 2 ---
${pretty(goesOn)}
--- RESPONSE 2 ---
${stream("chatcmpl-2", "It is 18 °C.")}`,
    ],
    [
      "a time stamp before every line, whose digits change",
      [asks, wantsTool, goesOn, answers]
        .map((body, index) =>
          pretty(body).replaceAll(/^/gm, `[2025-09-14 12:00:0${index}.${index}31] DEBUG http: `),
        )
        .map((body) => `${body}\n`)
        .join("[2025-09-14 12:00:09.001] DEBUG http: ----\n"),
    ],
    [
      "streams whose JSON somebody laid out",
      `Request:\n${json(asks)}\n\nReply:\n\n${stream("chatcmpl-1").replace(
        /^data: (\{.*)$/gm,
        (_, data: string) => `data: ${pretty(JSON.parse(data))}`,
      )}\n\nRequest:\n${json(goesOn)}\n\nReply:\n\n${stream("chatcmpl-2", "It is 18 °C.")}`,
    ],
    [
      "a prefix before every line of a stream",
      `${json(asks)}\n${prefixed("<<< ", stream("chatcmpl-1").trimEnd())}\n${json(goesOn)}\n${prefixed("<<< ", stream("chatcmpl-2", "It is 18 °C.").trimEnd())}\n`,
    ],
    [
      "curl -v",
      `$ curl -v -N ${url} -d '${json(asks)}'
* Connected to api.openai.com (127.0.0.1) port 443
> POST /v1/chat/completions HTTP/1.1
> Host: api.openai.com
>
* upload completely sent off: 199 bytes
< HTTP/1.1 200 OK
< content-type: text/event-stream
<
{ [5 bytes data]
${stream("chatcmpl-1")}* Connection #0 to host api.openai.com left intact
$ curl -v ${url} -d '${json(goesOn)}'
< HTTP/1.1 200 OK
<
${json(answers)}
`,
    ],
    [
      "fences in prose",
      `# It forgets the result

First it sends {this}, then:

\`\`\`json
${pretty(asks)}
\`\`\`

The model answers \`${json(wantsTool)}\`. The next request:

\`\`\`json
${pretty(goesOn)}
\`\`\`

> and that is answered by
> ${json(answers)}
`,
    ],
    [
      "request and response on one line",
      `POST ${json(asks)} -> 200 ${json(wantsTool)}\nPOST ${json(goesOn)} -> 200 ${json(answers)}\n`,
    ],
    [
      "pretty JSON that goes on behind an arrow",
      `POST ${pretty(asks)} -> ${pretty(wantsTool)}\nPOST ${pretty(goesOn)} -> ${pretty(answers)}\n`,
    ],
    [
      "JSON in quotes, as Go and Rust print it",
      `DEBUG sending body=${json(json(asks))}\nDEBUG got body=${json(json(wantsTool))}\nDEBUG sending body=${json(json(goesOn))}\nDEBUG got body=${json(json(answers))}\n`,
    ],
    [
      "records among lines",
      `started\n${json({ level: "info", request: asks, response: wantsTool })}\nretrying\n${json({ level: "info", request: goesOn, response: answers })}\n`,
    ],
    [
      "Windows line ends",
      `--- REQUEST 1 ---\n${pretty(asks)}\n--- RESPONSE 1 ---\n${stream("chatcmpl-1")}--- REQUEST 2 ---\n${pretty(goesOn)}\n${pretty(answers)}\n`.replaceAll(
        "\n",
        "\r\n",
      ),
    ],
  ];

  test.each(logs)("%s", async (_, log) => {
    expect(await told(log)).toEqual(run);
    expect(await open(log)).toMatchObject({ container: "text", defects: [] });
  });

  test.each(logs)("%s: wherever it is cut, all exchanges before the cut are the same", async (_, log) => {
    for (let end = 0; end < log.length; end += 7) {
      const found = await told(log.slice(0, end), text);
      if (found.length === 2) expect(found[0]).toBe(run[0]);
    }
  });
});

describe("a stream of lines whose first stands behind words makes no JSON lines of the log", () => {
  const chunk = (message: object, isDone: boolean): string =>
    json({ model: "qwen3", message: { role: "assistant", ...message }, done: isDone });
  const lines = [
    chunk({ content: "It " }, false),
    ...Array.from({ length: 30 }, () => chunk({ content: "is " }, false)),
    chunk({ content: "warm." }, true),
  ].join("\n");
  const body = { model: "qwen3", messages: [question], stream: true };
  const python = json(body).replaceAll('"', "'").replaceAll("true", "True");
  const message = `assistant "It ${"is ".repeat(30)}warm."`;
  test.each([
    ["JSON", `10:00 request: ${json(body)}\n10:01 response: ${lines}\n`],
    ["what Python prints", `10:00 request: ${python}\n10:01 response: ${lines}\n`],
    ["curl", `$ curl http://localhost:11434/api/chat \\\n  -d '${json(body)}'\n${lines}\n`],
    [
      "XML",
      `<call><request><![CDATA[${json(body)}]]></request><reply><![CDATA[${lines}\n]]></reply></call>\n`,
    ],
  ])("%s", async (_, exchange) => {
    const found = await told(exchange.repeat(2));
    expect(found.join("\n")).toContain(message);
    expect(found).toHaveLength(2);
  });
});

describe("a stream", () => {
  it("is whole although other lines stand in it", async () => {
    const [first, second, ...rest] = stream("chatcmpl-1").split("\n\n");
    const log = `${json(asks)}\n${first}\n2025-09-14 12:00:01 INFO heartbeat\n\n${second}\n\n{"level":"info","msg":"12 MB in use"}\n${rest.join("\n\n")}`;
    expect(await told(log, text)).toEqual(run.slice(0, 1));
  });

  it("ends where the next one begins", async () => {
    const log = `one\n${stream("chatcmpl-1")}two\n${stream("chatcmpl-2", "It is 18 °C.")}`;
    expect(await told(log, text)).toEqual([
      '? → call weather {"city":"Zürich"} (tool_calls)',
      '? → assistant "It is 18 °C." (stop)',
    ]);
  });

  it("is joined from chunks that were printed one by one", async () => {
    const log = `INFO request ${json(asks)}\n${chunks("chatcmpl-1", undefined)
      .map((chunk, index) => `2025-09-14 12:00:0${index} DEBUG chunk ${json(chunk)}\n`)
      .join("")}INFO request ${json(goesOn)}\nINFO reply ${json(answers)}\n`;
    expect(await told(log, text)).toEqual(run);
  });

  it("is open where it stops early", async () => {
    const log = `${json(asks)}\n${stream("chatcmpl-2", "It is 18 °C.").split("\n\n").slice(0, 2).join("\n\n")}\n\nTraceback (most recent call last):\n`;
    expect(await told(log, text)).toEqual([
      'user "How warm is it in Zürich?" → assistant "It is 18 °C." (open)',
    ]);
  });
});

describe("what is damaged", () => {
  const defects = async (log: string): Promise<string[]> =>
    (await open(log, text)).defects.map(({ kind, origin }) => `${spot(origin).slice(0, 16)}… ${kind}`);

  it("takes nothing along with it: a body that the logger cut off in a string", async () => {
    const log = `INFO body=${json(goesOn).slice(0, 110)}\nINFO body=${json(wantsTool)}\nINFO body=${json(goesOn)}\nINFO body=${json(answers)}\n`;
    const found = await told(log, text);
    expect(found.at(-1)).toBe(run[1]);
    expect(found).toHaveLength(2);
    expect(await defects(log)).toEqual(['1:11 {"model":"g… cut']);
  });

  it("takes nothing along with it: a pretty body that was cut off in a string", async () => {
    const body = pretty(asks);
    const log = `request:\n${body.slice(0, body.indexOf("warm"))}... (truncated)\nresponse:\n${pretty(wantsTool)}\nrequest:\n${pretty(goesOn)}\nresponse:\n${pretty(answers)}\n`;
    expect((await told(log, text)).at(-1)).toBe(run[1]);
    expect(await defects(log)).toEqual(['2:1 {\n  "model":… cut']);
  });

  it("is called unfinished where the log ends in it", async () => {
    const log = `${json({ request: asks, response: wantsTool })}\nrequest:\n${pretty(goesOn).slice(0, -200)}`;
    expect(await defects(log)).toEqual(['3:1 {\n  "model":… unfinished']);
  });

  it.each(["\n", "\n...\n", " …\n", "\n```\n\n"])(
    "is unfinished before what ends a paste: %j",
    async (end) => {
      const log = `one\ntwo\n{\n  "model": "m",\n  "messages": [\n    { "role": "user", "content": "Ra${end}`;
      expect(await defects(log)).toEqual(['3:1 {\n  "model":… unfinished']);
    },
  );

  it("does not hide what comes after, however much of it there is", async () => {
    const noise = 'WARN cannot parse {"a": {"b": [{"c": 1}, …\nWARN "quote {"\nWARN [{"x"} {\n'.repeat(300);
    const log = `${noise}${pretty(asks)}\n${noise}${pretty(wantsTool)}\n${noise}${prefixed("INFO ", pretty(goesOn))}\n${noise}${pretty(answers)}\n`;
    expect(await told(log, text)).toEqual(run);
  });
});

describe("a body with a flaw", () => {
  const log = (request: string): string =>
    `--- REQUEST 1 ---\n${request}\n--- RESPONSE 1 (200) ---\n${json(wantsTool)}\n--- REQUEST 2 ---\n${json(goesOn)}\n`;
  const read = async (text: string): Promise<unknown[]> => {
    const { exchanges, defects, skipped } = await open(text);
    return [exchanges.length, ...[...defects, ...skipped].map(({ origin }) => spot(origin).split(" ")[0])];
  };

  it("is read up to the flaw, and what follows it is read, too", async () => {
    const flawed = json(asks).replace('}],"tools"', '}]"tools"');
    expect(await told(log(flawed))).toEqual(await told(log(json(asks))));
    expect(await read(log(flawed))).toEqual([2, "2:84"]);
  });

  it("ends where its lines do", async () => {
    const flawed = pretty(asks).replace('"content": ', '"content" ');
    expect(await read(log(flawed))).toEqual([2, "7:17"]);
    expect(await read(prefixed("12:00:01 INFO ", log(flawed)))).toEqual([2, "7:31"]);
  });

  it("is known by its other members where the first one is wrong", async () => {
    expect(await read(log(json(asks).replace('"model":', '"model" ')))).toEqual([2, "2:10"]);
  });

  it("is told only where a log announces it; code that is quoted is no finding", async () => {
    const code =
      '      const body = {"model": f"{name}", "messages": [{"role": "user", "content": f"{text}"}]};';
    const { defects, skipped } = await open(
      `${log(json(asks))}\n\nIt is built here, in client.ts:\n${code}\n`,
    );
    expect(defects).toEqual([]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "not valid JSON, although it looks like model traffic",
    ]);
  });

  it("is not looked for in braces of other text", async () => {
    const words =
      'ERROR in {"file": x.ts, line 3}\nat Object.<anonymous> {"a" b}\n{"level":"info" "msg":"no"}\n';
    expect(await read(`${words}${log(json(asks))}${words}`)).toEqual([2]);
  });
});

describe("a body in another program's quotes", () => {
  const bytesOf = (value: unknown): string =>
    `b'${json(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("ü", "\\xc3\\xbc")}'`;

  test("what Python prints of the bytes that it sends", async () => {
    const log = `send: b'POST /v1/chat/completions HTTP/1.1\\r\\nHost: api.openai.com\\r\\n\\r\\n'
send: ${bytesOf(goesOn)}
reply: 'HTTP/1.1 200 OK\\r\\n'
`;
    expect(await told(log, text)).toEqual([`${run[1]?.split(" →")[0]} → ?`]);
  });

  test.each<[string, (body: string) => string]>([
    [
      "what a shell quotes, an apostrophe outside of the quotes",
      (body) => `-d '${body.replaceAll("'", "'\\''")}'`,
    ],
    [
      "what a shell quotes, an apostrophe between other quotes",
      (body) => `-d '${body.replaceAll("'", `'"'"'`)}'`,
    ],
    [
      "what a browser copies as curl, with escapes of the shell",
      (body) =>
        `--data-raw $'${body.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("!", "\\u0021")}'`,
    ],
  ])("%s", async (_, quoted) => {
    const said = ask("It's \"warm\"!\nIsn't it?");
    const log = `curl ${url} -H 'content-type: application/json' ${quoted(json(said))} --compressed\n\n${json(say("chatcmpl-1", "It is."))}\n`;
    expect(await told(log, text)).toEqual([
      String.raw`user "It's \"warm\"!\nIsn't it?" → assistant "It is." (stop)`,
    ]);
  });
});

describe("what people paste into a report", () => {
  const refusal = `openai.BadRequestError: Error code: 400 - {'error': {'message': "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", 'type': 'invalid_request_error', 'param': 'messages.[1].role', 'code': None}}`;
  const orphan = { ...goesOn, messages: [goesOn.messages[0], result] };
  const refused =
    "user \"How warm is it in Zürich?\", result {\"celsius\":18} → (error: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.)";

  test("may tell the error before the request that met with it", async () => {
    expect(await told(`We get this:\n\n${refusal}\n\nThe request:\n\n${pretty(orphan)}\n`, text)).toEqual([
      refused,
    ]);
  });

  test("an error at the beginning of a longer log is that of an earlier request", async () => {
    const log = `${refusal}\n${json(asks)}\n${json(wantsTool)}\n${json(goesOn)}\n`;
    expect((await told(log, text)).map((line) => line.split(" → ")[0])).toEqual([
      "?",
      run[0]?.split(" → ")[0],
      run[1]?.split(" → ")[0],
    ]);
    const open = `${refusal}\n${json(asks)}\n${json(goesOn)}\n`;
    expect((await told(open, text)).map((line) => line.endsWith("→ ?"))).toEqual([false, true, true]);
  });

  test("a stream may stand between marks of code", async () => {
    const chunk = (delta: object, reason: string | null) =>
      `data: ${json({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-5", choices: [{ index: 0, delta, finish_reason: reason }] })}`;
    const stream = `${chunk({ role: "assistant", content: "It is " }, null)}\n\n${chunk({ content: "warm." }, null)}\n\n${chunk({}, "stop")}\n\ndata: [DONE]`;
    expect(await told(`The answer:\n\`${stream}\n\`\n`, text)).toEqual([
      '? → assistant "It is warm." (stop)',
    ]);
  });

  test("lines of a body may be put out of use, and commas left standing", async () => {
    const body = pretty(goesOn)
      .replace('"gpt-5",', '"gpt-5", // or:\n  // "model": "gpt-4.1",\n  /* all\n of them */')
      .replace(/\n {2}\](?=,?\n)/, ",$&");
    expect(body).toContain("},\n  ]");
    expect(await told(`POST ${url}\n${body}\n\n${json(answers)}\n`, text)).toEqual(run.slice(1));
  });

  test.each([
    [
      "a line of dots between messages",
      (body: string) => body.replace('"messages": [', '"messages": [\n    ...'),
    ],
    [
      "dots with words behind them, and a comma",
      (body: string) => body.replace('"messages": [', '"messages": [\n    ... 12 more messages,'),
    ],
    ["a list of dots", (body: string) => body.replace(/"tools": \[[\s\S]*\](?=\n\})/, '"tools": [...]')],
    [
      "one character for them",
      (body: string) => body.replace(/"tools": \[[\s\S]*\](?=\n\})/, '"tools": […]'),
    ],
    ["an object of dots", (body: string) => body.replace(/"parameters": \{[^}]*\}/, '"parameters": {...}')],
    ["dots behind the last member", (body: string) => body.replace(/\n\}$/, ",\n  ...\n}")],
  ])("what somebody left out of a body hides nothing else: %s", async (_, written) => {
    const body = written(pretty(goesOn));
    expect(body).not.toBe(pretty(goesOn));
    const log = `POST ${url}\n${body}\n\n${json(answers)}\n`;
    expect(await told(log, text)).toEqual(run.slice(1));
    const { exchanges } = await open(log, text);
    expect(exchanges.map(({ isCut, request }) => [isCut, request?.isCut])).toEqual([[false, true]]);
  });

  test("dots within a text are words", async () => {
    const said = ask("Wait\n...\n[...], {...}");
    const { exchanges } = await open(`body: ${pretty(said)}\n`, text);
    expect(exchanges.map(({ isCut }) => isCut)).toEqual([false]);
  });

  test("an address in a body is no comment", async () => {
    const said = ask("See https://example.org/a // and /* this */");
    expect(await told(`body: ${pretty(said)}\n`, text)).toEqual([
      'user "See https://example.org/a // and /* this */" → ?',
    ]);
  });

  test("a gateway's error in another API's form answers the request", async () => {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "How warm is it?" }],
    };
    const log = `POST https://api.anthropic.com/v1/messages\n${json(body)}\nError code: 400 - {'error': {'message': 'litellm.BadRequestError: AnthropicException', 'type': None, 'param': None, 'code': '400'}}\n`;
    expect(await told(log, text)).toEqual([
      'user "How warm is it?" → (error: litellm.BadRequestError: AnthropicException)',
    ]);
  });
});

describe("raw HTTP in a log", () => {
  const chunked = (body: string, sizes: readonly number[]): string => {
    const ends = [...sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0))];
    const parts = [...ends, body.length].map((end, index) => body.slice(ends[index - 1] ?? 0, end));
    const filled = parts.filter((part) => part !== "");
    return `${filled.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
  };
  const asked = (body: unknown): string =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\nContent-Length: ${Buffer.byteLength(json(body))}\r\n\r\n${json(body)}`;
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  test("a body in chunks is put together, wherever it was cut", async () => {
    const log = `${asked(asks)}${head}${chunked(stream("chatcmpl-1"), [7, 90, 1, 150])}${asked(goesOn)}${head}${chunked(json(answers), [30])}`;
    expect(await told(log, text)).toEqual(run);
  });

  test("a body whose chunks were joined by whoever wrote the log is read as it is", async () => {
    const log = `> ${asked(asks).replaceAll("\r\n", "\n")}\n< Transfer-Encoding: chunked\n<\n\n${stream("chatcmpl-1")}`;
    expect(await told(log, text)).toEqual(run.slice(0, 1));
  });
});

describe("what stands around an exchange is known of it", () => {
  test("address, status, time and id", async () => {
    const log = `2025-09-14T12:00:00Z request_id=req_7 POST https://openrouter.ai/api/v1/chat/completions
${json(asks)}
2025-09-14T12:00:02Z request_id=req_7 HTTP/1.1 429 Too Many Requests
${json({ error: { message: "Rate limit reached", type: "requests" } })}
`;
    expect((await open(log, text)).exchanges).toMatchObject([
      {
        url: "https://openrouter.ai/api/v1/chat/completions",
        status: 429,
        time: Date.UTC(2025, 8, 14, 12),
        reply: { error: { message: "Rate limit reached" } },
      },
    ]);
  });

  test("ids join requests and replies that cross each other", async () => {
    const log = `request_id=a1 ${json(ask("Zürich?"))}
request_id=b2 ${json(ask("Oslo?"))}
request_id=b2 ${json(say("chatcmpl-2", "Oslo: 9 °C."))}
request_id=a1 ${json(say("chatcmpl-1", "Zürich: 18 °C."))}
`;
    expect(await told(log, text)).toEqual([
      'user "Zürich?" → assistant "Zürich: 18 °C." (stop)',
      'user "Oslo?" → assistant "Oslo: 9 °C." (stop)',
    ]);
  });
});

describe("the place of a value is its bytes", () => {
  test("in JSON behind words", async () => {
    const { exchanges } = await open(`Grüezi body=${json(goesOn)}\n`, text);
    expect(spotAt(exchanges[0]?.request?.place, "/messages/2/tool_call_id")).toBe('1:277 "call_1"');
  });

  test("in pretty JSON behind prefixes, where a value that goes over lines holds their prefixes", async () => {
    const { exchanges } = await open(
      `${prefixed("DEBUG ", pretty({ ...goesOn, messages: [result] }))}\n`,
      text,
    );
    expect(spotAt(exchanges[0]?.request?.place, "/messages/0/tool_call_id")).toBe('6:29 "call_1"');
    expect(spotAt(exchanges[0]?.request?.place, "/messages/0")).toBe(
      '4:11 {\nDEBUG       "role": "tool",\nDEBUG       "tool_call_id": "call_1",\nDEBUG       "content": "{\\"celsius\\":18}"\nDEBUG     }',
    );
  });

  test("in a stream behind prefixes", async () => {
    const { exchanges } = await open(
      `üü\n${prefixed("<< ", stream("chatcmpl-2", "Grüezi 👋").trimEnd())}\n`,
      text,
    );
    const reply = exchanges[0]?.reply;
    const last = reply?.items[0]?.fragments?.last;
    expect(last && reply && spot(reply.place.locateAt(last))).toBe(
      `4:10 ${json(chunks("chatcmpl-2", "Grüezi 👋")[1])}`,
    );
  });

  test("in JSON in quotes", async () => {
    const { exchanges } = await open(`body=${json(json(goesOn))}\n`, text);
    expect(spotAt(exchanges[0]?.request?.place, "/messages/2/tool_call_id")).toBe(
      String.raw`1:325 \"call_1\"`,
    );
  });

  function spotAt(
    place: { locate(pointer: string): Parameters<typeof spot>[0] } | undefined,
    pointer: string,
  ): string | undefined {
    return place && spot(place.locate(pointer));
  }
});

test("tool results that quote logs are not searched", async () => {
  const quoted = {
    ...goesOn,
    messages: [
      ...asks.messages,
      { ...result, content: `INFO body=${json(asks)}\nINFO body=${json(wantsTool)}` },
    ],
  };
  expect(
    await told(
      `INFO body=${json(quoted)}\nINFO body=${json(completion("chatcmpl-9", { role: "assistant", content: json(wantsTool) }, "stop"))}\n`,
      text,
    ),
  ).toHaveLength(1);
});

test("any text without NUL bytes may be a log, and nothing else is surer of it", () => {
  expect(text.recognize(Buffer.from("hello"), true)).toBe(0.2);
  expect(text.recognize(Buffer.from("hel\0lo"), true)).toBe(0);
  expect(text.recognize(Buffer.alloc(0), true)).toBe(0);
});

test("the head of an HTTP message says which host its path belongs to", async () => {
  const head =
    "> POST /v1/chat/completions HTTP/1.1\n> Host: api.openai.com\n> content-type: application/json\n>\n";
  const { exchanges } = await open(`${head}${json(asks)}\n`);
  expect(exchanges.map(({ url: asked }) => asked)).toEqual(["https://api.openai.com/v1/chat/completions"]);
});

test("a host without a path before it is no address", async () => {
  const { exchanges } = await open(`host: db.example.com\n${json(asks)}\n`);
  expect(exchanges.map(({ url: asked }) => asked)).toEqual([undefined]);
});

test("a line of nothing but beginnings is told where the attempts end, and short values behind it are read", async () => {
  const beginnings = '[{"name":"t","arguments":{}},'.repeat(3000);
  const { exchanges, skipped } = await open(`POST ${url}\n${beginnings}\nbody=${json(asks)}\n`, text);
  expect(exchanges).toHaveLength(1);
  expect(skipped.filter(({ reason }) => reason.includes("only short ones are read"))).toHaveLength(1);
});

test("words of a user beside replies are named where no request and no session holds them", async () => {
  const says = "{'type': 'user', 'message': {'role': 'user', 'content': 'How warm is it in Zürich?'}}\n";
  const reply = `reply: ${json(completion("chatcmpl-1", { role: "assistant", content: "18 °C." }, "stop"))}\n`;
  const reasons = async (log: string): Promise<string[]> =>
    (await open(log, text)).skipped.map(({ reason }) => reason);
  expect(await reasons(says + reply)).toEqual(["a user's text that no known request contains"]);
  expect(await reasons(`${says}POST ${url}\n${json(asks)}\n${reply}`)).toEqual([]);
  const session = ["user", "assistant"]
    .map((role) => `> ${json({ role, content: "How warm is it in Bern?" })}\n`)
    .join("");
  const { files } = await check(Buffer.from(session), { name: "run.log" });
  expect(files[0]).toMatchObject({ container: "messages", skipped: [] });
});

describe("messages that people copy out of a list without its brackets", () => {
  const [asked, called] = goesOn.messages;
  const lines = (...messages: readonly unknown[]): string => messages.map(json).join(",\n");

  test.each([
    ["a line each", lines(asked, called, result)],
    ["under words", `The messages:\n${lines(asked, called, result)}\n`],
    ["laid out, under words", `The messages:\n${[asked, called, result].map(pretty).join(",\n")}\n`],
    ["with the comma of the next", `Messages:\n${lines(asked, called, result)},\n...\n`],
  ])("are one request: %s", async (_, log) => {
    expect(await told(log, text)).toEqual([run[1]?.replace(/ → .*/, " → ?")]);
  });

  test("and a list with its brackets on lines of their own is one, too", async () => {
    const { files, findings } = await check(Buffer.from(`[\n${lines(asked, called, result)}\n]\n`));
    expect(files[0]).toMatchObject({ container: "json", exchanges: 1 });
    expect(findings.filter(({ rule }) => rule === "unreadable-record")).toEqual([]);
  });
});

test("half a word before a value is no literal of a program, wherever comments begin in the log", async () => {
  const broken = json(asks).replace('"role":', '"role":nul ');
  for (const around of ["> Accept: */*", "// sent", "... and so on"]) {
    const { defects } = await open(
      `$ cat body.json\n${broken}\n$ curl -d @body.json\n${around}\n${json(answers)}\n`,
    );
    expect(defects.map(({ kind }) => kind)).toEqual(["broken"]);
  }
});
