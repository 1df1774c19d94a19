import { expect, test } from "vitest";
import { credentialsWritten } from "../../src/fix/credentials.ts";
import { fixLogs } from "../../src/fix/fix.ts";
import { writtenLog } from "../../src/fix/written.ts";
import { memorySource } from "../../src/reading/source.ts";
import { leaks } from "../secrets/kinds.ts";
import { found, logOf, looks, tells } from "./log.ts";

const keysOf = (...kinds: string[]): string[] =>
  leaks.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
const keys = keysOf("Groq", "npm", "AWS, secret");

async function counted(text: string): Promise<number> {
  const source = memorySource("run.jsonl", Buffer.from(text));
  const logs = await fixLogs([{ path: "run.jsonl", source }], {});
  return credentialsWritten(logs, "run.jsonl", writtenLog(logs, "run.jsonl", source, "headers"));
}

const asks = (content: string): object => ({ role: "user", content });

test("credentials in bodies are counted once each, examples and other encodings included or left out as the rule does", async () => {
  const request = asks(`${keys.join("\n")}\nOPENAI_API_KEY=sk-your-key-here`);
  const text = logOf([
    { sent: [request], back: looks },
    { sent: [request, looks, found], back: tells },
  ]);
  expect(await counted(text)).toBe(3);
});

test("one is one, whether it stands in a text, in arguments or in arguments within arguments", async () => {
  for (const { kind, text: leak } of leaks.filter(({ needsName }) => !needsName)) {
    const within = (args: string): object => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "run", arguments: args } }],
    });
    const once = await counted(logOf([{ sent: [asks(leak)], back: tells }]));
    const args = JSON.stringify({ script: leak });
    const deep = within(JSON.stringify({ more: args }));
    const often = await counted(
      logOf([
        { sent: [asks(leak)], back: within(args) },
        { sent: [asks(leak), within(args), found], back: deep },
      ]),
    );
    expect([kind, often]).toEqual([kind, once]);
  }
});

test("a repair that brings one back is counted with it", async () => {
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: "call_1",
        type: "function",
        function: { name: "run", arguments: JSON.stringify({ key: keys[0] }) },
      },
    ],
  };
  const text = logOf([
    { sent: [asks("Run it.")], back: call },
    { sent: [asks("Run it."), found], back: tells },
  ]);
  expect(await counted(text)).toBe(1);
});

test("one that a stream holds in fragments is one", async () => {
  const events = (keys[0] as string).match(/.{1,7}/g)?.map((content) => ({
    id: "c1",
    object: "chat.completion.chunk",
    model: "gpt-5",
    choices: [{ index: 0, delta: { content } }],
  }));
  const stream = [...(events ?? []).map((event) => JSON.stringify(event)), "[DONE]"];
  const record = {
    request: {
      url: "https://api.openai.com/v1/chat/completions",
      body: { model: "gpt-5", stream: true, messages: [asks("Hi")] },
    },
    response: { status: 200, body: stream.map((data) => `data: ${data}\n\n`).join("") },
  };
  expect(await counted(`${JSON.stringify(record)}\n`)).toBe(1);
});

test("in a session file, those of the whole file count", async () => {
  const record = (uuid: string, parentUuid: string | null, type: string, message: object): string =>
    `${JSON.stringify({ uuid, parentUuid, type, sessionId: "s1", version: "2.0.0", cwd: "/w", timestamp: "2026-01-01T00:00:00Z", message })}\n`;
  const text = [
    record("u1", null, "user", asks(`Use ${keys[0]}`)),
    record("u2", "u1", "assistant", {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: `I use ${keys[0]} and ${keys[1]}.` }],
      stop_reason: "end_turn",
    }),
  ].join("");
  expect(await counted(text)).toBe(2);
});
