import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

const question = "How warm is it in Bern today?";
const chat = [
  { role: "user", content: question },
  { role: "tool", tool_call_id: "c1", content: '{"warmth":17}' },
  { role: "assistant", content: "It is 17 degrees warm." },
];
const blocks = [
  { role: "user", content: [{ type: "text", text: question }] },
  { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Bern" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "It is 17 degrees warm." }] },
];

/** The members that are named as unknown. */
async function namedIn(log: object): Promise<readonly unknown[]> {
  const { findings } = await check(JSON.parse(JSON.stringify(log)));
  return findings.flatMap(({ rule, kind, data }) =>
    rule === "unknown-feature" && kind === "member" ? [data["name"]] : [],
  );
}

/** The messages, of which one has another key for its content. */
const renamed = (messages: readonly object[], at: number, name: string): object[] =>
  messages.map((message, index) =>
    index === at
      ? Object.fromEntries(
          Object.entries(message).map(([key, value]) => [key === "content" ? name : key, value]),
        )
      : message,
  );

test.each<[string, readonly object[], number]>([
  ["the user's words", chat, 0],
  ["a tool's result in JSON", chat, 1],
  ["the model's words", chat, 2],
  ["a block with text", blocks, 0],
  ["a block with a result", blocks, 2],
])("the member is named that holds all that a message says: %s", async (_, messages, at) => {
  for (const name of ["cont...nt", "", "words"])
    expect(await namedIn({ run: 7, messages: renamed(messages, at, name) })).toEqual([name]);
});

test.each<[string, object]>([
  [
    "Gemini",
    {
      contents: [
        { role: "user", parts: [{ sketch: { strokes: 3 } }] },
        { role: "user", parts: [{ text: "Why?" }] },
      ],
    },
  ],
  [
    "Converse",
    {
      messages: [
        { role: "user", content: [{ sketch: { strokes: 3 } }] },
        { role: "user", content: [{ text: "Why?" }] },
      ],
      inferenceConfig: { maxTokens: 9 },
    },
  ],
])("a part of an unknown kind is named, also where nothing shows that it was sent: %s", async (_, log) => {
  const { findings } = await check(JSON.parse(JSON.stringify(log)));
  expect(findings.map(({ rule, severity, data }) => [rule, severity, data["name"]])).toEqual([
    ["unknown-feature", "info", "sketch"],
  ]);
});

test.each<[string, object]>([
  ["chat", { model: "gpt-5-mini", messages: [] }],
  ["Responses", { model: "gpt-5-mini", input: [] }],
  ["Anthropic", { model: "claude-sonnet-4-5", max_tokens: 9, messages: [] }],
  ["Ollama", { model: "qwen3", stream: false, options: {}, messages: [] }],
])("the member is named in what was sent, too: %s", async (_, body) => {
  const list = "input" in body ? "input" : "messages";
  for (const name of ["c\ufffdontent", "words of the user"]) {
    const { findings } = await check({ ...body, [list]: renamed([chat[0] ?? {}, chat[2] ?? {}], 0, name) });
    expect(findings.map(({ data }) => data["name"] ?? data["member"])).toContain(name);
  }
});

test("the arguments of a call are named that lost the message around it", async () => {
  const call = { rolen: "weather", arguments: { city: "Bern" } };
  expect(await namedIn({ run: 7, messages: [chat[0], call] })).toEqual(["arguments"]);
});

test.each<[string, object]>([
  ["an empty text", { role: "user", content: "", note: "The user sent nothing." }],
  [
    "no content beside a call",
    {
      role: "assistant",
      tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }],
    },
  ],
  ["thoughts", { role: "assistant", reasoning_content: "The user asks for the weather." }],
  [
    "data about a message",
    { role: "assistant", timestamp: "2026-01-05 12:00:00", metadata: { kind: "a retry" } },
  ],
  ["an error", { role: "assistant", error: "The connection was lost." }],
])("no member is named beside what a message may lack: %s", async (_, message) => {
  expect(await namedIn({ run: 7, messages: [chat[0], message] })).toEqual([]);
});
