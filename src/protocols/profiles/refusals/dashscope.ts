import { type ErrorText, means } from "../../error-text.ts";
import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { ProfileRefusals } from "../profile.ts";

const fault = "<400> InternalError.Algo.InvalidParameter: ";
const noCall = {
  text: `${fault}messages with role "tool" must be a response to a preceeding message with "tool_calls".`,
};
const unanswered = {
  text: `${fault}An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[{at}].role`,
};

/**
 * @see https://github.com/QwenLM/qwen-code/issues/606
 * @see https://github.com/philschmid/mcp-openai-gemini-llama-example/pull/5
 */
const pairing = pairingTexts({
  unanswered,
  "unknown-id": unanswered,
  "missing-id": unanswered,
  "no-calls": noCall,
  duplicate: noCall,
});

export const dashscopeRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [
      ...pairing,
      // @see https://github.com/cloudwego/eino/issues/994
      conflict(
        "tool_choice",
        /thinks/,
        `${fault}The tool_choice parameter does not support being set to required or object in thinking mode`,
      ),
    ],
    errorBody: ({ message, type = "invalid_request_error", code, requestId }) => ({
      error: { code: code ?? "invalid_parameter_error", param: null, message, type },
      id: `chatcmpl-${requestId}`,
      request_id: requestId,
    }),
  },
};

export const dashscopeErrors: readonly ErrorText[] = [
  {
    pattern:
      /arguments['"`]?(?: parameter of the code model)? (?:(?:must|should) be|(?:is|are) not) (?:in |a |an )?(?:valid )?json/i,
    rule: "incomplete-arguments",
    about: "history",
  },
  { pattern: /does not support being set to/i, ...means.badSettings },
];
