import { describe, expect, test } from "vitest";
import { historyPointers, matchErrorText } from "../src/rules/match-error-text.ts";

/** Real texts of providers, shortened, and the rule that names the defect; `undefined`: about the history, but no rule names it. */
const texts: [text: string, rule: string | undefined][] = [
  [
    "messages.5: Messages containing `tool_use` blocks must be followed by a user message with `tool_result` blocks",
    "unanswered-tool-call",
  ],
  ["Function call output is missing for call id: call_1", "unanswered-tool-call"],
  ["ERROR codex_core::util: Custom tool call output is missing for call id: call_1", "unanswered-tool-call"],
  ["Orphan function call output for call id: call_1", "orphaned-tool-result"],
  [
    "Your API request included an `assistant` message in the final position, which would pre-fill the `assistant` response.",
    "bad-turn-order",
  ],
  [
    "messages.1.content.1: Input tag 'input_json_delta' found using 'type' does not match any of the expected tags: 'text'",
    "lost-fragments",
  ],
  ["A maximum of 4 blocks with cache_control may be provided. Found 5.", "invalid-request"],
  ["Assistant message must have either content or tool_calls, but not both.", "invalid-request"],
  [
    '"msg": "Extra inputs are not permitted",\n"loc": ["body", "messages", X, "assistant", "reasoning_content"]',
    "refused-reasoning",
  ],
  ["Value error, message[3].content[2] has invalid field(s): text", "invalid-request"],
  ["Argument not supported on this model: reasoningEffort", "invalid-request"],
  ["invalid params, tool call id is invalid (2013)", "invalid-call-id"],
  ["invalid params, tool call and result not match (2013)", "call-id-mismatch"],
  ["Invalid consecutive assistant message at message index 9", "bad-turn-order"],
  [
    "The first message (except the system message) of deepseek-reasoner must be a user message, but an assistant message detected.",
    "bad-turn-order",
  ],
  [
    "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on (refer to https://api-docs.deepseek.com/guides/chat_prefix_completion).",
    "bad-turn-order",
  ],
  ["Invalid assistant message: content or tool_calls must be set", "empty-content"],
  [
    "At least one content or tool_calls should be non-empty. Got content='' and tool_calls=[]",
    "empty-content",
  ],
  ["Invalid API parameter, please check the documentation.", "invalid-request"],
  ["API 调用参数有误，请检查文档。", "invalid-request"],
  ["未正常接收到prompt参数。", "empty-content"],
  ["[1214][prompt 参数非法。请检查文档。]", "invalid-request"],
  ["Model field is required.", "invalid-request"],
  ["CAPIError: 400 Duplicate item found", "resent-items"],
  ["the length of messages must be an odd number", "bad-turn-order"],
  ["the role of message with odd index in the messages must be assistant", "bad-turn-order"],
  ["function_call's name can't be blank", "invalid-request"],
  ["We could not parse the JSON body of your request. (HINT: This likely means", "invalid-request"],
  ["The request body is not valid JSON: no low surrogate in string: line 1 column 64132", "invalid-request"],
  ['"messages" in request are illegal.', "invalid-request"],
  [
    "messages.8: 'tool_use' ids were found without 'tool_result' blocks immediately after: toolu_1. Each 'tool_use' block",
    "unanswered-tool-call",
  ],
  [
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with function_response parts.",
    "bad-turn-order",
  ],
  [
    "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input). You should interleave the user/assistant messages in the message sequence.",
    "bad-turn-order",
  ],
  [
    "messages.33: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_vrtx_01KK, toolu_B. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    "unanswered-tool-call",
  ],
  [
    "messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_019E. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "orphaned-tool-result",
  ],
  [
    "messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_1. Each",
    "orphaned-tool-result",
  ],
  [
    "messages.27: Did not find 1 tool_result block(s) at the beginning of this message. Messages following",
    "misplaced-tool-result",
  ],
  ["messages.1.content.2: `tool_use` ids must be unique", "duplicate-call-id"],
  ["The toolUse blocks at messages.2.content contain duplicate Ids: tooluse_Ac", "duplicate-call-id"],
  ["The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_Ac", "duplicate-tool-result"],
  [
    "The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the content field and try again.",
    "empty-content",
  ],
  ["messages.1.content.0.thinking.signature: Field required", "refused-reasoning"],
  [
    "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01X",
    "duplicate-tool-result",
  ],
  ["messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "invalid-call-id"],
  [
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final",
    "dropped-reasoning",
  ],
  [
    "messages.3.content.11: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These",
    "rewritten-history",
  ],
  ["messages.1.content.0: Invalid `signature` in `thinking` block", "refused-reasoning"],
  [
    "Invalid 'messages[4].content': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    "empty-content",
  ],
  ["The `content[].thinking` in the thinking mode must be passed back to the API.", "dropped-reasoning"],
  ["400 Expected tool outputs for call_ids ['call_UMzq', 'call_2'], got []", "unanswered-tool-call"],
  [
    "1 validation error: {'loc': ('body',), 'msg': 'Value error, `tools` must not be an empty array.",
    "invalid-request",
  ],
  ["1 validation error for LLMMessage tool_calls.0.type Input should be 'function'", undefined],
  ["Invalid JSON format in tool call arguments", "incomplete-arguments"],
  ["Tool call arguments in the previous messages were not in a valid JSON format", "incomplete-arguments"],
  [
    "The parameter `messages.content` specified in the request are not valid: expected a string, but got `[map[text:Hello type:text]]` instead. Request id: 0217",
    "invalid-request",
  ],
  ["[NodeRunError] cannot concat ToolCalls with different tool id: 'toolu_x' 'toolu_y'", undefined],
  ["Unterminated string starting at: line 1 column 14 (char 13)", "incomplete-arguments"],
  ["Expecting ',' delimiter: line 1 column 30 (char 29)", "incomplete-arguments"],
  [
    "1 validation error for ValidatorIterator 0.function.arguments Input should be a valid string [type=string_type, input_value={'path': 'a'}, input_type=dict]",
    "misencoded-arguments",
  ],
  [
    "Invalid type for 'input[2].arguments': expected a string, but got an object instead.",
    "misencoded-arguments",
  ],
  [
    "messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
    undefined,
  ],
  ["messages: text content blocks must be non-empty", "empty-content"],
  ["messages: text content blocks must contain non-whitespace text", "empty-content"],
  ["messages.29.content.0.text: cache_control cannot be set for empty text blocks", "invalid-request"],
  [
    "messages.0: all messages must have non-empty content except for the optional final assistant message",
    "empty-content",
  ],
  ["messages: final assistant content cannot end with trailing whitespace", "bad-turn-order"],
  [
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    "bad-turn-order",
  ],
  ["A maximum of 4 blocks with cache_control may be provided. Found 5.", "invalid-request"],
  ["Requests which include `tool_use` or `tool_result` blocks must define tools", "dropped-tools"],
  [
    "mcp_tool_use with id mcptoolu_1 was found without a corresponding mcp_tool_result block",
    "unanswered-tool-call",
  ],
  [
    "web_search tool use with id srvtoolu_2 was found without a corresponding web_search_tool_result block",
    "unanswered-tool-call",
  ],
  [
    "When thinking is disabled, an assistant message in the final position cannot contain thinking",
    "refused-reasoning",
  ],
  [
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_jJATmo, call_B",
    "unanswered-tool-call",
  ],
  [
    '<400> InternalError.Algo.InvalidParameter: An assistant message with \\"tool_calls\\" must be followed by tool messages responding to each \\"tool_call_id\\". The following tool_call_ids did not have response messages: message[532].role',
    "unanswered-tool-call",
  ],
  [
    "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: Shell:58",
    "unanswered-tool-call",
  ],
  [
    "An assistant message with 'tool_calls' must be followed by tool messages (insufficient tool messages following tool_calls message)",
    "unanswered-tool-call",
  ],
  [
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    "orphaned-tool-result",
  ],
  [
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    "orphaned-tool-result",
  ],
  [
    "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_gmd4', in messages[7] and messages[8].",
    "duplicate-tool-result",
  ],
  ["Duplicate call_ids submitted: ['call_a','call_b']", "duplicate-tool-result"],
  [
    "Invalid parameter: 'tool_call_id' of 'call_a' not found in 'tool_calls' of previous message.",
    "call-id-mismatch",
  ],
  [
    "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    "call-id-mismatch",
  ],
  [
    "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    "missing-output-type",
  ],
  [
    "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    "mixed-protocols",
  ],
  [
    "Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    "bad-turn-order",
  ],
  [
    "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `human`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column 60",
    "bad-turn-order",
  ],
  [
    "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
    "unresolvable-reference",
  ],
  [
    "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
    "invalid-request",
  ],
  ["Assistant message must have either content or tool_calls, but not none.", "empty-content"],
  ["tool_choice 'specified' is incompatible with thinking enabled", "invalid-request"],
  ["cannot specify both 'thinking' and 'reasoning_effort'", "invalid-request"],
  ["Thinking mode does not support this tool_choice", "invalid-request"],
  ["Model grok-4-fast-reasoning does not support parameter reasoningEffort.", "invalid-request"],
  ["json mode cannot be combined with tool/function calling", "invalid-request"],
  ["Tool names must be unique.", "invalid-request"],
  ["The 'stream_options' parameter is only allowed when 'stream' is enabled.", "invalid-request"],
  [
    "Invalid 'messages[18].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    "empty-content",
  ],
  [
    "Invalid 'messages[2].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
    "invalid-request",
  ],
  [
    "Invalid 'messages[69].tool_calls[0].function.name': empty string. Expected a string with minimum length 1",
    "invalid-request",
  ],
  ["Invalid 'messages': empty array. Expected an array with minimum length 1", "bad-turn-order"],
  [
    "Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    "invalid-call-id",
  ],
  [
    "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got",
    "invalid-call-id",
  ],
  ["No tool call found for function call output with call_id call_uelf.", "orphaned-tool-result"],
  ["No tool output found for function call call_uK3e.", "unanswered-tool-call"],
  ["No tool output found for custom tool call call_nN.", "unanswered-tool-call"],
  ["No tool output found for tool call call-a.", "unanswered-tool-call"],
  [
    "Item 'rs_68c42d' of type 'reasoning' was provided without its required following item.",
    "dropped-reasoning",
  ],
  [
    "Item 'fc_07b2' of type 'function_call' was provided without its required 'reasoning' item: 'rs_07b2'.",
    "dropped-reasoning",
  ],
  [
    "Item with id 'rs_0de7' not found. Items are not persisted when `store` is set to false. Try again",
    "unresolvable-reference",
  ],
  ["Previous response with id 'resp_1' not found.", "unresolvable-reference"],
  [
    "Duplicate item found with id fc_12. Remove duplicate items from your input and try again.",
    "resent-items",
  ],
  ["Invalid 'input[66].id': 'item_df7e'. Expected an ID that begins with 'rs'.", "invalid-call-id"],
  ["The encrypted content gAAA...DQ== could not be verified.", "refused-reasoning"],
  [
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    "unanswered-tool-call",
  ],
  [
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    "bad-turn-order",
  ],
  ["Please ensure that multiturn requests ends with a user role or a function response.", "bad-turn-order"],
  [
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call default_api:t_02--list-sections , position 2. Please",
    "dropped-reasoning",
  ],
  [
    "Unable to submit request because function call `Bash` in the 3. content block is missing a `thought_signature`. Learn more",
    "dropped-reasoning",
  ],
  ["* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.", "empty-content"],
  ["Corrupted thought signature.", "refused-reasoning"],
  ["The toolConfig field must be defined when using toolUse and toolResult content blocks.", "dropped-tools"],
  [
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
    "orphaned-tool-result",
  ],
  [
    "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_jQ, tooluse_B",
    "unanswered-tool-call",
  ],
  [
    "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
    "malformed-tool-result",
  ],
  [
    "The model returned the following errors: Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted",
    "malformed-tool-result",
  ],
  [
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    "bad-turn-order",
  ],
  ["Tool call id was 2968-LWy3uasib but must be a-z, A-Z, 0-9, with a length of 9.", "invalid-call-id"],
  ["Not the same number of function calls and responses", "unanswered-tool-call"],
  ["Unexpected role 'user' after role 'tool'", "bad-turn-order"],
  ["Expected last role User or Tool (or Assistant with prefix", "bad-turn-order"],
  ["Unexpected tool call id abc in tool results", "orphaned-tool-result"],
  [
    "Missing `reasoning_content` field in the assistant message at message index 2. For more",
    "dropped-reasoning",
  ],
  [
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 7",
    "dropped-reasoning",
  ],
  ["The `reasoning_content` in the thinking mode must be passed back to the API.", "dropped-reasoning"],
  [
    "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning' is unsupported, did you mean 'role'?)]",
    "refused-reasoning",
  ],
  ["invalid params, tool result's tool id(call_function_g0_1) not found (2013)", "orphaned-tool-result"],
  ["invalid params, tool call result does not follow tool call (2013)", "misplaced-tool-result"],
  [
    "invalid params, invalid function arguments json string, tool_call_id: call_function_ab_1 (2013)",
    "incomplete-arguments",
  ],
  ["tool_call_id  is not found", "invalid-call-id"],
  [
    "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
    "misencoded-arguments",
  ],
  [
    "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    "failed-reply-used",
  ],
  ["Conversation roles must alternate user/assistant/user/assistant/...", "bad-turn-order"],
  ["Cannot put tools in the first user message when there's no first user message!", "bad-turn-order"],
  ["Cannot have 2 or more assistant messages at the end of the list.", "bad-turn-order"],
  ["text content is not allowed when tool_calls are provided. If", undefined],
  ["prompt is too long: 210000 tokens > 200000 maximum", "context-overflow"],
  [
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "context-overflow",
  ],
  ["This model's maximum context length is 8192 tokens. However", "context-overflow"],
  ["Your input exceeds the context window of this model. Please", "context-overflow"],
  ["the request exceeds the available context size", "context-overflow"],
  [
    'litellm.BadRequestError: AnthropicException - {\\"type\\":\\"error\\",\\"error\\":{\\"message\\":\\"messages.5: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9.\\"}}',
    "unanswered-tool-call",
  ],
];

describe("content as a list, where only text is taken", () => {
  test.each([
    [
      "1 validation error for ChatCompletionRequest messages.2.tool.content Input should be a valid string [type=string_type, input_value=[{'type': 'text', 'text': '8'}], input_type=list]",
      "malformed-tool-result",
      2,
    ],
    [
      "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.content' : value must be a string)]",
      "malformed-tool-result",
      3,
    ],
    [
      "{'detail': [{'type': 'string_type', 'loc': ['body', 'messages', 2, 'tool', 'content'], 'msg': 'Input should be a valid string'}]}",
      "malformed-tool-result",
      undefined,
    ],
    [
      "Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 312",
      "invalid-request",
      2,
    ],
    [
      "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
      "invalid-request",
      undefined,
    ],
    ["invalid message content type: []interface {}", "invalid-request", undefined],
    ['TypeError: can only concatenate str (not \\"list\\") to str', "invalid-request", undefined],
    [
      "1 validation error for Message\\ncontent.0\\n  Input should be a valid dictionary or instance of Content [type=model_type]",
      "invalid-request",
      undefined,
    ],
  ])("%s", (text, rule, index) => {
    const match = matchErrorText(text);
    expect(match).toMatchObject({ rule, about: "history" });
    expect(match?.advice).toContain("one string");
    expect(match?.index).toBe(index);
  });

  test.each([
    "messages.2.tool.tool_call_id: Input should be a valid string",
    "messages.2.assistant.content.0.text: Input should be a valid string",
    "invalid message content type: <nil>",
  ])("not: %s", (text) => {
    expect(matchErrorText(text)?.advice ?? "").not.toContain("one string");
  });
});

describe("what providers say about a history", () => {
  test.each(texts)("%s", (text, rule) => {
    const match = matchErrorText(text);
    expect(match).toBeDefined();
    expect(match?.rule).toBe(rule);
  });

  test.each([
    "Incorrect API key provided",
    "Unsupported parameter: 'max_tokens'",
    "The model `x` does not exist",
    "Invalid schema for function 'x': In context=(), 'additionalProperties' is required",
    "Bad Request",
    "Invalid type for 'temperature': expected",
  ])("is not: %s", (text) => {
    expect(matchErrorText(text)?.about).not.toBe("history");
    expect(historyPointers(text)).toEqual([]);
  });
});

describe("what to do about an error whose rule does not say it", () => {
  test.each([
    ["Invalid 'tools': empty array. Expected an array with minimum length 1", "leave `tools` out"],
    [
      String.raw`{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"tools\"],\"msg\":\"Extra inputs are not permitted\",\"input\":[]}`,
      "leave `tools` out",
    ],
    ["Missing required parameter: 'tools[0].name'.", "form of Chat Completions"],
    ["Missing required parameter: 'tools[0].function'.", "of each tool under `function`"],
    [
      "unknown field: parameter 'requires_confirmation' is not a valid field. For proper usage",
      "leave out the field",
    ],
    [
      "Unknown name \"type\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field is not repeating, cannot start list.",
      "list of types",
    ],
    [
      'Error rendering prompt with jinja template: "Unknown test: sequence".',
      "cannot run the model's chat template",
    ],
    [
      'Error rendering prompt with jinja template: "Error: Parser Error: Expected closing statement token. OpenSquareBracket !== CloseStatement.',
      "cannot run the model's chat template",
    ],
    [
      'Type validation failed: Value: {"id":"","object":"","created":0,"model":"","choices":null}. Error message: [{"code":"invalid_union"}]',
      "does not accept the form of the server's reply",
    ],
    [
      "messages.1.ChatCompletionMessageGenericParam.content.str\n  Input should be a valid string [type=string_type, input_value=None, input_type=NoneType]",
      "an empty string is enough",
    ],
    ["A maximum of 4 blocks with cache_control may be provided. Found 5.", "four cache marks"],
  ])("%s", (text, advice) => {
    expect(matchErrorText(text)?.advice).toContain(advice);
  });

  test("a call that a library could not parse is the model's", () => {
    expect(
      matchErrorText("ResponseError: tool call `run_bash` arrived with malformed JSON input: invalid escape"),
    ).toMatchObject({ rule: "incomplete-arguments", about: "reply", tool: "run_bash" });
  });
});
