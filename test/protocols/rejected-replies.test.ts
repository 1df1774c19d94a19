import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** What the log says, without its request: `rule: message`. */
async function said(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings.filter(({ cause }) => cause === null).map(({ rule, message }) => `${rule}: ${message}`);
}

const message =
  "tool call validation failed: parameters for tool save did not match schema: errors: [missing properties: 'path']";
const groq = { message, type: "invalid_request_error", code: "tool_use_failed" };

describe("a provider rejects what the model wrote", () => {
  test("in a body that a report cuts off", async () => {
    const body = JSON.stringify({ error: { ...groq, failed_generation: '{"name":"save"' } });
    const [second, first] = await said(`BadRequestError: GroqException - ${body.slice(0, -14)}\n`);
    expect(first).toMatch(/^unreadable-record: the record ends in the middle/);
    expect(second).toBe(
      `failed-reply-used: the provider rejects what the model wrote, not what the client sent: ${message}`,
    );
  });

  test("inside a stream", async () => {
    const error = {
      ...groq,
      message: "Failed to call a function. Please adjust your prompt.",
      status_code: 400,
    };
    expect(await said(`event: error\ndata: ${JSON.stringify({ error })}\n\n`)).toEqual([
      "stream-error: the stream breaks off since the provider rejects what the model wrote (`invalid_request_error`): Failed to call a function. Please adjust your prompt.",
    ]);
  });

  test("inside a stream of Bedrock, behind a gateway", async () => {
    const error = {
      message: "Model produced invalid sequence as part of ToolUse.",
      type: "modelStreamErrorException",
    };
    expect(await said(`data: ${JSON.stringify({ error })}\n\n`)).toEqual([
      "stream-error: the stream breaks off since the provider rejects what the model wrote (`modelStreamErrorException`): Model produced invalid sequence as part of ToolUse.",
    ]);
  });

  test.each([
    [
      "a call to a tool that is not offered",
      "attempted to call tool 'save' which was not in request.tools",
      /which the request does not offer/,
    ],
    [
      "a call with broken arguments",
      "tool call 'save' arrived with malformed JSON arguments",
      /rejects what the model wrote/,
    ],
  ])("%s", async (_, words, expected) => {
    const log = JSON.stringify({ error: { ...groq, message: words } });
    expect((await said(log)).join("\n")).toMatch(expected);
  });
});
