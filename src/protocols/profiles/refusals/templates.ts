import { type ErrorText, means, oneString } from "../../error-text.ts";
import type { RefusalText, ServedError } from "../../refusals.ts";
import { partialCallsIn } from "../elements.ts";
import type { ProfileRefusals } from "../profile.ts";

const mistral = /mistral|mixtral|codestral|devstral|magistral|ministral|pixtral/i;

/**
 * What the programs in chat templates say when they abort.
 * @see https://github.com/ggml-org/llama.cpp/issues/19851
 * @see https://github.com/vllm-project/vllm/issues/6862
 * @see https://github.com/lemonade-sdk/lemonade/issues/2674
 * @see https://github.com/vllm-project/vllm/issues/36432
 * @see https://huggingface.co/google/gemma-2-9b-it/blob/main/tokenizer_config.json
 */
const sentences: readonly RefusalText[] = [
  {
    rule: "bad-turn-order",
    kinds: ["alternation"],
    fits: ({ request: { model = "" } }) => mistral.test(model),
    text: "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
  },
  {
    rule: "bad-turn-order",
    kinds: ["alternation"],
    text: "Conversation roles must alternate user/assistant/user/assistant/...",
  },
  { rule: "bad-turn-order", kinds: ["system"], text: "System message must be at the beginning." },
  { rule: "bad-turn-order", kinds: ["noSystem"], text: "System role not supported" },
  { rule: "bad-turn-order", kinds: ["noUser"], text: "No user query found in messages." },
];

const vllmBody = ({ status, message, type, param }: ServedError) => ({
  error: { message, type: type ?? "BadRequestError", param: param ?? null, code: status },
});

/**
 * A server that passes a template's words on as its own.
 * @see https://github.com/weaviate/Verba/issues/150
 */
export const vllmRefusals: ProfileRefusals = {
  "openai-chat": { texts: sentences, errorBody: vllmBody },
  "openai-responses": { errorBody: vllmBody },
  // @see https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/anthropic/protocol.py
  anthropic: {
    texts: sentences,
    errorBody: ({ message, type = "BadRequestError" }) => ({ type: "error", error: { type, message } }),
  },
};

const isBroken = { rule: "incomplete-arguments", type: "server_error", status: 500 } as const;

const llamaBody = ({ status, message, type }: ServedError) => ({
  error: { code: status, message, type: type ?? "invalid_request_error" },
});

const aborted = sentences.map(
  (sentence): RefusalText => ({
    ...sentence,
    text: `Error: Jinja Exception: ${sentence.text}`,
    status: 500,
    type: "server_error",
  }),
);

/**
 * A template's words are a fault of the server there, as are arguments that it cannot parse.
 * @see https://github.com/sipeed/picoclaw/issues/207
 * @see https://github.com/noonghunna/club-3090/issues/665
 * @see https://github.com/co-l/openfox/issues/367
 */
export const llamaCppRefusals: ProfileRefusals = {
  anthropic: { texts: aborted, errorBody: llamaBody },
  "openai-chat": {
    texts: [
      ...aborted,
      {
        rule: "bad-turn-order",
        kinds: ["twoAtEnd"],
        text: "Cannot have 2 or more assistant messages at the end of the list.",
      },
      { ...isBroken, text: "Failed to parse tool call arguments as JSON: {arguments}" },
    ],
    errorBody: llamaBody,
  },
};

/** What llama.cpp says of requests to the Responses API, which it translates, and the template of gpt-oss. */
export const llamaCppErrors: readonly ErrorText[] = [
  {
    // @see https://github.com/ggml-org/llama.cpp/issues/22389
    pattern: /'type' of tool must be 'function'/i,
    ...means.badSettings,
    advice: "this server takes only tools with `type: function`: leave out the others, such as `web_search`",
  },
  {
    // @see https://github.com/ggml-org/llama.cpp/issues/23542
    pattern: /output of tool call (?:should be 'input text'|missing 'type' field)/i,
    ...means.badResult,
    advice:
      "this server takes a result as a text, or as parts with `type: input_text`: leave out tools that return images or files",
  },
  {
    // @see https://github.com/ggml-org/llama.cpp/issues/15242
    pattern: /passed a message containing <\|channel\|> tags in the content/i,
    rule: "leaked-control-tokens",
    about: "history",
    advice:
      "the server left gpt-oss's channel tags in the text: let it remove them (llama.cpp: `--reasoning-format auto`), and send old messages without them",
  },
];

const failed = sentences.map((sentence): RefusalText => ({ ...sentence, status: 500, type: "api_error" }));

/**
 * @see https://github.com/ollama/ollama/blob/main/openai/openai.go
 * @see https://github.com/ollama/ollama/blob/main/anthropic/anthropic.go
 */
