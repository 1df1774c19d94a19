import { describe, expect, test } from "vitest";
import { meaningOfError } from "../../src/explain/meaning.ts";

/** Texts, shortened, and what the advice has to name. */
const texts: [provider: string, text: string, names: RegExp][] = [
  [
    "OpenAI",
    "Invalid schema for function 'book': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    /top of the tool's schema a plain object/,
  ],
  [
    "Azure",
    "BadRequestError: 400 Invalid schema for function 'book': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
    /`type: "object"`/,
  ],
  [
    "DeepSeek",
    "Invalid schema for function 'book': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'.",
    /`type: "object"`/,
  ],
  [
    "OpenAI",
    "Invalid schema for function 'book': In context=('properties', 'days'), array schema missing items.",
    /lacks `items`/,
  ],
  [
    "Azure",
    "Invalid schema for function 'book': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    /leave `strict` out/,
  ],
  ["OpenRouter", "Invalid schema for function 'book': 'STRING' is not valid", /correct the JSON Schema/],
  [
    "Vertex",
    "Unable to submit request because `book` functionDeclaration `parameters.days` schema specified other fields alongside any_of. When using any_of, it must be the only field set.",
    /nothing beside `anyOf`/,
  ],
  [
    "Gemini",
    "400 INVALID_ARGUMENT. Invalid value at 'tools[0].function_declarations[1].parameters.properties[1].value.any_of[0].type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\"",
    /`type` that Gemini does not know/,
  ],
  [
    "Codex",
    "One of \"input\" or \"previous_response_id\"or 'prompt'or 'conversation_id' must be provided.",
    /has no `input`/,
  ],
  [
    "Anthropic",
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"tools.17.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"}}',
    /MCP server that declares it/,
  ],
  [
    "Bedrock",
    "ValidationException: The value at toolConfig.tools.3.toolSpec.inputSchema.json.type must be one of the following: object.",
    /`type: "object"` at its top/,
  ],
  [
    "Gemini through a gateway",
    "Failed to parse request: proto: syntax error (line 1:158): unexpected token {",
    /`tools` as an object instead of a list/,
  ],
  [
    "Ollama",
    "ollama._types.ResponseError: Value looks like object, but can't find closing '}' symbol (status code: 400)",
    /parse the JSON text/,
  ],
  ["Spring AI", "java.lang.IllegalArgumentException: toolName cannot be null or empty", /`index` joins/],
  [
    "LangChain for Elixir",
    "delta_conversion_failed: \"tool_calls: call_id: can't be blank; name: can't be blank\"",
    /`index` joins/,
  ],
  [
    "Gemini",
    "400 Bad Request: * GenerateContentRequest.tools[0].function_declarations[3].parameters.properties[actions].items: missing field.",
    /lacks `items`/,
  ],
  [
    "Gemini",
    "400 Bad Request: * GenerateContentRequest.tools[0].function_declarations[80].parameters.properties[data].properties: only allowed for OBJECT type",
    /only beside `type: "OBJECT"`/,
  ],
  [
    "Gemini",
    "[400 Bad Request] GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[size].enum: only allowed for STRING type",
    /`enum` only beside `STRING`/,
  ],
  [
    "Gemini",
    "400 Bad Request: * GenerateContentRequest.tools[0].function_declarations[2].parameters.properties[size].type: must be specified",
    /`tools\[0\]\.function_declarations\[2\]\.parameters\.properties\.size\.type`/,
  ],
  ["Gemini", "400 reference to undefined schema at properties.target.anyOf.1", /write out the `\$ref`s/],
  [
    "Gemini",
    "400 schema at properties.draft can only contain properties starting with '$' when $ref is present",
    /write out the `\$ref`s/,
  ],
  [
    "Vertex",
    "Error: $ref 'QuestionOption' was set alongside unsupported fields. If a schema node has $ref set, then only description and default can be set alongside it",
    /write out the `\$ref`s/,
  ],
  [
    "LiteLLM",
    "HTTP 400 /responses: Invalid model name passed in model=None. Call `/v1/models` to view available models for your key.",
    /names no `model`/,
  ],
  [
    "vLLM",
    "Error code: 400 - [{'type': 'missing', 'loc': ('body', 'input', 'list[union[EasyInputMessageParam,ResponseFunctionToolCallParam]]', 3, 'ResponseFunctionToolCallParam', 'call_id'), 'msg': 'Field required', 'input': {'type': 'reasoning'}}, {'type': 'missing', 'loc': ('body', 'input', 'list[union[EasyInputMessageParam,ResponseFunctionToolCallParam]]', 3, 'ResponseReasoningItemParam', 'id'), 'msg': 'Field required', 'input': {'type': 'reasoning'}}]",
    /send `input\[3\]` in a form that this server knows/,
  ],
  [
    "Mistral",
    "Error code: 422 - {'detail': [{'type': 'missing', 'loc': ['body', 'tools', 'list[Tool]', 0, 'function', 'parameters'], 'msg': 'Field required'}]}",
    /add `tools\[0\]\.function\.parameters`/,
  ],
  [
    "vLLM",
    "1 validation error: {'type': 'missing', 'loc': ('body', 'messages', 1, 'tool_calls', 1, 'function', 'arguments'), 'msg': 'Field required'}",
    /add `messages\[1\]\.tool_calls\[1\]\.function\.arguments`/,
  ],
  ["Kimi", "APIStatusError: 400 tool_call_id  is not found", /drop calls and results together/],
];

describe("the advice names what to change", () => {
  test.each(texts)("where %s says: %s", (_, text, names) => {
    expect(meaningOfError(text)?.says).toMatch(names);
  });
});

test("pydantic shows that the content of one message is null", () => {
  const union = [
    "string_type', 'loc': ('body', 'messages', 2, 'typed-dict', 'content', 'str'), 'msg': 'Input should be a valid string', 'input': None",
    "iterable_type', 'loc': ('body', 'messages', 2, 'typed-dict', 'content', 'generator[typed-dict]'), 'msg': 'Input should be iterable', 'input': None",
    "literal_error', 'loc': ('body', 'messages', 2, 'typed-dict', 'role'), 'msg': \"Input should be 'system'\", 'input': 'assistant'",
    "extra_forbidden', 'loc': ('body', 'messages', 2, 'typed-dict', 'refusal'), 'msg': 'Extra inputs are not permitted', 'input': None",
  ];
  const says = meaningOfError(
    `Error code: 400 - [${union.map((each) => `{'type': '${each}}`).join(", ")}]`,
  )?.says;
  expect(says).toMatch(/means empty-content: each message needs its `content`.* `messages\[2\]\.content`/);
});
