import { type ErrorText, ids, means, plainTop } from "../error-text.ts";

/** What Claude's API says, and clients and gateways that speak for it. */
export const errorTexts: readonly ErrorText[] = [
  // Calls and results.
  {
    pattern: new RegExp(
      `tool_use['\`]? ids were found without ['\`]?tool_result['\`]? blocks immediately after:? ?${ids}`,
      "i",
    ),
    ...means.unanswered,
  },
  {
    pattern: new RegExp(
      `unexpected ['\`]?tool_use_id['\`]? found in ['\`]?\\w{0,40}tool_result['\`]? blocks:? ?${ids}`,
      "i",
    ),
    ...means.orphan,
  },
  { pattern: /did not find \d{1,6} .?tool_result.? block\(s\) at the beginning/i, ...means.misplaced },
  {
    pattern: new RegExp(`tool[_ ]use with id ${ids} was found without a corresponding`, "i"),
    ...means.unanswered,
  },
  {
    // The words of 2024 and 2025. @see https://github.com/aaif-goose/goose/issues/1224
    pattern: /messages? containing ['`]?tool_use['`]? blocks must be followed by/i,
    ...means.unanswered,
  },
  { pattern: /400 due to tool use concurrency issues/i, ...means.unanswered },
  { pattern: /`?tool_use`? ids must be unique/i, ...means.sharedId, or: "duplicate-tool-result" },
  { pattern: new RegExp(`found multiple tool_result blocks with id: ?${ids}`, "i"), ...means.duplicate },
  { pattern: /each tool_use must have a single result/i, ...means.duplicate },
  { pattern: /tool_use(?:\.id|_id)?:? string should match pattern/i, ...means.badId },
  // Thinking.
  { pattern: /expected `?thinking`? or `?redacted_thinking`?, but found/i, ...means.lostReasoning },
  {
    pattern: /blocks in the latest assistant message cannot be modified/i,
    ...means.rewritten,
  },
  // @see https://github.com/anthropics/claude-code/issues/2746
  { pattern: /blocks must match the parameters during the original request/i, ...means.rewritten },
  { pattern: /invalid `?signature`? in `?thinking`? block/i, ...means.foreignReasoning },
  { pattern: /\bsignature: field required/i, ...means.foreignReasoning },
  { pattern: /when thinking is disabled, an .?assistant.? message/i, ...means.foreignReasoning },
  { pattern: /each `?thinking`? block must contain/i, ...means.foreignReasoning },
  {
    // @see https://github.com/anthropics/claude-code/issues/10199
    pattern: /final block in an assistant message cannot be `?thinking/i,
    ...means.foreignReasoning,
    advice:
      "send what followed the thinking, too, its text or its calls; leave out a message that was aborted while the model thought",
  },
  // Messages and their blocks.
  {
    pattern: /must be non-empty|must have non-empty content|must contain non-whitespace text/i,
    ...means.empty,
  },
  // @see https://github.com/anthropics/claude-code/issues/77525
  { pattern: /request body is not valid JSON/i, ...means.notJson },
  { pattern: /cannot end with trailing whitespace/i, ...means.turnOrder },
  { pattern: /does not support assistant message prefill/i, ...means.turnOrder },
  {
    // The shorter words are Snowflake's.
    // @see https://github.com/agentjido/req_llm/issues/642
    // @see https://github.com/aaif-goose/goose/issues/5997
    pattern:
      /['`]?assistant['`]? (?:message|role) in the final position|pre-?filling the ['`]?assistant['`]? response/i,
    ...means.turnOrder,
    advice:
      "the history must not end with an assistant message: end it with the user's words or with results",
  },
  { pattern: /first message must use the .?user.? role/i, ...means.turnOrder },
  {
    // With `after role`, these are Mistral's words about the order of turns.
    pattern: /unexpected role ['"`](?:tool|function)['"`](?! after role)/i,
    ...means.foreign,
  },
  {
    pattern: /unexpected role ['"`](?:system|developer)['"`](?! after role)/i,
    ...means.badRequest,
    or: "bad-turn-order",
  },
  {
    // @see https://github.com/1Panel-dev/MaxKB/pull/6683
    pattern:
      /messages\.\d{1,6}.{0,80}?input tag '(?:input_json_delta|text_delta|thinking_delta|signature_delta|content_block_\w{4,5})' found/i,
    rule: "lost-fragments",
    about: "history",
    advice:
      "a fragment of a streamed reply stands in the history: join the fragments into whole `text`, `thinking` and `tool_use` blocks before you store the message",
  },
  {
    pattern:
      /messages\.\d{1,6}.{0,80}?input tag '(?:image_url|tool_calls?|function(?:_call)?|input_text|output_text|tool-call|tool-result)' found/i,
    ...means.foreign,
  },
  {
    pattern: /tool_result.? blocks? can only be in .?user.? messages/i,
    ...means.badRequest,
    or: "misplaced-tool-result",
    advice:
      "send results in a message of the user, directly after the message with their calls: split a message that also has the model's text",
  },
  { pattern: /blocks? can only be in .?(?:user|assistant).? messages/i, ...means.badRequest },
  {
    // @see https://github.com/modelcontextprotocol/python-sdk/issues/494
    // @see https://github.com/makenotion/notion-mcp-server/issues/340
    pattern: /does not support oneOf, allOf, or anyOf at the top|anyOf is not supported at the top level/i,
    ...means.badSettings,
    advice: plainTop,
  },
  {
    // @see https://github.com/anthropics/claude-code/issues/86664
    pattern: /JSON schema is invalid\W{1,3}it must match JSON Schema draft/i,
    ...means.badSettings,
    advice:
      "the schema of the tool at that index, counted from 0, is no valid JSON Schema of 2020-12: leave out the MCP server that declares it, or correct what only older drafts allow, such as `required: true` in a property or a list under `items`",
  },
  {
    // @see https://github.com/twentyhq/twenty/issues/26217
    pattern: /maximum of 4 blocks with cache_control/i,
    ...means.badRequest,
    advice:
      "a request has at most four cache marks, those of the system prompt and the tools included: when you mark a newer message, take the mark from an older one",
  },
  { pattern: /cache_control cannot be set for/i, ...means.badRequest },
  // What the server keeps: threads, compactions, containers.
  {
    pattern: /thread_not_found|thread_already_continued|has already been continued/i,
    ...means.unresolvable,
    advice: "start a new thread with the full history",
  },
  {
    pattern: /thread_fingerprint_mismatch/i,
    ...means.unresolvable,
    advice: "a thread keeps its model, system prompt, tools and settings; to change these, start a new one",
  },
  { pattern: /thread_unsupported_request/i, ...means.badSettings },
  {
    pattern: /compaction_(?:signature_invalid|content_mismatch|tool_changes_mismatch)/i,
    ...means.rewritten,
    advice: "send the `compaction` block back unchanged",
  },
  {
    pattern: /compaction_incomplete_turn/i,
    ...means.unanswered,
    advice: "finish the turn before asking for a compaction",
  },
  {
    pattern: /compaction_unavailable/i,
    ...means.service,
    advice: "the server cannot compact right now; send the request again",
  },
  {
    pattern: /compaction_(?:block_misplaced|block_ambiguous)/i,
    ...means.badRequest,
    advice: "send only the last `compaction` block, first in the conversation",
  },
  { pattern: /compaction_[a-z_]{3,60}/, ...means.badRequest },
  {
    pattern: /container_id is required when there are pending tool uses/i,
    ...means.badRequest,
    or: "unanswered-tool-call",
  },
  // Tools and settings.
  { pattern: /tool_reference_unresolved|references unknown tool/i, ...means.unknownTool },
  { pattern: /tool reference ['"`](?<tool>[\w.-]{1,128})['"`] not found/i, ...means.unknownTool },
  { pattern: /(?:tool_use|tool_result).{0,30}?blocks must define tools/i, ...means.noTools },
  {
    // LiteLLM. @see https://github.com/codemie-ai/codemie-code/issues/544
    pattern: /expects? the `?tools=?`? param|tool calling without `?tools=?`? param/i,
    ...means.noTools,
  },
  { pattern: /thinking may not be enabled when tool_choice forces/i, ...means.badSettings },
  { pattern: /`?temperature`? may only be set to 1 when/i, ...means.badSettings },
  { pattern: /`?temperature`? and `?top_p`? cannot both be specified/i, ...means.badSettings },
  {
    pattern: /`?(?:temperature|top_p|top_k)`? is (?:deprecated|not supported) for this model/i,
    ...means.badSettings,
  },
  { pattern: /thinking\.type\.\w{1,20}['"`]? is not supported for this model/i, ...means.badSettings },
  { pattern: /tool_choice: type ['"`]tool['"`] and ['"`]any['"`] are not supported/i, ...means.badSettings },
  { pattern: /max_tokens`? must be greater than `?thinking\.budget_tokens/i, ...means.badSettings },
  {
    pattern: /tool_choice(?:\.\w{1,20})? may only be specified while providing tools/i,
    ...means.badSettings,
  },
  { pattern: /tool names must be unique/i, ...means.badSettings },
  { pattern: /tool ['"`].{1,128}?['"`] not found in provided tools/i, ...means.badSettings },
];
