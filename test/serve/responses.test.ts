import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fields } from "../../src/reading/values.ts";
import type { AnswerSource, ServedAnswer } from "../../src/serve/answers/answer-source.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

/** Calls for the weather, and says it once the result is there. */
const weather: AnswerSource = {
  answer: ({ request: { history } }) => {
    const last = history.length === 0 ? undefined : history.element(history.length - 1).value;
    return {
      kind: "reply",
      reply: {
        items:
          fields(last)["type"] === "function_call_output"
            ? [{ kind: "text", text: "18 degrees." }]
            : [{ kind: "call", name: "get_weather", arguments: { city: "Lima" } }],
      },
    };
  },
};

let server: RunningServer;
let client: OpenAI;
beforeAll(async () => {
  server = await startModelServer({ port: 0, host: "127.0.0.1", answers: weather });
  client = new OpenAI({ apiKey: "test", baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(() => server.close());

const model = "gpt-4.1";
const question = "What is the weather in Lima?";
const output = (call_id: string) => ({
  type: "function_call_output" as const,
  call_id,
  output: "18 degrees",
});

/** The message, code and parameter of the error that a request gets. */
async function refusal(request: Promise<unknown>): Promise<unknown> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OpenAI.APIError)) return error;
  const { message, code, param } = fields(error.error);
  return [error.status, message, code, param];
}

function callIn({ output: items }: OpenAI.Responses.Response): string {
  const call = items.find((item) => item.type === "function_call");
  return call?.call_id ?? "";
}

describe("stored responses", () => {
  test("a request goes on from a response, and sends only what is new", async () => {
    const first = await client.responses.create({ model, input: question });
    expect(first.id).toMatch(/^resp_[0-9a-f]{50}$/);
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [output(callIn(first))],
    });
    expect(second.output_text).toBe("18 degrees.");
    expect(second.previous_response_id).toBe(first.id);
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity);
  });

  test("a stream is stored under the id that it names", async () => {
    const first = await client.responses.stream({ model, input: question }).finalResponse();
    const input = [output(callIn(first))];
    const stream = client.responses.stream({ model, previous_response_id: first.id, input });
    expect((await stream.finalResponse()).output_text).toBe("18 degrees.");
  });

  test("a call of the stored response has to be answered", async () => {
    const first = await client.responses.create({ model, input: question });
    const next = client.responses.create({ model, previous_response_id: first.id, input: "Go on" });
    expect(await refusal(next)).toEqual([
      400,
      `No tool output found for function call ${callIn(first)}.`,
      null,
      "input",
    ]);
  });

  test("an output has to answer a call of the stored response", async () => {
    const first = await client.responses.create({ model, input: question });
    const input = [output(callIn(first)), output("call_of_nobody")];
    const next = client.responses.create({ model, previous_response_id: first.id, input });
    expect(await refusal(next)).toEqual([
      400,
      "No tool call found for function call output with call_id call_of_nobody.",
      null,
      "input",
    ]);
  });

  test("branches go on from the same response", async () => {
    const first = await client.responses.create({ model, input: question });
    for (const _ of [1, 2]) {
      const input = [output(callIn(first))];
      const next = await client.responses.create({ model, previous_response_id: first.id, input });
      expect(next.output_text).toBe("18 degrees.");
    }
  });

  const notFound = (id: string) => [
    400,
    `Previous response with id '${id}' not found.`,
    "previous_response_not_found",
    "previous_response_id",
  ];

  test("nothing is stored with `store: false`", async () => {
    const first = await client.responses.create({ model, input: question, store: false });
    const next = client.responses.create({ model, previous_response_id: first.id, input: "Go on" });
    expect(await refusal(next)).toEqual(notFound(first.id));
  });

  test("a deleted response is gone", async () => {
    const first = await client.responses.create({ model, input: question });
    await client.responses.delete(first.id);
    const next = client.responses.create({ model, previous_response_id: first.id, input: "Go on" });
    expect(await refusal(next)).toEqual(notFound(first.id));
    expect(await refusal(client.responses.retrieve(first.id))).toEqual([
      404,
      `Response with id '${first.id}' not found.`,
      null,
      null,
    ]);
  });

  test.each([["resp_1"], ["resp_undefined"]])("an id that nobody issued: %s", async (id) => {
    const next = client.responses.create({ model, previous_response_id: id, input: "Go on" });
    expect(await refusal(next)).toEqual(notFound(id));
  });

  test.each([["undefined"], ["chatcmpl-BxYz01234567890123456789"]])(
    "an id of another kind: %s",
    async (id) => {
      const next = client.responses.create({ model, previous_response_id: id, input: "Go on" });
      expect(await refusal(next)).toEqual([
        400,
        `Invalid 'previous_response_id': '${id}'. Expected an ID that begins with 'resp'.`,
        "invalid_value",
        "previous_response_id",
      ]);
    },
  );

  test("OpenAI may have stored a response of its own form; the user is told", async () => {
    const id = "resp_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e78";
    const { length } = server.model.notes;
    const input = [output("call_made_elsewhere")];
    const next = await client.responses.create({ model, previous_response_id: id, input });
    expect(next.output_text).toBe("18 degrees.");
    expect(server.model.notes.slice(length)).toEqual([
      expect.stringMatching(new RegExp(`^request \\d+ refers to the response ${id}, which this server`)),
    ]);
    const after = await client.responses.create({ model, previous_response_id: next.id, input: "Thanks" });
    expect(callIn(after)).toMatch(/^call_/);
  });

  test("what is stored can be read", async () => {
    const first = await client.responses.create({ model, input: question, metadata: { run: "1" } });
    expect(await client.responses.retrieve(first.id)).toMatchObject({
      id: first.id,
      metadata: { run: "1" },
      output: first.output,
    });
    const { data } = await client.responses.inputItems.list(first.id);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{50}$/),
        type: "message",
        status: "completed",
        role: "user",
        content: [{ type: "input_text", text: question }],
      },
    ]);
    expect(await refusal(client.responses.cancel(first.id))).toEqual([
      400,
      "Cannot cancel a synchronous response.",
      null,
      null,
    ]);
  });

  test("a response in the background is fetched later", async () => {
    const queued = await client.responses.create({ model, input: question, background: true });
    expect([queued.status, queued.output]).toEqual(["queued", []]);
    const whole = await client.responses.retrieve(queued.id);
    expect([whole.status, whole.output]).toMatchObject(["completed", [{ type: "function_call" }]]);
    expect((await client.responses.cancel(queued.id)).status).toBe("completed");
  });
});

