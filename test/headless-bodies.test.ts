import { describe, expect, test } from "vitest";
import { unopenedAt } from "../src/log/headless-bodies.ts";
import { toollint } from "./cli/program.ts";

const bodies = {
  chat: {
    messages: [
      { role: "user", content: "Look at {this}, please." },
      { role: "tool", tool_call_id: "call_a", content: '["x\\n}"]' },
    ],
    model: "gpt-4o",
  },
  responses: {
    input: [
      { role: "user", content: "Look at {this}, please." },
      { type: "function_call_output", call_id: "call_a", output: "1" },
      { role: "user", content: "Thanks." },
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: "Look at [this}, please." }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: {} } }] },
    ],
  },
};

describe.each(Object.entries(bodies))("the end of a body of %s whose beginning was not copied", (_, body) => {
  test.each([
    ["in a string", "this"],
    ["between members", '"Look'],
  ])("cut %s", (_, word) => {
    for (const layout of [undefined, 2]) {
      const whole = JSON.stringify(body, undefined, layout);
      const end = `...${whole.slice(whole.indexOf(word))}\n`;
      const line = end.slice(0, end.indexOf("}", end.indexOf("please."))).split("\n").length;
      expect(unopenedAt(end)).toBe(line);
      expect(unopenedAt(whole)).toBeUndefined();
    }
  });
});

test("what to do is said", async () => {
  const { stderr, exit } = await toollint(["check", "-"], {
    stdin: JSON.stringify(bodies.chat).slice(40),
  });
  expect(stderr).toContain("standard input begins in the middle of a body: a bracket in line 1 closes what");
  expect(stderr).toContain("Save the body from its first `{`");
  expect(exit).toBe(2);
});

test.each([
  ["code", 'const role = { "role": x };\nif (y) {\n}\n'],
  ["a beginning", '{"messages":[{"role":"user","content":"Hi"}]'],
  ["words with a bracket", "see there]"],
])("%s is no such end", (_, text) => {
  expect(unopenedAt(text)).toBeUndefined();
});
