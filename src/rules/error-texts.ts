/**
 * Error texts of providers, and the rule that names the defect. Every pattern was reported or recorded; the
 * rules' pages and the providers' issue trackers say where. Patterns match the text as normalised by {@link
 * matchErrorText}, in order. All repetitions are bounded, because the texts come from logs.
 */
interface ErrorText {
  /** Named groups: `ids` (comma-separated), `index` (history element, from 0), `nth` (from 1), `tool`. */
  readonly pattern: RegExp;
  /** The rule that names the defect, if there is one. */
  readonly rule: string | undefined;
  /** `history`: what was sent. `size`: its length. `reply`: what the model wrote. */
  readonly about: "history" | "size" | "reply";
  /** Whether the ids mean the calls or the results, if both have them. */
  readonly blames?: "call" | "result";
}

const id = "[\\w.:|-]{1,200}";
/** One or more ids, quoted or not. */
const ids = `['"\`[]{0,2}(?!message\\[)(?<ids>${id}(?:['"\`]?, ?['"\`]?${id}){0,200})`;

const orphan = { rule: "orphaned-tool-result", about: "history", blames: "result" } as const;
const unanswered = { rule: "unanswered-tool-call", about: "history", blames: "call" } as const;
const misplaced = { rule: "misplaced-tool-result", about: "history" } as const;
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
const modelFault = { rule: "failed-reply-used", about: "reply" } as const;

