import { valueAt } from "../../../reading/pointer.ts";
import { type ErrorText, ids, means } from "../../error-text.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { RefusalText } from "../../refusals.ts";
import { fields, valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const unsupported = (member: string): RefusalText => ({
  ...conflict(member, /take/, `Model {model} does not support parameter ${camelCase(member)}.`),
  values: ({ request: { model = "" } }) => ({ model }),
});

/**
 * @see https://github.com/charmbracelet/crush/issues/964
 * @see https://github.com/omnigent-ai/omnigent/issues/1686
 * @see https://github.com/miaoxworld/NativeTavern/issues/83
 */
const texts: readonly RefusalText[] = [
  {
    rule: "empty-content",
    kinds: ["text", "blank", "message"],
    text: "Invalid request content: Each message must have at least one content element.",
  },
  {
    rule: "invalid-request",
    kinds: ["type"],
    fits: ({ pointer }) => pointer.endsWith("/function/arguments"),
    text: "The arguments to a tool_call with ID '{id}' are not a valid JSON string.",
    values: ({ body, pointer }) => ({
      id: valueText(fields(valueAt(body, pointer.replace(/\/function\/arguments$/, "")))["id"] ?? ""),
    }),
  },
  unsupported("reasoning_effort"),
  unsupported("presence_penalty"),
  unsupported("frequency_penalty"),
];

/** @see https://github.com/router-for-me/CLIProxyAPI/issues/3704 */
const responsesTexts: readonly RefusalText[] = [
  conflict(
    "tool_choice",
    /without/,
    "Invalid request content: A tool_choice was set on the request but no tools were specified.",
  ),
  {
    rule: "invalid-request",
    kinds: ["type"],
    stage: "shape",
    fits: ({ pointer }) => /^\/input\/\d+\/type$/.test(pointer),
    text: "Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum ModelInput",
    status: 422,
  },
];

/** @see https://github.com/langbot-app/LangBot/issues/1205 */
const errorBody = ({
  message,
  code,
}: {
  readonly message: string;
  readonly code?: string | null | undefined;
}) => ({
  code: code ?? "Client specified an invalid argument",
  error: message,
});

export const xaiRefusals: ProfileRefusals = {
  "openai-chat": { texts, errorBody },
  "openai-responses": { texts: responsesTexts, errorBody },
};

export const xaiErrors: readonly ErrorText[] = [
  {
    pattern: /variant of untagged enum ModelInput/i,
    ...means.badRequest,
    advice:
      "an item of the input has a type that its Responses API does not take, such as `custom_tool_call`",
  },
  { pattern: /tool_choice was set on the request but no tools were specified/i, ...means.badSettings },
  {
    pattern: /each message must have at least one content element/i,
    ...means.empty,
    demands: { refusesEmptyText: true, refusesEmptyLists: true },
    // @see https://github.com/langchain-ai/langchain/issues/34140
    advice: "leave out messages without content, and give a message with calls a text, if only an empty one",
  },
  {
    pattern: new RegExp(`arguments to a tool_call with ID '${ids}' are not a valid JSON`, "i"),
    ...means.brokenArguments,
  },
  // @see https://github.com/nocmt/LLMSearchPlus/issues/2
  { pattern: /expects a single .?text.? element per message/i, ...means.textOnly },
  { pattern: /argument not supported: [\w ]{1,80} together/i, ...means.badSettings },
  {
    // @see https://github.com/charmbracelet/crush/issues/386
    pattern: /does not support parameter [a-z]\w{1,60}|argument not supported on this model: [a-z]\w{1,60}/i,
    ...means.badSettings,
    advice: "leave out the setting that it names: this model does not take it",
  },
];
