import { describe, expect, test } from "vitest";
import { readPasted } from "../../src/explain/pasted.ts";
import { placeOf } from "./place-of.ts";

/** Texts from reports of failures, as in `texts-of-providers.test.ts`, and a word of the advice. */
const texts: readonly (readonly [text: string, rule: string, place: string, advice: string])[] = [
  [
    "Cerebras API Error (422): Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
    "invalid-request",
    "",
    "same `strict`",
  ],
  [
    "Unexpected error: status_code: 400, model_name: zai-glm-4.7, body:\n{message: Tools with mixed values for 'strict' are not allowed.\nPlease set all tools to",
    "invalid-request",
    "",
    "same `strict`",
  ],
  ["Tools with strict=True are not supported by this model", "invalid-request", "", "leave `strict` out"],
  [
    "{'message': \"'NoneType' object is not iterable\", 'type': 'invalid_request_error', 'param': 'messages', 'code': 'wrong_api_format'}",
    "invalid-request",
    "",
    "`null`",
  ],
  [
    "invalid request parameters: Requests cannot contain `assistant` role in the final position when `tools` are used..",
    "bad-turn-order",
    "",
    "must not end with an assistant message",
  ],
  [
    "400 Bad Request. Message: Error: Model response did not respect the required format. Please consider retrying",
    "failed-reply-used",
    "",
    "",
  ],
  [
    "(modelStreamErrorException) when calling the ConverseStream operation: Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.",
    "failed-reply-used",
    "",
    "hyphen",
  ],
  [
    "ValidationException: This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.",
    "invalid-request",
    "toolConfig.toolChoice.tool",
    "",
  ],
  [
    "Json document validation error: messages[1].role should be one of system user assistant tool control document",
    "invalid-request",
    "messages[1].role",
    "",
  ],
  [
    "dev.langchain4j.exception.ToolArgumentsException: params '\"{\\n  \\\"n\\\": 2\\n}\"' from request do not map onto the parameters needed by 'Tools#last'",
    "misencoded-arguments",
    "",
    "twice",
  ],
  [
    "params '{\"count\": 2}' from request do not map onto the parameters needed by 'Tools#last'",
    "invalid-arguments",
    "",
    "",
  ],
  [
    "Tool call failed: arguments were not valid JSON. Please check your tool call format and try again.",
    "incomplete-arguments",
    "",
    "",
  ],
  [
    'The task tool was called with invalid arguments: [\n {"expected": "string", "path": ["description"]}]',
    "invalid-arguments",
    "",
    "",
  ],
  [
    "'\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'",
    "(request)",
    "",
    "`--tool-call-parser`",
  ],
  [
    '1 validation error for list[function-wrap[__log_extra_fields__()]]\n  Invalid JSON: expected value at line 1 column 1 [type=json_invalid, \n  input_value=\'<tool_call> {"name": "ge...\'',
    "failed-reply-used",
    "",
    "`tool_choice: auto`",
  ],
  [
    "Unable to submit request because `create-field` functionDeclaration `parameters.data.meta.width` schema didn't \n  specify the schema type field. Learn more: https://cloud.google.com/vertex-ai",
    "invalid-request",
    "",
    "`type`",
  ],
  [
    "Unable to submit request because function parameters schema should be of type OBJECT.",
    "invalid-request",
    "",
    "object",
  ],
  ["Unexpected role RoleEnum.tool", "orphaned-tool-result", "", ""],
  [
    "Unsupported value: 'messages[6].role' does not support 'function' with this model",
    "invalid-request",
    "messages[6].role",
    "role `tool`",
  ],
  [
    "OpenRouter Bad Request: Invalid schema for response_format 'foo': In context=(), 'required' is required to be supplied",
    "invalid-request",
    "",
    "of the answer",
  ],
  [
    "ollama._types.ResponseError: failed to parse JSON: unexpected end of JSON input (status code: 500)",
    "failed-reply-used",
    "",
    "num_predict",
  ],
  [
    "messages.31.content.1: When providing `thinking` or `redacted_thinking` blocks, the blocks must match the parameters during the original request.",
    "rewritten-history",
    "element 31",
    "",
  ],
  [
    "messages.19: The final block in an assistant\n    message cannot be `thinking`.",
    "refused-reasoning",
    "element 19",
    "aborted",
  ],
  [
    "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set",
    "dropped-tools",
    "",
    "",
  ],
  [
    "Bad request (400): Function tools with reasoning_effort are not supported for gpt-5.5-2026-04-24 in /v1/chat/completions. Please use /v1/responses instead..",
    "invalid-request",
    "",
    "Responses API",
  ],
  [
    "Function calling with a response mime type: 'application/json' is unsupported",
    "invalid-request",
    "",
    "JSON format",
  ],
  [
    "* tools[0].function_declarations[178].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.",
    "invalid-request",
    "tools[0].function_declarations[178].name",
    "rename",
  ],
  [
    "The parameter `response_format.type` specified in the request are not valid: invalid value: `json_schema`, supported values are: `json_object` and `text`.",
    "invalid-request",
    "response_format.type",
    "",
  ],
  [
    'details = "*    \n GenerateContentRequest.contents[3].part   \n s[0].function_response.name: Name   \n cannot be empty."',
    "invalid-request",
    "contents[3].parts[0].function_response.name",
    "",
  ],
  [
    "messages.<N>.content.2.tool_use.input: Input should be a valid dictionary",
    "misencoded-arguments",
    "messages.content[2].tool_use.input",
    "",
  ],
  ["`messages[i].content[0].text`: text content blocks must be non-empty", "empty-content", "", ""],
  [
    "HTTP 400: Item 'mcp_<id>' of type 'mcp_call' was provided without its required 'reasoning' item: 'rs_<id>'.",
    "dropped-reasoning",
    "",
    "",
  ],
  [
    "AiError: Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', Type mismatch of '/messages/2/content', 'array' not in 'string', required properties at '/messages/3' are 'role,content'",
    "invalid-request",
    "element 2",
    "one string",
  ],
  [
    "AiError: Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', required properties at '/messages/4' are 'role,content'",
    "empty-content",
    "element 4",
    "empty string",
  ],
  [
    "AiError: Bad input: Error: anyOf at '/' not met: required properties at '/audio' are 'voice,format', required properties at '/tools/0/function' are 'name', enum function not in custom at '/tools/0/type'",
    "invalid-request",
    "",
    "of each tool under `function`",
  ],
  [
    '{"error":{"code":400,"message":"\'type\' of tool must be \'function\'"}}',
    "invalid-request",
    "",
    "web_search",
  ],
  ["Output of tool call should be 'Input text' or 'Input image'", "malformed-tool-result", "", "input_text"],
  [
    "You have passed a message containing <|channel|> tags in the content field.",
    "leaked-control-tokens",
    "",
    "reasoning-format",
  ],
  ["Tool calls flushed: 2 tool calls have malformed JSON", "incomplete-arguments", "", ""],
  ["SyntaxError: Unterminated string, while parsing tool call arguments", "incomplete-arguments", "", ""],
  [
    "AI_InvalidToolInputError: Invalid input for tool find_order: JSON parsing failed: Text: {",
    "incomplete-arguments",
    "",
    "",
  ],
  ["Invalid input for tool find_order: Type validation failed: Value: {}", "invalid-arguments", "", ""],
  [
    "Model tried to call unavailable tool 'find_orders'. Available tools: find_order.",
    "undefined-tool",
    "",
    "",
  ],
  [
    "[{'loc': ['body', 'input', 3, 'ResponseInputFunctionOutput', 'output'], 'msg': 'Input should be a valid string', 'type': 'string_type'}]",
    "malformed-tool-result",
    "input[3].output",
    "",
  ],
  [
    "Invalid 'input[2].id': ''. Expected an ID that contains letters, numbers, underscores, or dashes",
    "invalid-call-id",
    "element 2",
    "leave the `id`",
  ],
  [
    "Invalid 'input[4].call_id': 'a b'. Expected an ID that contains letters, numbers, underscores, or dashes",
    "invalid-call-id",
    "element 4",
    "",
  ],
  [
    "messages.1.content.1.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    "invalid-request",
    "messages[1].content[1].tool_use.name",
    "rename the tool",
  ],
  [
    "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "invalid-request",
    "tools[0].function.name",
    "rename the tool",
  ],
  [
    "Invalid parameter: 'tool_call_id' ... not found in 'tool_calls' of previous message.",
    "call-id-mismatch",
    "",
    "",
  ],
  [
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    "invalid-request",
    "",
    "`output_text`",
  ],
  [
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    "invalid-request",
    "",
    "`input_text`",
  ],
  [
    "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.mode': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
    "invalid-request",
    "tools.function.parameters",
    "alternative of `anyOf`",
  ],
  ["Received tool input did not match expected schema", "invalid-arguments", "", ""],
  [
    "Invalid prompt: messages must be an array of CoreMessage or UIMessage",
    "invalid-request",
    "",
    "convertToModelMessages",
  ],
  [
    "Invalid prompt: The messages do not match the ModelMessage[] schema.",
    "invalid-request",
    "",
    "convertToModelMessages",
  ],
  ["IllegalArgumentException: toolInput cannot be null or empty", "lost-fragments", "", "no arguments"],
  [
    "Tool '' is not available. Please try again with one of these tools: find_order",
    "malformed-stream",
    "",
    "no name",
  ],
  ['error: unknown tool: ""', "malformed-stream", "", "no name"],
  [
    "messages.2: `tool_result` blocks can only be in `user` messages",
    "invalid-request",
    "element 2",
    "message of the user",
  ],
  [
    "Role 'function' is not supported. Please use a valid role: SYSTEM, USER, ASSISTANT",
    "bad-turn-order",
    "",
    "`user` and `model`",
  ],
  [
    "Invalid 'input[7].content': array too long. Expected an array with maximum length 0, but got an array with length 1 instead.",
    "refused-reasoning",
    "element 7",
    "another provider",
  ],
  [
    "[kiro/claude-sonnet-4.5] [400]: Improperly formed request. (reset after 30s)",
    "invalid-request",
    "",
    "any fault",
  ],
  [
    "Failed to deserialize the JSON body into the target type: messages[3].role: unknown variant `Tool`, expected one of `system`, `user`",
    "invalid-request",
    "messages[3].role",
    "roles that the text lists",
  ],
  [
    'JsonError(Error("data did not match any variant of untagged enum ApiResponse", line: 0, column: 0))',
    "(reply)",
    "",
    "form of the server's reply",
  ],
  [
    "tools.20.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    "invalid-request",
    "tools[20].custom.input_schema",
    "MCP server's",
  ],
  [
    "{'message': 'parallel_tool_calls=False is not supported by this model.', 'param': 'parallel_tool_calls', 'code': 'wrong_api_format'}",
    "invalid-request",
    "parallel_tool_calls",
    "",
  ],
];

