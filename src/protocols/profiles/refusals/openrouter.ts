import { refusals as chat } from "../../openai-chat/refusals.ts";
import type { ServedError } from "../../refusals.ts";
import type { ProfileRefusals } from "../profile.ts";

/** The error of the provider behind it, as text. */
const errorBody = (error: ServedError) => ({
  error: {
    message: "Provider returned error",
    code: error.status,
    metadata: { raw: JSON.stringify(chat.errorBody(error)), provider_name: "OpenAI" },
  },
});

export const openrouterRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      {
        rule: "dropped-reasoning",
        kinds: ["signed"],
        text: "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks.",
      },
    ],
    errorBody,
  },
  "openai-responses": { errorBody },
};
