import { type ErrorText, means } from "../../error-text.ts";
import type { Failures } from "../../failures.ts";
import { refusals as chat } from "../../openai-chat/refusals.ts";
import type { ServedError } from "../../refusals.ts";
import type { ProfileRefusals } from "../profile.ts";

/** The error of the provider behind it, as text; of its limits OpenRouter speaks itself. */
const errorBody = (error: ServedError) => {
  const raw = error.status === 429 ? error.message : JSON.stringify(chat.errorBody(error));
  const metadata = { raw, provider_name: "OpenAI" };
  return { error: { message: "Provider returned error", code: error.status, metadata } };
};

/** @see https://github.com/Aculeasis/openrouter-proxy/issues/1 */
const failures: Failures = {
  texts: [
    {
      status: 429,
      text: "{model} is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits: https://openrouter.ai/settings/integrations",
    },
    { status: 500, text: "Internal Server Error", type: "server_error" },
  ],
  inStream: 500,
};

export const openrouterRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      {
        rule: "dropped-reasoning",
        kinds: ["signed"],
        text: "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks.",
      },
    ],
    failures,
    errorBody,
  },
  "openai-responses": { failures, errorBody },
};

export const openrouterErrors: readonly ErrorText[] = [
  {
    pattern: /encrypted.{0,60}?(?:not issued to this caller|could not be decrypted)/i,
    ...means.foreignReasoning,
  },
  { pattern: /require openrouter reasoning details to be preserved/i, ...means.lostReasoning },
];
