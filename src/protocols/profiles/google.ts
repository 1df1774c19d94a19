import { failures } from "../gemini/failures.ts";
import { errorBody } from "../gemini/served-errors.ts";
import type { Refusals } from "../refusals.ts";

const learnMore = (page: string): string =>
  `Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/${page}`;

/** How Vertex AI words refusals of Gemini requests, where AI Studio has other words. */
export const vertexRefusals: Partial<Refusals> = {
  failures: {
    ...failures,
    texts: [
      // @see https://github.com/google-gemini/gemini-cli/issues/14811
      {
        status: 429,
        text: "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
      },
      ...failures.texts,
    ],
  },
  texts: [
    {
      // @see https://github.com/GewoonJaap/gemini-cli-openai/issues/156
      rule: "dropped-reasoning",
      kinds: ["signed"],
      text: `Unable to submit request because function call \`{tool}\` in the {nth}. content block is missing a \`thought_signature\`. ${learnMore("thought-signatures")}`,
    },
    {
      // @see https://github.com/envoyproxy/ai-gateway/pull/2686
      rule: "empty-content",
      text: `Unable to submit request because it must include at least one parts field, which describes the prompt input. ${learnMore("model-reference/gemini")}`,
    },
    {
      // @see https://github.com/googleapis/python-pubsub/issues/1378
      rule: "bad-turn-order",
      kinds: ["nothing"],
      text: `Unable to submit request because at least one contents field is required. ${learnMore("model-reference/gemini")}`,
    },
    {
      // @see https://github.com/envoyproxy/ai-gateway/pull/2686
      rule: "bad-turn-order",
      kinds: ["prefill"],
      text: "Requests ending with a model turn are not supported.",
    },
    {
      // Its words are about the contents that it makes of these.
      // @see https://github.com/Prism-Shadow/agenthub/pull/191
      rule: "invalid-request",
      kinds: ["limit"],
      fits: ({ pointer }) => /^\/contents\/\d+\/parts\/\d+$/.test(pointer),
      text: "Requests ending with a model turn are not supported.",
    },
    {
      // @see https://github.com/google-gemini/gemini-cli/issues/19436
      rule: "invalid-request",
      kinds: ["misplaced"],
      fits: ({ data }) => data["member"] === "parts",
      text: `Unable to submit request because \`function_response.parts\` is not supported for this model. ${learnMore("multimodal/function-calling")}`,
    },
    {
      // @see https://github.com/BerriAI/litellm/issues/26882
      rule: "invalid-request",
      kinds: ["limit"],
      fits: ({ pointer }) => /\/google(?:_s|S)earch(?:(?:_r|R)etrieval)?$/.test(pointer),
      text: "Multiple tools are supported only when they are all search tools.",
    },
    {
      rule: "invalid-request",
      kinds: ["missing", "value"],
      fits: ({ data, pointer }) => data["member"] === "role" || pointer.endsWith("/role"),
      stage: "shape",
      text: "Please use a valid role: user, model.",
    },
  ],
};

/**
 * Errors of Cloud Code Assist repeat their message in a list.
 * @see https://github.com/google-gemini/gemini-cli/issues/17208
 */
export const codeAssistRefusals: Partial<Refusals> = {
  failures,
  errorBody: (served) => {
    const { code, message, ...others } = errorBody(served).error;
    return {
      error: { code, message, errors: [{ message, domain: "global", reason: "badRequest" }], ...others },
    };
  },
};
