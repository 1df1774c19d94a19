import type { Variant } from "./profile.ts";

/** Claude's demands by version, wherever it is served. */
export const claude: readonly Variant[] = [
  {
    // `This model does not support assistant message prefill. The conversation must end with a user message.`
    // @see https://github.com/ericc-ch/copilot-api/pull/261
    models: /claude-(?:fable|(?:opus|sonnet|haiku)-(?:4[-.][6-9]|[5-9])(?!\d))/i,
    demands: { refusesPrefill: true },
  },
  {
    // `messages: final assistant content cannot end with trailing whitespace`
    // @see https://github.com/tailcallhq/forgecode/issues/1872
    models: /claude-(?:[123]|(?:opus|sonnet|haiku)-4(?:[-.][0-5]|[-@]\d{8}|$))(?!\d)/i,
    demands: { refusesTrailingSpace: true },
  },
];

const mistral = /(?:mistral|mixtral|codestral|devstral|magistral|ministral|pixtral)/i;

/** Demands of chat templates on self-hosted servers: programs that abort on unexpected input. */
export const templates: readonly Variant[] = [
  {
    // `Conversation roles must alternate user/assistant/user/assistant/...`
    // @see
    // https://github.com/huggingface/text-generation-inference/blob/main/router/src/infer/chat_template.rs
    models: /gemma-?[123](?!\d)|llama-?2(?![\d.])/i,
    protocol: "openai-chat",
    demands: { alternates: true },
  },
  {
    // `After the optional system message, conversation roles must alternate user and assistant roles except
    // for tool calls and results.`
    // @see https://github.com/ggml-org/llama.cpp/issues/19851
    models: mistral,
    protocol: "openai-chat",
    demands: { alternates: true },
  },
  {
    // `System message must be at the beginning.`
    // @see https://github.com/lemonade-sdk/lemonade/issues/2674
    models: /qwen-?3\.5/i,
    protocol: "openai-chat",
    demands: { systemFirst: true },
  },
];
