import { describe, expect, test } from "vitest";
import { fixed, kept, lines, unsafe, whole } from "./log.ts";

/** The same history alone and in a body, minified and laid out in two ways. */
function shapes(key: string, broken: readonly object[], right: readonly object[]): [string, string][] {
  const bodies = [
    [broken, right],
    [{ [key]: broken }, { [key]: right }],
  ];
  return bodies.flatMap(([before, after]) => [
    [JSON.stringify(before), JSON.stringify(after)],
    ...[2, "\t"].map((indent): [string, string] => [
      `${JSON.stringify(before, null, indent)}\n`,
      `${JSON.stringify(after, null, indent)}\n`,
    ]),
  ]) as [string, string][];
}

describe("a history of its own in Anthropic's form", () => {
  const text = (words: string): object => ({ type: "text", text: words });
  const use = (id: string): object => ({ type: "tool_use", id, name: "read", input: { path: id } });
  const result = (id: string, content: string): object => ({ type: "tool_result", tool_use_id: id, content });
  const says = (...content: object[]): object => ({ role: "assistant", content });
  const hears = (...content: object[]): object => ({ role: "user", content });

  test("loses its empty texts, and no text beside them", async () => {
    const broken = [
      hears(text(""), text("Fix the test.")),
      says(text("Which one?"), text("")),
      hears(text(""), text("The one of the cart.")),
      says(text(""), use("toolu_1")),
      hears(result("toolu_1", "1 failed")),
      says(text("")),
      hears(text("Well?")),
    ];
    const right = [
      hears(text("Fix the test.")),
      says(text("Which one?")),
      hears(text("The one of the cart.")),
      says(use("toolu_1")),
      hears(result("toolu_1", "1 failed")),
      hears(text("Well?")),
    ];
    for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
  });

  test("keeps the mark of the cache that an empty text had", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const history = (...content: object[]): string =>
      JSON.stringify([
        hears(text("Fix the test.")),
        says(use("toolu_1")),
        hears(result("toolu_1", "1 failed"), ...content),
        says(text("On it.")),
        hears(text("Go on.")),
      ]);
    expect(await whole(history(text("Why?"), { ...text(""), ...mark }))).toBe(
      history({ ...text("Why?"), ...mark }),
    );
  });

  test("gets its results behind their calls, one for each, and words for a result without a call", async () => {
    const broken = [
      hears(text("Fix the test.")),
      says(use("toolu_1"), use("toolu_2")),
      hears(result("toolu_1", "1 failed")),
      hears(text("Hurry.")),
      says(text("On it.")),
      hears(result("toolu_2", "let sum"), text("Go on.")),
      says(use("toolu_3")),
      hears(result("toolu_3", "ok"), result("toolu_3", "ok"), result("toolu_9", "old")),
      says(use("toolu_4")),
      hears(text("And?")),
    ];
    const right = [
      hears(text("Fix the test.")),
      says(use("toolu_1"), use("toolu_2")),
      hears(result("toolu_1", "1 failed"), result("toolu_2", "let sum")),
      hears(text("Hurry.")),
      says(text("On it.")),
      hears(text("Go on.")),
      says(use("toolu_3")),
      hears(
        result("toolu_3", "ok"),
        text("[Result of a tool call that is not in this history (toolu_9)]\nold"),
      ),
      says(use("toolu_4")),
      hears({ ...result("toolu_4", kept), is_error: true }, text("And?")),
    ];
    for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
  });
});

