import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Streams whose events a program kept one by one, in records of its own making. */

const gemini = (text: string, more: object = {}, id: object = { responseId: "r1" }) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  modelVersion: "gemini-2.5-flash",
  ...id,
});
const ollama = (content: string, isDone: boolean) => ({
  model: "llama3.2",
  created_at: "2026-03-02T09:00:00Z",
  message: { role: "assistant", content },
  done: isDone,
  ...(isDone && { done_reason: "stop", prompt_eval_count: 12, eval_count: 3 }),
});
const chunk = (delta: object, reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1788687333,
  model: "gpt-5",
  choices: [{ index: 0, delta, finish_reason: reason }],
});

const streams: Readonly<Record<string, readonly object[]>> = {
  gemini: [gemini("It "), gemini("rai"), gemini("ns", { finishReason: "STOP" })],
  "gemini, without ids": [
    gemini("It ", {}, {}),
    gemini("rai", {}, {}),
    gemini("ns", { finishReason: "STOP" }, {}),
  ],
  "gemini, of a Java client": [
    gemini("It "),
    gemini("rai"),
    gemini("ns", { finishReason: "MAX_TOKENS", finishMessage: "too long" }),
  ],
  ollama: [ollama("It ", false), ollama("rains", false), ollama("", true)],
  "openai-chat": [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "It rains" }),
    chunk({}, "stop"),
  ],
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 5, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It rains" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 4 },
    },
    { type: "message_stop" },
  ],
};

const json = (value: unknown): string => JSON.stringify(value);
const lines = (records: readonly unknown[]): string => records.map((record) => `${json(record)}\n`).join("");
const forms: Readonly<Record<string, (events: readonly object[]) => string>> = {
  "a list of records": (events) => json({ events: events.map((raw, seq) => ({ seq, raw })) }),
  "a list of records, in strings": (events) =>
    json(events.map((event) => ({ at: "chunk", data: json(event) }))),
  "one record per line": (events) => lines(events.map((data, t) => ({ t, event: "chunk", data }))),
  "lines with records of another kind": (events) =>
    lines(
      events.flatMap((data) => [
        { type: "metric", ms: 12 },
        { kind: "captured", data },
      ]),
    ),
  "a map by number": (events) =>
    json(Object.fromEntries(events.map((event, place) => [`chunk${place}`, event]))),
};

async function checked(log: string): Promise<{ findings: readonly string[]; exchanges: number }> {
  const { findings, files } = await check(log);
  return {
    findings: findings
      .filter(({ rule }) => rule !== "truncated-reply")
      .map(({ rule, severity, message }) => `${severity} ${rule}: ${message}`),
    exchanges: files.reduce((count, file) => count + file.exchanges, 0),
  };
}

const cases = Object.entries(streams).flatMap(([name, events]) =>
  Object.entries(forms).map(([form, write]) => [name, form, write(events)] as const),
);

describe("a whole stream is one reply without a finding", () => {
  test.each(cases)("%s, in %s", async (_name, _form, log) => {
    expect(await checked(log)).toEqual({ findings: [], exchanges: 1 });
  });

  test("two streams in one list are two replies", async () => {
    const events = [...(streams["gemini"] ?? []), ...(streams["gemini"] ?? [])].map((event, place) =>
      place < 3 ? event : { ...event, responseId: "r2" },
    );
    expect(await checked(json({ events: events.map((raw) => ({ raw })) }))).toEqual({
      findings: [],
      exchanges: 2,
    });
  });

  test("whole replies in a list stay what they are", async () => {
    const reply = gemini("It rains", { finishReason: "STOP" });
    expect(
      await checked(json({ replies: [{ raw: reply }, { raw: { ...reply, responseId: "r2" } }] })),
    ).toEqual({
      findings: [],
      exchanges: 2,
    });
  });
});

describe("without its last event", () => {
  const open = Object.entries(streams).map(
    ([name, events]) => [name, events.slice(0, name === "anthropic" ? -2 : -1)] as const,
  );

  test.each(open)("%s, between records that nobody knows, may have its end there", async (_name, events) => {
    const log = lines([
      { type: "session", id: "s1" },
      ...events.flatMap((event) => [event, { type: "metric", ms: 12 }]),
      { type: "turn.done" },
    ]);
    expect((await checked(log)).findings).toEqual([
      "info truncated-stream: the log has no last event of the stream; a record that was not read may be it",
    ]);
  });

  test.each(open)("%s, one record per line, ended early", async (_name, events) => {
    expect((await checked(lines(events))).findings).toEqual([
      expect.stringMatching(/^warning truncated-stream: the stream ends without its terminal event/),
    ]);
  });

  test("behind its request, it ended early although other records stand between its events", async () => {
    const request = { model: "gpt-5", stream: true, messages: [{ role: "user", content: "Does it rain?" }] };
    const log = lines([
      request,
      chunk({ role: "assistant", content: "" }),
      { type: "metric", ms: 12 },
      chunk({ content: "It rai" }),
    ]);
    expect((await checked(log)).findings).toEqual([
      expect.stringMatching(/^error truncated-stream: the stream ends without its terminal event/),
    ]);
  });
});
