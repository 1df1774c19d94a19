import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { asks, open, wantsTool } from "./stories.ts";

const request = JSON.stringify({
  model: "gpt-4.1-mini",
  messages: [
    { role: "user", content: "What is the weather in Lima?" },
    { role: "assistant", content: "It rains.", name: "weather" },
    { role: "user", content: "And in Quito?" },
  ],
});

/** The error that the only request of a log is answered with, and its line. */
async function refusal(text: string): Promise<string | undefined> {
  const { exchanges } = await open(text);
  expect(exchanges).toHaveLength(1);
  return exchanges[0]?.reply?.error?.message;
}

describe("a refusal that a text log tells in words answers the request before it", () => {
  test.each([
    [
      "an exception of Java",
      "12:00:02 ERROR [main] call failed: dev.langchain4j.InvalidRequestException: messages.1.content: text and tools (Service: BedrockRuntime, Status Code: 400)",
      "messages.1.content: text and tools (Service: BedrockRuntime, Status Code: 400)",
    ],
    [
      "an error of Elixir",
      "12:00:02.120 [error] ** (Api.Request) API request failed (400): No tool output found for function call call_1.",
      "No tool output found for function call call_1.",
    ],
    [
      "an error of Rust that quotes the body",
      'Error: Http("Invalid status code 400 Bad Request with message: {\\n  \\"error\\": {\\n    \\"message\\": \\"Bad id\\"}}")',
      'Http("Invalid status code 400 Bad Request with message: {\\n  \\"error\\": {\\n    \\"message\\": \\"Bad id\\"}}")',
    ],
    [
      "what vLLM raises",
      "(APIServer pid=1) ERROR 03-04 14:55:30 [serving.py:315] mistral_common.exceptions.InvalidMessageStructureException: Unexpected role 'user' after role 'tool'",
      "Unexpected role 'user' after role 'tool'",
    ],
    [
      "an error that Ruby prints as an object",
      "#<RubyLLM::BadRequestError: messages.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.>",
      "messages.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.>",
    ],
  ])("%s", async (_, line, message) => {
    expect(await refusal(`12:00:01 DEBUG body: ${request}\n12:00:01 DEBUG sent\n${line}\n\tat a.b.C\n`)).toBe(
      message,
    );
  });

  test.each([
    'INFO httpx: HTTP Request: POST https://api.openai.com/v1/chat/completions "HTTP/1.1 400 Bad Request"',
    '(APIServer pid=1) INFO: 10.0.0.8:42562 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request',
  ])("but not where only the access log has the status", async (access) => {
    expect(
      await refusal(`${request}\n${access}\n400 records written, 0 failed with an error of any kind\n`),
    ).toBeUndefined();
  });

  test.each([
    "Failed to connect to the API: 400 Bad Request",
    "stream error: 422 Unprocessable Entity",
    "400",
  ])("a status before the body of an error is its status: %s", async (head) => {
    const { exchanges } = await open(`${request}\n${head} {"error":{"message":"invalid request body"}}\n`);
    expect(exchanges.map(({ status }) => status)).toEqual([Number(/\d+/.exec(head)?.[0])]);
  });

  test("but a number before a reply is none", async () => {
    const { exchanges } = await open(`${JSON.stringify(asks)}\ntokens: 412 ${JSON.stringify(wantsTool)}\n`);
    expect(exchanges.map(({ status }) => status)).toEqual([undefined]);
  });

  test("but not where a reply follows", async () => {
    const log = `${JSON.stringify(asks)}\nretry after error code 400 - the first connection was broken\n${JSON.stringify(wantsTool)}\n`;
    const { exchanges } = await open(log);
    expect(exchanges.map(({ reply }) => reply?.error)).toEqual([undefined]);
  });

  test("and each request has its own", async () => {
    const error = (id: string) =>
      `api.BadRequestError: Error code: 400, tool_call_id ${id} is not found in the history`;
    const log = `${request}\n${error("a")}\n${request}\n${error("b")}\n`;
    const { exchanges } = await open(log);
    expect(exchanges.map(({ reply }) => reply?.error?.message)).toEqual([
      "Error code: 400, tool_call_id a is not found in the history",
      "Error code: 400, tool_call_id b is not found in the history",
    ]);
  });
});

