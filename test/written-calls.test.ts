import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** What a model wrote, pasted alone: its text, or the content of its reply without a role. */

async function findingsOf(log: string): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings.map(({ rule, message }) => `${rule}: ${message}`);
}

const inText = (tool: string, syntax: string): string =>
  `text-tool-call: a call to \`${tool}\` is in the text (${syntax} syntax), not a structured call`;
const unread =
  "unreadable-record: no conversation was found; toollint expects requests to a language model and its replies";

const hermes = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const minimax =
  '<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>';

describe("a call in the text of a model", () => {
  test.each([
    ["alone", hermes, inText("weather", "hermes")],
    ["after a few words", `I look it up.\n${hermes}\n`, inText("weather", "hermes")],
    [
      "in a syntax of special tokens",
      '<|tool_call_start|>[weather(city="Oslo")]<|tool_call_end|>',
      inText("weather", "lfm2"),
    ],
    [
      "in content without a role",
      JSON.stringify({ content: [{ type: "text", text: minimax }] }, null, 2),
      inText("weather", "minimax-m2"),
    ],
    [
      "in the one record of a session",
      JSON.stringify(
        { type: "message", message: { role: "assistant", content: [{ type: "text", text: minimax }] } },
        null,
        2,
      ),
      inText("weather", "minimax-m2"),
    ],
  ])("%s", async (_, log, finding) => {
    expect(await findingsOf(log)).toContainEqual(finding);
  });

  test("is told at its place", async () => {
    const log = JSON.stringify({ content: [{ type: "text", text: minimax }] }, null, 2);
    const { findings } = await check(Buffer.from(log));
    expect(findings[0]?.location).toMatchObject({ line: 3, pointer: "/content/0" });
  });
});

describe("nobody said it", () => {
  test.each([
    ["in a text about the syntax", `${"Models write calls between tags. ".repeat(20)}\n${hermes}`],
    ["as JSON without a mark of a model", '[{"name": "weather", "arguments": {"city": "Oslo"}}]'],
    ["in the content of a user", JSON.stringify({ role: "user", content: hermes })],
    ["in a result of a tool", JSON.stringify({ tool_call_id: "c1", role: "tool", content: minimax })],
  ])("%s", async (_, log) => {
    expect(await findingsOf(log)).toEqual([unread]);
  });
});
