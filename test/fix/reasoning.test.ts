import { describe, expect, test } from "vitest";
import { fixed, lines, records, unsafe } from "./log.ts";

const request = (log: string): unknown => records(log)[0]?.["request"];

describe("thinking that is not in the log", () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const body = {
    model: "claude-sonnet-4-5",
    max_tokens: 2048,
    messages: [
      { role: "user", content: "Is it raining in Oslo?" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain, 7 °C" }],
      },
    ],
  };
  const log = lines([{ url: "https://api.anthropic.com/v1/messages", request: { thinking, ...body } }]);

  test("is turned off for a turn that cannot begin with it, when losing it is allowed", async () => {
    const { text, report } = await fixed(log, { classes: ["lossy"] });
    expect(request(text)).toEqual(body);
    expect(report.edits).toMatchObject([{ rule: "dropped-reasoning", safety: "lossy", applied: true }]);
    expect((await fixed(text, unsafe)).text).toBe(text);
  });

  test("is left as it is otherwise, and the report says what would allow it", async () => {
    const { text, report } = await fixed(log, { classes: ["safe", "inventing"] });
    expect(text).toBe(log);
    expect(report.edits).toMatchObject([
      {
        safety: "lossy",
        applied: false,
        why: "it removes something, so it needs `--unsafe` (or `--unsafe-lossy`)",
      },
    ]);
  });
});

describe("reasoning that every message with calls needs, and that is not in the log", () => {
  const call = (id: string, more: object = {}): object => ({
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }],
    ...more,
  });
  const result = (id: string): object => ({ role: "tool", tool_call_id: id, content: "rain, 7 °C" });
  const logOf = (...messages: readonly object[]): string =>
    lines([
      {
        url: "https://api.deepseek.com/chat/completions",
        request: { model: "deepseek-reasoner", messages },
      },
    ]);
  const asks = { role: "user", content: "Is it raining in Oslo?" };
  const greets = { role: "assistant", content: "Hello.", reasoning_content: "" };

  test("is written as empty, where the client writes it, when inventing is allowed", async () => {
    const log = logOf(asks, greets, asks, call("call_1"), result("call_1"));
    const { text, report } = await fixed(log, { classes: ["inventing"] });
    expect(text).toBe(logOf(asks, greets, asks, call("call_1", { reasoning_content: "" }), result("call_1")));
    expect(report.edits).toMatchObject([{ rule: "dropped-reasoning", safety: "inventing" }]);
    expect((await fixed(text, unsafe)).text).toBe(text);
  });

  test("is left alone otherwise", async () => {
    const log = logOf(asks, greets, asks, call("call_1"), result("call_1"));
    expect((await fixed(log, { classes: ["safe", "lossy"] })).text).toBe(log);
  });

  test("is written in the provider's own member where the client writes none at all", async () => {
    const log = logOf(asks, call("call_1"), result("call_1"));
    const { text } = await fixed(log, unsafe);
    expect(text).toBe(logOf(asks, call("call_1", { reasoning_content: "" }), result("call_1")));
  });
});
