import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

const words = "No tool call found for function call output with call_id call_81.";
const openai = { error: { message: words, type: "invalid_request_error", param: "input", code: null } };
const anthropic = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
  },
};
const gemini = {
  error: {
    code: 400,
    message: "Please ensure that function call turn comes immediately after a user turn.",
    status: "INVALID_ARGUMENT",
  },
};

/** The text of an error whose last bracket was not copied. */
function unclosed(body: object, indent?: number): string {
  return JSON.stringify(body, null, indent).replace(/\s*\}$/, "");
}

async function found(text: string): Promise<readonly string[]> {
  const { findings } = await check(text);
  return findings.map(({ rule, severity }) => `${severity} ${rule}`);
}

const refused = ["error provider-rejected", "info unreadable-record"];

describe("an error body without its last bracket is read, and the logger is not blamed", () => {
  test.each([
    ["a stack of Node follows", `BadRequestError: 400 ${unclosed(anthropic)}\n    at send (client.js:1:2)\n`],
    [
      "a logger's next line follows",
      `status code: 400, body: ${unclosed(anthropic)}\n2026-01-02 INFO retry\n`,
    ],
    ["words follow on lines of their own", `${unclosed(gemini, 2)}\n\nAny ideas?\n`],
    ["the end of a Java exception follows", `HttpException: 400 ${unclosed(anthropic)} (attempt 1)\n`],
    ["nothing follows", `ERROR request failed: ${unclosed(openai)}\n`],
  ])("where %s", async (_, text) => {
    expect(await found(text)).toEqual(refused);
  });
});

describe("what is lost with the bracket is still reported", () => {
  const request = { model: "gpt-5", messages: [{ role: "user", content: "refund order 7" }] };

  test("of a request", async () => {
    expect(await found(`POST ${unclosed(request)}\nnext line\n`)).toContain("warning unreadable-record");
  });

  test("where more JSON follows the error", async () => {
    const text = `{"status":400,"error":${JSON.stringify(openai.error)} "request":${JSON.stringify(request)}}\nnext\n`;
    expect(await found(text)).not.toContain("info unreadable-record");
  });
});
