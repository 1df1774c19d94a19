import { describe, expect, it, test } from "vitest";
import { json } from "../../src/containers/files/json.ts";
import { check } from "../../src/index.ts";
import {
  answer,
  answers,
  asks,
  chunks,
  goesOn,
  open,
  run,
  say,
  spot,
  told,
  url,
  wantsTool,
} from "./stories.ts";

const compact = (value: unknown): string => JSON.stringify(value);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

describe("one document", () => {
  test.each([
    ["a request body", compact(asks), ['user "How warm is it in Zürich?" → ?']],
    ["a reply body", compact(wantsTool), ['? → call weather {"city":"Zürich"} (tool_calls)']],
    ["a messages array", compact(goesOn.messages), [`${run[1]?.split(" → ")[0]} → ?`]],
    [
      "an object with nothing but messages",
      pretty({ messages: [...goesOn.messages, answer] }),
      [`${run[1]?.split(" → ")[0]}, assistant "It is 18 °C." → ?`],
    ],
    [
      "Responses input",
      compact([
        { type: "message", role: "user", content: "Hi" },
        { type: "function_call", call_id: "c", name: "weather", arguments: "{}" },
      ]),
      ['user "Hi", call weather {} → ?'],
    ],
    ["a record", pretty({ request: asks, response: wantsTool }), run.slice(0, 1)],
    [
      "a list of records",
      compact([
        { request: asks, response: wantsTool },
        { request: goesOn, response: answers },
      ]),
      run,
    ],
    [
      "records in objects of a search, the first of which is sent again",
      pretty({
        took: 3,
        hits: {
          total: 3,
          hits: [
            { request: asks, response: { error: { code: 429, message: "Too many requests" } } },
            { request: asks, response: wantsTool },
            { request: goesOn, response: answers },
          ].map((record, id) => ({
            _id: `${id}`,
            _source: { "@timestamp": `2026-01-0${id + 1}`, ...record },
          })),
        },
      }),
      [`${run[0]?.split(" → ")[0]} → (error: Too many requests)`, ...run],
    ],
    [
      "a pretty list of records",
      pretty([
        { request: asks, response: wantsTool },
        { request: goesOn, response: answers },
      ]),
      run,
    ],
    [
      "records in an object",
      pretty({
        session: "s1",
        calls: [
          { request: asks, response: wantsTool },
          { request: goesOn, response: answers },
        ],
      }),
      run,
    ],
    [
      "records in strings",
      pretty({
        data: {
          items: [
            { body: compact(asks), reply: compact(wantsTool) },
            { body: compact(goesOn), reply: compact(answers) },
          ],
        },
      }),
      run,
    ],
    ["a list of bodies", compact([asks, wantsTool, goesOn, answers]), run],
    [
      "several documents, one after the other",
      [asks, wantsTool, goesOn, answers].map(pretty).join("\n"),
      run,
    ],
    [
      "a list of chunks",
      compact(chunks("chatcmpl-2", "It is 18 °C.")),
      ['? → assistant "It is 18 °C." (stop)'],
    ],
    [
      "a list of chunks with the end mark as a text",
      compact([...chunks("chatcmpl-2", "It is 18 °C."), "[DONE]"]),
      ['? → assistant "It is 18 °C." (stop)'],
    ],
    [
      "lists of chunks without ids, one for each case of a test",
      pretty(
        ["It is 18 °C.", "It is 9 °C."].map((text) => {
          const events = chunks("", text).map((chunk) => ({ choices: "choices" in chunk && chunk.choices }));
          return { name: text, events: [...events, "[DONE]"], expected: [{ kind: "start" }] };
        }),
      ),
      ['? → assistant "It is 18 °C." (stop)', '? → assistant "It is 9 °C." (stop)'],
    ],
    ["a document with a byte order mark", `\ufeff${pretty(asks)}`, ['user "How warm is it in Zürich?" → ?']],
  ])("%s", async (_, log, expected) => {
    expect(await told(log)).toEqual(expected);
    expect(await open(log)).toMatchObject({ container: "json", defects: [] });
  });

  test("trailing commas are read all the same, and named", async () => {
    const log = pretty({ request: asks, response: wantsTool }).replaceAll(/(\n *[}\]])/g, ",$1");
    expect(await told(log)).toEqual(run.slice(0, 1));
    const { defects } = await open(log);
    expect([...new Set(defects.map(({ kind }) => kind))]).toEqual(["lax"]);
  });

  test.each(["us\ner", "us\u0000er", "us\\xer"])("a key that is no JSON is named: %j", async (key) => {
    const log = compact({ ...asks, user_: 1 }).replace("user_", key);
    expect(await told(log)).toEqual(['user "How warm is it in Zürich?" → ?']);
    const { defects } = await open(log);
    expect(defects.map(({ kind, origin }) => [kind, origin.start > log.indexOf('"us')])).toEqual([
      ["lax", true],
    ]);
  });

  test("a request that was sent twice is two exchanges, also in a list of bodies", async () => {
    const log = compact([asks, say("chatcmpl-1", "18 °C."), asks, say("chatcmpl-2", "18 °C.")]);
    expect(await told(log)).toEqual(
      Array(2).fill('user "How warm is it in Zürich?" → assistant "18 °C." (stop)'),
    );
  });

  test("Gemini streams one JSON array, and it is one reply", async () => {
    const part = (text: string, reason?: string): object => ({
      candidates: [
        { content: { role: "model", parts: [{ text }] }, ...(reason && { finishReason: reason }), index: 0 },
      ],
      modelVersion: "gemini-2.5-flash",
      responseId: "r1",
    });
    const log = pretty([part("It is "), part("18 °C.", "STOP")]);
    expect(await told(log)).toEqual(['? → assistant "It is 18 °C." (STOP)']);
    const { exchanges } = await open(log);
    const reply = exchanges[0]?.reply;
    const fragments = reply?.items[0]?.fragments;
    expect(
      fragments && reply && JSON.parse(spot(reply.place.locateAt(fragments.last)).replace(/^\d+:\d+ /, "")),
    ).toEqual(part("18 °C.", "STOP"));
    expect(fragments && reply && spot(reply.place.locateAt(fragments.last)).slice(0, 5)).toBe("19:3 ");
  });
});

