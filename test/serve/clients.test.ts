import { afterAll, expect, test } from "vitest";
import { scriptOf } from "../../src/serve/answers/script.ts";
import { scriptedAnswers } from "../../src/serve/answers/scripted.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

/** What healthy agents send beside what an API asks of them. */

const script = scriptOf(
  { replies: [{ calls: [{ name: "list_files" }] }, { text: "Two files." }] },
  "script.yaml",
);
const server: RunningServer = await startModelServer({ port: 0, answers: scriptedAnswers(script) });
afterAll(() => server.close());

const tools = [
  { type: "function", function: { name: "list_files", description: "Lists files. ".repeat(400) } },
];
const question = { role: "user", content: "Which files are there?" };
const called = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "list_files", arguments: "{}" } }],
};
const result = { role: "tool", tool_call_id: "call_1", content: "a.txt\nb.txt" };

async function messageAfter(...messages: object[]) {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", tools, messages }),
  });
  expect(response.status).toBe(200);
  const { choices } = (await response.json()) as { choices: [{ message: Record<string, unknown> }] };
  return choices[0].message;
}

test.each([
  ["HEAD", "/", 200],
  ["HEAD", "/anthropic", 200],
  ["GET", "/health", 200],
  ["POST", "/api/event_logging/batch", 200],
  ["GET", "/.well-known/oauth-authorization-server", 404],
  ["OPTIONS", "/v1/nothing", 404],
])("%s %s is no miss", async (method, path, status) => {
  const { misses, otherRequests } = server.model;
  const before = misses.length;
  expect((await fetch(server.url + path, { method })).status).toBe(status);
  expect(misses.length).toBe(before);
  expect(otherRequests.at(-1)).toMatchObject({ method, path });
});

test.each([
  ["/v1/nothing", "no API is served at POST /v1/nothing"],
  [
    "/model/nova-pro/converse",
    "no API is served at POST /model/nova-pro/converse; it looks like `bedrock-converse`, which toollint does not serve",
  ],
])("a request to %s is a miss", async (path, why) => {
  expect((await fetch(server.url + path, { method: "POST", body: "{}" })).status).toBe(404);
  expect(server.model.misses.at(-1)?.why).toBe(why);
});

test("words that the agent puts into the model's mouth are no reply of the script", async () => {
  const seed = [
    { role: "user", content: "This is the folder /work." },
    { role: "assistant", content: "Got it." },
  ];
  expect(await messageAfter(...seed, question)).toHaveProperty("tool_calls");
  expect(await messageAfter(...seed, question, called, result)).toMatchObject({ content: "Two files." });
});

test("a long description of a tool is neither refused nor warned about", async () => {
  await messageAfter(question);
  expect(server.model.refused).toEqual([]);
  expect(server.model.warnings).toEqual([]);
});

test("a session that a later run continues has no id twice", async () => {
  const idAfter = async (...messages: object[]) => {
    const run = await startModelServer({ port: 0, answers: scriptedAnswers(calling) });
    const response = await fetch(`${run.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "gpt-5", tools, messages }),
    });
    await run.close();
    return ((await response.json()) as Called).choices[0].message.tool_calls[0].id;
  };
  interface Called {
    readonly choices: readonly [{ readonly message: { readonly tool_calls: readonly [{ id: string }] } }];
  }
  const calling = scriptOf({ otherwise: { calls: [{ name: "list_files" }] } }, "script.yaml");
  const first = await idAfter(question);
  expect(await idAfter(question)).toBe(first);
  expect(await idAfter(question, called, result)).not.toBe(first);
});
