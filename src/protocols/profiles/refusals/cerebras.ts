import type { ProfileRefusals } from "../profile.ts";

/** @see https://github.com/CherryHQ/cherry-studio/issues/16790 */
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
    ],
    errorBody: ({ message, type = "invalid_request_error", param, code }) => ({ message, type, param, code }),
  },
};
