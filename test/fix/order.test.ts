import { describe, expect, test } from "vitest";
import { asks, calls, fixed, found, logOf, looks, result, tells } from "./log.ts";

const looksAgain = calls("call_2", "get_weather", { city: "Bergen" });
const foundAgain = result("call_2", "6 °C");
const thanks = { role: "user", content: "And in Bergen?" };

describe("what an earlier request had in its place", () => {
  const whole = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, looks, found], back: tells },
    { sent: [asks, looks, found, tells, thanks], back: looksAgain },
    { sent: [asks, looks, found, tells, thanks, looksAgain, foundAgain], back: tells },
  ]);

  test("goes back there, once it stands at the end", async () => {
    const { text, report } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, looks, found], back: tells },
        { sent: [asks, looks, tells, thanks, found], back: looksAgain },
        { sent: [asks, looks, tells, thanks, looksAgain, foundAgain, found], back: tells },
      ]),
    );
    expect(text).toBe(whole);
    expect(report.edits.map(({ rule, safety }) => `${rule} ${safety}`)).toContain(
      "misplaced-tool-result safe",
    );
  });

  test("goes behind its call where every request has all results before all calls", async () => {
    const { text } = await fixed(
      logOf([
        { sent: [asks], back: looks },
        { sent: [asks, found, looks], back: tells },
        { sent: [asks, found, looks, tells, thanks], back: looksAgain },
        { sent: [asks, found, foundAgain, looks, tells, thanks, looksAgain], back: tells },
      ]),
    );
    expect(text).toBe(whole);
  });
});

describe("the order of one reply", () => {
  const thinks = { type: "thinking", thinking: "Oslo first.", signature: "EqQBsigned" };
  const says = { type: "text", text: "I'll look." };
  const uses = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } };
  const answers = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "-3 °C" }],
  };
  const log = (content: readonly object[], thinking?: object) => {
    const head = { model: "claude-sonnet-4-5", max_tokens: 3000, ...(thinking && { thinking }) };
    return [
      {
        request: { ...head, messages: [asks] },
        response: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [...(thinking ? [thinks] : []), says, uses],
          stop_reason: "tool_use",
        },
      },
      { request: { ...head, messages: [asks, { role: "assistant", content }, answers] } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
  };

  test("comes back with thinking first, where the client sent it last", async () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    const { messages } = await fixed(log([says, uses, thinks], thinking));
    expect(messages(2)).toEqual([asks, { role: "assistant", content: [thinks, says, uses] }, answers]);
  });

  test("is left as it is while it is but a hint, and restored where it counts as more", async () => {
    const broken = log([uses, says]);
    expect((await fixed(broken)).text).toBe(broken);
    const { text } = await fixed(broken, { levels: { "reordered-blocks": "warning" } });
    expect(text).toBe(log([says, uses]));
  });
});

test("results of one message move behind their turn as one message", async () => {
  const uses = ["Oslo", "Bergen"].map((city, index) => ({
    type: "tool_use",
    id: `toolu_${index}`,
    name: "get_weather",
    input: { city },
  }));
  const answers = {
    role: "user",
    content: uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "-3 °C" })),
  };
  const head = { model: "claude-sonnet-4-5", max_tokens: 300 };
  const line = (messages: readonly object[]) => `${JSON.stringify({ request: { ...head, messages } })}\n`;
  const { text } = await fixed(line([asks, answers, { role: "assistant", content: uses }]));
  expect(text).toBe(line([asks, { role: "assistant", content: uses }, answers]));
});
