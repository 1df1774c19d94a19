import { type ErrorText, means, oneString } from "../../error-text.ts";
import type { Failures } from "../../failures.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import { dotted, type RefusalFacts, type RefusalText } from "../../refusals.ts";
import { fields, list, valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

/** What a message of its role has to satisfy. */
function unsatisfied(what: Pick<RefusalText, "rule" | "kinds" | "fits">, demand: string): RefusalText {
  return {
    ...what,
    stage: "shape",
    text: `'messages.{index}' : for 'role:{role}' the following must be satisfied[(${demand})]`,
    values: ({ body, index = -1 }: RefusalFacts) => ({
      role: valueText(fields(list(body["messages"])[index])["role"]),
    }),
  };
}

const unsupported = "'messages.{index}' : property '{member}' is unsupported";

/**
 * @see https://github.com/ServiceStack/llms/issues/17
 * @see https://github.com/karthink/gptel/issues/774
 * @see https://github.com/tidyverse/ellmer/issues/162
 * @see https://github.com/hackclub/ai/issues/22
 * @see https://github.com/nanobrowser/nanobrowser/issues/120
 * @see https://github.com/fanenr/chatbot/issues/21
 */
const texts: readonly RefusalText[] = [
  unsatisfied(
    { rule: "invalid-request", kinds: ["misplaced"], fits: ({ index }) => index !== undefined },
    unsupported,
  ),
  unsatisfied({ rule: "refused-reasoning", kinds: ["member"] }, unsupported),
  unsatisfied(
    {
      rule: "invalid-request",
      kinds: ["type"],
      fits: ({ pointer }) => /^\/messages\/\d+\/content$/.test(pointer),
    },
    "'{path}' : value must be a string",
  ),
  unsatisfied({ rule: "malformed-tool-result", kinds: ["content"] }, "'{path}' : value must be a string"),
  unsatisfied(
    { rule: "call-id-mismatch", kinds: ["missing-id"], fits: ({ data }) => data["seen"] === "" },
    "'messages.{index}.tool_call_id' : property 'tool_call_id' is missing",
  ),
  conflict("response_format", /tools/, "json mode cannot be combined with tool/function calling"),
  conflict("store", /refuses/, "property 'store' is unsupported, did you mean 'stop'?"),
  conflict("chat_template_kwargs", /refuses/, "property 'chat_template_kwargs' is unsupported"),
].map(({ param: _, ...text }) => text);

/** @see https://github.com/elizaOS/eliza/issues/4040 */
const failures: Failures = {
  texts: [
    {
      status: 429,
      text: "Rate limit reached for model `{model}` in organization `org_toollint` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in {seconds}s.",
      type: "tokens",
      code: "rate_limit_exceeded",
    },
    { status: 500, text: "Internal Server Error", type: "internal_server_error" },
  ],
  inStream: 500,
};

export const groqRefusals: ProfileRefusals = {
  "openai-chat": {
    texts,
    failures,
    path: dotted,
    errorBody: ({ message, type = "invalid_request_error", param, code }) => ({
      error: { message, type, ...(param !== undefined && { param }), ...(code && { code }) },
    }),
  },
};

export const groqErrors: readonly ErrorText[] = [
  { pattern: /property 'reasoning\w{0,20}' is unsupported/i, ...means.foreignReasoning },
  {
    pattern: /role:tool' .{0,80}?content' ?: ?value must be a string/i,
    ...means.badResult,
    advice: oneString,
  },
  { pattern: /json mode cannot be combined/i, ...means.badSettings },
];
