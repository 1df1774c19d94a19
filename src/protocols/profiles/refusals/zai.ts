import { type ErrorText, means } from "../../error-text.ts";
import type { ProfileRefusals } from "../profile.ts";

/** @see https://github.com/anomalyco/opencode/issues/2557 */
export const zaiRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      {
        rule: "bad-turn-order",
        kinds: ["noUser"],
        code: "1214",
        text: "The messages parameter is illegal. Please check the documentation.",
      },
    ],
    errorBody: ({ message, code }) => ({ error: { code: code ?? "1210", message } }),
  },
};

export const zaiErrors: readonly ErrorText[] = [
  {
    pattern: /messages (?:parameter is illegal|参数非法)/i,
    ...means.badRequest,
    or: "bad-turn-order",
    // Zhipu says it in Chinese, and of much else; a history without the user's words is one of its reasons.
    // @see https://github.com/MetaGLM/zhipuai-sdk-python-v4/issues/14
    demands: { needsUser: true },
    advice:
      "it says this of any fault in the messages: look for a history without words of the user, an empty message, and results without their call",
  },
];
