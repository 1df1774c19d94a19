import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

const question = { role: "user", content: "What did I buy with order 17?" };
const chat = { model: "gpt-5", messages: [question] };
const converse = { messages: [{ role: "user", content: [{ text: question.content }] }], inferenceConfig: {} };
const responses = { model: "gpt-5", input: [question], store: false };

/** What is said of the places that no reader understood. */
async function named(log: string): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(log), { name: "run.log" });
  return findings.flatMap(({ rule, message, location }) =>
    rule === "unreadable-record" ? [`${location.line}: ${message.split(";")[0]}`] : [],
  );
}

const layouts: Readonly<Record<string, (request: object, response: object) => string>> = {
  headings: (request, response) =>
    `--- REQUEST ---\n${JSON.stringify(request)}\n--- RESPONSE (200) ---\n${JSON.stringify(response, null, 2)}\n`,
  "lines of a log": (request, response) =>
    `12:00:00 INFO sent\n12:00:00 INFO request ${JSON.stringify(request)}\n12:00:01 INFO\n12:00:02 INFO got ${JSON.stringify(response)}\n`,
};

test.each<[string, object, object]>([
  ["a choice without its message", chat, { object: "chat.completion", choices: [{ finish_reason: "stop" }] }],
  ["no choices", chat, { id: "chatcmpl-1", object: "chat.completion", usage: { total_tokens: 7 } }],
  ["no message of Converse", converse, { output: {}, stopReason: "end_turn", usage: { inputTokens: 7 } }],
  ["no output", responses, { id: "resp_1", object: "response", status: "completed" }],
])("a reply that lost what it says is named in a text: %s", async (_, request, response) => {
  for (const write of Object.values(layouts))
    expect(await named(write(request, response))).toEqual(["4: no known API sends this response"]);
});

test("what programs write about a reply is none that was lost", async () => {
  const summary = { event: "done", finish_reason: "stop", tokens: 7 };
  const reply = {
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: "A lamp." } }],
  };
  const ask = `12:00:00 INFO request ${JSON.stringify(chat)}\n`;
  expect(await named(`${ask}12:00:01 INFO statistics ${JSON.stringify(summary)}\n`)).toEqual([]);
  expect(await named(`${ask}12:00:01 INFO response headers {"date":"today","server":"nginx"}\n`)).toEqual([]);
  const whole = `${ask}12:00:01 INFO response ${JSON.stringify(reply)}\n`;
  expect(await named(`${whole}12:00:01 INFO got ${JSON.stringify(summary)}\n`)).toEqual([]);
});
