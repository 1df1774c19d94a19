import { expect, test } from "vitest";
import { shrunken } from "./logs.ts";

const url = "https://api.openai.com/v1/chat/completions";

/** A reply with many calls, and the next request, which has these results. */
function logOf(count: number, resultIdOf: (number: number) => string | undefined): Buffer {
  const calls = Array.from({ length: count }, (_, number) => ({
    id: `call_${number}`,
    type: "function",
    function: { name: "read", arguments: `{"n":${number}}` },
  }));
  const reply = { role: "assistant", content: null, tool_calls: calls };
  const results = calls.flatMap((_, number) => {
    const id = resultIdOf(number);
    return id === undefined ? [] : [{ role: "tool", tool_call_id: id, content: `file ${number}` }];
  });
  const asked = { role: "user", content: "Read the files." };
  const response = (message: object, reason: string): object => ({
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: reason }],
  });
  const records = [
    {
      url,
      request: { model: "gpt-4.1", messages: [asked] },
      status: 200,
      response: response(reply, "tool_calls"),
    },
    {
      url,
      request: { model: "gpt-4.1", messages: [asked, reply, ...results] },
      status: 200,
      response: response({ role: "assistant", content: "Done." }, "stop"),
    },
  ];
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

const logs: readonly (readonly [name: string, resultIdOf: (number: number) => string | undefined])[] = [
  ["every second call is answered", (number) => (number % 2 === 1 ? `call_${number}` : undefined)],
  ["no id of a result is that of its call", (number) => `CALL_${number}`],
  ["no call is answered", () => undefined],
];

test.each(logs)("a reply of 600 calls is cut in as few checks as one of 60: %s", async (_, resultIdOf) => {
  const [small, large] = [
    await shrunken("run.jsonl", logOf(60, resultIdOf), {}),
    await shrunken("run.jsonl", logOf(600, resultIdOf), {}),
  ];
  if (!small || !large) throw new Error("the log has no finding");
  expect(large.isCutShort).toBe(false);
  expect(large.written.bytes.length).toBeLessThan(small.written.bytes.length + 20);
  expect(large.checks).toBeLessThan(small.checks + 10);
});

/** A client that sends the first prompt and the newest result only, and a model that makes the same call in every reply. */
function loopOf(count: number): Buffer {
  const asked = { role: "user", content: "Read the file." };
  const callOf = (number: number): object => ({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `call_${number}`, type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
    ],
  });
  const records = Array.from({ length: count }, (_, number) => {
    const result = { role: "tool", tool_call_id: `call_${number - 1}`, content: "nothing" };
    return {
      url,
      request: {
        model: "gpt-4.1",
        messages: number === 0 ? [asked] : [asked, callOf(number - 1), result],
      },
      status: 200,
      response: {
        object: "chat.completion",
        choices: [{ index: 0, message: callOf(number), finish_reason: "tool_calls" }],
      },
    };
  });
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

test("a finding that names all of 800 exchanges takes one check more for each doubling than one of 200", async () => {
  const [small, large] = [
    await shrunken("run.jsonl", loopOf(200), { rules: ["repeated-call"] }),
    await shrunken("run.jsonl", loopOf(800), { rules: ["repeated-call"] }),
  ];
  if (!small || !large) throw new Error("the log has no finding");
  expect(large.isCutShort).toBe(false);
  expect(large.written.bytes.length).toBeLessThan(small.written.bytes.length + 40);
  expect(large.checks).toBeLessThan(small.checks + 10);
});