describe("a document that is damaged", () => {
  const defects = async (log: string): Promise<string[]> =>
    (await open(log, json)).defects.map(
      ({ kind, message, origin }) => `${spot(origin).slice(0, 12)}… ${kind}: ${message}`,
    );

  it("is read up to where it ends", async () => {
    const log = pretty({
      entries: [
        { request: asks, response: wantsTool },
        { request: goesOn, response: answers },
      ],
    });
    const cut = log.slice(0, log.indexOf('"It is 18'));
    expect((await told(cut, json)).slice(0, 1)).toEqual(run.slice(0, 1));
    expect(await defects(cut)).toEqual([`1:1 {\n  "ent… unfinished: the document ends in the middle`]);
  });

  it("is read up to where it stops being JSON", async () => {
    const log = `${pretty({ request: asks, response: wantsTool })}\nand then it crashed\n`;
    expect(await told(log, json)).toEqual(run.slice(0, 1));
    expect(await defects(log)).toEqual(["49:1 and the… broken: what follows is not JSON"]);
  });
});

test("results alone, without a model, are a part of a history", async () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "call_1", output: "18 °C" };
  const { findings } = await check(compact({ turn1: { output: [call] }, turn2: { input: [result] } }));
  expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});

test("the place of a value is its bytes", async () => {
  const { exchanges } = await open(pretty({ request: goesOn, response: compact(answers) }));
  const { request, reply } = exchanges[0] ?? {};
  expect(request && spot(request.place.locate("/messages/2/tool_call_id"))).toBe('25:25 "call_1"');
  expect(reply && spot(reply.place.locate("/choices/0/message/content"))).toMatch(
    /^\d+:\d+ \\"It is 18 °C\.\\"$/,
  );
});

test("records know their time, address and status", async () => {
  const log = compact({
    records: [
      {
        ts: 1757851200,
        url,
        request: asks,
        response: { status: 429, body: { error: { message: "Rate limit reached" } } },
      },
    ],
  });
  const { exchanges } = await open(log);
  expect(exchanges[0]).toMatchObject({
    url,
    status: 429,
    time: 1757851200000,
    reply: { error: { message: "Rate limit reached" } },
  });
});

