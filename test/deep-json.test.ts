import { describe, expect, test } from "vitest";
import { check, read } from "../src/index.ts";
import { isDeepJson, isJson, parseJson } from "../src/reading/parse.ts";
import { logOf } from "./fix/log.ts";

const asks = { role: "user", content: "Store the tree, please" };
const call = (id: string, text: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "store", arguments: text } }],
});
const stored = (id: string) => ({ role: "tool", tool_call_id: id, content: "stored" });

/** JSON that nests so many levels. */
const trees: Readonly<Record<string, (levels: number, core?: string) => string>> = {
  lists: (levels, core = "1") => `{"tree":${"[".repeat(levels)}${core}${"]".repeat(levels)}}`,
  objects: (levels, core = "1") => `${'{"a":'.repeat(levels)}${core}${"}".repeat(levels)}`,
};

async function reportOf(text: string) {
  const log = logOf([
    { sent: [asks], back: call("call_k1f9Qz27Lm", text) },
    { sent: [asks, call("call_k1f9Qz27Lm", text), stored("call_k1f9Qz27Lm")], back: call("call_k2", text) },
  ]);
  return check(Buffer.from(log), { name: "run.jsonl" });
}

test.each(Object.entries(trees))(
  "arguments of deep %s are JSON, and it is told that they were not read",
  async (_, of) => {
    for (const levels of [600, 5000, 50_000]) {
      const { findings, notChecked } = await reportOf(of(levels));
      expect(findings.map(({ rule }) => rule)).toEqual(["unclosed-loop"]);
      expect(notChecked).toContainEqual({
        file: "run.jsonl",
        rule: "invalid-arguments",
        why: "the arguments of `store` are nested too deeply to validate",
      });
    }
  },
);

test.each(Object.entries(trees))(
  "arguments of deep %s that are no JSON are reported all the same",
  async (_, of) => {
    for (const core of ["", "1,,", "nul"]) {
      const { findings } = await reportOf(of(5000, `{"b":${core}}`));
      expect(findings.map(({ rule }) => rule)).toContain("incomplete-arguments");
    }
  },
);

const chunk = (delta: object, finish_reason: string | null = null): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "gpt-5",
    choices: [{ index: 0, delta, finish_reason }],
  });
const tool_calls = [
  { index: 0, id: "call_1", type: "function", function: { name: "store", arguments: '{"a":1}' } },
];

/** A stream whose second event has a member that nests deep. */
function deepStream(of: (levels: number) => string): string {
  const events = [
    chunk({ role: "assistant", content: null }),
    chunk({ tool_calls }).replace(/\}$/, `,"x_trace":${of(5000)}}`),
    chunk({}, "tool_calls"),
    "[DONE]",
  ];
  return events.map((data) => `data: ${data}\n\n`).join("");
}

const request = JSON.stringify({ model: "gpt-5", stream: true, messages: [asks] });
const record = (stream: string): string => `{"request":${request},"response":${JSON.stringify(stream)}}\n`;
const keepings: Readonly<
  Record<string, readonly [file: string, keep: (stream: string) => string, line: number]>
> = {
  "a file of events": ["run.sse", (stream) => stream, 3],
  "a string of a record": ["run.jsonl", record, 1],
  "a text log": ["run.log", (stream) => `12:00 POST /v1/chat/completions\n${request}\n\n${stream}`, 6],
  "a cell of a table": ["run.csv", (stream) => `id,response\n1,"${stream.replaceAll('"', '""')}"\n`, 4],
};

describe.each(Object.entries(trees))("an event with deep %s", (_, of) => {
  test.each(Object.entries(keepings))(
    "is named, and the call in it is read: %s",
    async (_, [name, keep, line]) => {
      const bytes = Buffer.from(keep(deepStream(of)));
      const { exchanges } = await read(bytes, { name });
      expect(exchanges.flatMap(({ reply }) => reply?.items.map(({ kind }) => kind) ?? [])).toEqual(["call"]);
      const { findings } = await check(bytes, { name });
      const told = findings.filter(({ rule }) => /stream|record|fragments|arguments/.test(rule));
      expect(told.map(({ rule, message, location }) => [rule, location.line, message])).toEqual([
        [
          "unreadable-record",
          line,
          "the JSON of this event is nested too deeply to be read whole; this part was not checked",
        ],
      ]);
    },
  );
});

test("a slip of JSON below the depth to which such values are read is a loss, and is named as one", async () => {
  const input = `${'{"a":'.repeat(70)}"Berlin",${"}".repeat(70)}`.replace('"Berlin",', '{"city":"Berlin",}');
  const request = `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"store","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"stored"}]}]}`;
  const { findings } = await check(Buffer.from(`${request}\n`), { name: "run.jsonl" });
  const unread = findings.filter(({ rule }) => rule === "unreadable-record");
  expect(unread.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    "warning: not valid JSON: a trailing comma, nested more than 56 levels deep; this part was not checked",
  ]);
});

test("a value that is not the last of a text makes it no JSON, whatever follows", () => {
  const deep = `${"[".repeat(600)}${"]".repeat(600)}`;
  for (const text of [
    `{}${deep}`,
    `{"a": 1}\n${deep}`,
    `["}"]${deep}`,
    `]${deep}`,
    `{"a": "]"}\n`.repeat(900),
  ]) {
    expect(isJson(text)).toBe(false);
    expect(isDeepJson(text)).toBe(false);
    expect(parseJson(text)).toBeUndefined();
  }
  expect(isDeepJson(deep)).toBe(true);
  expect(isDeepJson(`{"a": [], "b": ${deep}}`)).toBe(true);
});
