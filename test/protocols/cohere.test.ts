import { describe, expect, test } from "vitest";
import { told } from "../containers/stories.ts";

const url = "https://api.cohere.com/v2/chat";
const call = {
  id: "subtract_1",
  type: "function",
  function: { name: "subtract", arguments: '{"x":2,"y":5}' },
};
const user = { role: "user", content: [{ type: "text", text: "2 − 5?" }] };
const asks = {
  model: "command-a-03-2025",
  messages: [user],
  tools: [{ type: "function", function: { name: "subtract" } }],
};
const wants = {
  id: "1",
  finish_reason: "TOOL_CALL",
  message: { role: "assistant", tool_calls: [call], tool_plan: "I will subtract." },
  usage: { tokens: { input_tokens: 9, output_tokens: 5 } },
};
const answers = {
  id: "2",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text: "−3" }] },
};
const echoed = { role: "assistant", content: [], tool_calls: [call], tool_plan: "I will subtract." };
const goesOn = {
  ...asks,
  messages: [
    user,
    echoed,
    { role: "tool", tool_call_id: "subtract_1", content: [{ type: "document", document: { data: "-3" } }] },
  ],
};
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

const run = [
  'user "2 − 5?" → reasoning, call subtract {"x":2,"y":5} (TOOL_CALL)',
  'user "2 − 5?", reasoning, call subtract {"x":2,"y":5}, result -3 → assistant "−3" (COMPLETE)',
];

test("a run is read: the plan beside the calls is reasoning, a document is a result", async () => {
  expect(
    await told(lines({ url, request: asks, response: wants }, { url, request: goesOn, response: answers })),
  ).toEqual(run);
});

test("it is known by its replies where the address is not kept", async () => {
  expect(
    await told(lines({ request: asks, response: wants }, { request: goesOn, response: answers })),
  ).toEqual(run);
});

describe("a stream", () => {
  const delta = (type: string, message: object, index = 0) => ({ type, index, delta: { message } });
  const events = [
    {
      type: "message-start",
      id: "1",
      delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [] } },
    },
    delta("tool-plan-delta", { tool_plan: "I will " }),
    delta("tool-plan-delta", { tool_plan: "subtract." }),
    delta("tool-call-start", { tool_calls: { ...call, function: { name: "subtract", arguments: "" } } }),
    delta("tool-call-delta", { tool_calls: { function: { arguments: '{"x":2,' } } }),
    delta("tool-call-delta", { tool_calls: { function: { arguments: '"y":5}' } } }),
    { type: "tool-call-end", index: 0 },
    {
      type: "message-end",
      delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 9, output_tokens: 5 } } },
    },
  ];
  const sse = (list: readonly object[]) =>
    list
      .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");

  test("is put together", async () => {
    expect(await told(sse(events))).toEqual(['? → reasoning, call subtract {"x":2,"y":5} (TOOL_CALL)']);
  });

  test("that breaks off leaves its call open", async () => {
    expect(await told(sse(events.slice(0, 5)))).toEqual(['? → reasoning, call subtract {"x":2, (open)']);
  });

  test("of text is text", async () => {
    const spoken = [
      events[0] as object,
      delta("content-start", { content: { type: "text", text: "" } }),
      delta("content-delta", { content: { text: "−3" } }),
      { type: "content-end", index: 0 },
      { type: "message-end", delta: { finish_reason: "COMPLETE" } },
    ];
    expect(await told(sse(spoken))).toEqual(['? → assistant "−3" (COMPLETE)']);
  });
});