describe("the words of a refusal say which of the doubtful places it means", () => {
  const body = (id: string, text: string): string =>
    JSON.stringify({
      model: "gpt-oss-20b",
      max_tokens: 100,
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: text,
          tool_calls: [{ id, type: "function", function: { name: "weather", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: id, content: "rain" },
      ],
    });
  const long = "chatcmpl-tool-aaae1ecc31344b9d94f69f52a0a4c52e";
  const rulesOf = async (log: string) =>
    (await check(Buffer.from(log))).findings.map(({ rule, severity }) => `${severity} ${rule}`);

  test.each([
    ["another meaning", "Error code: 400 - Unexpected role 'tool' after role 'assistant'", "info"],
    ["unknown words", "Error code: 400 - this history is not to our liking at all", "error"],
    ["a long id", `Error code: 400 - Invalid 'messages[1].tool_calls[0].id': string too long.`, "error"],
  ])("%s, for the length of an id", async (_, words, severity) => {
    const rules = await rulesOf(`${body(long, "I look.")}\n${words}\n`);
    expect(rules).toContain(`${severity} invalid-call-id`);
  });
});

test("a refusal is told where the log shows the program's own messages", async () => {
  const messages =
    '[#<RubyLLM::Message:0x1 @content="", @role=:assistant, @tool_calls={"toolu_1" => #<RubyLLM::ToolCall:0x2 @arguments={"city" => "Oslo"}, @id="toolu_1", @name="weather">}>, #<RubyLLM::Message:0x3 @content="And now?", @role=:user, @tool_calls=nil>]';
  const words =
    "#<RubyLLM::BadRequestError: messages.8: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.>";
  const { findings } = await check(Buffer.from(`${words}\n\n${messages}\n`));
  expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["error provider-rejected"]);
  expect((await check(Buffer.from(`${messages}\n`))).findings).toEqual([]);
});

test("what the provider tells in words is reported with its place", async () => {
  const told =
    "x.ApiException: HTTP 400: messages.1: `tool_use` ids were found without `tool_result` blocks: toolu_1";
  const { findings } = await check(Buffer.from(`${request}\n${told}\n`));
  expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["error provider-rejected"]);
});

describe("a refusal that people paste before the request", () => {
  const words = "Error: 400 messages.1.content: the model wants a text here";

  test("answers it, where nothing else is in the log", async () => {
    expect(await refusal(`${words}\n\n${request}\n`)).toBe(words.replace("Error: ", ""));
  });

  test("counts by what a server says of bodies, without a status", async () => {
    const serde =
      "[llm] Error: Failed to deserialize the JSON body into the target type: messages[1]: invalid type: sequence, expected a string at line 1 column 639";
    expect(await refusal(`${serde}\n[DEBUG] Calling with messages:\n${request}\n`)).toMatch(
      /^Failed to deserialize/,
    );
  });

  test("is of an older request where more follows", async () => {
    const { exchanges } = await open(`${words}\n${request}\n${JSON.stringify(asks)}\n`);
    expect(exchanges.map(({ reply }) => reply?.error)).toEqual([undefined, undefined]);
    const answered = await open(`${words}\n${JSON.stringify(asks)}\n${JSON.stringify(wantsTool)}\n`);
    expect(answered.exchanges.map(({ reply }) => reply?.error)).toEqual([undefined]);
  });
});

describe("an error body that an exception repeats", () => {
  const body = JSON.stringify({
    error: { message: "Bad id (request id: 7)", type: "invalid_request_error" },
  });
  const exception = (text: string) =>
    `java.lang.RuntimeException: x.OpenAiHttpException: ${text}\n\tat a.b.C\n`;

  test("is one answer", async () => {
    const { exchanges } = await open(`- status code: 400\n- body: ${body}\n\n${exception(body)}`);
    expect(exchanges).toHaveLength(1);
  });

  test("is another where it says something else, or a request is between", async () => {
    const other = body.replace("7", "8");
    expect((await open(`- body: ${body}\n${exception(other)}`)).exchanges).toHaveLength(2);
    const again = await open(`- body: ${body}\n${request}\n${exception(body)}`);
    expect(again.exchanges).toHaveLength(2);
  });
});

