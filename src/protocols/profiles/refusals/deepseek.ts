import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { Refusals, RefusalText } from "../../refusals.ts";
import type { ProfileRefusals } from "../profile.ts";

/** It counts the results that follow the calls, and does not say which are missing. */
const insufficient = {
  text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
};
const noCall = {
  text: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
};

/**
 * @see https://github.com/agno-agi/agno/issues/3105
 * @see https://github.com/qwersyk/Newelle/issues/425
 */
const pairing = pairingTexts({
  unanswered: insufficient,
  "unknown-id": insufficient,
  "missing-id": insufficient,
  "no-calls": noCall,
  duplicate: noCall,
});

const thinking: readonly RefusalText[] = [
  {
    // @see https://github.com/earendil-works/pi/issues/3636
    rule: "dropped-reasoning",
    kinds: ["withCalls"],
    fits: ({ request: { model = "" } }) => /v4/i.test(model),
    text: "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
  {
    // @see https://github.com/abhigyanpatwari/GitNexus/issues/43
    rule: "dropped-reasoning",
    kinds: ["withCalls"],
    text: "Missing `reasoning_content` field in the assistant message at message index {index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
  },
  // @see https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
  conflict("tool_choice", /thinks/, "Thinking mode does not support this tool_choice"),
];

const unique: RefusalText = {
  // @see https://github.com/decolua/9router/pull/3333
  rule: "invalid-request",
  kinds: ["together"],
  fits: ({ pointer }) => pointer.startsWith("/tools/"),
  text: "Tool names must be unique.",
};

const half: RefusalText = {
  // @see https://github.com/JohnnyZ93/oai-compatible-copilot/pull/271
  rule: "invalid-request",
  kinds: ["text"],
  stage: "shape",
  text: "Failed to parse the request body as JSON: {path}: lone leading surrogate in hex escape",
};

const envelope: Refusals["errorBody"] = ({ message, type, code }) => ({
  error: {
    message,
    type: type ?? "invalid_request_error",
    param: null,
    code: code ?? "invalid_request_error",
  },
});

export const deepseekRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [...pairing, ...thinking, unique, half],
    errorBody: envelope,
    notJson: { text: "Failed to parse the request body as JSON: {reason}" },
  },
  // @see https://github.com/Hmbown/Codewhale/issues/4329 for Anthropic's words about calls
  // @see https://github.com/decolua/9router/issues/2397
  anthropic: {
    texts: [
      {
        rule: "dropped-reasoning",
        text: "The `content[].thinking` in the thinking mode must be passed back to the API.",
      },
    ],
    errorBody: envelope,
  },
  // @see https://github.com/openai/codex/issues/46193
  "openai-responses": {
    texts: [
      ...["unanswered-tool-call", "misplaced-tool-result", "merged-or-split-turns"].map((rule) => ({
        rule,
        text: "No tool output found for tool call {id}.",
        values: ({ data, ids }: { data: Readonly<Record<string, unknown>>; ids: readonly string[] }) => ({
          id: String(data["callId"] ?? ids[0] ?? ""),
        }),
      })),
      unique,
      half,
    ],
    errorBody: envelope,
  },
};
