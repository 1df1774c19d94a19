import { type ErrorText, ids, means } from "../error-text.ts";

const resent = { rule: "resent-items", about: "history" } as const;

/** What OpenAI's servers say of the items of a response. */
export const errorTexts: readonly ErrorText[] = [
  {
    pattern: new RegExp(`no tool output found for [a-z ]{1,30} call ${ids}`, "i"),
    ...means.unanswered,
  },
  {
    pattern: new RegExp(`no tool call found for [a-z ]{1,40} with call_id(?: ${ids})?`, "i"),
    ...means.orphan,
  },
  {
    // Codex, of the session that it resumes. @see https://github.com/openai/codex/issues/29773
    pattern: new RegExp(
      `(?:function|custom tool|local shell|tool search) call output is missing for call id: ?${ids}`,
      "i",
    ),
    ...means.unanswered,
    advice:
      "the saved session has the call without its result, as an interruption leaves it: Codex sends `aborted` in its place, so the model does not know what the call did",
  },
  {
    pattern: new RegExp(
      `orphan (?:function|custom tool|local shell|tool search) (?:call )?output for call id: ?${ids}`,
      "i",
    ),
    ...means.orphan,
  },
  { pattern: new RegExp(`duplicate call_ids submitted: ?${ids}`, "i"), ...means.duplicate },
  {
    // @see https://github.com/NousResearch/hermes-agent/issues/102629
    pattern: new RegExp(`duplicate \\w{1,40}_output for call_id:? ${ids}`, "i"),
    ...means.duplicate,
  },
  {
    // @see https://github.com/openai/codex/issues/33011
    pattern: new RegExp(`: ${ids}'\\. expected an id that begins with ['"](?:msg|rs)\\b`, "i"),
    ...means.badId,
    advice:
      "the `id` of an item is the one that the server gave it: leave it out of an item that the client writes itself",
  },
  { pattern: new RegExp(`: ${ids}'\\. expected an id that begins with`, "i"), ...means.badId },
  { pattern: /expected an id that begins with/i, ...means.badId },
  {
    // @see https://github.com/langchain-ai/langchainjs/issues/11044
    pattern: /input\[(?<index>\d{1,6})\]\.id'?: ''\. expected an id that contains letters/i,
    ...means.badId,
    advice: "leave the `id` of an item out where there is none: an empty one is refused",
  },
  { pattern: /expected an id that contains letters/i, ...means.badId },
  { pattern: new RegExp(`duplicate item found with id ${ids}`, "i"), ...resent },
  // @see https://github.com/github/copilot-cli/issues/1274
  { pattern: /\b400:? duplicate item found/i, ...resent },
  { pattern: new RegExp(`item with id ${ids}' not found`, "i"), ...means.unresolvable },
  {
    pattern: /items are not persisted (?:when|for)|previous response (?:cannot be used|with id)/i,
    ...means.unresolvable,
  },
  {
    pattern: new RegExp(`item ${ids}' of type '\\w{1,40}' was provided without its required`, "i"),
    ...means.lostReasoning,
  },
  {
    pattern: /encrypted content .{0,4000}?could not be verified|invalid_encrypted_content/i,
    ...means.foreignReasoning,
  },
  {
    pattern: /invalid value: ''\. supported values are: 'assistant', 'system', 'developer', and 'user'/i,
    rule: "missing-output-type",
    about: "history",
  },
  {
    // @see https://github.com/langfuse/langfuse/issues/17166
    pattern: /invalid value: ''\. supported values are: .{0,2000}?'function_call_output'/i,
    ...means.badRequest,
    advice: "an item of the input has an empty `type`: write it, or leave it out of a message",
  },
  {
    pattern: /invalid value: '(?:tool|function)'\. supported values are: 'assistant', 'system'/i,
    ...means.foreign,
  },
  {
    // @see https://github.com/microsoft/semantic-kernel/issues/13154
    pattern: /invalid value: 'input_(?:text|image)'\. supported values are: 'output_text'/i,
    ...means.badRequest,
    advice:
      "write the assistant's text as `output_text` parts, or as one string in `content`: `input_text` is for the other roles",
  },
  {
    pattern: /invalid value: 'output_text'\. supported values are: 'input_text'/i,
    ...means.badRequest,
    advice:
      "write user and system text as `input_text` parts, or as one string in `content`: `output_text` is for the assistant",
  },
  {
    pattern: /mutually exclusive parameters.{0,80}?'pre\.{3}_id' or 'conversation'/i,
    ...means.unresolvable,
    advice: "send `previous_response_id` or `conversation`, not both",
  },
  {
    // @see https://github.com/openai/codex/issues/36551
    pattern:
      /input\[(?<index>\d{1,6})\]\.content'?: array too long\. expected an array with maximum length 0/i,
    rule: "refused-reasoning",
    about: "history",
    or: "invalid-request",
    advice:
      "a reasoning item has its text in `content`, as other servers write it: leave out the reasoning of another provider",
  },
  {
    // @see https://github.com/earendil-works/pi/issues/4246
    pattern: /one of ['"]input['"] or ['"]previous_response_id['"]/i,
    ...means.badSettings,
    advice:
      "the request has no `input`: send at least the user's words; a compaction or a trim may have left nothing of the history",
  },
  { pattern: /background mode requires/i, ...means.badSettings },
  { pattern: /invalid input type '\w{1,60}' at index (?<index>\d{1,6})/i, ...means.badRequest },
];
