/**
 * Error texts of providers, and the rule that names the defect. Every pattern was reported or recorded; the
 * rules' pages and the providers' issue trackers say where. Patterns match the text as `matchErrorText`
 * normalises it, in order: the special ones stand first, and what is not about the request stands last.
 * Complaints about one value at a path (`messages.3.content: Field required`) need no entry, unless the rule
 * does not follow from the path. All repetitions are bounded, because the texts come from logs.
 */
export interface ErrorText {
  /** Named groups: `ids` (comma-separated), `index` (history element, from 0), `nth` (from 1), `tool`. */
  readonly pattern: RegExp;
  /** The rule that names the defect, if there is one. */
  readonly rule: string | undefined;
  readonly about: Subject;
  /** A rule that explains the same words nearly as often: providers' words may mislead. */
  readonly or?: string;
  /** What to know or do, where no rule has a page for it. A sentence without full stop. */
  readonly advice?: string;
  /** Whether the ids mean the calls or the results, if both have them. */
  readonly blames?: "call" | "result";
}

/**
 * What an error is about.
 * - `history`: the messages and calls that were sent
 * - `request`: another part of the request: its tools, its settings
 * - `size`: the length of the history
 * - `reply`: what the model wrote
 * - `service`: keys, addresses, limits, load: another history would not help
 */
export type Subject = "history" | "request" | "size" | "reply" | "service";

const id = "[\\w.:|-]{1,200}";
/** One or more ids, quoted or not. */
const ids = `['"\`[]{0,2}(?!message\\[)(?<ids>${id}(?:['"\`]?, ?['"\`]?${id}){0,200})`;

const orphan = { rule: "orphaned-tool-result", about: "history", blames: "result" } as const;
const unanswered = { rule: "unanswered-tool-call", about: "history", blames: "call" } as const;
const misplaced = { rule: "misplaced-tool-result", about: "history", or: "orphaned-tool-result" } as const;
const duplicate = { rule: "duplicate-tool-result", about: "history", blames: "result" } as const;
const sharedId = { rule: "duplicate-call-id", about: "history", blames: "call" } as const;
const badId = { rule: "invalid-call-id", about: "history" } as const;
const lostReasoning = { rule: "dropped-reasoning", about: "history" } as const;
const foreignReasoning = { rule: "refused-reasoning", about: "history" } as const;
const empty = { rule: "empty-content", about: "history" } as const;
const turnOrder = { rule: "bad-turn-order", about: "history" } as const;
const noTools = { rule: "dropped-tools", about: "history" } as const;
const badRequest = { rule: "invalid-request", about: "history" } as const;
const unresolvable = { rule: "unresolvable-reference", about: "history" } as const;
const badResult = { rule: "malformed-tool-result", about: "history", blames: "result" } as const;
const tooLong = { rule: "context-overflow", about: "size" } as const;
const mismatched = { rule: "call-id-mismatch", about: "history", blames: "result" } as const;
const brokenArguments = { rule: "incomplete-arguments", about: "history", blames: "call" } as const;
const misencoded = { rule: "misencoded-arguments", about: "history", blames: "call" } as const;
const foreign = { rule: "mixed-protocols", about: "history" } as const;
const rewritten = { rule: "rewritten-history", about: "history" } as const;
const unknownTool = { rule: "undefined-tool", about: "history" } as const;
const badSettings = { rule: "invalid-request", about: "request" } as const;
const service = { rule: undefined, about: "service" } as const;
const oneString = "this server, or the model's template, takes content as one string, not as a list of parts";
const textOnly = { ...badRequest, or: "malformed-tool-result", advice: oneString } as const;
const modelFault = { rule: "failed-reply-used", about: "reply" } as const;

