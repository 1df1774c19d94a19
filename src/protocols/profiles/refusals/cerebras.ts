import { type ErrorText, means } from "../../error-text.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { ProfileRefusals } from "../profile.ts";

const mixed = "Tools with mixed values for 'strict' are not allowed.";

/**
 * @see https://github.com/CherryHQ/cherry-studio/issues/16790
 * @see https://github.com/mpfaffenberger/code_puppy/pull/368
 */
export const cerebrasRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      {
        rule: "refused-reasoning",
        kinds: ["member"],
        stage: "shape",
        text: "messages.{index}.assistant.{member}: property 'messages.{index}.assistant.{member}' is unsupported",
        code: "wrong_api_format",
        param: "validation_error",
      },
      {
        ...conflict("tools", /strict/, `${mixed} Please set all tools to 'strict: true' or 'strict: false'`, {
          code: "wrong_api_format",
        }),
        status: 422,
      },
    ],
    errorBody: ({ message, type = "invalid_request_error", param, code }) => ({ message, type, param, code }),
  },
};

export const cerebrasErrors: readonly ErrorText[] = [
  {
    // @see https://github.com/RooCodeInc/Roo-Code/issues/10334
    // @see https://github.com/Kilo-Org/kilocode/pull/5204
    pattern: /mixed values for ['"`]?strict\b|must have the same value for the ['"`]?strict\b/i,
    ...means.badSettings,
    advice: "give all tools the same `strict`: a tool without it counts as `strict: false`",
  },
  {
    // @see https://github.com/livekit/agents/pull/3134
    pattern: /tools with strict ?= ?true are not supported/i,
    ...means.badSettings,
    advice: "leave `strict` out of the tools: this model does not take it",
  },
  {
    // @see https://github.com/livekit/agents/issues/2403
    pattern: /'nonetype' object is not iterable/i,
    ...means.badRequest,
    or: "empty-content",
    advice:
      "a message has `null` where the server goes through a text or a list: give `content` a text, if only an empty one, and leave out `tool_calls` where there are none",
  },
];
