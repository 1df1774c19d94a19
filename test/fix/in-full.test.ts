import { describe, expect, test } from "vitest";
import { fixed, lines, records, unsafe, whole } from "./log.ts";

const asks = { role: "user", content: "Is it raining in Oslo?" };
const looks = {
  type: "function_call",
  call_id: "call_1",
  name: "get_weather",
  arguments: '{"city":"Oslo"}',
};
const found = { type: "function_call_output", call_id: "call_1", output: "rain, 7 °C" };
const tells = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Yes, at 7 °C.", annotations: [] }],
};
const thanks = { role: "user", content: "And in Rome?" };

const refusal = {
  status: 400,
  body: {
    error: { message: "Previous response with id 'resp_1' not found.", type: "invalid_request_error" },
  },
};
const reply = (id: string, output: readonly object[]): object => ({
  id,
  object: "response",
  status: "completed",
  output,
});
const withId = (id: string, item: object): object => ({ ...item, id });
const unstored = { model: "gpt-5", store: false };

/** The body of a request of a log, from 1. */
const request = (log: string, number: number): unknown => records(log)[number - 1]?.["request"];

describe("a request that goes on from a response which was not stored", () => {
  const log = lines([
    {
      request: { ...unstored, input: [asks] },
      response: reply("resp_1", [withId("fc_1", looks)]),
    },
    { request: { model: "gpt-5", previous_response_id: "resp_1", input: [found] }, response: refusal },
  ]);

  test("sends the history itself, as the log holds it, and names the response no more", async () => {
    const { text, report } = await fixed(log);
    expect(request(text, 2)).toEqual({ model: "gpt-5", input: [asks, looks, found] });
    expect(report.summary).toEqual({ applied: 1, left: 0, requests: 1, sessions: 0 });
    expect(report.edits[0]).toMatchObject({
      rule: "unresolvable-reference",
      safety: "safe",
      applied: true,
      location: { exchange: 2, pointer: "/input/0" },
      evidence: [
        { exchange: 1, part: "request", pointer: "/input/0" },
        { exchange: 1, part: "response", pointer: "/output/0" },
      ],
    });
    expect((await fixed(text)).text).toBe(text);
  });

  test("keeps every other byte of its log", async () => {
    const { text } = await fixed(log);
    const [first, second] = text.split("\n");
    expect(first).toBe(log.split("\n")[0]);
    expect(second).toContain(`"response":${JSON.stringify(refusal)}`);
  });

  test("is spelled out where texts stand for lists of messages", async () => {
    const { text } = await fixed(
      lines([
        {
          request: { ...unstored, input: "Is it raining in Oslo?" },
          response: reply("resp_1", [withId("msg_1", tells)]),
        },
        {
          request: { model: "gpt-5", previous_response_id: "resp_1", input: "And in Rome?" },
          response: refusal,
        },
      ]),
    );
    expect(request(text, 2)).toEqual({ model: "gpt-5", input: [asks, tells, thanks] });
  });

  test("gets sealed reasoning back under its id", async () => {
    const thinks = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
    const { text } = await fixed(
      lines([
        {
          request: { ...unstored, include: ["reasoning.encrypted_content"], input: [asks] },
          response: reply("resp_1", [thinks, withId("fc_1", looks)]),
        },
        { request: { ...unstored, previous_response_id: "resp_1", input: [found] }, response: refusal },
      ]),
    );
    expect(request(text, 2)).toEqual({ ...unstored, input: [asks, thinks, looks, found] });
  });

  test("loses reasoning that is not in the log, and only when that is allowed", async () => {
    const unsealed = lines([
      {
        request: { ...unstored, input: [asks] },
        response: reply("resp_1", [{ type: "reasoning", id: "rs_1", summary: [] }, withId("fc_1", looks)]),
      },
      { request: { ...unstored, previous_response_id: "resp_1", input: [found] }, response: refusal },
    ]);
    const { text, report } = await fixed(unsealed);
    expect(text).toBe(unsealed);
    expect(report.edits).toMatchObject([{ safety: "lossy", applied: false }]);
    expect(request((await fixed(unsealed, unsafe)).text, 2)).toEqual({
      ...unstored,
      input: [asks, looks, found],
    });
  });

  test("is left alone when the beginning of the chain is not in the log", async () => {
    const cut = lines([
      {
        request: { ...unstored, previous_response_id: "resp_0", input: [asks] },
        response: reply("resp_1", [withId("fc_1", looks)]),
      },
      { request: { ...unstored, previous_response_id: "resp_1", input: [found] }, response: refusal },
    ]);
    expect((await fixed(cut, unsafe)).text).toBe(cut);
  });

  test("is left alone when it begins as the chain does: it may hold the history already", async () => {
    const twice = lines([
      {
        request: { ...unstored, input: [asks] },
        response: reply("resp_1", [withId("fc_1", looks)]),
      },
      {
        request: { ...unstored, previous_response_id: "resp_1", input: [asks, looks, found] },
        response: refusal,
      },
    ]);
    expect((await fixed(twice)).text).toBe(twice);
  });
});

test("a chain of responses comes back whole where the provider keeps none", async () => {
  const url = "https://api.deepseek.com/responses";
  const to = { model: "deepseek-v4-flash" };
  const text = await whole(
    lines([
      { url, request: { ...to, input: [asks] }, response: reply("resp_1", [withId("fc_1", looks)]) },
      {
        url,
        request: { ...to, previous_response_id: "resp_1", input: [found] },
        response: reply("resp_2", [withId("msg_2", tells)]),
      },
      {
        url,
        request: { ...to, previous_response_id: "resp_2", input: [thanks] },
        response: reply("resp_3", [withId("msg_3", tells)]),
      },
    ]),
  );
  expect(request(text, 2)).toEqual({ ...to, input: [asks, looks, found] });
  expect(request(text, 3)).toEqual({ ...to, input: [asks, looks, found, tells, thanks] });
});

test("a chain of stored responses stays a chain", async () => {
  const log = lines([
    {
      request: { model: "gpt-5", input: [asks] },
      response: reply("resp_1", [withId("fc_1", looks)]),
    },
    {
      request: { model: "gpt-5", previous_response_id: "resp_1", input: [found] },
      response: reply("resp_2", [withId("msg_2", tells)]),
    },
  ]);
  expect((await fixed(log, unsafe)).text).toBe(log);
});
