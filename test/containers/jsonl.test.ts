import { describe, expect, it, test } from "vitest";
import { jsonl } from "../../src/containers/files/jsonl.ts";
import { ndjson } from "../../src/containers/files/ndjson.ts";
import { check } from "../../src/index.ts";
import {
  answers,
  ask,
  asks,
  call,
  chunks,
  goesOn,
  open,
  question,
  result,
  run,
  say,
  spot,
  stream,
  told,
  wantsTool,
} from "./stories.ts";

const json = (value: unknown): string => JSON.stringify(value);
const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${json(record)}\n`).join("");

describe("a run is found however its records are made", () => {
  test.each([
    [
      "request and response on one line",
      lines({ request: asks, response: wantsTool }, { request: goesOn, response: answers }),
    ],
    [
      "other names for them",
      lines({ ts: 1, input_body: asks, out: wantsTool }, { ts: 2, input_body: goesOn, out: answers }),
    ],
    [
      "members of the request beside the response",
      lines({ ...asks, response: wantsTool }, { ...goesOn, response: answers }),
    ],
    ["two lines, by order", lines({ body: asks }, { body: wantsTool }, { body: goesOn }, { body: answers })],
    ["bare bodies", lines(asks, wantsTool, goesOn, answers)],
    [
      "bodies in strings",
      lines(
        { request: { body: json(asks) }, response: { body: json(wantsTool) } },
        { request: { body: json(goesOn) }, response: { body: json(answers) } },
      ),
    ],
    [
      "pretty bodies in strings",
      lines(
        { request: JSON.stringify(asks, null, 2), response: JSON.stringify(wantsTool, null, 2) },
        { request: JSON.stringify(goesOn, null, 2), response: JSON.stringify(answers, null, 2) },
      ),
    ],
    [
      "strings in strings",
      lines(
        { message: json({ payload: json({ data: asks }) }) },
        { message: json({ payload: json({ data: wantsTool }) }) },
        { message: json({ payload: json({ data: goesOn }) }) },
        { message: json({ payload: json({ data: answers }) }) },
      ),
    ],
    [
      "nested below other members",
      lines(
        { payload: { data: { http: { json_body: asks } } } },
        { payload: { data: { http: { json_body: wantsTool } } } },
        { payload: { data: goesOn, reply: answers } },
      ),
    ],
    [
      "quotes written as code units",
      lines({ request: asks, response: wantsTool }, "MARK").replace(
        '"MARK"',
        `{"request":"${json(goesOn).replaceAll("\\", "\\u005c").replaceAll('"', "\\u0022")}","response":"${json(answers).replaceAll('"', "\\u0022")}"}`,
      ),
    ],
    [
      "base64",
      lines(
        {
          request: Buffer.from(json(asks)).toString("base64"),
          response: Buffer.from(json(wantsTool)).toString("base64"),
        },
        { request: goesOn, response: answers },
      ),
    ],
    [
      "streams in strings",
      lines(
        { request: asks, response: stream("chatcmpl-1") },
        { request: goesOn, response: stream("chatcmpl-2", "It is 18 °C.") },
      ),
    ],
    [
      "streams as lists of chunks",
      lines(
        { request: asks, chunks: chunks("chatcmpl-1", undefined) },
        { request: goesOn, chunks: chunks("chatcmpl-2", "It is 18 °C.") },
      ),
    ],
    [
      "streams as lists of lines",
      lines(
        { request: asks },
        ...chunks("chatcmpl-1", undefined).map((chunk) => ({ chunk })),
        { request: goesOn },
        ...chunks("chatcmpl-2", "It is 18 °C.").map((chunk) => ({ chunk })),
      ),
    ],
    [
      "records of a message queue",
      lines(
        { messages: [{ offset: 1, value: json(asks) }] },
        { messages: [{ offset: 2, value: json(wantsTool) }] },
        { messages: [{ offset: 3, value: json(goesOn) }] },
        { messages: [{ offset: 4, value: json(answers) }] },
      ),
    ],
    ["two records on a line", `${json(asks)}${json(wantsTool)}\n${json(goesOn)}${json(answers)}\n`],
    [
      "an array that was cut into lines",
      `${json(asks)},\n${json(wantsTool)},\n${json(goesOn)},\n${json(answers)}\n`,
    ],
    [
      "Windows line ends and a byte order mark",
      `\ufeff${lines(asks, wantsTool, goesOn, answers).replaceAll("\n", "\r\n")}`,
    ],
  ])("%s", async (_, log) => {
    expect(await told(log, jsonl)).toEqual(run);
    const { defects } = await open(log, jsonl);
    expect(defects).toEqual([]);
  });
});

describe("one payload is one exchange", () => {
  test("when a record holds it as an object and as text", async () => {
    const log = lines({
      request: asks,
      raw_request: json(asks),
      response: wantsTool,
      raw_response: json(wantsTool),
    });
    expect(await told(log)).toEqual(run.slice(0, 1));
  });

  test("when a record holds the stream and what was made of it", async () => {
    expect(await told(lines({ request: asks, events: stream("chatcmpl-1"), response: wantsTool }))).toEqual(
      run.slice(0, 1),
    );
  });

  test("when tool results quote a whole log", async () => {
    const quoted = {
      ...goesOn,
      messages: [question, call, { ...result, content: lines({ request: asks, response: wantsTool }) }],
    };
    expect(await told(lines({ request: quoted, response: say("chatcmpl-9", json(asks)) }))).toHaveLength(1);
  });
});

describe("what cannot be read", () => {
  test("records that hold nothing are skipped as one, with their number", async () => {
    const { exchanges, skipped } = await open(`{}\n${json(asks)}\n${"{}\n[]\n".repeat(50)}`, jsonl);
    expect(exchanges).toHaveLength(1);
    expect(skipped.map(({ origin, ...entry }) => [origin.start, entry])).toEqual([
      [0, { reason: "an empty record", count: 101 }],
    ]);
  });

  const defects = async (log: string): Promise<string[]> =>
    (await open(log, jsonl)).defects.map(
      ({ kind, message, origin }) => `${spot(origin).slice(0, 20)}… ${kind}: ${message}`,
    );

  it("is stepped over, and its place is said", async () => {
    const log = `${lines({ request: asks, response: wantsTool })}Traceback (most recent call last):\n{"request" oops}\n${lines({ request: goesOn, response: answers })}`;
    expect(await told(log, jsonl)).toEqual(run);
    expect(await defects(log)).toEqual([
      "2:1 Traceback (most … broken: the line is not JSON",
      "3:12 oops}… broken: the line is not valid JSON: a colon is expected here",
    ]);
  });

  it("is stepped over behind a record, too", async () => {
    const log = `${json({ request: asks, response: wantsTool })} <- first\n${lines({ request: goesOn, response: answers })}`;
    expect(await told(log, jsonl)).toEqual(run);
    expect(await defects(log)).toMatchObject([
      expect.stringMatching(/^1:\d+ <- first… broken: what follows the record is not JSON$/),
    ]);
  });

  it("does not take along what stands before it: a record cut by the logger", async () => {
    const cut = json({ request: goesOn, response: answers }).slice(0, -130);
    const log = `${cut}\n${lines({ request: asks, response: wantsTool })}`;
    expect(await told(log, jsonl)).toEqual([`${run[1]?.split(" → ")[0]} → ?`, run[0]]);
    expect(await defects(log)).toEqual(['1:1 {"request":{"mod… cut: the record ends in the middle']);
  });

  it("is called unfinished with a line end, too, as a paste ends", async () => {
    const log = `${JSON.stringify({ request: { model: "m", messages: [] } })}\n{"request":{"model":"m","messages":[{"ro\n`;
    expect(await defects(log)).toEqual(['2:1 {"request":{"mod… unfinished: the record ends in the middle']);
  });

  it("is called unfinished at the end of the log, where the writer was still writing", async () => {
    const log = lines({ request: asks, response: wantsTool }) + json({ request: goesOn }).slice(0, 40);
    expect(await defects(log)).toEqual(['2:1 {"request":{"mod… unfinished: the record ends in the middle']);
  });

  it("is not confused with what is no model traffic", async () => {
    const { skipped, defects: none } = await open(
      lines({ level: "info", msg: "started" }, { request: asks, response: wantsTool }),
      jsonl,
    );
    expect(skipped.map(({ origin, reason }) => `${spot(origin)}: ${reason}`)).toEqual([
      '1:1 {"level":"info","msg":"started"}: no model traffic in this record',
    ]);
    expect(none).toEqual([]);
  });
});