const errorTexts: readonly ErrorText[] = [
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
  { pattern: new RegExp(`no tool call found for [a-z ]{1,40} with call_id ${ids}`, "i"), ...orphan },
  {
    pattern: new RegExp(`expected toolResult blocks at .{1,80}? for the following ids: ?${ids}`, "i"),
    ...unanswered,
  },
  { pattern: /expected toolResult blocks at/i, ...unanswered },
  { pattern: /number of toolResult blocks .{0,80}? exceeds/i, ...orphan },
  {
    pattern: /number of function response parts is equal to the number of function call parts/i,
    ...unanswered,
  },
  { pattern: /not the same number of function calls and responses/i, ...unanswered },
  { pattern: new RegExp(`unexpected tool call id ${ids} in tool results`, "i"), ...orphan },
  { pattern: new RegExp(`tool result's tool id ?\\(${ids}\\) not found`, "i"), ...orphan },
  { pattern: /tool_call_id {1,4}is not found/i, ...badId },
  { pattern: /tool call result does not follow tool call/i, ...misplaced },
  { pattern: /function (?:call|response) turn comes immediately after/i, ...misplaced },

  // Ids.
  { pattern: /`?tool_use`? ids must be unique/i, ...sharedId },
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
  { pattern: /tool call id has to be defined/i, ...badId },
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
  { pattern: /thinking\.signature: field required/i, ...foreignReasoning },
  { pattern: /when thinking is disabled, an assistant message/i, ...foreignReasoning },
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
    pattern: /missing a .?thought_signature.{1,400}?function call (?:default_api:)?(?<tool>[\w-]{1,128})/i,
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
  { pattern: /corrupted thought signature/i, ...foreignReasoning },

  // Empty content, order of turns.
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
  { pattern: /unexpected role '\w{1,20}' after role '\w{1,20}'/i, ...turnOrder },
  { pattern: /expected last role user or tool/i, ...turnOrder },
  {
    pattern:
      /multiturn requests ends with a user role|single turn requests end|requests ending with a model turn/i,
    ...turnOrder,
  },
  { pattern: /roles must alternate|system message must be at the beginning/i, ...turnOrder },
  { pattern: /2 or more assistant messages at the end/i, ...turnOrder },
  {
    pattern: /(?:messages|input|contents)'?: empty array\. expected an array with minimum length 1/i,
    ...turnOrder,
  },

  // Results, arguments, the rest of the request.
  { pattern: /toolResult cannot be empty when status value is error/i, ...badResult },
  { pattern: /content blocks are expected to be either text or image_url/i, ...badResult },
  { pattern: /extraneous key \[toolResult\]/i, ...badResult },
  {
    pattern: new RegExp(`invalid function arguments json string(?:, tool_call_id: ?${ids})?`, "i"),
    rule: "incomplete-arguments",
    about: "history",
    blames: "call",
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
      /function\.arguments.{0,40}?input should be a valid string|\.arguments'?: expected a string, but got an object/i,
    rule: "misencoded-arguments",
    about: "history",
  },
  {
    pattern: /conversation blocks and tool (?:use|result) blocks cannot be provided in the same turn/i,
    rule: undefined,
    about: "history",
  },
  {
    pattern: /cannot unmarshal (?:string|array) into .{0,120}?ToolCallFunctionArguments/i,
    rule: "misencoded-arguments",
    about: "history",
  },
  {
    pattern: /(?:tool_use|tool_result).{0,30}?blocks must define tools|toolConfig field must be defined/i,
    ...noTools,
  },
  { pattern: /text content is not allowed when tool_calls are provided/i, rule: undefined, about: "history" },
  {
    pattern: /cannot pass both content and thinking in an assistant message/i,
    rule: undefined,
    about: "history",
  },
  { pattern: /maximum of 4 blocks with cache_control|cache_control cannot be set for/i, ...badRequest },
  {
    pattern:
      /(?:messages|input)\[\d{1,6}\].{0,80}?: (?:array too long|string too long|empty string)\. expected/i,
    ...badRequest,
  },

  // Not caused by the history.
  {
    pattern:
      /tool_use_failed|failed to call a function|tool call validation failed|model did not call a tool/i,
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
];

/** What a provider's error text says about the request. */
export interface ErrorMatch extends Omit<ErrorText, "pattern">, HistoryPointer {
  /** The ids of calls or items in the text, in its order. */
  readonly callIds: readonly string[];
  readonly tool?: string;
}

/** The place that a text names: an element of the history and a pointer below it. */
export interface HistoryPointer {
  /** From 0; absent if the text names no element. */
  readonly index?: number;
  /** RFC 6901 pointer from the element, as far as the text names it; `""` is the whole element. */
  readonly below?: string;
}

/** Longer texts are cut; providers put the relevant part first. */
const maxText = 20_000;

/** Matches a provider's error text, even quoted and escaped by gateways; `undefined` if it is unknown. */
export function matchErrorText(text: string): ErrorMatch | undefined {
  const read = plain(text);
  for (const { pattern, ...entry } of errorTexts) {
    const groups = pattern.exec(read);
    if (!groups) continue;
    const { ids: named, index, nth, tool } = groups.groups ?? {};
    const at =
      index !== undefined
        ? { index: Number(index), below: "" }
        : nth !== undefined
          ? { index: Number(nth) - 1, below: "" }
          : historyPointers(read)[0];
    return {
      ...entry,
      ...at,
      callIds: (named ?? "")
        .split(/['"`\s,]+/)
        .map(bare)
        .filter((one) => one !== ""),
      ...(tool !== undefined && { tool }),
    };
  }
  return undefined;
}

/** The history elements that a text names, in its order: `messages.3.content.1`, `input[66].id`. */
export function historyPointers(text: string): Required<HistoryPointer>[] {
  const pointer =
    /(?<!\w)(?:messages?|input|contents)(?:\.?\[(\d{1,6})\]|[./](\d{1,6})(?!\w))((?:\.?\[\d{1,6}\]|[./]\w{1,40}){0,8})/gi;
  return [...plain(text).matchAll(pointer)].slice(0, 20).map(([, bracketed, dotted, rest = ""]) => ({
    index: Number(bracketed ?? dotted),
    below: rest.replace(/\.?\[(\d{1,6})\]|[./]/g, "/$1"),
  }));
}

/** The text on one line, without the escapes that gateways add to quotes. */
function plain(text: string): string {
  return text
    .slice(0, maxText)
    .replace(/\\{1,16}(?:u0027|u0060|u0022)/gi, "'")
    .replace(/\\{1,16}(["'`])/g, "$1")
    .replace(/\\{1,16}[nrt](?=[^a-z]|$)/g, " ")
    .replace(/\s+/g, " ");
}

/** An id without the full stop after it. */
function bare(named: string): string {
  return named.replace(/[.:,]{1,3}$/, "");
}
