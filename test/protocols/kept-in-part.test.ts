import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { told } from "../containers/stories.ts";

/** What recorders and clients keep of a reply, where that is less or more than the API sent. */

const input = { city: "Paris" };
const asked = {
  messages: [{ role: "user", content: "How warm is it in Paris?" }],
  tools: [{ name: "weather", description: "Weather", input_schema: { type: "object", properties: {} } }],
};
const reply = {
  content: [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_1", name: "weather", input },
  ],
  stop_reason: "tool_use",
};

async function findingsOf(log: unknown): Promise<readonly string[]> {
  const text = typeof log === "string" ? log : JSON.stringify(log);
  const { findings } = await check(text);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`);
}

describe("a reply of the Messages API without its role", () => {
  test.each([
    ["beside its request", { request: asked, response: reply }],
    ["in an envelope", { request: asked, response: { requestId: "r1", response: reply } }],
    [
      "beside a whole request",
      { request: { model: "claude-sonnet-4-5", max_tokens: 9, ...asked }, response: reply },
    ],
    [
      "as a body in text",
      { request: { body: JSON.stringify(asked) }, response: { body: JSON.stringify(reply) } },
    ],
  ])("%s", async (_, log) => {
    expect(await findingsOf(log)).toEqual([
      "info unclosed-loop: the reply asks for `weather`, and no later request carries a result",
    ]);
  });

  test.each([
    [
      "blocks that the API does not know",
      { content: [{ type: "paragraph", text: "x" }], stop_reason: "tool_use" },
    ],
    ["a reason that the API does not give", { content: [{ type: "text", text: "x" }], stop_reason: "done" }],
    ["nothing said", { content: [], stop_reason: "end_turn" }],
  ])("%s: no reply", async (_, page) => {
    expect(await findingsOf({ page })).toEqual([expect.stringMatching(/no conversation was found/)]);
  });
});

describe("events of a client that keep a call under a member", () => {
  const start = { type: "text-start", id: "t" };
  const text = { type: "text-delta", id: "t", delta: "I look." };
  const called = { toolCallId: "call_1", toolName: "weather", input };
  const end = { type: "finish", finishReason: "toolCalls" };
  const events = [start, text, { type: "tool-call", toolCall: called }, end];
  const whole = ['? → assistant "I look.", call weather {"city":"Paris"} (toolCalls)'];

  test.each([
    ["in the words of a client in Dart", { kind: "events", data: { events } }],
    ["as a list", events],
    ["under the type itself", [start, text, { type: "tool-call", "tool-call": called }, end]],
    ["at the top, as the AI SDK has it", [start, text, { type: "tool-call", ...called }, end]],
    [
      "beside the bytes that the provider sent",
      [
        { type: "raw-chunk", raw: { model: "llama3.2", done: false, message: { content: "I look." } } },
        ...events.slice(0, 3),
        {
          type: "raw-chunk",
          raw: {
            model: "llama3.2",
            done: true,
            done_reason: "stop",
            message: { role: "assistant", content: "" },
          },
        },
        end,
      ],
    ],
  ])("%s", async (_, log) => {
    expect(await told(JSON.stringify(log))).toEqual(whole);
  });

  test("a result under a member answers its call", async () => {
    const result = { toolCallId: "call_1", toolName: "weather", output: "17 °C", isError: false };
    const log = [
      start,
      text,
      { type: "tool-call", toolCall: called },
      { type: "tool-result", toolResult: result },
      end,
    ];
    expect(await findingsOf(log)).toEqual([]);
  });
});

describe("a lone reply in which only the provider ran tools", () => {
  const hosted = { toolCallId: "ws_1", toolName: "web_search", input: {}, providerExecuted: true };
  const own = { type: "tool-call", toolCallId: "call_1", toolName: "weather", input };
  const end = { type: "finish", finishReason: "tool-calls" };
  const searched = { type: "tool-result", toolCallId: "ws_1", toolName: "web_search", output: "a page" };
  const ran = { type: "tool-result", toolCallId: "call_0", toolName: "clock", output: "noon" };

  test("says nothing about what the client did", async () => {
    const log = [
      { type: "text-delta", id: "t", delta: "I look." },
      { type: "tool-call", ...hosted },
      searched,
      own,
      end,
    ];
    expect(await findingsOf(log)).toEqual([expect.stringMatching(/^info unclosed-loop/)]);
  });

  test("results of the client show that it ran tools", async () => {
    const clock = { ...own, toolCallId: "call_0", toolName: "clock" };
    const log = [{ type: "text-delta", id: "t", delta: "I look." }, clock, ran, own, end];
    expect(await findingsOf(log)).toEqual([expect.stringMatching(/^warning unclosed-loop/)]);
  });
});

describe("messages copied out of a request", () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
  const results = ["add", "subtract", "add"].map((id) => ({ role: "tool", tool_call_id: id, content: "40" }));
  const messages = [
    { role: "user", content: "How warm is it?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "18" },
  ];

  test.each([
    ["a list that is only results tells nothing of the calls before it", results],
    ["a list tells nothing of the request's tools", messages],
    ["a list under a name of the logger's neither", { data: messages }],
    ["an object with nothing but messages neither", { messages }],
  ])("%s", async (_, log) => {
    expect(await findingsOf(log)).toEqual([]);
  });

  test("a whole request without tools is told", async () => {
    expect(await findingsOf({ model: "gpt-5", messages })).toEqual([
      "info dropped-tools: the history calls `weather`, but the request offers no tools",
    ]);
  });
});
