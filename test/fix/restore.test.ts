import { describe, expect, test } from "vitest";
import { asks, calls, fixed, found, lines, logOf, looks, type Round, result, tells } from "./log.ts";

const thanks = { role: "user", content: "And in Bergen?" };
const looksAgain = calls("call_2", "get_weather", { city: "Bergen" });
const foundAgain = result("call_2", "6 °C");

describe("a call that the client dropped", () => {
  const whole = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: tells },
    { sent: [asks, looks, found, tells, thanks], back: looksAgain },
  ]);

  test("is put back before its result, in every request that lacks it", async () => {
    const broken = logOf([
      { sent: [asks], back: looks },
      { sent: [asks, found], back: tells },
      { sent: [asks, found, tells, thanks], back: looksAgain },
    ]);
    const { text, report } = await fixed(broken);
    expect(text).toBe(whole);
    expect(report.summary).toEqual({ applied: 2, left: 0, requests: 2, sessions: 0 });
    expect(report.edits[0]).toMatchObject({
      finding: "f1",
      rule: "dropped-tool-call",
      safety: "safe",
      applied: true,
      location: { exchange: 2, part: "request" },
      evidence: [{ exchange: 1, part: "response", pointer: "/choices/0/message/tool_calls/0" }],
    });
  });

  test("comes back as the client writes its other calls, not as the reply had it", async () => {
    const writes = (message: object) => ({ ...message, content: "" });
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, writes(looks), found], back: looksAgain },
        { sent: [asks, writes(looks), found, foundAgain], back: tells },
      ]),
    );
    expect(messages(3)).toEqual([asks, writes(looks), found, writes(looksAgain), foundAgain]);
  });

  test("is copied to the letter from a later request that has it", async () => {
    const own = { ...looks, name: "assistant-7" };
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, found], back: tells },
        { sent: [asks, own, found, tells, thanks], back: looksAgain },
      ]),
    );
    expect(messages(2)).toEqual([asks, own, found]);
  });

  test("takes the text with it that was said beside it", async () => {
    const both = { ...looks, content: "I'll look that up." };
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: both },
        { sent: [asks, found], back: tells },
      ]),
    );
    expect(messages(2)).toEqual([asks, both, found]);
  });
});

test("a call comes back from a reply that a tracing tool tells in its own way", async () => {
  const generation = (number: number, messages: readonly object[], output: object) => ({
    id: `g${number}`,
    type: "GENERATION",
    traceId: "t1",
    name: "chat",
    startTime: `2026-01-01T00:00:0${number}.000Z`,
    endTime: `2026-01-01T00:00:0${number}.500Z`,
    model: "gpt-5",
    input: { model: "gpt-5", messages },
    output,
  });
  const log = (...sent: readonly object[]) =>
    JSON.stringify({ observations: [generation(1, [asks], looks), generation(2, sent, tells)] });
  expect((await fixed(log(asks, found))).text).toBe(log(asks, looks, found));
});

test("what may not be repaired in one conversation is no habit that the others are written in", async () => {
  const sunny = { role: "user", content: "Is it sunny?" };
  const { messages } = await fixed(
    logOf([
      { sent: [sunny], back: calls("call_8", "get_weather", {}, "I'll look.") },
      { sent: [sunny, { role: "assistant", content: "I'll look." }, thanks], back: tells },
      { sent: [asks], back: looks },
      { sent: [asks, calls("call_1", "get_weather", {}), found], back: tells },
    ]),
  );
  expect(messages(2)).toHaveLength(3);
  expect(messages(4)).toEqual([asks, looks, found]);
});