test("recorded replies are stored under their own ids", async () => {
  const id = `resp_${"0123456789abcdef".repeat(3)}`;
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather", arguments: "{}" };
  const body = { id, object: "response", status: "completed", output: [{ ...call, status: "completed" }] };
  const event = (type: string) => ({ name: type, value: { type, sequence_number: 0, response: body } });
  const events = [event("response.created"), event("response.completed")];
  const recorded: ServedAnswer = {
    kind: "recorded",
    reply: { items: [] },
    stream: { framing: "sse", events },
  };
  const { url, close } = await startModelServer({
    port: 0,
    host: "127.0.0.1",
    answers: { answer: () => recorded },
  });
  const replayed = new OpenAI({ apiKey: "test", baseURL: `${url}/v1`, maxRetries: 0 });
  const stream = await replayed.responses.create({ model, input: question, stream: true });
  for await (const _ of stream);
  const next = replayed.responses.create({ model, previous_response_id: id, input: "Go on" });
  expect(await refusal(next)).toMatchObject({ 0: 400, 1: "No tool output found for function call call_1." });
  await close();
});

describe("references to items", () => {
  test("stand for what is stored", async () => {
    const first = await client.responses.create({ model, input: question });
    const input = [output(callIn(first))];
    const said = await client.responses.create({ model, previous_response_id: first.id, input });
    const { length } = server.model.notes;
    const next = await client.responses.create({
      model,
      input: [
        { role: "user", content: question },
        { type: "item_reference", id: said.output[0]?.id ?? "" },
        { role: "user", content: "And now?" },
      ],
    });
    expect(next.status).toBe("completed");
    expect(server.model.notes).toHaveLength(length);
  });

  test("to items of a reply with `store: false`", async () => {
    const first = await client.responses.create({ model, input: question, store: false });
    const id = first.output[0]?.id ?? "";
    const next = client.responses.create({ model, input: [{ type: "item_reference", id }] });
    expect(await refusal(next)).toEqual([
      404,
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      null,
      "input",
    ]);
  });

  test("to an id that nobody issued", async () => {
    const next = client.responses.create({ model, input: [{ type: "item_reference", id: "msg_1" }] });
    expect(await refusal(next)).toEqual([404, "Item with id 'msg_1' not found.", null, "input"]);
  });
});

