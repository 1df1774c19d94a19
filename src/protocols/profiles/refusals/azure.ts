import type { Failures } from "../../failures.ts";
import { failures as openai } from "../../openai-chat/failures.ts";
import { refusals as chat, emptyTools } from "../../openai-chat/refusals.ts";
import type { ServedError } from "../../refusals.ts";
import type { ProfileRefusals } from "../profile.ts";

/** @see https://github.com/jasonacox/TinyLLM/issues/17 */
const failures: Failures = {
  ...openai,
  texts: [
    {
      status: 429,
      text: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-08-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after {seconds} seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.",
      code: "429",
    },
    ...openai.texts.filter(({ status }) => status !== 429),
  ],
};

/** Its gateway, which counts, has an envelope of its own. */
const errorBody = (error: ServedError): unknown => {
  const { status, message, code } = error;
  return status === 429 ? { error: { code, message } } : chat.errorBody(error);
};

export const azureRefusals: ProfileRefusals = {
  // The address names the deployment, and with it the model.
  "openai-chat": { failures, errorBody, missing: ({ body }) => emptyTools(body) },
  "openai-responses": { failures, errorBody },
};
