import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** A request that goes wrong once, and the right one after it: what is found, and where. */
async function found(records: readonly object[]): Promise<string[]> {
  const { findings } = await check(
    Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join("")),
  );
  return findings.map(
    ({ rule, severity, location, cause }) =>
      `${severity} ${rule} in ${location.exchange}${cause === null ? "" : " (follows)"}`,
  );
}

const call = (id: string | undefined, name: string, args: string, type = "function") => ({
  ...(id !== undefined && { id }),
  type,
  function: { name, arguments: args },
});
const says = (...calls: readonly object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string | undefined, content: unknown) => ({
  role: "tool",
  ...(id !== undefined && { tool_call_id: id }),
  content,
});

const question = { role: "user", content: "Is order 4711 on its way, and who carries it?" };
const first = says(call("call_a1", "find_order", '{"number":"4711"}'));
const order = result("call_a1", '{"state":"shipped"}');
const second = says(
  call("call_b2", "find_carrier", '{"order":"4711"}'),
  call("call_c3", "find_stops", '{"order":"4711"}'),
);
const carrier = result("call_b2", '{"carrier":"Postal Union"}');
const stops = result("call_c3", '["Oslo","Bergen"]');
const answer = { role: "assistant", content: "Yes: Postal Union carries it, by way of Oslo and Bergen." };
const thanks = { role: "user", content: "And when does it get here?" };

const reply = (message: object) => ({
  object: "chat.completion",
  choices: [{ index: 0, message, finish_reason: "tool_calls" in message ? "tool_calls" : "stop" }],
});
const exchange = (messages: readonly object[], message: object, more: object = {}) => ({
  request: { model: "gpt-5", messages },
  response: reply(message),
  ...more,
});
const stopsFound = { role: "assistant", content: "Oslo and Bergen." };
const later = { role: "assistant", content: "On Thursday." };

/** The run with another third request; the fourth is right. */
const run = (third: readonly object[]): object[] => [
  exchange([question], first),
  exchange([question, first, order], second),
  exchange(third, answer),
  exchange([question, first, order, second, carrier, stops, answer, thanks], later),
];

test("a right run has no findings", async () => {
  expect(await found(run([question, first, order, second, carrier, stops]))).toEqual([]);
});

describe("what is put right in the next request is found once, where it was wrong", () => {
  test.each([
    [
      "a result that was sent twice",
      [question, first, order, second, carrier, stops, stops],
      "warning duplicate-tool-result in 3",
    ],
    [
      "a result without its id",
      [question, first, order, second, result(undefined, carrier.content), stops],
      "error call-id-mismatch in 3",
    ],
    [
      "a result that answers nothing",
      [question, first, order, second, carrier, stops, result("call_zz9", "?")],
      "error orphaned-tool-result in 3",
    ],
  ] as const)("%s", async (_, third, finding) => {
    expect(await found(run(third))).toEqual([finding]);
  });

  test("a value that was never serialised: that it changes again follows from it", async () => {
    const garbage = result("call_b2", "[object Object]");
    expect(await found(run([question, first, order, second, garbage, stops]))).toEqual([
      "warning malformed-tool-result in 3",
      "warning rewritten-history in 4 (follows)",
    ]);
  });

  test("the id of a result, cut", async () => {
    const cut = result("call_b", carrier.content);
    const longer = says(call("call_b2x7", "find_carrier", '{"order":"4711"}'));
    const right = result("call_b2x7", carrier.content);
    const records = (id: object) => [
      exchange([question], longer),
      exchange([question, longer, id], answer),
      exchange([question, longer, right, answer, thanks], later),
    ];
    expect(await found(records(cut))).toEqual(["error call-id-mismatch in 2"]);
  });

  test("arguments that were emptied", async () => {
    const emptied = says(
      call("call_b2", "find_carrier", "{}"),
      call("call_c3", "find_stops", '{"order":"4711"}'),
    );
    expect(await found(run([question, first, order, emptied, carrier, stops]))).toEqual([
      "error lost-fragments in 3",
    ]);
  });

  test("a second result in a request that failed, and was sent again without it", async () => {
    const sent = [question, first, order, second, carrier, stops];
    const failed = { request: { model: "gpt-5", messages: [...sent, stops] }, status: 503 };
    expect(
      await found([
        exchange([question], first),
        exchange([question, first, order], second),
        { ...failed, response: { error: { message: "The server is overloaded" } } },
        exchange(sent, answer),
      ]),
    ).toEqual(["warning duplicate-tool-result in 3"]);
  });

  test("an old result that came back as garbage", async () => {
    const garbage = result("call_a1", "[object Object]");
    expect(await found(run([question, first, garbage, second, carrier, stops]))).toEqual([
      "warning malformed-tool-result in 3",
      "warning rewritten-history in 3 (follows)",
    ]);
  });
});