test("JSON is told by its beginning, and prose in brackets is none", () => {
  const certainty = (text: string): number => json.recognize(Buffer.from(text), true);
  expect(certainty('{\n  "a": 1\n}\n')).toBe(0.7);
  expect(certainty('\ufeff[{"a":1}]')).toBe(0.7);
  expect(certainty('{"a": [1, 2')).toBe(0.65);
  expect(certainty('{"a":1}\n{"b":2}\n')).toBe(0.5);
  for (const text of [
    "",
    "hello",
    "{ not json }",
    "[2025-09-14 14:20:23 - openai._base_client] …",
    "[log_f04941] sending request {",
  ])
    expect(certainty(text)).toBe(0);
});

test("an error in a document about something else is no reply of a model", async () => {
  const log = pretty({ shapes: [{ error: { code: "Throttled", httpStatusCode: 400 }, exception: true }] });
  expect((await open(log)).exchanges).toEqual([]);
});

describe("an object that names its requests", () => {
  const named = (more: object) => ({ url, method: "POST", body: { ...asks, ...more } });

  test("has a request under each name, also where they ask the same", async () => {
    const log = pretty({
      chat: { limits: { tools: true }, plain: named({}), streamed: named({ stream: true }) },
      mini: { plain: named({ model: "gpt-5-mini" }) },
    });
    expect((await open(log)).exchanges).toHaveLength(3);
  });

  test("is one record where one of the names is the reply's", async () => {
    const log = pretty({ request: { url, body: asks }, response: { status: 200, body: wantsTool } });
    expect(await told(log)).toEqual(run.slice(0, 1));
    const kept = pretty({ run: { request: { url, body: asks }, response: { url, body: wantsTool } } });
    expect(await told(kept)).toEqual(run.slice(0, 1));
  });
});

describe("a list of a logger's lines", () => {
  const lines = [
    `POST ${url} ${compact(asks)}`,
    `200 ${compact(wantsTool)}`,
    `POST ${url} ${compact(goesOn)}`,
  ];
  const cut = `${lines[2]?.slice(0, 90)}…${lines[2]?.slice(-40)}`;

  test.each(["log", "msg", "message", "textPayload"])("is read line by line: `%s`", async (key) => {
    const log = (texts: readonly string[]): string =>
      compact(texts.map((text) => ({ [key]: text, time: 1 })));
    const whole = await open(log([...lines, `200 ${compact(answers)}`]));
    expect(whole.exchanges).toHaveLength(2);
    expect(whole.skipped).toEqual([]);
    const { exchanges, skipped } = await open(log([...lines.slice(0, 2), cut]));
    expect(exchanges).toHaveLength(1);
    expect(skipped.map(({ reason }) => reason)).toEqual(["no model traffic in this record"]);
  });
});

describe("a list of the events of several replies", () => {
  const anthropic = (id: string, text: string): object[] => [
    { type: "message_start", message: { id, type: "message", role: "assistant", content: [], model: "m" } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
  const responses = (id: string, text: string): object[] => [
    { type: "response.created", response: { id, object: "response", status: "in_progress", output: [] } },
    {
      type: "response.output_text.delta",
      item_id: `msg_${id}`,
      output_index: 0,
      content_index: 0,
      delta: text,
    },
    {
      type: "response.completed",
      response: {
        id,
        object: "response",
        status: "completed",
        output: [
          { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text }] },
        ],
      },
    },
  ];

  test.each([
    ["anthropic", anthropic],
    ["openai-responses", responses],
  ])("is split where the next one begins: %s", async (_, events) => {
    const log = pretty([...events("r1", "One."), ...events("r2", "Two.")]);
    expect((await told(log)).map((line) => line.replace(/ \(.*/, ""))).toEqual([
      '? → assistant "One."',
      '? → assistant "Two."',
    ]);
    expect((await told(pretty(events("r1", "One.")))).length).toBe(1);
  });

  test("is one reply where a count of tokens follows its end", async () => {
    const usage = {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [],
      usage: { total_tokens: 9 },
    };
    expect(await told(pretty([...chunks("chatcmpl-1", "It is 18 °C."), usage]))).toEqual([
      '? → assistant "It is 18 °C." (stop)',
    ]);
  });
});
