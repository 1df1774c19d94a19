import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { edited } from "./edits.ts";

/** Reports in Markdown that quote a conversation in YAML. */

const chat = `model: gpt-5
messages:
  - role: user
    content: How warm is it in Bern?
  - role: assistant
    content: null
    tool_calls:
      - id: call_1
        type: function
        function:
          name: warmth
          arguments: '{"city": "Bern"}'
  - role: user
    content: And now?
`;
const blocks = `model: claude-sonnet-4-5
max_tokens: 100
messages:
- role: user
  content: How warm is it in Bern?
- role: assistant
  content: [{type: tool_use, id: toolu_1, name: warmth, input: {city: Bern}}]
- role: user
  content: And now?
`;
const list = chat.replace(/^.*\n.*\n/, "");

const around = (yaml: string, fence = "```", label = "yaml"): string =>
  `# The model never sees the result\n\nVersion: 1.4.2\n\n${fence}${label}\n${yaml}${fence}\n\nWhat is wrong?\n`;

const margin = (text: string, width: number): string => text.replaceAll(/^(?=.)/gm, " ".repeat(width));

describe("a conversation in a block of YAML", () => {
  test.each([
    ["OpenAI's", around(chat), 13],
    ["Anthropic's", around(blocks), 12],
    ["messages without their request", around(list), 11],
    ["in a block without a language", around(chat, "~~~", ""), 13],
    ["in a list", `What happens:\n\n1. It sends this.\n\n${margin(around(chat), 3)}`, 17],
    ["with the line ends of Windows", around(chat).replaceAll("\n", "\r\n"), 13],
    ["behind another one", `${around("jobs:\n  build: [npm ci]\n")}${around(chat)}`, 23],
  ])("%s, is judged at its lines", async (_, log, line) => {
    const { findings } = await check(log);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ rule, location }) => [rule, location.line])).toEqual([
      ["unanswered-tool-call", line],
    ]);
  });

  test("is repaired as YAML", async () => {
    const result = { role: "tool", tool_call_id: "call_1", content: "12 degrees" };
    const { bytes } = await edited(around(chat), {
      1: [{ op: "insert", pointer: "/messages/2", json: JSON.stringify(result) }],
    });
    const answer = "  - role: tool\n    tool_call_id: call_1\n    content: 12 degrees\n";
    const [before, after] = chat.split(/(?<=Bern"}'\n)/);
    expect(bytes.toString()).toBe(around(`${before}${answer}${after}`));
  });

  test.each([
    ["that is cut within a quote", around(`${chat}  - role: user\n    content: "And\n`)],
    ["that has no conversation", around("services:\n  - name: weather\n    role: user\n")],
  ])("leaves a block as it is %s", async (_, log) => {
    const { files, findings } = await check(log);
    expect(files).toEqual([]);
    expect(findings.map(({ data }) => data)).toEqual([{ defect: "not-understood" }]);
  });
});
