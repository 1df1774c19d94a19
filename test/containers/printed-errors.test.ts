import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { open } from "./stories.ts";

const message =
  "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01.";
const body = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [
    { role: "user", content: "List the files." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_01", name: "ls", input: {} }] },
    { role: "user", content: "Well?" },
  ],
};

/** What an SDK throws: the body of the response as text, and beside it what its schema names. */
function members(): object {
  const error = { type: "invalid_request_error", message };
  return {
    url: "https://api.anthropic.com/v1/messages",
    requestBodyValues: body,
    statusCode: 400,
    responseHeaders: { "request-id": "req_1" },
    responseBody: JSON.stringify({ type: "error", error, request_id: "req_1" }),
    isRetryable: false,
    data: { type: "error", error },
  };
}

class APICallError extends Error {
  override readonly name = "AI_APICallError";

  constructor() {
    super(message, { cause: undefined });
    Object.assign(this, members(), { [Symbol.for("vercel.ai.error")]: true });
  }
}

class RetryError extends Error {
  readonly errors: readonly Error[] = [new APICallError(), new APICallError()];
  readonly lastError: Error | undefined = this.errors.at(-1);
}

const thrown: readonly (readonly [string, unknown])[] = [
  ["an error", new APICallError()],
  ["the errors of several attempts", new RetryError("Failed after 2 attempts {really}")],
  ["errors that were thrown together", new AggregateError([new APICallError()], "all failed")],
  ["the cause of an error", new Error("outer\nand more", { cause: new APICallError() })],
  ["a member of a value", { step: 3, error: new RetryError("Failed"), at: "run" }],
];

/** The findings of a log, apart from notes. */
async function findings(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  return [...new Set(findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule))].sort();
}

describe("an exception with a request in it, as Node prints it", () => {
  test.each(thrown)("%s", async (_, value) => {
    for (const colors of [false, true]) {
      const log = `started\n${inspect(value, { depth: null, colors })}\n`;
      const { exchanges } = await open(log);
      expect(new Set(exchanges.map(({ reply }) => reply?.error?.message))).toEqual(new Set([message]));
      expect(exchanges.every(({ request }) => request?.history.length === 3)).toBe(true);
      expect(await findings(log)).toEqual(["provider-rejected", "unanswered-tool-call"]);
    }
  });

  test("the refusal is read although the request is left out", async () => {
    const error = new RetryError("Failed");
    expect(await findings(`${inspect(error)}\n`)).toEqual(["provider-rejected"]);
  });
});

describe("an exception with a request in it, as a logger writes it", () => {
  const error = { name: "AI_APICallError", ...members() };
  test.each([
    ["as the error of its record", { level: "error", error }],
    ["as the only member", { error }],
    [
      "as the last attempt",
      { error: { reason: "maxRetriesExceeded", errors: [error, error], lastError: error } },
    ],
    ["as the configuration of an HTTP client", axiosError()],
  ])("%s", async (_, record) => {
    for (const log of [JSON.stringify(record), `ERROR ${JSON.stringify(record)}\n`])
      expect(await findings(log)).toEqual(["provider-rejected", "unanswered-tool-call"]);
  });
});

function axiosError(): object {
  const { responseBody } = members() as { responseBody: string };
  return {
    error: {
      message: "Request failed with status code 400",
      code: "ERR_BAD_REQUEST",
      config: { url: "https://api.anthropic.com/v1/messages", method: "post", data: JSON.stringify(body) },
      response: { status: 400, data: JSON.parse(responseBody) as object },
    },
  };
}
