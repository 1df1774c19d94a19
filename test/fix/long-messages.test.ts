import { describe, expect, test } from "vitest";
import { asks, fixed, logOf, result, unsafe } from "./log.ts";

const count = 60;
const ids = Array.from({ length: count }, (_, index) => `toolu_${index}`);

describe("a message in which much is wrong", () => {
  const text = (words: string): object => ({ type: "text", text: words });
  const request = (...messages: object[]): string =>
    `${JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages })}\n`;
  const answers = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: `result ${id}` });
  const parts = (messages: readonly unknown[], index: number): Record<string, unknown>[] =>
    (messages[index] as { content: Record<string, unknown>[] }).content;
  const sent = (log: string): unknown[] => JSON.parse(log).messages;

  test("says all its results as text, in their order, when no call is left for them", async () => {
    const { text: log } = await fixed(
      request(
        { role: "user", content: "Look at all files." },
        { role: "user", content: [...ids.map(answers), text("And now?")] },
      ),
      unsafe,
    );
    const said = parts(sent(log), 1).map((part) => String(part["text"]).split("\n").at(-1));
    expect(said).toEqual(["And now?", ...ids.map((id) => `result ${id}`)]);
  });

  test("answers each of its calls once, before the user message", async () => {
    const { text: log } = await fixed(
      request(
        { role: "user", content: "Look at all files." },
        {
          role: "assistant",
          content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: { path: id } })),
        },
        { role: "user", content: [answers("toolu_0"), text("And now?")] },
      ),
      unsafe,
    );
    const answered = parts(sent(log), 2);
    expect(answered.at(-1)).toEqual(text("And now?"));
    expect(answered.slice(0, -1).map((part) => part["tool_use_id"])).toEqual(ids);
  });

  test("gets back its lost calls where they stood", async () => {
    const asked = ids.map((id) => ({
      id,
      type: "function",
      function: { name: "read", arguments: JSON.stringify({ path: id }) },
    }));
    const reply = { role: "assistant", content: null, tool_calls: asked };
    const forgotten = { ...reply, tool_calls: asked.filter((_, index) => index % 3 === 0) };
    const results = ids.map((id) => result(id, `result ${id}`));
    const { messages } = await fixed(
      logOf([
        { sent: [asks], back: reply },
        { sent: [asks, forgotten, ...results], back: { role: "assistant", content: "All are fine." } },
      ]),
    );
    expect(messages(2)).toEqual([asks, reply, ...results]);
  });
});