describe("the place of a value is its bytes in the file", () => {
  test.each([
    ["in a record", { request: goesOn }, '1:150 "call_1"'],
    ["in a string", { request: json(goesOn) }, String.raw`1:175 \"call_1\"`],
    ["in a string in a string", { body: json({ request: json(goesOn) }) }, String.raw`1:235 \\\"call_1\\\"`],
  ])("%s", async (_, record, expected) => {
    const { exchanges } = await open(lines(record), jsonl);
    const place = exchanges[0]?.request?.place;
    expect(place && spot(place.locate("/messages/1/tool_calls/0/id"))).toBe(expected);
  });

  test("in base64 it is the whole string: nothing smaller stands there", async () => {
    const packed = Buffer.from(json(goesOn)).toString("base64");
    const { exchanges } = await open(lines({ request: packed }), jsonl);
    const place = exchanges[0]?.request?.place;
    expect(place && spot(place.locate("/messages/1"))).toBe(`1:13 ${packed}`);
  });

  test("of a fragment of a stream it is the event that carries it", async () => {
    const { exchanges } = await open(lines({ request: asks, response: stream("chatcmpl-1") }), jsonl);
    const item = exchanges[0]?.reply?.items[0];
    const place = exchanges[0]?.reply?.place;
    expect(item?.fragments?.count).toBe(3);
    const last = item?.fragments && place && spot(place.locateAt(item.fragments.last));
    expect(last).toMatch(
      /^1:\d+ \{\\"id\\":\\"chatcmpl-1\\".*\\"arguments\\":\\"\\\\\\"Zürich\\\\\\"}\\"}}]},\\"finish_reason\\":null}]}$/,
    );
  });

  test("of a chunk in a list it is the chunk", async () => {
    const { exchanges } = await open(
      lines({ request: asks, chunks: chunks("chatcmpl-2", "Grüezi 👋") }),
      jsonl,
    );
    const reply = exchanges[0]?.reply;
    const [fragment] = reply?.items.map((item) => item.fragments) ?? [];
    expect(fragment && reply && spot(reply.place.locateAt(fragment.last)).replace(/^\d+:\d+ /, "")).toBe(
      json(chunks("chatcmpl-2", "Grüezi 👋")[1]),
    );
  });

  test("of an event on a line of its own it is that event", async () => {
    const log = lines(
      { request: asks },
      ...chunks("chatcmpl-2", "Grüezi").map((chunk) => ({ at: 7, chunk })),
    );
    const { exchanges } = await open(log, jsonl);
    const reply = exchanges[0]?.reply;
    const [fragment] = reply?.items.map((item) => item.fragments) ?? [];
    expect(fragment && reply && spot(reply.place.locateAt(fragment.last)).slice(0, 40)).toBe(
      '3:17 {"id":"chatcmpl-2","object":"chat.c',
    );
  });
});

