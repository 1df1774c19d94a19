import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Logs of events in which a program also kept the parts of each message, as they arrived. */

const words = "It rains in Oslo, and it will rain until the evening comes.".split(" ");

type Names = Readonly<Record<"text" | "call" | "thought", string>>;
const programs: Readonly<Record<string, Names>> = {
  streaming: {
    text: "assistant_streaming_message",
    call: "assistant_streaming_tool_call",
    thought: "assistant_streaming_thinking_message",
  },
  delta: { text: "assistant_message_delta", call: "tool_call_delta", thought: "thinking_delta" },
  chunk: { text: "assistant_chunk", call: "tool_call_chunk", thought: "thinking_chunk" },
  partial: { text: "agent-message-partial", call: "tool-call-partial", thought: "thought-partial" },
};

function logOf({ text, call, thought }: Names): readonly object[] {
  const call1 = { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } };
  return [
    { type: "user_message", content: "Does it rain in Oslo?" },
    ...words.map((content) => ({ type: thought, content })),
    { type: "assistant_thinking_message", content: words.join(" ") },
    ...["{", "}"].map((part) => ({
      type: call,
      toolCallId: "call_1",
      toolName: "get_weather",
      arguments: part,
    })),
    { type: "assistant_message", content: "", toolCalls: [call1], finishReason: "tool_calls" },
    { type: "tool_call", toolCallId: "call_1", name: "get_weather", arguments: {} },
    { type: "tool_result", toolCallId: "call_1", name: "get_weather", content: "rain" },
    ...words.map((content) => ({ type: text, content })),
    { type: "assistant_message", content: words.join(" "), finishReason: "stop" },
  ];
}

const forms: Readonly<Record<string, (records: readonly object[]) => string>> = {
  "on lines": (records) => records.map((record) => JSON.stringify(record)).join("\n"),
  "in a list": (records) => JSON.stringify(records, null, 2),
};
const cases = Object.entries(programs).flatMap(([name, names]) =>
  Object.entries(forms).map(([form, write]) => [name, form, write(logOf(names))] as const),
);

test.each(cases)("parts named with %s, %s, are left out", async (_name, _form, log) => {
  const { findings, files } = await check(log);
  expect(findings).toEqual([]);
  expect(files).toMatchObject([{ container: "events", conversations: 1, calls: 1 }]);
  expect(files[0]?.skipped?.map(({ reason }) => reason)).toContain(
    "a part of a message that the log also has in full",
  );
});