describe("conversations", () => {
  test("grow with each turn", async () => {
    const { id } = await client.conversations.create({
      items: [{ type: "message", role: "developer", content: "Answer in a word." }],
      metadata: { topic: "weather" },
    });
    expect(id).toMatch(/^conv_[0-9a-f]{50}$/);
    const first = await client.responses.create({ model, conversation: id, input: question });
    expect(first.conversation).toEqual({ id });
    const unanswered = client.responses.create({ model, conversation: id, input: "Go on" });
    expect(await refusal(unanswered)).toEqual([
      400,
      `No tool output found for function call ${callIn(first)}.`,
      null,
      "input",
    ]);
    const input = [output(callIn(first))];
    const second = await client.responses.create({ model, conversation: { id }, input });
    expect(second.output_text).toBe("18 degrees.");
    const { data } = await client.conversations.items.list(id, { order: "asc" });
    expect(data.map(({ type }) => type)).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
      "message",
    ]);
  });

  test("are read, changed and deleted", async () => {
    const { id } = await client.conversations.create();
    const changed = await client.conversations.update(id, { metadata: { topic: "rain" } });
    expect(changed).toMatchObject({ id, object: "conversation", metadata: { topic: "rain" } });
    expect(await client.conversations.retrieve(id)).toEqual(changed);
    const added = await client.conversations.items.create(id, {
      items: [1, 2, 3].map((number) => ({ type: "message", role: "user", content: `Line ${number}` })),
    });
    expect(added.data).toHaveLength(3);
    const texts: unknown[] = [];
    for await (const item of client.conversations.items.list(id, { limit: 2 })) texts.push(item.id);
    expect(texts).toEqual(added.data.map((item) => item.id).toReversed());
    const [first = ""] = added.data.map((item) => item.id ?? "");
    const found = await client.conversations.items.retrieve(first, { conversation_id: id });
    expect(found).toEqual(added.data[0]);
    await client.conversations.items.delete(first, { conversation_id: id });
    expect((await client.conversations.items.list(id)).data).toHaveLength(2);
    await client.conversations.delete(id);
    const gone = [404, `Conversation with id '${id}' not found.`, null, null];
    expect(await refusal(client.conversations.retrieve(id))).toEqual(gone);
    expect(await refusal(client.responses.create({ model, conversation: id, input: "Hi" }))).toEqual(gone);
  });

  test("the id of something else", async () => {
    const next = client.responses.create({ model, conversation: "thread_1", input: "Hi" });
    expect(await refusal(next)).toEqual([
      400,
      "Invalid 'conversation': 'thread_1'. Expected an ID that begins with 'conv'.",
      "invalid_value",
      "conversation",
    ]);
  });
});

describe("beside the turns", () => {
  test("tokens are counted, with those that are stored", async () => {
    const first = await client.responses.create({ model, input: question });
    const alone = client.responses.inputTokens.count({ model, input: [output(callIn(first))] });
    expect(await refusal(alone)).toMatchObject({ 0: 400 });
    const { object, input_tokens } = await client.responses.inputTokens.count({
      model,
      previous_response_id: first.id,
      input: [output(callIn(first))],
    });
    expect(object).toBe("response.input_tokens");
    expect(input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity);
  });

  test("a history is compacted to the user's messages and one sealed item", async () => {
    const first = await client.responses.create({ model, input: question });
    const compacted = await client.responses.compact({
      model,
      previous_response_id: first.id,
      input: [output(callIn(first))],
    });
    expect(compacted.output.map(({ type }) => type)).toEqual(["message", "compaction"]);
    const sealed = compacted.output.flatMap((item) => (item.type === "compaction" ? [item] : []));
    const next = await client.responses.create({
      model,
      input: [...sealed, { role: "user", content: "Go on" }],
    });
    expect(next.status).toBe("completed");
  });

  test("models", async () => {
    expect((await client.models.retrieve("gpt-5")).id).toBe("gpt-5");
  });
});
