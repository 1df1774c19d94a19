import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import type { RefusalText } from "../../refusals.ts";
import { fields, list, valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

const counts = {
  text: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
};
const turn = {
  text: "Please ensure that function response turn comes immediately after a function call turn.",
};

/**
 * What Google's servers say behind the chat API: their own words about the contents that the messages become.
 * @see https://github.com/google-gemini/gemini-cli/issues/2321
 */
const pairing = pairingTexts({
  unanswered: counts,
  "unknown-id": counts,
  "missing-id": counts,
  duplicate: counts,
  "no-calls": turn,
});

/** @see https://github.com/TokenRhythm/opensquilla/issues/225 */
const signature: RefusalText = {
  rule: "dropped-reasoning",
  kinds: ["signed"],
  text: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{tool}` , position {position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
  // System messages are not contents, and contents count from 1.
  values: ({ body, index = 0 }) => ({
    position: String(
      list(body["messages"])
        .slice(0, index + 1)
        .filter((message) => !/^(?:system|developer)$/.test(valueText(fields(message)["role"]))).length,
    ),
  }),
};

export const geminiChatRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [...pairing, signature],
    errorBody: ({ status, message }) => [{ error: { code: status, message, status: "INVALID_ARGUMENT" } }],
  },
};
