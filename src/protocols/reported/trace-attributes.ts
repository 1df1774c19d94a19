/**
 * The attributes under which traces store the messages sent to a model and received from it.
 * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/
 * @see https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 * @see https://ai-sdk.dev/docs/ai-sdk-core/telemetry
 */
export const promptKeys = [
  "gen_ai.input.messages",
  "gen_ai.prompt",
  "llm.input_messages",
  "attributes.llm.input_messages",
  "ai.prompt.messages",
] as const;

/** Lists of reply messages. */
export const completionKeys = [
  "gen_ai.output.messages",
  "gen_ai.completion",
  "llm.output_messages",
  "attributes.llm.output_messages",
] as const;

export const replyKeys = [
  ...completionKeys,
  "ai.response.text",
  "ai.response.toolCalls",
  "ai.response.finishReason",
  "ai.response.object",
] as const;

/** Keys of message lists, in traces and elsewhere. */
export const historyKeys = [...promptKeys, "messages", "prompt", "uiMessages"] as const;