describe("turns that the client dropped", () => {
  const looksThird = calls("call_3", "get_forecast", { city: "Oslo" });
  const foundThird = result("call_3", "snow");
  const rounds = [
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: looksAgain },
    { sent: [asks, looks, found, looksAgain, foundAgain], back: looksThird },
    { sent: [asks, looks, found, looksAgain, foundAgain, looksThird, foundThird], back: tells },
  ] as const;

  test("are restored in every request, each from the history as it should have been before", async () => {
    const { text } = await fixed(
      logOf([
        rounds[0],
        rounds[1],
        { sent: [asks, looksAgain, foundAgain], back: looksThird },
        { sent: [asks, looksThird, foundThird], back: tells },
      ]),
    );
    expect(text).toBe(logOf(rounds));
  });

  test("are restored where the client begins every later turn without them", async () => {
    const bye = { role: "user", content: "Thanks, that is all." };
    const nods = { role: "assistant", content: "You are welcome." };
    const opening = [asks, looks, found, looksAgain, foundAgain, tells];
    const { messages } = await fixed(
      logOf([
        rounds[0],
        rounds[1],
        { sent: [asks, looks, found, looksAgain, foundAgain], back: tells },
        { sent: [...opening, thanks], back: looksThird },
        { sent: [thanks, looksThird, foundThird], back: tells },
        { sent: [bye], back: nods },
      ]),
    );
    expect(messages(5)).toEqual([...opening, thanks, looksThird, foundThird]);
    expect(messages(6)).toEqual([...opening, thanks, looksThird, foundThird, tells, bye]);
  });

  test("stay away where a window was set up on purpose", async () => {
    const turn = (number: number) => [
      { role: "user", content: `Question ${number}, which is long enough to be told from others` },
      { role: "assistant", content: `Answer ${number}, which is long enough to be told from others` },
    ];
    const history = [1, 2, 3, 4, 5, 6].flatMap(turn);
    const windows = [2, 4, 6, 8, 10].map((end) => ({
      sent: history.slice(Math.max(0, end - 4), end + 1),
      back: history[end + 1] ?? {},
    }));
    const log = logOf(windows);
    expect((await fixed(log)).text).toBe(log);
  });
});

describe("pieces of a reply that got lost", () => {
  test("arguments come back from the reply", async () => {
    const emptied = calls("call_1", "get_weather", {});
    const { messages, report } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, emptied, found], back: tells },
        { sent: [asks, emptied, found, tells, thanks], back: looksAgain },
      ]),
    );
    expect(messages(2)).toEqual([asks, looks, found]);
    expect(messages(3)).toEqual([asks, looks, found, tells, thanks]);
    expect(report.edits.map(({ rule }) => rule)).toEqual(["lost-fragments", "lost-fragments"]);
  });

  test("arguments come back from a client that empties them all, after a call that has none", async () => {
    const clock = calls("call_0", "get_time", {});
    const noon = result("call_0", "12:00");
    const blank = (message: object) =>
      JSON.parse(JSON.stringify(message).replaceAll(/"arguments":"(?:\\.|[^"\\])*"/g, '"arguments":""'));
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: clock },
        { sent: [asks, blank(clock), noon], back: looks },
        { sent: [asks, blank(clock), noon, blank(looks), found], back: tells },
      ]),
    );
    expect(messages(3)).toEqual([asks, blank(clock), noon, looks, found]);
  });

  test("two calls that were glued into one come apart, in the reply's order", async () => {
    const [oslo, bergen] = ["Oslo", "Bergen"].map((city, index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name: "get_weather", arguments: JSON.stringify({ city }) },
    }));
    const both = { role: "assistant", content: null, tool_calls: [oslo, bergen] };
    const glued = calls("call_0", "get_weather", {});
    const text = JSON.stringify(glued).replace('"{}"', JSON.stringify('{"city":"Oslo"}{"city":"Bergen"}'));
    const results = [result("call_0", "-3 °C"), result("call_1", "6 °C")];
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: both },
        { sent: [asks, JSON.parse(text), ...results], back: tells },
      ]),
    );
    expect(messages(2)).toEqual([asks, both, ...results]);
  });

  test("text comes back beside the calls", async () => {
    const both = { ...looks, content: "I'll look that up." };
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: both },
        { sent: [asks, looks, found], back: tells },
      ]),
    );
    expect(messages(2)).toEqual([asks, both, found]);
  });
});

describe("ids that the client makes up", () => {
  const contents = (...parts: readonly (readonly [string, object])[]) =>
    parts.map(([role, part]) => ({ role, parts: [part].flat() }));
  const call = (city: string, id?: string) => ({
    functionCall: { ...(id !== undefined && { id }), name: "get_weather", args: { city } },
  });
  const answer = (id: string, text: string) => ({
    functionResponse: { id, name: "get_weather", response: { output: text } },
  });
  const log = (sent: readonly object[]) =>
    [
      {
        request: {
          model: "gemini-2.5-flash",
          generationConfig: {},
          contents: contents(["user", { text: "Weather?" }]),
        },
        response: {
          modelVersion: "gemini-2.5-flash",
          candidates: [
            {
              content: { role: "model", parts: [{ text: "Both." }, call("Oslo"), call("Bergen")] },
              finishReason: "STOP",
            },
          ],
        },
      },
      { request: { model: "gemini-2.5-flash", generationConfig: {}, contents: sent } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");

  test.each([
    ["first", [{ text: "Both." }, call("Bergen", "b8")]],
    ["last", [{ text: "Both." }, call("Oslo", "a7")]],
  ])("go with their calls, where the %s of two was dropped", async (_, kept) => {
    const rest = [answer("a7", "-3 °C"), answer("b8", "6 °C")];
    const { text } = await fixed(
      log(contents(["user", { text: "Weather?" }], ["model", kept], ["user", rest])),
    );
    const { request } = JSON.parse(text.split("\n")[1] ?? "");
    expect(request.contents[1].parts).toEqual([{ text: "Both." }, call("Oslo", "a7"), call("Bergen", "b8")]);
  });
});

describe("an id that a result can only mean", () => {
  test("is written into it, wherever the result is sent", async () => {
    const other = { ...found, tool_call_id: "fc_1" };
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, looks, other], back: tells },
        { sent: [asks, looks, other, tells, thanks], back: looksAgain },
      ]),
    );
    expect(messages(2)).toEqual([asks, looks, found]);
    expect(messages(3)).toEqual([asks, looks, found, tells, thanks]);
  });
});

