import { type ErrorText, ids, means } from "../protocols/error-text.ts";

const tooLong = { rule: "context-overflow", about: "size" } as const;

/**
 * Error texts of no single provider: the server is unknown, or many servers send them. The folders of the
 * protocols hold the others.
 */
export const commonErrors: readonly ErrorText[] = [
  { pattern: new RegExp(`ToolUse with ID ${ids} has no corresponding ToolResult`, "i"), ...means.unanswered },
  { pattern: new RegExp(`ToolResult with ID ${ids} has no corresponding ToolUse`, "i"), ...means.orphan },
  {
    pattern: /tool role, but there was no previous assistant message with a tool call/i,
    ...means.orphan,
  },
  { pattern: /assistant message content field is not provided/i, ...means.empty },
  {
    pattern: /elements with the role of user|last message must have role|messages? must start with a user/i,
    ...means.turnOrder,
  },
  {
    // Baidu's Qianfan, which counts from 0.
    // @see https://github.com/langchain4j/langchain4j/issues/748
    // @see https://github.com/ChatGPTNextWeb/NextChat/pull/5194
    pattern:
      /length of messages must be an odd number|role of message with (?:odd|even) index in the messages/i,
    ...means.turnOrder,
    advice:
      "its messages alternate: the user or a function speaks first, third and last, the assistant in between; the system prompt is a field of its own",
  },
  // Kiro. @see https://github.com/decolua/9router/issues/384
  { pattern: /\bimproperly formed request\b/i, ...means.anyMessage },
  {
    // @see https://github.com/0xPlaygrounds/rig/issues/368
    pattern: /messages\[(?<index>\d{1,6})\]\.role: unknown variant/i,
    ...means.badRequest,
    advice: "this server knows only the roles that the text lists, in these very letters",
  },
  {
    // Rig, of a reply. @see https://github.com/0xPlaygrounds/rig/issues/1437
    // @see https://github.com/0xPlaygrounds/rig/issues/1172
    pattern: /variant of untagged enum (?:Api|\w{0,40}Completion)Response\b/i,
    rule: undefined,
    about: "reply",
    advice:
      "the client's library does not accept the form of the server's reply: look for members that are absent or `null`, and for empty arguments",
  },
  {
    // LiteLLM. @see https://github.com/openai/codex/issues/41095
    pattern: /invalid model name passed in model=(?:none\b|\W)/i,
    ...means.badSettings,
    advice: "the request names no `model`: send it with every request, also with those that follow the first",
  },
  // @see https://github.com/baidubce/bce-qianfan-sdk/issues/576
  { pattern: /function_call's name can't be blank/i, ...means.badRequest },
  // LiteLLM, before it calls Bedrock.
  {
    pattern: /requires at least one non-system message/i,
    ...means.turnOrder,
    advice: "the history has nothing but system prompts: add a message of the user",
  },
  {
    // The AI SDK, of a stream. @see https://github.com/QuantumNous/new-api/issues/2177
    pattern: /expected '(?:id|function\.name)' to be a string/i,
    rule: "malformed-stream",
    about: "request",
    advice:
      "the server begins a call without an id or a name: update the server or the proxy in front of it; until then, ask for replies without streaming",
  },
  {
    // Rig, before the program sees the call. @see https://github.com/bionic-gpt/bionic-gpt/issues/1041
    pattern: /tool call ['"`](?<tool>[^'"`\n]{1,128})['"`] arrived with malformed json/i,
    rule: "incomplete-arguments",
    about: "reply",
  },
  {
    // Agents say it to the model in place of a result, and people take it for the API's words.
    // @see https://github.com/charmbracelet/crush/issues/3408
    // @see https://github.com/anomalyco/opencode/issues/22220
    pattern: /tool call failed: arguments were not valid json/i,
    rule: "incomplete-arguments",
    about: "reply",
  },
  {
    // Clients that could not parse the arguments of a reply.
    // @see https://github.com/Vivswan/litellm-vscode-chat/issues/281
    // @see https://github.com/vercel/ai/blob/main/packages/ai/src/error/invalid-tool-input-error.ts
    pattern:
      /tool call\W{0,3}s?\W{1,3}(?:with|has|have|had) (?:invalid|malformed) json|(?:failed|unable|could not|cannot|error|while) ?(?:to )?pars(?:e|ing) tool(?:[ _-]?call)?(?:'s)? (?:arguments|input|args)|invalid (?:input|arguments) for tool ['"`]?(?<tool>[\w.-]{1,128})['"`]?: json parsing failed/i,
    rule: "incomplete-arguments",
    about: "reply",
  },
  {
    // The AI SDK.
    pattern:
      /invalid (?:input|arguments) for tool ['"`]?(?<tool>[\w.-]{1,128})['"`]?: type validation failed/i,
    rule: "invalid-arguments",
    about: "reply",
  },
  {
    // LangChain.js, as n8n shows it. @see https://github.com/n8n-io/n8n/issues/14399
    pattern: /received tool input did not match expected schema/i,
    rule: "invalid-arguments",
    about: "reply",
  },
  {
    // The AI SDK, before it sends anything. @see https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-invalid-prompt-error
    pattern:
      /invalid prompt: (?:the )?messages (?:must be an? (?:array of )?(?:Core|Model)Message|do not match the ModelMessage)/i,
    ...means.badRequest,
    advice:
      "the AI SDK refuses a message before it sends it: convert those of the UI with `convertToModelMessages`, and look for results without a value",
  },
  {
    // Spring AI. @see https://github.com/spring-projects/spring-ai/issues/3248
    pattern: /toolInput cannot be null or empty/i,
    rule: "lost-fragments",
    about: "request",
    advice:
      "the call has no arguments: for a tool without parameters that means `{}`; else the fragments of a stream were lost",
  },
  {
    // Spring AI and LangChain for Elixir, of a stream whose fragments they did not join.
    // @see https://github.com/spring-projects/spring-ai/issues/4790
    // @see https://github.com/brainlid/langchain/pull/551
    pattern: /toolName cannot be null or empty|tool_calls: (?:call_id: can't be blank|name: can't be blank)/i,
    rule: "lost-fragments",
    or: "malformed-stream",
    about: "request",
    advice:
      "a fragment of a streamed call was taken for a call of its own: only the first one has the id and the name, and `index` joins the others to it",
  },
  {
    // What agents say to a model whose call lost its name. @see https://github.com/tailcallhq/forgecode/issues/1141
    pattern:
      /\btool(?: named)?:? ?(?:''|""|``) (?:is not available|not found|found|does not exist)|\bunknown tool:? ?(?:''|""|``)/i,
    rule: "malformed-stream",
    or: "lost-fragments",
    about: "request",
    advice: "the call has no name: a recorded stream shows whether the server or the client lost it",
  },
  {
    // The AI SDK. @see https://github.com/vercel/ai/blob/main/packages/ai/src/error/no-such-tool-error.ts
    pattern: /model tried to call unavailable tool ['"`](?<tool>[^'"`\n]{1,128})['"`]/i,
    rule: "undefined-tool",
    about: "reply",
  },
  {
    pattern: /the (?<tool>[\w-]{1,128}) tool was called with invalid arguments/i,
    rule: "invalid-arguments",
    about: "reply",
  },
  {
    // @see https://github.com/BigPizzaV3/CodexPlusPlus/issues/329
    pattern: /message\[(?<index>\d{1,6})\]\.content\[\d{1,6}\] has invalid field\(s\)/i,
    ...means.badRequest,
    advice: "a part of the message's content has a field that parts of its `type` do not have: leave it out",
  },
  { pattern: /invalid (?:enum type in )?tool schema|cannot specify both ['"`]/i, ...means.badSettings },
  {
    pattern: /does not support tools|tool use is not supported/i,
    rule: undefined,
    about: "request",
    advice: "this model takes no tools",
  },
  // The same defects in words that no list holds, also copied by hand.
  { pattern: /tool.?results? ?(?:blocks?)?.? must have a ?corresponding .?tool.?use/i, ...means.orphan },
  { pattern: /tool.?used? \w{0,6}.? ?must have a ?corresponding .?tool.?result/i, ...means.unanswered },
  {
    pattern: new RegExp(
      `tool[ _-]?(?:result|output|message|response)s? (?:with |for )?(?:tool_call_|call_)?(?:id )?${ids} (?:has|have|had|does not have|is without|without) (?:no |a )?(?:matching|corresponding|preceding)`,
      "i",
    ),
    ...means.orphan,
  },
  {
    pattern:
      /(?:tool|function)[ _-]?(?:result|output|message|response)s?\b.{0,60}?\b(?:no|without|not|lacks?|missing)\b.{0,40}?(?:matching|corresponding|preceding|prior|previous).{0,30}?(?:tool|function)?[ _-]?(?:call|use)/i,
    ...means.orphan,
  },
  {
    pattern:
      /(?:tool|function)[ _-]?(?:call|use)s?\b.{0,60}?\b(?:no|without|not|lacks?|missing)\b.{0,40}?(?:matching|corresponding|following|subsequent)?.{0,20}?(?:tool|function)[ _-]?(?:result|output|message|response)/i,
    ...means.unanswered,
  },
];

/** Looked for only where neither a text above nor a complaint about a path explains the error. */
export const otherTrouble: readonly ErrorText[] = [
  {
    pattern: /attempted to call tool ['"`](?<tool>[^'"`\n]{1,128})['"`],? which was not in request\.tools/i,
    rule: "undefined-tool",
    about: "reply",
  },
  {
    pattern:
      /tool_use_failed|failed to call a function|tool call validation failed|model did not call a tool|malformed_function_call|error parsing tool call|failed to parse input at pos|model response did not respect the required format/i,
    ...means.modelFault,
  },
  {
    pattern: /prompt is too long|prompt too long|context_length_exceeded|exceeds? the context window/i,
    ...tooLong,
  },
  {
    pattern:
      /input token count .{0,40}?exceeds|maximum context length|input tokens exceeded|too many tokens/i,
    ...tooLong,
  },
  { pattern: /exceeds? the available context size|total length of all messages is too long/i, ...tooLong },
  { pattern: /input is too long for requested model|input length and .?max_tokens.? exceed/i, ...tooLong },
  {
    pattern:
      /request_too_large|context (?:size|length|window).{0,60}?exceed|exceed.{0,60}?context (?:size|length|window)/i,
    ...tooLong,
  },
  {
    pattern:
      /(?:incorrect|invalid|missing|expired|no) (?:x-)?api[- _]?key|api[- _]?key (?:not valid|is (?:invalid|missing))|authentication_error|no auth credentials|unauthorized|security token.{0,40}?(?:invalid|expired)/i,
    ...means.service,
    advice: "it concerns the key; check that it is set, valid and meant for this host",
  },
  {
    pattern: /permission_(?:error|denied)|access ?denied|not authorized|forbidden/i,
    ...means.service,
    advice: "it concerns the key's permissions; check what its account may use",
  },
  {
    pattern:
      /insufficient_quota|exceeded your current quota|credit balance|insufficient balance|billing|payment required/i,
    ...means.service,
    advice: "it concerns money or quota; check the account's balance and limits",
  },
  {
    pattern: /rate[ _-]?limit|too many requests|resource_?exhausted|throttl|tokens per (?:min|day)/i,
    ...means.service,
    advice: "it concerns rate limits; wait, then send the request again",
  },
  {
    pattern:
      /overloaded|service unavailable|internal server error|bad gateway|gateway time-?out|timed? ?out|econn(?:reset|refused)|enotfound|fetch failed|socket hang up|connection (?:error|reset|refused|closed)|peer closed/i,
    ...means.service,
    advice: "the server or the network failed; the same request may succeed on a retry",
  },
  {
    pattern:
      /model_not_found|deploymentnotfound|no endpoints found|not_found_error|models? .{0,120}?(?:does not exist|not found|is not available|has been (?:deprecated|retired|decommissioned)|is not supported)/i,
    ...means.service,
    advice: "it concerns the model's name or the address; check both",
  },
  {
    pattern:
      /content[ _](?:management policy|filter|policy)|responsibleai|flagged|usage polic(?:y|ies)|data_inspection_failed/i,
    ...means.service,
    advice: "a content filter stopped it; toollint cannot tell why",
  },
];
