import { describe, expect, test } from "vitest";
import { readPasted } from "../../src/explain/pasted.ts";

const chat =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_jJATmo";
const anthropic =
  "messages.33: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";

/** What is understood of a text: rule, ids, the first element, status. */
function told(text: string): unknown {
  const { match, pointers, status } = readPasted(text);
  return [match?.rule, match?.callIds, match?.index ?? pointers[0]?.index, status];
}

test("an error is read apart from the words around it, which name places and ids of their own", () => {
  const bedrock = "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_<id>";
  for (const [before, after] of [
    ["The second result lands in `messages[3]`, so the answer is\n\n   ```\n   ", "\n   ```\n"],
    ["I looked at messages.7 and call_9:\n\n", "\n\nWhy?"],
    ["messages[5] ist schuld:\n```text\n", "\n```"],
  ])
    expect(told(`${before}${bedrock}${after}`)).toEqual(["unanswered-tool-call", [], 2, undefined]);
  expect(told(`In messages[5]:\n\n${anthropic}`)).toEqual([
    "unanswered-tool-call",
    ["toolu_01"],
    33,
    undefined,
  ]);
});

describe("an error text is understood however it was pasted", () => {
  const forms: [form: string, text: string, status: number | undefined][] = [
    ["bare", chat, undefined],
    [
      "a body",
      JSON.stringify({ error: { message: chat, type: "invalid_request_error", code: null } }),
      undefined,
    ],
    ["a body in two lines", JSON.stringify({ error: { message: chat } }, null, 2), undefined],
    [
      "an exception of Python",
      `openai.BadRequestError: Error code: 400 - {'error': {'message': "${chat}", 'type': 'invalid_request_error', 'param': 'messages', 'code': None}}`,
      400,
    ],
    [
      "an exception of Python whose quotes are escaped",
      `BadRequestError: Error code: 400 - {'error': {'message': '${chat.replaceAll("'", "\\'")}'}}`,
      400,
    ],
    [
      "an exception of JavaScript",
      `BadRequestError: 400 ${chat}\n    at APIError.generate (error.mjs:41:20)\n  status: 400,`,
      400,
    ],
    [
      "a gateway's",
      `litellm.BadRequestError: AzureException - {"error":{"message":"${chat}","code":400}}`,
      400,
    ],
    [
      "a body inside a body",
      JSON.stringify({
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: { raw: JSON.stringify({ error: { message: chat } }) },
        },
      }),
      400,
    ],
    [
      "HTTP as curl -i prints it",
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\r\n{"error":{"message":"${chat}"}}`,
      400,
    ],
    [
      "in a frame",
      chat
        .match(/.{1,70}/g)
        ?.map((line) => `│ ${line.padEnd(70)} │`)
        .join("\n") ?? "",
      undefined,
    ],
    [
      "broken by a terminal in the middle of a word",
      chat.replace("response messages", "resp\nonse messages"),
      undefined,
    ],
    [
      "at the end of a long traceback",
      `${'  File "agent.py", line 1, in run\n'.repeat(2000)}Error code: 400 - ${chat}`,
      400,
    ],
  ];
  test.each(forms)("%s", (_, text, status) => {
    expect(told(text)).toEqual(["unanswered-tool-call", ["call_jJATmo"], undefined, status]);
  });
});

test.each([
  [anthropic, ["unanswered-tool-call", ["toolu_01"], 33, undefined]],
  [
    "Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.\", 'param': 'messages.[3].role'}}",
    ["orphaned-tool-result", [], 3, 400],
  ],
  [
    "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_gmd4', in messages[7] and messages[8].",
    ["duplicate-tool-result", ["call_gmd4"], 8, undefined],
  ],
  [
    "No tool output found for function call call_uK3e.",
    ["unanswered-tool-call", ["call_uK3e"], undefined, undefined],
  ],
  [
    "Unable to submit request because function call `Bash` in the 3. content block is missing a `thought_signature`.",
    ["dropped-reasoning", [], 2, undefined],
  ],
  [
    "ValidationException: The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    ["dropped-tools", [], undefined, undefined],
  ],
  ["Unexpected role 'user' after role 'tool'", ["bad-turn-order", [], undefined, undefined]],
  ["connect ECONNREFUSED 127.0.0.1:8080", [undefined, [], undefined, undefined]],
])("%s", (text, expected) => {
  expect(told(text)).toEqual(expected);
});

test("the message is the provider's, without what stands around it", () => {
  const body = JSON.stringify({
    error: {
      message: "Provider returned error",
      metadata: { raw: JSON.stringify({ error: { message: anthropic } }) },
    },
  });
  expect(readPasted(body).message).toBe(anthropic);
  expect(readPasted("  something\n  else  ").message).toBe("something else");
});

test("a text of quotes and slashes without end is read in time", () => {
  expect(readPasted(`message: "${'\\"'.repeat(50_000)}`).match).toBeUndefined();
  expect(readPasted("message:".repeat(20_000)).match).toBeUndefined();
});

test("words behind an empty line say more than the place before it", () => {
  const read =
    readPasted(`System.ClientModel.ClientResultException : HTTP 400 (invalid_request_error: invalid_value)
    Parameter: input[1].content[0]

    Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.

  Stack Trace:
    ClientPipelineExtensions.ProcessMessageAsync(ClientPipeline pipeline)`);
  expect(read.match).toMatchObject({ rule: "invalid-request", index: 1 });
  expect(read.match?.advice).toContain("`output_text`");
});

test("the sentence after a text that names no call is no id", () => {
  const { match } = readPasted(
    "unexpected tool_use_id found in tool_result blocks: Each tool_result block must have a corresponding tool_use block in the previous message.",
  );
  expect(match).toMatchObject({ rule: "orphaned-tool-result", callIds: [] });
});