describe("a history of its own in the chat form", () => {
  const call = (id: string, content: string | null = null): object => ({
    role: "assistant",
    content,
    tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
  });
  const result = (id: string, content: string): object => ({ role: "tool", tool_call_id: id, content });

  test("says a result without a call behind the results that it stands among", async () => {
    const asked = [{ role: "user", content: "Fix the test." }, call("call_1"), result("call_1", "1 failed")];
    const [first, second] = [call("call_2"), call("call_3")] as { tool_calls: object[] }[];
    const both = { ...first, tool_calls: [...(first?.tool_calls ?? []), ...(second?.tool_calls ?? [])] };
    const told = {
      role: "user",
      content: "[Result of a tool call that is not in this history (call_9)]\nold",
    };
    const ends = [call("call_4", "And the rest."), result("call_4", "ok")];
    const broken = [
      ...asked,
      both,
      result("call_2", "a"),
      result("call_9", "old"),
      result("call_3", "b"),
      ...ends,
    ];
    const right = [...asked, both, result("call_2", "a"), result("call_3", "b"), told, ...ends];
    for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
  });
  const user = (content: string): object => ({ role: "user", content });

  test("is put right in its own layout", async () => {
    const broken = [
      user("Fix the test."),
      call("call_1"),
      result("call_1", "1 failed"),
      result("call_1", "1 failed"),
      call("call_2"),
      user("Hurry."),
      result("call_2", "let sum"),
      { role: "assistant", content: "Done.", tool_calls: [] },
      user("Really?"),
      call("call_3"),
      user("And?"),
    ];
    const right = [
      user("Fix the test."),
      call("call_1"),
      result("call_1", "1 failed"),
      call("call_2"),
      result("call_2", "let sum"),
      user("Hurry."),
      { role: "assistant", content: "Done." },
      user("Really?"),
      call("call_3"),
      result("call_3", kept),
      user("And?"),
    ];
    for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
  });
});

test("each call that has no result gets one, and none gets two", async () => {
  const calls = (...ids: string[]): object => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
  });
  const user = { role: "user", content: "Well?" };
  const answer = (id: string, content: string): object => ({ role: "tool", tool_call_id: id, content });
  const history = (text?: string): string => {
    const answers = (...ids: string[]): object[] => ids.flatMap((id) => (text ? answer(id, text) : []));
    return JSON.stringify([
      user,
      calls("a"),
      answer("a", "1 failed"),
      calls("b", "c"),
      ...answers("b", "c"),
      user,
      calls("d"),
      ...answers("d"),
      user,
    ]);
  };
  const { text, report } = await fixed(history(), unsafe);
  expect(text).toBe(history(kept));
  expect(report.edits.map(({ rule }) => rule)).toEqual(Array(3).fill("unanswered-tool-call"));
});

test("arguments that are no JSON stay readable in a JSON object", async () => {
  const history = (text: string): object[] => [
    { role: "user", content: "Fix the test." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: text } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "invalid arguments" },
    { role: "assistant", content: "Once more." },
    { role: "user", content: "Go on." },
  ];
  const text = '{"path": "cart.ts", lines": 3}';
  const broken = history(text);
  const right = history(JSON.stringify({ unreadable: text }));
  for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
  const asLines = (messages: object[]): string =>
    messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  expect(await whole(asLines(broken))).toBe(asLines(right));
});

describe("a history of its own in the form of Responses", () => {
  const call = (id: string): object => ({
    type: "function_call",
    call_id: id,
    name: "read",
    arguments: "{}",
  });
  const output = (id: string, words: string): object => ({
    type: "function_call_output",
    call_id: id,
    output: words,
  });
  const user = (content: string): object => ({ role: "user", content });

  test("is put right in its own layout", async () => {
    const broken = [
      user("Fix the test."),
      call("call_1"),
      { call_id: "call_1", output: "1 failed" },
      output("call_9", "old"),
      call("call_2"),
      user("Hurry."),
      user("And?"),
    ];
    const right = [
      user("Fix the test."),
      call("call_1"),
      output("call_1", "1 failed"),
      user("[Result of a tool call that is not in this history (call_9)]\nold"),
      call("call_2"),
      output("call_2", kept),
      user("Hurry."),
      user("And?"),
    ];
    for (const [before, after] of shapes("input", broken, right)) {
      const repaired = await whole(before);
      expect(JSON.parse(repaired)).toEqual(JSON.parse(after));
    }
  });
});

