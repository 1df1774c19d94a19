import { contentNeeded, type ErrorText, ids, means, plainTop } from "../error-text.ts";

const toolsOfResponses =
  "for Chat Completions, write `name`, `description` and `parameters` of each tool under `function`; the Responses API has them in the tool itself";

/** How OpenAI begins whatever it says of a tool's parameters. */
const badSchema = "invalid schema for function ['\"]";

/** What OpenAI's servers say of messages and calls; many servers with the same API repeat it. */
export const errorTexts: readonly ErrorText[] = [
  {
    pattern: new RegExp(`following tool_call_ids did not have response messages: ?${ids}`, "i"),
    ...means.unanswered,
  },
  {
    pattern: /an assistant message with ['"`]?tool_calls['"`]? must be followed by tool messages/i,
    ...means.unanswered,
  },
  {
    pattern: /messages? with role ['"`]?tool['"`]? must be a response to a prece+ding ?message/i,
    ...means.orphan,
  },
  {
    pattern: new RegExp(`'tool_call_id'(?: of ${ids}['"]?| ?\\.{3}| ?…)? not found in 'tool_calls'`, "i"),
    ...means.mismatched,
  },
  { pattern: /missing parameter 'tool_call_id'/i, ...means.mismatched },
  {
    pattern: new RegExp(
      `duplicate value for 'tool_call_id' of ${ids}'?, in messages\\[\\d{1,6}\\] and messages\\[(?<index>\\d{1,6})\\]`,
      "i",
    ),
    ...means.duplicate,
  },
  { pattern: /(?:\.id|call_id)'?: string too long\. expected a string with maximum length/i, ...means.badId },
  {
    pattern:
      /(?:tool_calls|messages\[\d{1,6}\]\.content)'?: empty array\. expected an array with minimum length 1/i,
    ...means.empty,
  },
  {
    pattern: /(?:messages|input|contents)'?: empty array\. expected an array with minimum length 1/i,
    ...means.turnOrder,
  },
  { pattern: /content blocks are expected to be either text or image_url/i, ...means.badResult },
  {
    // SGLang passes on pydantic's words. @see https://github.com/danny-avila/LibreChat/issues/6256
    pattern:
      /invalid value for 'content': expected a string, got null|\.content\.str input should be a valid string \[type=string_type, input_value=None/i,
    ...means.badRequest,
    advice: "each message needs text, on some servers even next to calls; an empty string is enough",
  },
  {
    pattern:
      /(?:messages|input)\[\d{1,6}\].{0,80}?: (?:array too long(?!\. expected an array with maximum length 0)|string too long|empty string)\. expected/i,
    ...means.badRequest,
  },
  {
    pattern:
      /function\.arguments.{0,40}?input should be a valid string|\.arguments'?: expected a string, but got an object/i,
    ...means.misencoded,
  },
  {
    pattern: /invalid value: '(?:human|ai|bot|model)'\. supported values are: '(?:system|assistant)'/i,
    ...means.turnOrder,
  },
  {
    // @see https://github.com/aaif-goose/goose/issues/9825
    pattern: /function tools with reasoning_effort are not supported/i,
    ...means.badSettings,
    advice:
      "this model takes tools only over the Responses API, or without `reasoning_effort`: send them there",
  },
  {
    pattern: /must contain the word ['"`]?json/i,
    ...means.badSettings,
    advice: "ask for JSON in a message, too, or leave out the JSON format",
  },
  // @see https://github.com/kdalanon/ChatGPT-AutoHotkey-Utility/issues/14
  { pattern: /could not parse the JSON body of your request/i, ...means.notJson },
  // SiliconFlow. @see https://github.com/openai/codex/issues/4270
  { pattern: /['"]?messages['"]? in request are illegal/i, ...means.anyMessage },
  // SiliconFlow has the shorter words. @see https://github.com/0xPlaygrounds/rig/pull/966
  {
    pattern: /you must provide a model parameter|\bmodel field is required/i,
    ...means.badSettings,
    advice: "the request names no model: set `model`",
  },
  {
    // The Assistants API, whose runs wait for the results of their calls.
    pattern: new RegExp(`expected tool outputs for call_ids? ?\\[?${ids}`, "i"),
    ...means.unanswered,
  },
  {
    // @see https://github.com/prism-php/prism/issues/614
    // @see https://github.com/partITech/php-mistral/issues/76
    pattern:
      /\btools\b['"`]? must not be an empty array|'tools': empty array|'?loc'?\W{1,4}body\W{1,5}tools\W{1,4}msg\W{1,5}extra inputs are not permitted\W{1,3}input\W{1,4}\[\]/i,
    ...means.badSettings,
    advice: "leave `tools` out of a request without tools: an empty list is refused",
  },
  {
    // Workers AI names the places where its alternatives fail: also members that nobody sent.
    // @see https://github.com/cloudflare/ai/pull/384
    // @see https://github.com/anomalyco/opencode/issues/30381
    // @see https://github.com/zendev-sh/goai/issues/79
    pattern: /type mismatch of '\/messages\/(?<index>\d{1,6})\/content', 'array' not in 'string'/i,
    ...means.textOnly,
  },
  {
    // @see https://github.com/devoxx/DevoxxGenieIDEAPlugin/pull/1262
    // @see https://github.com/zeroclaw-labs/zeroclaw/pull/9493
    pattern:
      /(?:mismatch of|properties at) '\/messages\/(?<index>\d{1,6})(?:\/content', 'null' not in|' are '(?:role,)?content')/i,
    ...means.empty,
    advice: contentNeeded,
  },
  {
    // @see https://github.com/QuantumNous/new-api/issues/4605
    pattern: /required properties at '\/tools\/\d{1,4}\/function' are 'name'/i,
    ...means.badSettings,
    or: "mixed-protocols",
    advice: toolsOfResponses,
  },
  {
    // A client's library validates the reply of a server that imitates the API.
    pattern:
      /validation errors? for \w{1,60} (?:message\.)?tool_calls\.\d{1,4}\.[\w.]{1,60} (?:input should be|field required)/i,
    rule: undefined,
    about: "reply",
    advice:
      "the client's library does not accept the form of the calls in the server's reply: compare them with OpenAI's (`id`, `type`, `function`)",
  },
  {
    // @see https://github.com/stanfordnlp/dspy/issues/9943
    pattern: /missing required parameter: ['"]tools\[\d{1,4}\]\.name['"]/i,
    ...means.badSettings,
    or: "mixed-protocols",
    advice:
      "the tools are in the form of Chat Completions: for the Responses API, write `name`, `description` and `parameters` into the tool itself, not under `function`",
  },
  {
    pattern: /missing required parameter: ['"]tools\[\d{1,4}\]\.function['"]/i,
    ...means.badSettings,
    or: "mixed-protocols",
    advice: toolsOfResponses,
  },
  {
    // The AI SDK, of a chunk or a reply. @see https://github.com/zai-org/GLM-5/issues/91
    pattern:
      /type validation failed: value: .{0,2000}?"object": ?"(?:chat\.completion[^"]{0,20})?", ?"created"/i,
    rule: undefined,
    about: "reply",
    advice:
      "the client's library does not accept the form of the server's reply: compare the quoted value with OpenAI's (`choices` is a list, also in the last chunk)",
  },
  {
    // GitHub Copilot. @see https://github.com/microsoft/vscode/issues/293520
    // @see https://github.com/microsoft/vscode/issues/321050
    pattern:
      /invalid json format in tool call arguments|tool call arguments in the previous messages were not in a valid/i,
    ...means.brokenArguments,
  },
  {
    // Volcano Engine. @see https://github.com/CherryHQ/cherry-studio/issues/3513
    pattern:
      /messages\.content\W{1,3}specified in the request are not valid: expected a string, but got .?\[/i,
    ...means.textOnly,
  },
  {
    // Eino puts a stream together. @see https://github.com/cloudwego/eino/pull/1057
    pattern: new RegExp(`cannot concat toolcalls with different tool id: ${ids}`, "i"),
    rule: undefined,
    about: "reply",
    advice:
      "the server's stream has two calls under one `index`: update the server or the client, or let the client begin a new call where the id changes",
  },
  {
    // @see https://community.openai.com/t/1337151
    pattern: /messages\[(?<index>\d{1,6})\]\.role'? does not support 'function'/i,
    ...means.badRequest,
    or: "mixed-protocols",
    advice:
      "this model takes no messages with the role `function`: declare `tools`, and send results with the role `tool` and the `tool_call_id` of their call",
  },
  {
    // @see https://github.com/prism-php/prism/pull/813
    pattern: /invalid schema for response_format ['"]/i,
    ...means.badSettings,
    advice: "correct the JSON Schema of the answer that it names",
  },
  {
    // @see https://github.com/langchain-ai/langchainjs/issues/9804
    pattern: new RegExp(`${badSchema}.{0,80}?(?:not have ['"](?:one|any|all)Of|at the top level)`, "i"),
    ...means.badSettings,
    advice: plainTop,
  },
  {
    // @see https://github.com/vercel/ai/issues/7005
    pattern: new RegExp(`${badSchema}.{0,40}?must be a JSON Schema of .{0,20}?object.{0,10}? got`, "i"),
    ...means.badSettings,
    advice:
      'the tool\'s `parameters` are no schema of an object: write `type: "object"` and `properties` (empty for a tool without parameters), and convert a schema of zod or pydantic before it is sent',
  },
  {
    pattern: new RegExp(`${badSchema}.{0,200}?missing items`, "i"),
    ...means.badSettings,
    advice: "a schema of the type `array` in the tool's parameters lacks `items`, which says what it holds",
  },
  {
    pattern: new RegExp(`${badSchema}.{0,400}?(?:'required'|'additionalProperties') is required to be`, "i"),
    ...means.badSettings,
    advice:
      "`strict` wants every property in `required` and `additionalProperties: false` in each object: allow `null` for optional ones, or leave `strict` out",
  },
  {
    pattern: new RegExp(badSchema, "i"),
    ...means.badSettings,
    advice: "correct the JSON Schema of the tool that it names",
  },
];