test("a result that was sent twice once is not spread to the requests that have it once", async () => {
  const log = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found, found], back: tells },
    { sent: [asks, looks, found, tells, thanks], back: looksAgain },
  ]);
  expect((await fixed(log)).messages(3)).toEqual([asks, looks, found, tells, thanks]);
});

test("results that the server has from a chain stay out of the requests behind it", async () => {
  const request = (input: readonly object[], previous?: string) => ({
    model: "gpt-5",
    input,
    ...(previous !== undefined && { previous_response_id: previous }),
  });
  const reply = (id: string, output: object) => ({
    object: "response",
    status: "completed",
    id,
    output: [output],
  });
  const look = {
    type: "function_call",
    call_id: "call_1",
    name: "get_weather",
    arguments: '{"city":"Oslo"}',
  };
  const say = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Cold." }] };
  const log = [
    { request: request([asks]), response: reply("resp_1", look) },
    { request: request([{ role: "user", content: "Well?" }], "resp_1"), response: reply("resp_2", say) },
    {
      request: request([{ role: "user", content: "And in Bergen?" }], "resp_2"),
      response: reply("resp_3", say),
    },
  ];
  const { text } = await fixed(log.map((line) => `${JSON.stringify(line)}\n`).join(""), {
    classes: ["safe", "inventing"],
  });
  const sent = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).request.input);
  expect(sent.map(({ length }) => length)).toEqual([1, 2, 1]);
});

describe("what fix promises", () => {
  const healthy = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: tells },
  ]);

  test("a healthy log comes back byte for byte", async () => {
    const odd = healthy.replaceAll('"model":"gpt-5"', '"model" :  "gpt-5", "seed": 1.0');
    const { text, report } = await fixed(odd);
    expect(text).toBe(odd);
    expect(report.edits).toEqual([]);
  });

  test("a repaired log is not changed again", async () => {
    const broken = logOf([
      { sent: [asks], back: looks },
      { sent: [asks, found], back: tells },
    ]);
    const { text } = await fixed(broken);
    expect((await fixed(text)).text).toBe(text);
  });

  test("bytes outside the repaired values stay as they are", async () => {
    const broken = logOf([
      { sent: [asks], back: looks },
      { sent: [asks, found], back: tells },
    ]);
    const odd = broken.replaceAll('"model":"gpt-5","messages"', '"seed": 1.50,\t"model":"gpt-5","messages"');
    const { text } = await fixed(odd);
    expect(text.replace(`},${JSON.stringify(looks)},`, "},")).toBe(odd);
  });
});

test("tools that a request lost come back once when it is sent again", async () => {
  const tools = [
    { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } },
  ];
  const said = (message: object): object => ({
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
  });
  const again = { model: "gpt-5", messages: [asks, looks, found] };
  const failure = { status: 500, body: { error: { message: "overloaded", type: "server_error" } } };
  const { text } = await fixed(
    lines([
      { request: { model: "gpt-5", messages: [asks], tools }, response: said(looks) },
      { request: again, response: failure },
      { request: again, response: said(looksAgain) },
    ]),
  );
  expect(text.split("\n").map((line) => line.match(/"tools":/g)?.length ?? 0)).toEqual([1, 1, 1, 0]);
});

test("a run that went on to its limit is repaired, although nothing explains its loop then", async () => {
  const sent: object[] = [asks];
  const rounds = Array.from({ length: 24 }, (_, index): Round => {
    const back = calls(`call_${index}x`, "get_weather", { day: index });
    const round = { sent: [...sent], back };
    sent.push(back, result(`CALL_${index}X`, `${index} °C`));
    return round;
  });
  const { messages, report } = await fixed(logOf(rounds));
  expect(report.summary).toMatchObject({ requests: 23, left: 0 });
  expect(messages(24).at(-1)).toEqual(result("call_22x", "22 °C"));
});