describe("what is known of an exchange", () => {
  test("is read from the members around it", async () => {
    const record = {
      timestamp: "2025-09-14T12:00:00Z",
      duration_ms: 812,
      url: "https://openrouter.ai/api/v1/chat/completions",
      headers: { "X-Title": "Weather", Authorization: "Bearer sk-proj-abcdefghijklmnop" },
      request: asks,
      response: { status: 200, body: wantsTool },
    };
    const { exchanges } = await open(lines(record), jsonl);
    expect(exchanges[0]).toMatchObject({
      url: "https://openrouter.ai/api/v1/chat/completions",
      status: 200,
      time: Date.UTC(2025, 8, 14, 12),
      durationMs: 812,
      headers: { "x-title": "Weather", authorization: "***" },
    });
  });
});

describe("NDJSON", () => {
  const line = (content: string, done = false): object => ({
    model: "qwen3:8b",
    message: { role: "assistant", content },
    done,
    ...(done && { done_reason: "stop" }),
  });

  test("a raw stream of JSON lines is one reply", async () => {
    const log = lines(line("It is "), line("18 °C."), line("", true));
    expect(await told(log)).toEqual(['? → assistant "It is 18 °C." (stop)']);
    expect((await open(log, ndjson)).container).toBe("ndjson");
  });

  test("two of them are two", async () => {
    const log = lines(line("One."), line("", true), line("Two."), line("", true));
    expect(await told(log)).toEqual(['? → assistant "One." (stop)', '? → assistant "Two." (stop)']);
  });

  test("as a string in a record it is the reply to that record's request", async () => {
    const log = lines({
      path: "/api/chat",
      request: { ...ask("Zürich?"), stream: true },
      response: lines(line("18 "), line("°C.", true)),
    });
    expect(await told(log)).toEqual(['user "Zürich?" → assistant "18 °C." (stop)']);
  });
});

