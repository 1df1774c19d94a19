import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { open } from "./stories.ts";

const signature =
  "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:get_weather` , position 2.";

/** What LangChain prints of its messages. */
const printed =
  "[HumanMessage(content='Weather in Rome?', additional_kwargs={}, response_metadata={}, id='1b'), AIMessage(content='', additional_kwargs={}, response_metadata={'finish_reason': 'STOP', 'model_name': 'gemini-3-pro-preview'}, id='run--b1', tool_calls=[{'name': 'get_weather', 'args': {'city': 'Rome'}, 'id': 'call_1', 'type': 'tool_call'}]), ToolMessage(content='foggy', name='get_weather', id='2c', tool_call_id='call_1')]";

const converse = {
  modelId: "anthropic.claude-3-5-sonnet-20241022-v2:0",
  messages: [
    { role: "user", content: [{ text: "What did we book?" }] },
    {
      role: "assistant",
      content: [{ toolUse: { toolUseId: "tooluse_1", name: "get_booking", input: { id: "7" } } }],
    },
    { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "Room 7" }] } }] },
    { role: "assistant", content: [{ text: "Room 7." }] },
    { role: "user", content: [{ text: "For how long?" }] },
  ],
  inferenceConfig: { maxTokens: 512 },
};
const printedBody = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "Hello" }] });
const noTools = "The toolConfig field must be defined when using toolUse and toolResult content blocks.";

async function told(lines: readonly string[], name = "run.log"): Promise<[string, unknown][]> {
  const { findings } = await check(Buffer.from(`${lines.join("\n")}\n`), { name });
  return findings.map(({ rule, kind, data }) => [rule, data["defect"] ?? kind]);
}

describe("a refusal in a text", () => {
  test("belongs to the messages that a framework printed before it", async () => {
    const traceback = [
      "Traceback (most recent call last):",
      '  File "/app/agent.py", line 61, in <module>',
      "    for chunk in app.stream(inputs):",
    ];
    for (const line of [
      `langchain_google_genai.chat_models.ChatGoogleGenerativeAIError: Invalid argument provided to Gemini: 400 ${signature}`,
      `google.genai.errors.ClientError: 400 INVALID_ARGUMENT. ${signature}`,
      `ERROR 12:01 agent google.api_core.exceptions.InvalidArgument: Error code: 400 - ${signature}`,
    ])
      expect(await told([printed, ...traceback, line])).toEqual([["provider-rejected", "dropped-reasoning"]]);
    // No status of a server.
    for (const line of [
      "ValueError: expected at most: 400 rows of weather, got 512",
      "app.TimeoutError: 400 ms passed without an answer of the weather service, trying again",
      "app.ContextError: the forecast is too long by: 422 tokens were left out, going on without them",
    ])
      expect(await told([printed, ...traceback, line])).toEqual([]);
  });

  test("has its status before the body", async () => {
    const unknown = JSON.stringify({ error: { message: "The frobs do not add up", code: "bad_frobs" } });
    for (const lead of [
      "Reason: Request Failed: 400 ",
      "Request failed with status code 400: ",
      "400 Bad Request: ",
      "Details: unhandled status from server: 400 ",
      "API Error: 400 ",
    ])
      expect(await told([`${lead}${unknown}`])).toEqual([["provider-rejected", "unknown"]]);
    // Without one, it is no refusal, but an error all the same.
    expect(await told([unknown])).toEqual([["provider-rejected", "unread"]]);
    expect(await told([`{"request":${printedBody},"response":${unknown}}`])).toEqual([
      ["provider-rejected", "unread"],
    ]);
    // An error of the service is told where it is all that the log has.
    expect(await told([JSON.stringify({ error: { message: "Incorrect API key provided: x" } })])).toEqual([
      ["provider-rejected", "service"],
    ]);
  });

  test("stands behind a label in brackets, which is no list", async () => {
    const body = JSON.stringify({ error: { message: signature, code: 400, status: "INVALID_ARGUMENT" } });
    for (const label of ["[GEMINI]", "[API Error]", "[chat.completion]"])
      expect(await told([`${label} ${body}`])).toEqual([["provider-rejected", "dropped-reasoning"]]);
  });

  test("is an exception of AWS's SDK for JavaScript, also laid out", async () => {
    const thrown = {
      name: "ValidationException",
      $fault: "client",
      $metadata: { httpStatusCode: 400, requestId: "4d41", attempts: 1, totalRetryDelay: 0 },
      message: noTools,
    };
    for (const indent of [0, 2])
      expect(
        await told([
          JSON.stringify(converse),
          `Error in handleSubmit: Error: ${JSON.stringify(thrown, null, indent)}`,
        ]),
      ).toEqual([
        ["dropped-tools", "needed"],
        ["provider-rejected", "dropped-tools"],
      ]);
  });

  test("is told in botocore's debug log, behind the address that urllib3 writes in two parts", async () => {
    const { modelId: _, ...body } = converse;
    const path = "/model/eu.anthropic.claude-sonnet-4-20250514-v1%3A0/converse";
    const host = "https://bedrock-runtime.eu-central-1.amazonaws.com";
    const log = [
      `2026-07-12 10:11:01,001 botocore.endpoint [DEBUG] Making request for OperationModel(name=Converse) with params: {'url_path': '${path}', 'method': 'POST', 'body': b'${JSON.stringify(body)}', 'url': '${host}${path}'}`,
      `2026-07-12 10:11:01,402 urllib3.connectionpool [DEBUG] ${host}:443 "POST ${path} HTTP/1.1" 400 112`,
      `botocore.errorfactory.ValidationException: An error occurred (ValidationException) when calling the Converse operation: ${noTools}`,
    ];
    expect(await told(log)).toEqual([
      ["dropped-tools", "needed"],
      ["provider-rejected", "dropped-tools"],
    ]);
  });

  test("may stand in a JSON file beside other members", async () => {
    const error = {
      code: "1214",
      message: "The messages parameter is illegal. Please check the documentation.",
    };
    const kept = JSON.stringify({ error, endpoint: "https://open.bigmodel.cn", provider: "zhipu" }, null, 2);
    expect((await told([kept], "error.json")).map(([rule]) => rule)).toEqual(["provider-rejected"]);
    expect((await told([`${kept} (sic)`], "error.json")).map(([rule]) => rule)).toEqual([
      "provider-rejected",
      "unreadable-record",
    ]);
  });

  test("does not make the words before it the middle of a record", async () => {
    const body =
      "{'error': {'message': 'user and assistant roles should be alternating.', 'type': 'invalid_message', 'code': 400}}";
    const { skipped } = await open(
      `INFO step 1 of 'x'\nERROR The agent's step failed: Error code: 400 - ${body}\n`,
    );
    expect(skipped.map(({ reason }) => reason)).toEqual([]);
  });
});
