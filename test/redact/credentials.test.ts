import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { redact } from "../../src/redact/redact.ts";
import { leaks, shownPart } from "../secrets/kinds.ts";

const call = (text: string) => ({
  id: "call_1",
  type: "function",
  function: { name: "run", arguments: JSON.stringify({ command: text }) },
});
const tools = [{ type: "function", function: { name: "run", parameters: { type: "object" } } }];

/** A log that says a text wherever one can stand, also in base64 and in fragments of a stream. */
function logOf(text: string): string {
  const asked = { role: "user", content: text };
  const reply = { role: "assistant", content: null, tool_calls: [call(text)] };
  const result = { role: "tool", tool_call_id: "call_1", content: text };
  const parts = text.match(/[\s\S]{1,5}/g) ?? [];
  const events = parts
    .map((content) => ({
      id: "c",
      object: "chat.completion.chunk",
      model: "gpt-4.1",
      choices: [{ index: 0, delta: { content } }],
    }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const request = (messages: object[]): object => ({ model: "gpt-4.1", messages, tools });
  return [
    {
      request: request([asked]),
      response: {
        id: "c0",
        object: "chat.completion",
        model: "gpt-4.1",
        choices: [{ index: 0, message: reply, finish_reason: "tool_calls" }],
      },
    },
    { request: request([asked, reply, result]), response: `${events.join("")}data: [DONE]\n\n` },
    { request: Buffer.from(JSON.stringify(request([asked, reply, result]))).toString("base64"), note: text },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** The texts of a log as they are, without escapes, from base64, and of streams in one. */
function readings(log: string): string[] {
  const plain = log.replaceAll(/\\+n/g, "\n").replaceAll("\\", "");
  const decoded = [...log.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([run]) =>
    Buffer.from(run, "base64").toString(),
  );
  const joined = [...plain.matchAll(/"delta":\{"content":"([\s\S]*?)"\}/g)].map(([, part]) => part).join("");
  return [log, plain, joined, ...decoded];
}

test("there are more than sixty kinds of credentials", () => {
  expect(leaks.length).toBeGreaterThanOrEqual(60);
});

const roles = ["user", "assistant", "system", "tool"];

test.each([
  ["run.jsonl", []],
  ["run.jsonl.gz", []],
  ["run.jsonl", roles],
  ["run.jsonl.gz", roles],
])("no credential of any kind is left in %s, with the texts of %j", async (name, keptRoles) => {
  const left: string[] = [];
  for (const { kind, secret, text } of leaks) {
    const log = Buffer.from(logOf(text));
    const bytes = name.endsWith(".gz") ? gzipSync(log) : log;
    const { files, differences } = await redact([{ path: name, source: bytesSource(name, bytes) }], {
      key: Buffer.from("key of a test"),
      keptRoles: new Set(keptRoles),
    });
    if (differences.length > 0) left.push(`${kind}: ${differences[0]?.what}`);
    const made = files[0]?.bytes ?? bytes;
    const shown = (name.endsWith(".gz") ? gunzipSync(made) : made).toString();
    if (readings(shown).some((reading) => shownPart(reading, secret, 12, 6) !== undefined)) left.push(kind);
  }
  expect(left).toEqual([]);
});
