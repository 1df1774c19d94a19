import { type ErrorText, means } from "../../error-text.ts";
import type { ProfileRefusals } from "../profile.ts";

/** @see https://github.com/NousResearch/hermes-agent/pull/111236 */
export const nvidiaRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      {
        rule: "invalid-request",
        kinds: ["type"],
        stage: "shape",
        fits: ({ pointer }) => /^\/messages\/\d+\/content\/\d+\/type$/.test(pointer),
        text: "Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum ChatCompletionRequestToolMessageContent",
      },
    ],
  },
};

/** Its gateway names the type of the message, but not the message. */
export const nvidiaErrors: readonly ErrorText[] = [
  {
    pattern: /variant of untagged enum ChatCompletionRequestToolMessageContent/i,
    ...means.badResult,
    advice: "the content of a result must be a string or a list of text parts",
  },
  { pattern: /variant of untagged enum ChatCompletionRequest\w{0,40}Message\b/i, ...means.badRequest },
];
