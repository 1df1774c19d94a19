import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { serve } from "../../src/library/testing.ts";
import { toHaveAcceptedEveryHistory } from "../../src/library/vitest.ts";

expect.extend({ toHaveAcceptedEveryHistory });

const script = {
  replies: [
    { calls: [{ name: "find_order", arguments: { number: "4711" } }] },
    { text: "It left on Monday." },
  ],
};
const tools = [
  {
    type: "function" as const,
    function: {
      name: "find_order",
      parameters: { type: "object", properties: { number: { type: "string" } } },
    },
  },
];

/** A small agent on the chat API. One that forgets leaves the model's call out of the history. */
async function ask(client: OpenAI, forgets = false): Promise<string | null> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Where is order 4711?" }];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: "gpt-5-mini", messages, tools });
    const message = choices[0]?.message;
    if (!message?.tool_calls) return message?.content ?? null;
    if (!forgets) messages.push(message);
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: "shipped on Monday" });
  }
}

test("an agent that keeps its history gets the scripted answer", async () => {
  await using server = await serve({ script });
  const client = new OpenAI({ baseURL: server.baseUrl("openai"), apiKey: "test" });
  expect(await ask(client)).toBe("It left on Monday.");
  expect(server.requests).toBe(2);
  expect(server).toHaveAcceptedEveryHistory();
});

test("a client that drops a call fails the test, even if it hides the error", async () => {
  await using server = await serve({ script });
  const client = new OpenAI({ baseURL: server.baseUrl("openai"), apiKey: "test" });
  await ask(client, true).catch(() => undefined);
  expect(server.refusals).toEqual([
    {
      request: 2,
      profile: "openai",
      status: 400,
      message: expect.stringContaining("must be a response to a preceeding message with 'tool_calls'"),
      rule: "orphaned-tool-result",
      pointer: "/messages/1",
    },
  ]);
  expect(() => expect(server).toHaveAcceptedEveryHistory()).toThrow(
    /request 2: openai rejects it \(400\): [\s\S]*orphaned-tool-result at \/messages\/1/,
  );
});

test("what a request says cannot control the terminal of a test run", async () => {
  await using server = await serve({ profile: "openai" });
  const call = { type: "function", function: { name: "find_order", arguments: "{}" } };
  await fetch(`${server.baseUrl("openai")}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({
      model: "gpt-5-mini",
      messages: [
        { role: "user", content: "Where is order 4711?" },
        { role: "assistant", content: null, tool_calls: [{ ...call, id: "call\u001b[2J\n::error::1" }] },
        { role: "user", content: "And now?" },
      ],
    }),
  });
  expect(toHaveAcceptedEveryHistory(server).message()).toContain("call\\u{1b}[2J\\n::error::1");
});

test("a lenient server answers, and warns", async () => {
  await using server = await serve({ script, lenient: true });
  const client = new OpenAI({ baseURL: server.baseUrl("openai"), apiKey: "test" });
  // It forgets its call each time, so the model makes the same call again.
  const { choices } = await client.chat.completions.create({
    model: "gpt-5-mini",
    messages: [
      { role: "user", content: "Where is order 4711?" },
      { role: "tool", tool_call_id: "call_1", content: "shipped on Monday" },
    ],
    tools,
  });
  expect(choices[0]?.message.tool_calls).toHaveLength(1);
  expect(server.warnings).toHaveLength(1);
});

test("one server speaks all protocols, each as strict as its own provider", async () => {
  await using server = await serve({ script: { replies: [{ text: "Hello." }] } });
  const client = new Anthropic({ baseURL: server.baseUrl("anthropic"), apiKey: "test" });
  const reply = await client.messages.create({
    model: "claude-opus-4-6",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(reply.content).toMatchObject([{ type: "text", text: "Hello." }]);
  expect(server.env).toMatchObject({
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
    ANTHROPIC_API_KEY: "toollint",
  });
});

test("a profile's model brings its chat template", async () => {
  await using server = await serve({ profile: "vllm/gemma-2-9b" });
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
  ];
  const body = JSON.stringify({ model: "mine", messages });
  const { status } = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
  expect(status).toBe(400);
  expect(server.refusals).toMatchObject([{ profile: "vllm", rule: "bad-turn-order" }]);
});

test("a server that nobody asked does not pass", async () => {
  await using server = await serve();
  expect(() => expect(server).toHaveAcceptedEveryHistory()).toThrow("no request arrived");
});

test("a recorded run answers, and faults come as planned", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toollint-testing-"));
  const journal = path.join(folder, "run.jsonl");
  {
    await using server = await serve({ script, journal });
    await ask(new OpenAI({ baseURL: server.baseUrl("openai"), apiKey: "test" }));
  }
  expect((await check(journal)).summary).toMatchObject({ error: 0, warning: 0 });
  await using server = await serve({ log: journal, faults: ["1:429,retry-after=0"] });
  const client = new OpenAI({ baseURL: server.baseUrl("openai"), apiKey: "test" });
  expect(await ask(client)).toBe("It left on Monday.");
  expect(server.requests).toBe(3);
  expect(server).toHaveAcceptedEveryHistory();
  rmSync(folder, { recursive: true });
});

test("what is wrong is said at once", async () => {
  await expect(serve({ profile: "nobody" })).rejects.toThrow(
    "no profile is called `nobody`; choose one of openai, ",
  );
  await expect(serve({ profile: "mistrl" })).rejects.toThrow("did you mean `mistral`?");
  await expect(serve({ faults: ["1:mystery"] })).rejects.toThrow("mystery");
  await expect(serve({ log: "{}\n", script: {} })).rejects.toThrow("a script or a log");
  await expect(serve({ log: "nothing\nhere" })).rejects.toThrow("no conversation was found");
  await expect(serve({ script: { replays: [] } })).rejects.toThrow("has no member `replays`");
  const misspelt: object = { fault: ["1:429"] };
  await expect(serve(misspelt)).rejects.toThrow("serve() has no option `fault`; did you mean `faults`?");
  expect(() => toHaveAcceptedEveryHistory("a path")).toThrow(TypeError);
});