describe("a reported text leads to its rule, its place and its advice", () => {
  test.each(texts)("%s", (text, rule, place, advice) => {
    const read = readPasted(text);
    expect([read.match?.rule ?? `(${read.match?.about})`, placeOf(read)]).toEqual([rule, place]);
    expect(read.match?.advice ?? "").toContain(advice);
  });
});

describe("words that only resemble a refusal mean nothing", () => {
  test.each([
    "The model will call tools with unsupported parameters, resulting in unknown keyword errors.",
    "unsupported parameters resulting in crashes",
    "new_advisor_code is not a supported parameter for UpdateClient",
    "the hammer tool was called for with valid arguments",
  ])("%s", (text) => {
    expect(readPasted(text).match).toBeUndefined();
  });
});

describe("a client's error that has only the status", () => {
  test.each([
    "aiohttp.client_exceptions.ClientResponseError: 400, message='Bad Request', url='http://127.0.0.1:11434/api/chat'",
    "requests.exceptions.HTTPError: 400 Client Error: Bad Request for url: http://127.0.0.1:8000/v1/chat/completions",
    "httpx.HTTPStatusError: Client error '422 Unprocessable Entity' for url 'http://127.0.0.1:8000/v1/messages'",
    "AxiosError: Request failed with status code 400",
    "System.Net.Http.HttpRequestException: Response status code does not indicate success: 400 (Bad Request).",
    "openai.BadRequestError: 400 status code (no body)",
    "WebClientResponseException$BadRequest: 400 Bad Request from POST http://127.0.0.1:8000/v1/chat/completions",
    "HTTP 400 Bad Request",
    "Error in API call (attempt 1 of 3): 400 Provider\n   returned error",
    "System.ClientModel.ClientResultException: Service request failed. Status: 400 (Bad Request)",
  ])("%s", (text) => {
    expect(readPasted(text)).toMatchObject({ match: undefined, lacksReason: true });
  });

  test.each([
    "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://127.0.0.1:8000/v1",
    "400 Bad Request: Provider returned error: messages.2.content: Input should be a valid string",
    "The page lists 400 bad requests from March",
  ])("and no other: %s", (text) => {
    expect(readPasted(text).lacksReason).toBe(false);
  });
});

test("an unsupported parameter is quoted with the sentence around it", () => {
  const { match } = readPasted("Unsupported parameter: 'max_tokens' is not supported with this model. Use");
  expect(match?.complaint?.words).toBe(
    "Unsupported parameter: 'max_tokens' is not supported with this model",
  );
});