export const ollamaChatRefusals: ProfileRefusals = {
  anthropic: { texts: failed },
  "openai-chat": {
    texts: [...failed, { rule: "incomplete-arguments", text: "invalid tool call arguments" }],
  },
};

/** What vLLM says of calls, besides what templates say. */
export const vllmErrors: readonly ErrorText[] = [
  {
    // @see https://github.com/openai/openai-agents-python/issues/2129
    // @see https://github.com/vllm-project/vllm/pull/30613
    pattern: /tool[ _]choice.{0,40}? requires .{0,40}?--(?:enable-auto-tool-choice|tool-call-parser)/i,
    rule: undefined,
    about: "request",
    advice:
      "the server reads no calls from what its model writes: start vLLM with `--enable-auto-tool-choice` and with the `--tool-call-parser` of the model's family",
    changeIn: "server",
  },
  {
    // @see https://github.com/speakleash/bielik-tools/issues/9
    pattern: /validation errors? for list\[function-wrap\[.{1,80}?\]\] invalid json/i,
    ...means.modelFault,
    or: "text-tool-call",
    advice:
      "the request forces a call, and vLLM takes all that the model writes for JSON: send `tool_choice: auto`, so that the parser of the model's family reads it",
  },
];

export const templateErrors: readonly ErrorText[] = [
  {
    // @see https://github.com/sterlp/eclipse-peon-ai/issues/75
    pattern: /roles must alternate|should alternate with|should be alternating|must alternate between/i,
    ...means.turnOrder,
    demands: { alternates: true },
  },
  {
    pattern: /system message must be at the beginning/i,
    ...means.turnOrder,
    demands: { systemFirst: true },
  },
  { pattern: /no user query found in messages/i, ...means.turnOrder, demands: { needsUser: true } },
  {
    // @see https://github.com/lemonade-sdk/lemonade/pull/1481
    pattern: /missing tool call (?:type|function|arguments)/i,
    ...means.badRequest,
    demands: { elementFaults: partialCallsIn },
  },
  {
    pattern: /2 or more assistant messages at the end/i,
    ...means.turnOrder,
    demands: { refusesTwoAtEnd: true },
  },
  {
    // The programs in templates do not run: another history would not help.
    // @see https://github.com/zed-industries/zed/issues/45379
    // @see https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/535
    pattern:
      /rendering prompt with jinja template: \W{0,4}(?:error: )?(?:unknown (?:test|filter|function|operator|statement)|parser error|cannot call something that is not a function|expected \w{1,40}|undefined )/i,
    rule: undefined,
    about: "request",
    advice:
      "the server cannot run the model's chat template, whatever the history: update the server, or replace the template with one that it can run",
    changeIn: "server",
  },
  { pattern: /can only concatenate str \(not ['"`]list['"`]\) to str/i, ...means.textOnly },
  {
    pattern: /content\.\d{1,6}[\s\\n]{1,8}input should be a valid dictionary or instance of content\b/i,
    ...means.textOnly,
  },
  {
    pattern: /cannot put tools in the first user message when there'?s no first user message/i,
    ...means.turnOrder,
  },
  {
    // Servers of open models parse the arguments of earlier calls and pass on the parser's message.
    pattern:
      /(?:unterminated string starting at|expecting (?:value|',' delimiter|':' delimiter|property name enclosed in double quotes)|invalid \\escape): line \d{1,6} column \d{1,9}/i,
    rule: "incomplete-arguments",
    about: "history",
  },
  {
    // Templates go through the members of arguments, which these have not.
    // @see https://github.com/sgl-project/sglang/pull/28035
    // @see https://github.com/mudler/LocalAI/pull/10558
    pattern:
      /can only get item pairs from a mapping|'(?:str|list)(?: object)?' (?:object )?has no attribute 'items'/i,
    rule: "invalid-arguments",
    about: "history",
  },
  { pattern: /extra data: line \d{1,6} column \d{1,9}/i, rule: "incomplete-arguments", about: "history" },
  {
    // @see https://github.com/vllm-project/vllm/issues/21089
    pattern: /invalid assistant message: role='assistant' content=None tool_calls=None/i,
    ...means.empty,
    demands: { refusesEmptyMessages: true, refusesEmptyText: true },
  },
  { pattern: /failed to parse tool call arguments as json/i, rule: "incomplete-arguments", about: "history" },
  { pattern: /arguments decoded to \w{1,20}, not a json object/i, ...means.misencoded },
  {
    pattern: /cannot pass both content and thinking in an assistant message/i,
    rule: undefined,
    about: "history",
    advice: "the model's template accepts text or thinking next to calls, not both",
  },
  {
    pattern:
      /messages[.', ]{1,4}\d{1,6}[.', ]{1,4}tool[.', ]{1,4}content.{0,60}?(?:should|must) be a (?:valid )?string/i,
    ...means.badResult,
    advice: oneString,
  },
];
