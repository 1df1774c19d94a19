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
    // @see https://github.com/charmbracelet/crush/issues/1237
    // @see https://github.com/fuzhengwei/chatglm-sdk-java/issues/8
    pattern: /invalid api parameter, please check the documentation|API ?调用参数有误/i,
    ...means.badRequest,
    or: "incomplete-arguments",
    advice:
      "it says this of any field in a wrong form: look for a call whose arguments are not JSON, and for settings or content that the model does not take",
  },
  {
    // @see https://github.com/ysr666/dsh-vision-router/issues/53
    // @see https://github.com/iOfficeAI/AionUi/issues/538
    pattern: /未正常接收到 ?prompt ?参数/i,
    ...means.empty,
    advice: "it misses the user's words: leave out empty messages, and put a text next to images and results",
  },
  {
    pattern: /messages parameter is illegal|(?:messages|prompt|history) ?参数非法/i,
    ...means.anyMessage,
    // Zhipu says it in Chinese, and of much else; a history without the user's words is one of its reasons.
    // @see https://github.com/MetaGLM/zhipuai-sdk-python-v4/issues/14
    demands: { needsUser: true },
  },
];
