import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { answers, ask, asks, goesOn, open, run, told, url, wantsTool } from "./stories.ts";

const text = (value: unknown): string => JSON.stringify(value);

/** A request as Postman keeps it. */
function request(body: object, address = url): object {
  return {
    method: "POST",
    header: [{ key: "Authorization", value: "Bearer {{key}}" }],
    body: { mode: "raw", raw: text(body), options: { raw: { language: "json" } } },
    url: { raw: address, protocol: "https", host: ["api", "openai", "com"], path: ["v1", "x"] },
  };
}

function saved(body: object, reply: unknown, more: object = {}): object {
  return {
    name: "Success",
    originalRequest: request(body),
    status: "OK",
    code: 200,
    _postman_previewlanguage: "json",
    header: [{ key: "content-type", value: "application/json" }],
    cookie: [],
    body: text(reply),
    ...more,
  };
}

function collection(...item: readonly object[]): string {
  return JSON.stringify({ info: { _postman_id: "d1", name: "Weather" }, item }, null, "\t");
}

const draft = ask("What did I want to ask?");

describe("a collection of requests", () => {
  test("of Postman has its replies with what was sent for them, in folders of any depth", async () => {
    const log = collection(
      { name: "first", request: request(draft), response: [saved(asks, wantsTool)] },
      {
        name: "folder",
        item: [{ name: "next", request: request(draft), response: [saved(goesOn, answers)] }],
      },
    );
    expect(await told(log)).toEqual(run);
  });

  test("of Postman has several replies of one request, and requests without any", async () => {
    const error = { error: { message: "Rate limit reached", type: "requests" } };
    const log = collection(
      { request: request(draft), response: [saved(asks, error, { code: 429 }), saved(asks, wantsTool)] },
      { request: request(goesOn), response: [] },
    );
    expect(await told(log)).toEqual([
      'user "How warm is it in Zürich?" → (error: Rate limit reached)',
      run[0],
      `${run[1]?.split(" → ")[0]} → ?`,
    ]);
  });

  test("of Hoppscotch names its replies", async () => {
    const sent = (body: object): object => ({
      method: "POST",
      endpoint: url,
      headers: [{ key: "x", value: "y", active: true }],
      body: { contentType: "application/json", body: text(body) },
    });
    const log = text([
      {
        v: 10,
        name: "Weather",
        folders: [
          {
            name: "inner",
            folders: [],
            requests: [
              {
                ...sent(draft),
                responses: {
                  "a call": { originalRequest: sent(asks), code: 200, body: text(wantsTool) },
                  "an answer": { originalRequest: sent(goesOn), code: 200, body: text(answers) },
                },
              },
            ],
          },
        ],
        requests: [],
      },
    ]);
    expect(await told(log)).toEqual(run);
  });

  test("of Bruno has examples of whole exchanges", async () => {
    const sent = (body: object): object => ({
      url,
      method: "POST",
      body: { mode: "json", json: text(body) },
    });
    const example = (body: object, reply: object): object => ({
      request: sent(body),
      response: { status: 200, body: { type: "json", content: text(reply) } },
    });
    const log = text({
      name: "Weather",
      items: [
        {
          type: "http-request",
          request: sent(draft),
          examples: [example(asks, wantsTool), example(goesOn, answers)],
        },
      ],
    });
    expect(await told(log)).toEqual(run);
  });

  test("has the rest of a reply named whose beginning is lost", async () => {
    const rest = text(wantsTool).slice(text(wantsTool).indexOf(':[{"id"'));
    const sent = { originalRequest: { url, body: text(asks) }, body: rest };
    const log = text({ item: [{ request: {}, response: [sent] }] });
    const { findings } = await check(Buffer.from(log));
    expect(findings.map(({ rule }) => rule)).toEqual(["unreadable-record"]);
  });

  test("asks a model only at the addresses of models", async () => {
    const edits = "https://api.openai.com/v1/edits";
    const body = { model: "text-davinci-edit-001", input: "helo", instruction: "Correct it" };
    const sent = {
      originalRequest: request(body, edits),
      code: 200,
      body: text({ object: "edit", choices: [] }),
    };
    const log = collection(
      { request: request(asks), response: [saved(asks, wantsTool)] },
      { request: request(body, edits), response: [sent] },
    );
    expect(await told(log)).toEqual(run.slice(0, 1));
    expect((await open(log)).skipped.map(({ reason }) => reason)).toEqual([
      `POST ${edits} is not model traffic`,
    ]);
  });
});
