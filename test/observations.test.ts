import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Results without a call, in histories that nobody sent: data sets of agents, states of a workflow. */

const task = { role: "user", content: "Find the report of 2022." };
const page = { role: "tool", content: "Tab 0: Dashboard" };
const click = {
  role: "assistant",
  content: "",
  tool_calls: [{ type: "function", function: { name: "click", arguments: { id: "1" } } }],
};
const next = { role: "tool", content: "Tab 0: Reports" };

async function found(log: unknown): Promise<readonly string[]> {
  const { findings } = await check(JSON.stringify(log));
  return findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule);
}

describe("what an environment shows before the first call", () => {
  test.each([
    ["alone", { messages: [task, page, click, next] }],
    ["beside what describes the example", { id: "7", reward: 1, messages: [task, page, click, next] }],
    ["as a list", [task, page, click, next]],
    ["with the name of a tool", { messages: [task, { ...page, tool_name: "observe" }, click, next] }],
  ])("is no lost result: %s", async (_, log) => {
    expect(await found(log)).toEqual([]);
  });

  test("in a request, its call is lost", async () => {
    expect(await found({ model: "llama3", messages: [task, page, click, next] })).toContain(
      "orphaned-tool-result",
    );
  });

  test("after another call, its own is lost", async () => {
    const log = { messages: [task, click, next, task, { ...page, tool_name: "observe" }] };
    expect(await found(log)).toContain("orphaned-tool-result");
  });
});

test("the messages that a step of a workflow added are no history", async () => {
  const result = { role: "tool", content: "17 °C", tool_id: "call_1", tool_name: "weather" };
  const state = { last_tool_response: "17 °C", messages: [result], metadata: {} };
  expect(await found({ steps: [{ Output: { Text: JSON.stringify(state) } }] })).toEqual([]);
});