describe("a history of its own in Gemini's form", () => {
  const says = (...parts: object[]): object => ({ role: "model", parts });
  const hears = (...parts: object[]): object => ({ role: "user", parts });
  const call = { functionCall: { name: "read", args: {} } };
  const answer = { functionResponse: { name: "read", response: { output: "1 failed" } } };

  test("gets its results behind their calls", async () => {
    const broken = [
      hears({ text: "Fix the test." }),
      says(call),
      hears({ text: "Hurry." }),
      says({ text: "On it." }),
      hears(answer),
    ];
    const right = [
      hears({ text: "Fix the test." }),
      says(call),
      hears(answer, { text: "Hurry." }),
      says({ text: "On it." }),
    ];
    for (const [before, after] of shapes("contents", broken, right)) expect(await whole(before)).toBe(after);
  });
});

describe("a program's own messages of the AI SDK", () => {
  const hears = (content: string): object => ({ role: "user", content });
  const says = (...content: object[]): object => ({ role: "assistant", content });
  const tools = (...content: object[]): object => ({ role: "tool", content });
  const call = (toolCallId: string, city: string): object => ({
    type: "tool-call",
    toolCallId,
    toolName: "weather",
    input: { city },
  });
  const result = (toolCallId: string, value: string, toolName = "weather"): object => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "text", value },
  });
  const healthy = [hears("Oslo?"), says(call("call_1", "Oslo")), tools(result("call_1", "-3 °C"))];

  test("get the results that they lack, the names of their calls, and words for a result without a call", async () => {
    const broken = [
      ...healthy,
      says(call("call_2", "Rome"), call("call_3", "Bari")),
      tools(result("call_2", "12 °C", "get_weather")),
      hears("And?"),
    ];
    const right = [
      ...healthy,
      says(call("call_2", "Rome"), call("call_3", "Bari")),
      tools(result("call_2", "12 °C"), result("call_3", kept)),
      hears("And?"),
    ];
    for (const [before, after] of shapes("messages", broken, right)) expect(await whole(before)).toBe(after);
    const gone = "[Result of a tool call that is not in this history (weather, call_9)]\nold";
    const orphaned = (...rest: object[]): string => JSON.stringify([...healthy, ...rest, hears("And?")]);
    expect(await whole(orphaned(tools(result("call_9", "old"))))).toBe(
      orphaned({ role: "user", content: [{ type: "text", text: gone }] }),
    );
  });

  test("get results in the form of version 4 where their calls have it", async () => {
    const old = (toolCallId: string): object => ({
      type: "tool-call",
      toolCallId,
      toolName: "weather",
      args: { city: "Rome" },
    });
    const answer = (toolCallId: string, result: string): object => ({
      type: "tool-result",
      toolCallId,
      toolName: "weather",
      result,
    });
    const story = (...results: object[]): string =>
      JSON.stringify([hears("Rome?"), says(old("call_1"), old("call_2")), tools(...results), hears("And?")]);
    expect(await whole(story(answer("call_1", "12 °C")))).toBe(
      story(answer("call_1", "12 °C"), answer("call_2", kept)),
    );
  });

  test("stay as they are where a record only tells of them", async () => {
    const broken = [...healthy, says(call("call_2", "Rome")), hears("And?")];
    const told = lines([{ messages: broken }, { messages: [hears("Hello.")] }]);
    expect((await fixed(told, unsafe)).text).toBe(told);
  });
});

test.each([[""], ["model: gpt-5\n"]])(
  "a request in YAML is repaired from its first line on: %j",
  async (head) => {
    const asked = `${head}${head === "" ? "" : "messages:\n"}- role: user
  content: Where is order 7?
- role: assistant
  content: null
  tool_calls:
  - id: call_1
    type: function
    function:
      name: find_order
      arguments: '{"order":7}'
`;
    const next = "- role: user\n  content: Well?\n";
    const { text } = await fixed(`${asked}${next}`, { name: "request.yaml", ...unsafe });
    expect(text).toBe(
      `${asked}- role: tool
  tool_call_id: call_1
  content: "[No result was recorded for this call. Added by toollint fix.]"
${next}`,
    );
  },
);
