import { type ErrorText, ids, means } from "../../error-text.ts";
import type { Failures } from "../../failures.ts";
import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { RefusalText } from "../../refusals.ts";
import type { ProfileRefusals } from "../profile.ts";

/** Without an id, two spaces remain in its place. */
const notFound = { text: "Invalid request: tool_call_id {id} is not found" };

/**
 * @see https://github.com/MoonshotAI/kimi-cli/issues/1977
 * @see https://github.com/Gentleman-Programming/gentle-pi/issues/1052
 */
const pairing = pairingTexts({
  unanswered: {
    text: "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
  },
  "no-calls": notFound,
  "unknown-id": notFound,
  "missing-id": notFound,
  duplicate: notFound,
});

/**
 * @see https://github.com/QuantumNous/new-api/issues/3121
 * @see https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152
 * @see https://github.com/HKUDS/nanobot/issues/3939
 */
const thinking: readonly RefusalText[] = [
  {
    rule: "dropped-reasoning",
    kinds: ["withCalls"],
    text: "thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}",
  },
  {
    ...conflict("tool_choice", /thinks/, "tool_choice '{mode}' is incompatible with thinking enabled"),
    values: ({ body }) => ({ mode: body["tool_choice"] === "required" ? "required" : "specified" }),
  },
  conflict("reasoning_effort", /thinking/, "cannot specify both 'thinking' and 'reasoning_effort'"),
];

/** @see https://github.com/MoonshotAI/MoonshotAI-Cookbook/issues/16 */
const failures: Failures = {
  texts: [
    {
      status: 429,
      text: "The engine is currently overloaded, please try again later",
      type: "engine_overloaded_error",
    },
    { status: 500, text: "Internal Server Error", type: "server_error" },
  ],
  inStream: 500,
};

export const moonshotRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [...pairing, ...thinking],
    failures,
    errorBody: ({ message, type = "invalid_request_error" }) => ({ error: { message, type } }),
  },
};

export const moonshotErrors: readonly ErrorText[] = [
  {
    // Also of a result whose call a compaction took. @see https://github.com/MoonshotAI/kimi-code/issues/1053
    pattern: /tool_call_id {1,4}is not found/i,
    ...means.badId,
    or: "orphaned-tool-result",
    advice:
      "each result needs the id of a call in the history: copy it from the reply, and when the history is trimmed, drop calls and results together",
  },
  { pattern: new RegExp(`tool_call_id ${ids} is not found`, "i"), ...means.orphan },
  {
    pattern: /reasoning_content is missing in assistant tool call message at index (?<index>\d{1,6})/i,
    ...means.lostReasoning,
  },
  {
    pattern:
      /message at (?:position|index) (?<index>\d{1,6})(?: with role ['"`]?\w{1,20}['"`]?)? must not be empty/i,
    ...means.empty,
  },
  // `the thinking field in the request (expected type object) is illegal, and bool is not acceptable`
  {
    pattern: /the \w{1,60} field in the request \(expected type \w{1,20}\) is illegal/i,
    ...means.badSettings,
  },
  { pattern: /is incompatible with thinking enabled/i, ...means.badSettings },
  {
    // @see https://github.com/MoonshotAI/kimi-cli/issues/1903
    // @see https://github.com/openJiuwen-ai/jiuwenswarm/issues/3942
    pattern: /not a valid moonshot flavored json ?schema/i,
    ...means.badSettings,
    advice:
      "correct the schema of the tool at this path: write `type` in each alternative of `anyOf`, and nothing beside a `$ref` that contradicts it",
  },
];
