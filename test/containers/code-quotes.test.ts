import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Requests in the code of programs: the keys in JSON's quotes, the arguments in apostrophes. */

const body = (content: string, args: string): string =>
  `{
  "model": "gpt-5",
  "messages": [
    {"role": "user", "content": ${content}},
    {"role": "assistant", "content": None, "tool_calls": [
      {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ${args}}},
      {"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": '{}'}}
    ]},
    {"role": "tool", "tool_call_id": "call_1", "content": "rain"}
  ]
}
`;
const python = body('"How\'s the weather?"', `'{"city": "Oslo"}'`);
const script = body("'What is \"it\" like?'", '\'{"city":"Oslo"}\'').replace("None", "null");
const oneLine = (text: string): string => text.trim().replaceAll("\n", " ");
const second = ["error unanswered-tool-call /messages/1/tool_calls/1"];

test.each<[string, string, string]>([
  ["a file of Python's", python, "body.json"],
  ["a line of Python's", oneLine(python), "log.jsonl"],
  ["a call in a program", `reply = client.create(\n  **${python})\n`, "repro.py"],
  ["a line of a log", `10:00:00 DEBUG sends ${oneLine(python)}\n10:00:01 DEBUG it's done\n`, "run.log"],
  ["JavaScript", `await create(${script});\n`, "repro.ts"],
])("%s is read to its end", async (_, text, name) => {
  const { findings } = await check(Buffer.from(text), { name });
  const found = findings.filter(({ severity }) => severity !== "info");
  expect(found.map(({ rule, severity, location }) => `${severity} ${rule} ${location.pointer}`)).toEqual(
    second,
  );
});

test("an apostrophe in JSON that is broken elsewhere is no code", async () => {
  const broken = python.replace("None", "null").replaceAll("'{", '"{').replaceAll("}'", '}"');
  const { findings } = await check(Buffer.from(broken), { name: "body.json" });
  expect(findings.map(({ rule }) => rule)).toContain("unreadable-record");
});