describe("JSON lines are told by their lines", () => {
  const certainty = (text: string, isWhole = true): number => jsonl.recognize(Buffer.from(text), isWhole);

  test("several of them are quite certain, one might be a document", () => {
    expect(certainty('{"a":1}\n{"b":2}\n')).toBe(0.9);
    expect(certainty('{"a":1}\n')).toBe(0.6);
    expect(certainty('{"a":1}\n{"b":')).toBe(0.9);
    expect(certainty('{"a":1}\n{"b":', false)).toBe(0.6);
  });

  test("a broken one among many does no harm", () => {
    expect(certainty(`${'{"a":1}\n'.repeat(9)}oops\n`)).toBe(0.7);
    expect(certainty('{"a":1}\noops\n')).toBe(0);
  });

  test.each(["", "\n\n", "hello\n", '{\n  "a": 1\n}\n', "[2025-09-14 14:20:23 - openai]\n"])(
    "%j is something else",
    (text) => {
      expect(certainty(text)).toBe(0);
    },
  );

  test("a first line that is longer than the head of the file is read as lines all the same", async () => {
    const long = { ...asks, messages: [{ role: "system", content: "Be brief. ".repeat(10_000) }, question] };
    const log = `${lines({ request: long, response: wantsTool }, { level: "info", msg: "the cache was cold; reading the whole timetable again" })}not a record\n${lines({ request: asks, response: wantsTool })}`;
    const { container, exchanges, defects } = await open(log);
    expect({ container, exchanges: exchanges.length, defects: defects.length }).toEqual({
      container: "jsonl",
      exchanges: 2,
      defects: 1,
    });
  });
});

describe("comments between the records", () => {
  const request = { model: "gpt-5", messages: [{ role: "user", content: "How warm is it in Bern?" }] };
  const reply = {
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "17 °C" }, finish_reason: "stop" }],
  };
  const records = [request, reply].map((record) => JSON.stringify(record));
  const session = [
    {
      type: "user",
      sessionId: "1",
      uuid: "a",
      parentUuid: null,
      message: { role: "user", content: "Hi, Bern?" },
    },
    {
      type: "assistant",
      sessionId: "1",
      uuid: "b",
      parentUuid: "a",
      message: { role: "assistant", content: [{ type: "text", text: "17 °C" }] },
    },
  ].map((record) => JSON.stringify(record));

  test.each([
    ["# Generated from cases.md.", "# Do not edit."],
    ["// the second case", "//"],
    ["#", "###"],
  ])("cost nothing: %s", async (one, other) => {
    for (const [first, second] of [records, session]) {
      const { findings, files } = await check(Buffer.from(`${one}\n${other}\n${first}\n${one}\n${second}\n`));
      expect(findings).toEqual([]);
      expect(files[0]?.exchanges).toBe(1);
    }
  });

  test.each(["#1 of 2", '# "model": "gpt-5", "messages": []', "and so on"])(
    "are no other lines: %s",
    async (line) => {
      const { findings } = await check(Buffer.from([...records, ...records, line, ...records].join("\n")));
      expect(findings.map(({ rule }) => rule)).toContain("unreadable-record");
    },
  );
});

describe("a body between the words of a log line", () => {
  const story = [asks, wantsTool, goesOn, answers].map((body) => JSON.stringify(body));

  test.each<[string, (body: string) => string]>([
    ["in a record", (body) => JSON.stringify({ level: "info", msg: `got ${body} in 30 ms` })],
    [
      "in a record of Docker",
      (body) =>
        JSON.stringify({ log: `${JSON.stringify({ msg: `got ${body} (30 ms)` })}\n`, stream: "stdout" }),
    ],
    [
      "in a print of Scala",
      (body) => `Map(log -> POST /v1/chat/completions ${body}\nin 30 ms, stream -> stdout)`,
    ],
    ["in a text", (body) => `INFO got ${body} in 30 ms`],
  ])("is read %s", async (_, keep) => {
    expect(await told(story.map((body) => `${keep(body)}\n`).join(""))).toEqual(run);
  });

  test("is none where it is a quote of another kind of object", async () => {
    const log = story.map((body) => `${body}\n`).join("");
    const quote = JSON.stringify({ level: "info", msg: `set ${JSON.stringify({ limits: [1] })} for now` });
    expect(await told(`${log}${quote}\n`)).toEqual(run);
  });
});
