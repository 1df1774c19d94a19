import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { shortenedHead } from "../../src/reading/head.ts";
import { memorySource } from "../../src/reading/source.ts";

/** Sessions whose first records are longer than what a file is recognised by. */

const image = Buffer.alloc(90_000, "toollint").toString("base64");
const prose = 'He said "no". '.repeat(9000);
const accents = "\u00e9\u4e16\u{1f600}".repeat(9000);

const long: Readonly<Record<string, string>> = { image, prose, accents };

const claude = (text: string): readonly object[] => {
  const envelope = (uuid: string, parentUuid: string | null, type: string) => ({
    parentUuid,
    isSidechain: false,
    sessionId: "s1",
    type,
    uuid,
  });
  return [
    { ...envelope("a", null, "user"), message: { role: "user", content: [{ type: "text", text }] } },
    {
      ...envelope("b", "a", "assistant"),
      message: {
        id: "msg_1",
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: {} }],
        stop_reason: "tool_use",
      },
    },
    {
      ...envelope("c", "b", "user"),
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
    },
    {
      ...envelope("d", "c", "assistant"),
      message: {
        id: "msg_2",
        role: "assistant",
        content: [{ type: "text", text: "Done." }],
        stop_reason: "end_turn",
      },
    },
  ];
};
const stream = (text: string): readonly object[] => [
  { type: "user", message: { content: [{ type: "text", text }] } },
  {
    type: "assistant",
    session_id: "s1",
    message: {
      id: "msg_1",
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: {} }],
    },
  },
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] } },
  {
    type: "assistant",
    session_id: "s1",
    message: { id: "msg_2", role: "assistant", content: [{ type: "text", text: "Done." }] },
  },
];
const events = (text: string): readonly object[] => [
  {
    id: "1",
    type: "user_message",
    content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${text}` } }],
  },
  {
    id: "2",
    type: "assistant_message",
    content: "",
    toolCalls: [{ id: "call_1", type: "function", function: { name: "click", arguments: "{}" } }],
  },
  { id: "3", type: "tool_call", toolCallId: "call_1", name: "click", arguments: {} },
  { id: "4", type: "tool_result", toolCallId: "call_1", name: "click", content: { status: "success" } },
  { id: "5", type: "assistant_message", content: "Done.", finishReason: "stop" },
];
const codex = (text: string): readonly object[] => [
  {
    timestamp: "2026-01-05T10:00:00Z",
    type: "session_meta",
    payload: { id: "s1", instructions: text, cwd: "/" },
  },
  ...[
    { type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] },
    { type: "function_call", name: "shell", arguments: "{}", call_id: "call_1" },
    { type: "function_call_output", call_id: "call_1", output: "ok" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  ].map((payload) => ({ timestamp: "2026-01-05T10:00:01Z", type: "response_item", payload })),
];
const agents = { "Claude Code": claude, "what Claude Code prints": stream, events, Codex: codex };

const json = (value: unknown): string => JSON.stringify(value);
const escaped = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const forms: Readonly<Record<string, (records: readonly object[]) => string>> = {
  "on lines": (records) => records.map(json).join("\n"),
  "in a list": (records) => json(records),
  "in a list, printed": (records) => JSON.stringify(records, null, 2),
  "on lines, in ASCII": (records) => escaped(records.map(json).join("\n")),
};

const cases = Object.entries(agents).flatMap(([agent, records]) =>
  Object.entries(long).flatMap(([what, text]) =>
    Object.entries(forms).map(([form, write]) => [agent, what, form, write(records(text))] as const),
  ),
);

test.each(cases)(
  "a session of %s that begins with a long text (%s), %s",
  async (_agent, _what, _form, log) => {
    const { findings, files } = await check(log);
    expect(findings.map(({ rule }) => rule)).toEqual([]);
    expect(files).toMatchObject([{ kind: "transcript", calls: 1 }]);
  },
);

describe("the head of a file", () => {
  const size = 64 << 10;
  const headText = (text: string): string =>
    shortenedHead(memorySource("log", Buffer.from(text)), size)?.toString("utf8") ?? "";

  test("has long strings in part, and is JSON up to its end", () => {
    for (const text of Object.values(long))
      for (const write of [json, (value: unknown) => escaped(json(value))]) {
        const [first, second] = headText(
          `${write({ text, n: 1 })}\n${write({ n: 2 })}\n${" ".repeat(size)}`,
        ).split("\n");
        const { text: kept, n } = JSON.parse(first ?? "") as { text: string; n: number };
        expect(text.startsWith(kept)).toBe(true);
        expect([n, second]).toEqual([1, '{"n":2}']);
      }
  });

  test("is not shortened where it is no JSON, or has no long string", () => {
    expect(headText(`${"x".repeat(200_000)}\n`)).toBe("");
    const many = json(Array.from({ length: 20_000 }, (_, n) => ({ n: `${n}` })));
    expect(headText(many)).toBe("");
  });

  test("ends where a string has no end", () => {
    expect(headText(`{"text":"${"y".repeat(200_000)}`).length).toBeLessThanOrEqual(size);
    expect(headText(`{"text":"${"\\\\".repeat(200_000)}","n":1}`)).toMatch(/^\{"text":"","n":1\}$/);
  });
});
