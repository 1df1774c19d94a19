import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Clients that leave the model's call out and tell it the result as if the user had typed it. */

const question = { role: "user", content: "Summarise a.md" };
const tools = [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }];
const call = { id: "call_1", type: "function", function: { name: "read_file", arguments: "{}" } };
const chat = (messages: object[], message: object, reason: string): object => ({
  request: { model: "kimi-k2", messages, tools },
  response: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "kimi-k2",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: reason }],
  },
});

async function roots(...then: object[]): Promise<string[]> {
  const records = [
    chat([question], { content: "", tool_calls: [call] }, "tool_calls"),
    chat([question, ...then], { content: "It is about A." }, "stop"),
  ];
  const { findings } = await check(Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")));
  return findings
    .filter(({ cause, severity }) => cause === null && severity !== "info")
    .map(({ rule, kind, location }) => `${rule}/${kind} ${location.exchange} ${location.pointer}`);
}

describe("a result in the user's words, without its call, is told", () => {
  const found = (element: number) => [`malformed-tool-result/asUserText 2 /messages/${element}/content`];
  test.each<[string, string[], object[]]>([
    [
      "after an empty turn",
      found(2),
      [
        { role: "assistant", content: "" },
        { role: "user", content: "[Tool result: read_file] # A" },
      ],
    ],
    ["after no turn", found(1), [{ role: "user", content: "Tool output (read_file): # A" }]],
    [
      "in the tags of a template",
      found(2),
      [
        { role: "assistant", content: "I'll look." },
        { role: "user", content: '<tool_response>{"name": "read_file", "text": "# A"}</tool_response>' },
      ],
    ],
  ])("%s", async (_, expected, messages) => {
    expect(await roots(...messages)).toEqual(expected);
  });

  test("not where the model's turn names the call", async () => {
    const shown = { role: "assistant", content: "I call read_file on a.md." };
    expect(await roots(shown, { role: "user", content: "[Tool result: read_file] # A" })).toEqual([]);
  });

  test("nor where one agent tells another what was done", async () => {
    const words = "For context: [reader] called tool `read_file` with parameters: {}";
    expect(await roots({ role: "user", content: words })).toEqual([]);
  });
});

test("a call without its type is found by the words of the server", async () => {
  const { type: _, ...typeless } = call;
  const messages = [
    question,
    { role: "assistant", content: "", tool_calls: [typeless] },
    { role: "tool", tool_call_id: "call_1", content: "# A" },
  ];
  const error = { code: 500, message: 'Missing tool call type: {"id":"call_1"}', type: "server_error" };
  const { findings } = await check({
    url: "http://localhost:8001/v1/chat/completions",
    request: { model: "qwen3-8b", messages, tools },
    status: 500,
    response: { error },
  });
  expect(findings.map(({ rule, cause, location }) => [rule, cause === null, location.pointer])).toEqual([
    ["invalid-request", true, "/messages/1/tool_calls/0"],
    ["provider-rejected", false, "/error"],
  ]);
});