describe("a refusal is read with all its words", () => {
  test("which .NET lays out over lines before the stack", async () => {
    const told = `Unhandled exception. System.ClientModel.ClientResultException: HTTP 400 (invalid_request_error: )
Parameter: messages

A message is missing: call_1
   at OpenAI.ClientPipelineExtensions.ProcessMessageAsync(ClientPipeline pipeline)
`;
    expect(await refusal(`${request}\n${told}`)).toBe(
      "HTTP 400 (invalid_request_error: )\nParameter: messages\n\nA message is missing: call_1",
    );
  });

  test("but not the lines after it where no stack follows", async () => {
    const told = "ApiException: HTTP 400 (invalid_request_error: ) messages are missing";
    expect(await refusal(`${request}\n${told}\nthe run ends here\n`)).toBe(
      "HTTP 400 (invalid_request_error: ) messages are missing",
    );
  });

  test.each([
    "botocore.errorfactory.ValidationException: An error occurred (ValidationException) when calling the Converse operation: A result is missing.",
    "ValidationException: The number of results is wrong: 1 of 2.",
  ])("without a status where the class of an exception of AWS tells it: %s", async (told) => {
    expect(await refusal(`${request}\n${told}\n`)).toContain(told.slice(-20));
  });

  test("also where it names a page of documentation", async () => {
    const error =
      "{'error': {'message': 'A field is missing. Please refer to https://docs.example.com/page', 'code': None}}";
    const told = `openai.BadRequestError: Error code: 400 - ${error}`;
    expect(await refusal(`${request}\n${told}\n`)).toContain("A field is missing.");
    const { exchanges } = await open(`${request}\n${told}\n`);
    expect(exchanges[0]?.status).toBe(400);
  });
});

describe("an error that a log tells several times", () => {
  const error = (
    text = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  ) => `Error code: 400 - ${JSON.stringify({ error: { message: text, type: "invalid_request_error" } })}`;
  const asked = JSON.stringify({
    model: "gpt-5",
    messages: [
      { role: "user", content: "Rain?" },
      { role: "tool", tool_call_id: "call_1", content: "yes" },
    ],
  });

  async function told(log: string): Promise<readonly [errors: number, skipped: readonly string[]]> {
    const { findings, files } = await check(log);
    const errors = findings.filter(({ rule }) => rule === "provider-rejected").length;
    return [errors, files.flatMap(({ skipped }) => skipped.map(({ line, reason }) => `${line} ${reason}`))];
  }

  test("is one failure", async () => {
    const log = `12:00:01 ERROR llm ask: API error: ${error()}\n12:00:01 ERROR agent run: failed: ${error()}\n`;
    expect(await told(log)).toEqual([1, ["2 a repetition of the error before it"]]);
  });

  test("on one line", async () => {
    expect(await told(`Reason: ${error()}: Error: ${error()} at APIError.generate\n`)).toEqual([
      1,
      ["1 a repetition of the error before it"],
    ]);
  });

  test("behind its request", async () => {
    const log = `12:00:01 POST ${asked}\n12:00:02 ERROR ${error()}\n12:00:02 ERROR giving up: ${error()}\n`;
    expect((await told(log))[1]).toEqual(["3 a repetition of the error before it"]);
  });

  test("are two where a request stands between, or another error", async () => {
    const twice = `12:00:01 POST ${asked}\n12:00:02 ERROR ${error()}\n`.repeat(2);
    expect((await told(twice))[1]).toEqual([]);
    const other = error("messages[3]: missing field `tool_call_id`");
    expect(await told(`1 ERROR ${error()}\n2 ERROR ${other}\n3 ERROR ${error()}\n`)).toEqual([3, []]);
  });
});