/** Looked for first. */
export const errorTexts: readonly ErrorText[] = [
  // Calls and results that do not match.
  {
    pattern: new RegExp(`following tool_call_ids did not have response messages: ?${ids}`, "i"),
    ...unanswered,
  },
  {
    pattern: /an assistant message with ['"`]?tool_calls['"`]? must be followed by tool messages/i,
    ...unanswered,
  },
  { pattern: /insufficient tool messages following tool_calls/i, ...unanswered },
  {
    // LangGraph checks the history itself.
    pattern: new RegExp(
      `AIMessages with tool_calls that do not have a corresponding ToolMessage(?:.{0,2000}?'id': ?'(?<ids>${id})')?`,
      "i",
    ),
    ...unanswered,
  },
  // So does the AI SDK.
  { pattern: new RegExp(`tool results? (?:is|are) missing for tool calls?:? ${ids}`, "i"), ...unanswered },
  {
    pattern: new RegExp(`ToolInvocation must have a result(?:.{0,400}?"toolCallId": ?${ids})?`, "i"),
    ...unanswered,
  },
  { pattern: new RegExp(`ToolUse with ID ${ids} has no corresponding ToolResult`, "i"), ...unanswered },
  { pattern: new RegExp(`ToolResult with ID ${ids} has no corresponding ToolUse`, "i"), ...orphan },
  { pattern: /400 due to tool use concurrency issues/i, ...unanswered },
  { pattern: /message history contains unprocessed tool calls/i, ...unanswered },
  {
    pattern: /tool role, but there was no previous assistant message with a tool call/i,
    ...orphan,
  },
  { pattern: /unexpected role '(?:tool|function)' after role '(?:user|system)'/i, ...orphan },
  {
    pattern: new RegExp(`functionResponse\\.id "(?<ids>${id})" does not match functionCall\\.id`, "i"),
    ...mismatched,
  },
  { pattern: /messages? with role ['"`]?tool['"`]? must be a response to a prece+ding message/i, ...orphan },
  {
    pattern: new RegExp(
      `tool_use\`? ids were found without \`?tool_result\`? blocks immediately after:? ?${ids}`,
      "i",
    ),
    ...unanswered,
  },
  {
    pattern: new RegExp(
      `unexpected \`?tool_use_id\`? found in \`?\\w{0,40}tool_result\`? blocks:? ?${ids}`,
      "i",
    ),
    ...orphan,
  },
  { pattern: /did not find \d{1,6} .?tool_result.? block\(s\) at the beginning/i, ...misplaced },
  { pattern: new RegExp(`tool[_ ]use with id ${ids} was found without a corresponding`, "i"), ...unanswered },
  {
    pattern: new RegExp(`no tool output found for [a-z ]{1,30} call ${ids}`, "i"),
    ...unanswered,
  },
  { pattern: new RegExp(`no tool call found for [a-z ]{1,40} with call_id(?: ${ids})?`, "i"), ...orphan },
  {
    pattern: new RegExp(`expected toolResult blocks at .{1,80}? for the following ids: ?${ids}`, "i"),
    ...unanswered,
  },
  { pattern: /expected toolResult blocks at/i, ...unanswered },
  { pattern: /number of toolResult blocks .{0,80}? exceeds/i, ...orphan },
  {
    pattern: /number of function response parts is equal to the number of function call parts/i,
    ...unanswered,
    or: "orphaned-tool-result",
    advice: "put the results of all calls of a reply, and no others, into the one content that follows it",
  },
  { pattern: /not the same number of function calls and responses/i, ...unanswered },
  { pattern: new RegExp(`'tool_call_id' of ${ids}['"]? not found in 'tool_calls'`, "i"), ...mismatched },
  { pattern: /missing parameter 'tool_call_id'/i, ...mismatched },
  { pattern: new RegExp(`unexpected tool call id ${ids} in tool results`, "i"), ...orphan },
  { pattern: new RegExp(`tool result's tool id ?\\(${ids}\\) not found`, "i"), ...orphan },
  { pattern: /tool result's tool id ?\(\) not found/i, ...badId },
  { pattern: /tool_call_id {1,4}is not found/i, ...badId },
  { pattern: new RegExp(`tool_call_id ${ids} is not found`, "i"), ...orphan },
  { pattern: /tool call result does not follow tool call/i, ...misplaced },
  // The call stands where no call may stand: first, or after words of the model.
  { pattern: /function call turn comes immediately after/i, ...turnOrder, or: "misplaced-tool-result" },
  {
    pattern: /function response turn comes immediately after/i,
    ...orphan,
    or: "misplaced-tool-result",
  },
  { pattern: /function call turn is followed by function response turn/i, ...unanswered },
  { pattern: /number of function response parts \(\d{1,4}\) must equal/i, ...unanswered },

  // Ids.
  { pattern: /`?tool_use`? ids must be unique/i, ...sharedId, or: "duplicate-tool-result" },
  {
    pattern: new RegExp(`toolUse blocks at .{1,80}? contain duplicate ids: ?${ids}`, "i"),
    ...sharedId,
  },
  {
    pattern: new RegExp(`toolResult blocks at .{1,80}? contain duplicate ids: ?${ids}`, "i"),
    ...duplicate,
  },
  {
    pattern: new RegExp(
      `duplicate value for 'tool_call_id' of ${ids}'?, in messages\\[\\d{1,6}\\] and messages\\[(?<index>\\d{1,6})\\]`,
      "i",
    ),
    ...duplicate,
  },
  { pattern: new RegExp(`found multiple tool_result blocks with id: ?${ids}`, "i"), ...duplicate },
  { pattern: /each tool_use must have a single result/i, ...duplicate },
  { pattern: new RegExp(`duplicate call_ids submitted: ?${ids}`, "i"), ...duplicate },
  { pattern: new RegExp(`duplicate tool call id ${ids} in tool results`, "i"), ...duplicate },
  { pattern: /tool_use(?:\.id|_id)?:? string should match pattern/i, ...badId },
  { pattern: new RegExp(`tool call id was ${ids} but must be a-z`, "i"), ...badId },
  { pattern: /tool call id has to be defined|block missing required 'id' field/i, ...badId },
  { pattern: new RegExp(`: ${ids}'\\. expected an id that begins with`, "i"), ...badId },
  { pattern: /expected an id that begins with/i, ...badId },
  { pattern: /(?:\.id|call_id)'?: string too long\. expected a string with maximum length/i, ...badId },
  { pattern: new RegExp(`duplicate item found with id ${ids}`, "i"), rule: "resent-items", about: "history" },
  { pattern: new RegExp(`item with id ${ids}' not found`, "i"), ...unresolvable },
  {
    pattern: /items are not persisted (?:when|for)|previous response (?:cannot be used|with id)/i,
    ...unresolvable,
  },

  // Reasoning.
  { pattern: /expected `?thinking`? or `?redacted_thinking`?, but found/i, ...lostReasoning },
  {
    pattern: /blocks in the latest assistant message cannot be modified/i,
    rule: "rewritten-history",
    about: "history",
  },
  { pattern: /invalid `?signature`? in `?thinking`? block/i, ...foreignReasoning },
  { pattern: /\bsignature: field required/i, ...foreignReasoning },
  { pattern: /when thinking is disabled, an .?assistant.? message/i, ...foreignReasoning },
  {
    pattern: new RegExp(`item ${ids}' of type '\\w{1,40}' was provided without its required`, "i"),
    ...lostReasoning,
  },
  {
    pattern:
      /function call `?(?<tool>[\w-]{1,128})`? in the (?<nth>\d{1,6})\. content block is missing a .?thought_signature/i,
    ...lostReasoning,
  },
  {
    pattern:
      /missing a .?thought_signature.{1,400}?function call [`'"]?(?:default_api:)?(?<tool>[\w.:-]{1,128})[`'"]? ?, position (?<nth>\d{1,6})/i,
    ...lostReasoning,
  },
  {
    pattern:
      /missing a .?thought_signature.{1,400}?function call [`'"]?(?:default_api:)?(?<tool>[\w-]{1,128})/i,
    ...lostReasoning,
  },
  { pattern: /missing a .?thought_signature/i, ...lostReasoning },
  {
    pattern: /reasoning_content is missing in assistant tool call message at index (?<index>\d{1,6})/i,
    ...lostReasoning,
  },
  {
    pattern: /missing .?reasoning_content.{0,80}?message index (?<index>\d{1,6})/i,
    ...lostReasoning,
  },
  {
    pattern:
      /(?:reasoning_(?:content|text)|content\[\]\.thinking).{0,80}?must be passed back|missing .?reasoning_content/i,
    ...lostReasoning,
  },
  {
    pattern: /property 'reasoning\w{0,20}' is unsupported|reasoningText\.signature field/i,
    ...foreignReasoning,
  },
  {
    pattern: /encrypted content .{0,4000}?could not be verified|invalid_encrypted_content/i,
    ...foreignReasoning,
  },
  { pattern: /encrypted.{0,60}?(?:not issued to this caller|could not be decrypted)/i, ...foreignReasoning },
  { pattern: /corrupted thought signature|thought signature is not valid/i, ...foreignReasoning },
  {
    pattern: /each `?thinking`? block must contain|final block in an assistant message cannot be `?thinking/i,
    ...foreignReasoning,
  },
  { pattern: /require openrouter reasoning details to be preserved/i, ...lostReasoning },

  // Empty content, order of turns.
  { pattern: /each message must have at least one content element/i, ...empty },
  { pattern: /assistant message content field is not provided/i, ...empty },
  { pattern: /all elements in history must have a message/i, ...empty },
  {
    pattern:
      /message at (?:position|index) (?<index>\d{1,6})(?: with role ['"`]?\w{1,20}['"`]?)? must not be empty/i,
    ...empty,
  },
  { pattern: /must be non-empty|must have non-empty content|must contain non-whitespace text/i, ...empty },
  {
    pattern:
      /(?:tool_calls|messages\[\d{1,6}\]\.content)'?: empty array\. expected an array with minimum length 1/i,
    ...empty,
  },
  {
    pattern: /parts must not be empty|must include at least one parts field|model input cannot be empty/i,
    ...empty,
  },
  { pattern: /the text field in the ContentBlock object .{0,80}?is blank/i, ...empty },
  { pattern: /the content field in the message object at .{1,80}? is empty/i, ...empty },
  { pattern: /cannot end with trailing whitespace/i, ...turnOrder },
  { pattern: /does not support assistant message prefill/i, ...turnOrder },
  {
    pattern: /conversation must start with a user message|first message must use the .?user.? role/i,
    ...turnOrder,
  },
  {
    pattern: /unexpected role 'user' after role 'tool'/i,
    ...turnOrder,
    advice: "send an assistant message between the results and the user's next message",
  },
  { pattern: /unexpected role '\w{1,20}' after role '\w{1,20}'/i, ...turnOrder },
  { pattern: /expected last role user or tool/i, ...turnOrder },
  {
    pattern:
      /multiturn requests ends with a user role|single turn requests end|requests ending with a model turn/i,
    ...turnOrder,
  },
  {
    pattern:
      /roles must alternate|should alternate with|should be alternating|must alternate between|system message must be at the beginning/i,
    ...turnOrder,
  },
  { pattern: /contents is not specified|at least one contents field is required/i, ...turnOrder },
  { pattern: /no user query found in messages|elements with the role of user/i, ...turnOrder },
  { pattern: /last message must have role|conversation must have at least one message/i, ...turnOrder },
  { pattern: /userInputMessage must be followed by|messages? must start with a user/i, ...turnOrder },
  { pattern: /2 or more assistant messages at the end/i, ...turnOrder },
  {
    pattern: /(?:messages|input|contents)'?: empty array\. expected an array with minimum length 1/i,
    ...turnOrder,
  },

  // Results.
  { pattern: /toolResult cannot be empty when status value is error/i, ...badResult },
  { pattern: /content blocks are expected to be either text or image_url/i, ...badResult },
  { pattern: /extraneous key \[toolResult\]/i, ...badResult },
  { pattern: /function_response\.parts.? is not supported/i, ...badResult },
  {
    pattern:
      /role:tool' .{0,80}?content' ?: ?value must be a string|messages[.', ]{1,4}\d{1,6}[.', ]{1,4}tool[.', ]{1,4}content.{0,60}?(?:should|must) be a (?:valid )?string/i,
    ...badResult,
    advice: oneString,
  },
  {
    pattern: /invalid value for 'content': expected a string, got null/i,
    ...badRequest,
    advice: "each message needs a text, for some servers also beside calls; an empty one will do",
  },
  // Content as a list of parts, where a server or a template takes only text.
  {
    pattern:
      /messages\[\d{1,6}\](?:\.content)?: invalid type: sequence, expected a string|cannot unmarshal array into .{0,80}?\.content of type string|invalid message content type: \[\]/i,
    ...textOnly,
  },
  { pattern: /can only concatenate str \(not ['"`]list['"`]\) to str/i, ...textOnly },
  {
    pattern: /content\.\d{1,6}[\s\\n]{1,8}input should be a valid dictionary or instance of content\b/i,
    ...textOnly,
  },
  {
    pattern: /cannot put tools in the first user message when there'?s no first user message/i,
    ...turnOrder,
  },

  // Arguments.
  {
    pattern: new RegExp(`arguments to a tool_call with ID '${ids}' are not a valid JSON`, "i"),
    ...brokenArguments,
  },
  {
    pattern: new RegExp(`invalid function arguments json string(?:, tool_call_id: ?${ids})?`, "i"),
    ...brokenArguments,
  },
  {
    // Servers of open models parse the arguments of earlier calls and pass on the parser's message.
    pattern:
      /(?:unterminated string starting at|expecting (?:value|',' delimiter|':' delimiter|property name enclosed in double quotes)|invalid \\escape): line \d{1,6} column \d{1,9}/i,
    rule: "incomplete-arguments",
    about: "history",
  },
  {
    pattern: /failed to parse tool call arguments as json|invalid tool call arguments/i,
    rule: "incomplete-arguments",
    about: "history",
  },
  {
    pattern:
      /arguments['"`]?(?: parameter of the code model)? (?:(?:must|should) be|(?:is|are) not) (?:in |a |an )?(?:valid )?json/i,
    rule: "incomplete-arguments",
    about: "history",
  },
  {
    pattern:
      /function\.arguments.{0,40}?input should be a valid string|\.arguments'?: expected a string, but got an object/i,
    ...misencoded,
  },
  { pattern: /cannot unmarshal (?:string|array) into .{0,120}?ToolCallFunctionArguments/i, ...misencoded },
  { pattern: /arguments decoded to \w{1,20}, not a json object/i, ...misencoded },

  // Blocks and members that this API, or this model, does not take.
  {
    pattern: /conversation blocks and tool (?:use|result) blocks cannot be provided in the same turn/i,
    rule: undefined,
    about: "history",
    advice: "this model takes tool results only in a message of their own",
  },
  {
    pattern: /text content is not allowed when tool_calls are provided/i,
    rule: undefined,
    about: "history",
    advice: "this API takes the text next to calls as `tool_plan`",
  },
  {
    pattern: /cannot pass both content and thinking in an assistant message/i,
    rule: undefined,
    about: "history",
    advice: "the model's template takes text or thinking next to calls, not both",
  },
  { pattern: /cannot specify both message and tool_results/i, ...badRequest },
  { pattern: /messages (?:parameter is illegal|参数非法)/i, ...badRequest },
  { pattern: /unexpected role ['"`](?:tool|function)['"`]/i, ...foreign },
  { pattern: /unexpected role ['"`](?:system|developer)['"`]/i, ...badRequest, or: "bad-turn-order" },
  {
    pattern:
      /messages\.\d{1,6}.{0,80}?input tag '(?:image_url|tool_calls?|function(?:_call)?|input_text|output_text|tool-call|tool-result)' found/i,
    ...foreign,
  },
  { pattern: /invalid input type '\w{1,60}' at index (?<index>\d{1,6})/i, ...badRequest },
  // Vertex says so of a missing role, too.
  { pattern: /please use a valid role/i, ...turnOrder, or: "invalid-request" },
  { pattern: /must be a ModelMessage\[\]/, ...badRequest },
  { pattern: /must have either content or tool_calls, but not none/i, ...empty },
  { pattern: /must have either content or tool_calls, but not both/i, ...badRequest },
  { pattern: /message must be at least 1 token long/i, ...empty },
  { pattern: /blocks? can only be in .?(?:user|assistant).? messages/i, ...badRequest },
  { pattern: /maximum of 4 blocks with cache_control|cache_control cannot be set for/i, ...badRequest },
  {
    pattern:
      /(?:messages|input)\[\d{1,6}\].{0,80}?: (?:array too long|string too long|empty string)\. expected/i,
    ...badRequest,
  },

  // The role of an item tells what it is. Without one, it is an output without its type.
  {
    pattern: /invalid value: ''\. supported values are: 'assistant', 'system', 'developer', and 'user'/i,
    rule: "missing-output-type",
    about: "history",
  },
  {
    pattern: /invalid value: '(?:tool|function)'\. supported values are: 'assistant', 'system'/i,
    ...foreign,
  },
  {
    pattern: /invalid value: '(?:human|ai|bot|model)'\. supported values are: '(?:system|assistant)'/i,
    ...turnOrder,
  },
  { pattern: /unknown variant [`'"](?:human|ai|bot|model)[`'"], expected one of [`'"]system/i, ...turnOrder },
  {
    pattern: /mutually exclusive parameters.{0,80}?'pre\.{3}_id' or 'conversation'/i,
    ...unresolvable,
    advice: "send the response to go on from, or the conversation, not both",
  },
  { pattern: /one of ['"]input['"] or ['"]previous_response_id['"]/i, ...badSettings },

  // What the server keeps: threads, compactions, containers.
  {
    pattern: /thread_not_found|thread_already_continued|has already been continued/i,
    ...unresolvable,
    advice: "begin a new thread with the whole history",
  },
  {
    pattern: /thread_fingerprint_mismatch/i,
    ...unresolvable,
    advice: "a thread keeps its model, system prompt, tools and settings; for others, begin a new one",
  },
  { pattern: /thread_unsupported_request/i, ...badSettings },
  {
    pattern: /compaction_(?:signature_invalid|content_mismatch|tool_changes_mismatch)/i,
    ...rewritten,
    advice: "send the `compaction` block back as it came, unchanged",
  },
  {
    pattern: /compaction_incomplete_turn/i,
    ...unanswered,
    advice: "finish the turn before asking for a compaction",
  },
  {
    pattern: /compaction_unavailable/i,
    ...service,
    advice: "the server could not compact just now; send the request again",
  },
  {
    pattern: /compaction_(?:block_misplaced|block_ambiguous)/i,
    ...badRequest,
    advice: "send only the last `compaction` block, first in the conversation",
  },
  { pattern: /compaction_[a-z_]{3,60}/, ...badRequest },
  {
    pattern: /container_id is required when there are pending tool uses/i,
    ...badRequest,
    or: "unanswered-tool-call",
  },

  // Tools.
  { pattern: /tool_reference_unresolved|references unknown tool/i, ...unknownTool },
  { pattern: /tool reference ['"`](?<tool>[\w.-]{1,128})['"`] not found/i, ...unknownTool },
  {
    pattern: /(?:tool_use|tool_result).{0,30}?blocks must define tools|toolConfig field must be defined/i,
    ...noTools,
  },
  { pattern: /expects? the `?tools=?`? param/i, ...noTools },
  { pattern: /function name was .{1,200}? but must be a-z|invalid tool schema/i, ...badSettings },
  { pattern: /function parameters is empty/i, ...badSettings },
  { pattern: /duplicate function declaration found: (?<tool>[\w.:-]{1,128})/i, ...badSettings },
  { pattern: /tool ['"`].{1,128}?['"`] not found in provided tools/i, ...badSettings },
  {
    pattern: /does not support tools|tool use is not supported/i,
    rule: undefined,
    about: "request",
    advice: "this model takes no tools",
  },

  // Settings that exclude each other.
  { pattern: /thinking may not be enabled when tool_choice forces/i, ...badSettings },
  { pattern: /function calling with a response mime type/i, ...badSettings },
  { pattern: /tool use with function calling is unsupported/i, ...badSettings },
  { pattern: /you must provide a model parameter|^model is required/i, ...badSettings },
  { pattern: /multiple tools are supported only when they are all search tools/i, ...badSettings },
  { pattern: /argument not supported: [\w ]{1,80} together/i, ...badSettings },
  { pattern: /is incompatible with thinking enabled|cannot specify both ['"`]/i, ...badSettings },
  {
    pattern: /does not support (?:this tool_choice|being set to|parameter [a-z]\w{1,60})/i,
    ...badSettings,
  },
  {
    pattern: /json mode cannot be combined|tool names must be unique|background mode requires/i,
    ...badSettings,
  },
  { pattern: /`?temperature`? may only be set to 1 when/i, ...badSettings },
  { pattern: /`?temperature`? and `?top_p`? cannot both be specified/i, ...badSettings },
  {
    pattern: /`?(?:temperature|top_p|top_k)`? is (?:deprecated|not supported) for this model/i,
    ...badSettings,
  },
  { pattern: /thinking\.type\.\w{1,20}['"`]? is not supported for this model/i, ...badSettings },
  { pattern: /tool_choice: type ['"`]tool['"`] and ['"`]any['"`] are not supported/i, ...badSettings },
  { pattern: /max_tokens`? must be greater than `?thinking\.budget_tokens/i, ...badSettings },
  { pattern: /tool names must be unique/i, ...badSettings },
  { pattern: /tool_choice(?:\.\w{1,20})? may only be specified while providing tools/i, ...badSettings },

  // The same defects in words that no list holds, also copied by hand.
  { pattern: /tool.?results? ?(?:blocks?)?.? must have a ?corresponding .?tool.?use/i, ...orphan },
  { pattern: /tool.?used? \w{0,6}.? ?must have a ?corresponding .?tool.?result/i, ...unanswered },
  {
    pattern: new RegExp(
      `tool[ _-]?(?:result|output|message|response)s? (?:with |for )?(?:tool_call_|call_)?(?:id )?${ids} (?:has|have|had|does not have|is without|without) (?:no |a )?(?:matching|corresponding|preceding)`,
      "i",
    ),
    ...orphan,
  },
  {
    pattern:
      /(?:tool|function)[ _-]?(?:result|output|message|response)s?\b.{0,60}?\b(?:no|without|not|lacks?|missing)\b.{0,40}?(?:matching|corresponding|preceding|prior|previous).{0,30}?(?:tool|function)?[ _-]?(?:call|use)/i,
    ...orphan,
  },
  {
    pattern:
      /(?:tool|function)[ _-]?(?:call|use)s?\b.{0,60}?\b(?:no|without|not|lacks?|missing)\b.{0,40}?(?:matching|corresponding|following|subsequent)?.{0,20}?(?:tool|function)[ _-]?(?:result|output|message|response)/i,
    ...unanswered,
  },
];

/** Looked for only where neither a text above nor a complaint about a path explains the error. */
export const otherTrouble: readonly ErrorText[] = [
  {
    pattern: /attempted to call tool ['"`](?<tool>[^'"`\n]{1,128})['"`],? which was not in request\.tools/i,
    ...modelFault,
  },
  {
    pattern:
      /tool_use_failed|failed to call a function|tool call validation failed|model did not call a tool|malformed_function_call|error parsing tool call|failed to parse input at pos/i,
    ...modelFault,
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
    ...service,
    advice: "it is about the key, not about the history",
  },
  {
    pattern: /permission_(?:error|denied)|access ?denied|not authorized|forbidden/i,
    ...service,
    advice: "it is about what the key may do, not about the history",
  },
  {
    pattern:
      /insufficient_quota|exceeded your current quota|credit balance|insufficient balance|billing|payment required/i,
    ...service,
    advice: "it is about money or quota, not about the history",
  },
  {
    pattern: /rate[ _-]?limit|too many requests|resource_?exhausted|throttl|tokens per (?:min|day)/i,
    ...service,
    advice: "it is about limits, not about the history: wait, and send it again",
  },
  {
    pattern:
      /overloaded|service unavailable|internal server error|bad gateway|gateway time-?out|timed? ?out|econn(?:reset|refused)|enotfound|fetch failed|socket hang up|connection (?:error|reset|refused|closed)|peer closed/i,
    ...service,
    advice: "the server or the network failed; the same request may well succeed",
  },
  {
    pattern:
      /model_not_found|deploymentnotfound|no endpoints found|not_found_error|models? .{0,120}?(?:does not exist|not found|is not available|has been (?:deprecated|retired|decommissioned)|is not supported)/i,
    ...service,
    advice: "it is about the model's name or the address, not about the history",
  },
  {
    pattern:
      /content[ _](?:management policy|filter|policy)|responsibleai|flagged|usage polic(?:y|ies)|data_inspection_failed/i,
    ...service,
    advice: "a content filter stopped it; no rule of toollint can tell why",
  },
];