describe("one mistake is one root", () => {
  test("a call that is gone from an old turn, with its result still there", async () => {
    const third = [question, first, order, says(second.tool_calls[0] as object), carrier, stops];
    expect(await found([...run(third).slice(0, 3), exchange([...third, answer, thanks], later)])).toEqual([
      "error dropped-tool-call in 3",
      "error orphaned-tool-result in 3 (follows)",
    ]);
  });

  test("old arguments that break off are a rewritten history, as bad as broken arguments", async () => {
    const cut = says(call("call_a1", "find_order", '{"number":'));
    expect(await found(run([question, cut, order, second, carrier, stops]))).toEqual([
      "error incomplete-arguments in 3 (follows)",
      "error rewritten-history in 3",
    ]);
  });

  test("arguments that were made text twice are not a rewritten history as well", async () => {
    const twice = says(call("call_a1", "find_order", JSON.stringify('{"number":"4711"}')));
    expect(await found([exchange([question], first), exchange([question, twice, order], answer)])).toEqual([
      "warning misencoded-arguments in 2",
      "warning rewritten-history in 2 (follows)",
    ]);
  });

  test("a call that the client gave the id of another one", async () => {
    const shared = [
      { type: "function_call", call_id: "call_b2", name: "find_carrier", arguments: "{}" },
      { type: "function_call", call_id: "call_b2", name: "find_stops", arguments: '{"order":1}' },
    ];
    const made = shared.map((item, index) => ({
      ...item,
      id: `fc_${index}`,
      call_id: ["call_b2", "call_c3"][index],
    }));
    const output = { type: "function_call_output", call_id: "call_b2", output: "[]" };
    const ask = { role: "user", content: question.content };
    expect(
      await found([
        {
          request: { model: "gpt-5", input: [ask] },
          response: { object: "response", status: "completed", output: made },
        },
        { request: { model: "gpt-5", input: [ask, ...shared, output, { ...output, output: "[1]" }] } },
      ]),
    ).toEqual(["warning duplicate-call-id in 2"]);
  });
});

test("a request goes on from the attempt that succeeded, even without the call that it made", async () => {
  const ask = { model: "gpt-5", messages: [question] };
  const records = [
    { request: ask, status: 503, response: { error: { message: "The server is overloaded" } } },
    { request: ask, ...{ response: reply(first) } },
    exchange([question, order], answer),
  ];
  expect(await found(records)).toEqual([
    "error dropped-tool-call in 3",
    "error orphaned-tool-result in 3 (follows)",
  ]);
});

test("an agent that parts from a history to work beside it loses no call that goes on elsewhere", async () => {
  const helper = says(call("call_h1", "spawn_helper", '{"task":"stops"}'));
  const waits = says(call("call_w2", "wait_for", '{"helper":1}'));
  const begun = [question, helper, result("call_h1", '{"helper":1}')];
  const beside = [
    question,
    helper,
    result("call_h1", "aborted"),
    { role: "user", content: "Find the stops." },
  ];
  const after = [...begun, waits, result("call_w2", "Oslo, Bergen")];
  const alone = await found([exchange(begun, waits), exchange(beside, stopsFound)]);
  expect(alone).toContain("error dropped-tool-call in 2");
  expect(
    await found([exchange(begun, waits), exchange(beside, stopsFound), exchange(after, answer)]),
  ).toEqual(["info dropped-tools in 1", "info rewritten-history in 2"]);
});

test("a tool's name that stands there twice in a row is no other tool", async () => {
  const doubled = says(call("call_a1", "find_orderfind_order", '{"number":"4711"}'));
  expect(await found([exchange([question], first), exchange([question, doubled, order], answer)])).toEqual([
    "warning rewritten-history in 2",
  ]);
});

describe("where calls have no ids", () => {
  const ask = { role: "user", content: question.content };
  const asks = (name: string, args: object) => ({
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name, arguments: args } }],
  });
  const told = (name: string, content: string) => ({ role: "tool", tool_name: name, content });
  const local = (messages: readonly object[], message: object) => ({
    url: "http://localhost:11434/api/chat",
    request: { model: "qwen3", stream: false, messages },
    response: { model: "qwen3", message, done: true, done_reason: "stop" },
  });
  const wants = asks("find_order", { number: "4711" });
  const said = { role: "assistant", content: "It is on its way." };

  test("a result that says again what the one before it said is that one, twice", async () => {
    expect(
      await found([
        local([ask], wants),
        local([ask, wants, told("find_order", "shipped"), told("find_order", "shipped")], said),
        local([ask, wants, told("find_order", "shipped"), said, thanks], later),
      ]),
    ).toEqual(["warning duplicate-tool-result in 2"]);
  });
});

describe("an attempt without a call, and the words that asked for another", () => {
  const refusal = { role: "assistant", content: "I would rather not." };
  const again = { role: "user", content: "You used no tool. Please use one." };
  const attempts = [
    exchange([question], first),
    exchange([question, first, order], refusal),
    exchange([question, first, order, refusal, again], second),
  ];
  const next = [second, carrier, stops];

  test("may be left out once the next attempt came back", async () => {
    expect(await found([...attempts, exchange([question, first, order, ...next], answer)])).toEqual([]);
  });

  test("may not be left out where the words are those of a turn", async () => {
    const turns = [
      ...attempts.slice(0, 2),
      exchange([question, first, order, refusal, { role: "user", content: "And in Bonn?" }], second),
    ];
    expect(await found([...turns, exchange([question, first, order, ...next], answer)])).toEqual([
      "error dropped-turns in 4",
    ]);
  });

  test("may not take rounds with them", async () => {
    expect(await found([...attempts, exchange([question, ...next], answer)])).toEqual([
      "error dropped-turns in 4",
    ]);
  });
});
