import type { RequestFault } from "../../conversation/exchange.ts";
import { partsOfResponses, vertexFaults, wordsBesideResponses } from "./elements.ts";
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

/** Gemini's demands by version, wherever Google serves it. */
const continuesNoWords = /gemini-(?:3\.5-flash-lite|3\.(?:[6-9]|\d\d)|[4-9]|\d\d)(?!\d)/i;

export const geminiVersions: readonly Variant[] = [
  {
    // "Starting with Gemini 3.6 Flash and Gemini 3.5 Flash-Lite": `Requests ending with a model turn are not
    // supported.` Earlier models go on with the words.
    // @see https://github.com/LibreChat-AI/agents/pull/323
    models: continuesNoWords,
    protocol: "gemini",
    demands: { refusesPrefill: true },
  },
];

/** Versions that read only text in results. */
const readsTextResults = /gemini-[12](?!\d)/i;

/** What the versions mind in a content on Google Cloud, beside what all of them do there. */
export const geminiOnCloud = (
  elementFaults: (content: unknown) => readonly RequestFault[] = () => [],
): readonly Variant[] => [
  ...geminiVersions,
  {
    models: readsTextResults,
    protocol: "gemini",
    demands: { elementFaults: (content) => [...elementFaults(content), ...partsOfResponses(content)] },
  },
];

/** The same on Vertex. */
export const geminiOnVertex: readonly Variant[] = [
  ...geminiOnCloud(vertexFaults),
  {
    models: continuesNoWords,
    protocol: "gemini",
    demands: { elementFaults: (content) => [...vertexFaults(content), ...wordsBesideResponses(content)] },
  },
];

/**
 * Demands of chat templates on self-hosted servers: programs that abort on unexpected input. A server fills
 * the same template whichever API it was asked through.
 */
const ofTemplates: readonly Omit<Variant, "protocol">[] = [
  {
    // `Conversation roles must alternate user/assistant/user/assistant/...`
    // @see
    // https://github.com/huggingface/text-generation-inference/blob/main/router/src/infer/chat_template.rs
    models: /gemma-?[123](?!\d)|llama-?2(?![\d.])/i,
    demands: { alternates: true },
  },
  {
    // `System role not supported`
    // @see https://huggingface.co/google/gemma-2-9b-it/blob/main/tokenizer_config.json
    models: /gemma-?[12](?!\d)/i,
    demands: { refusesSystem: true },
  },
  {
    // `After the optional system message, conversation roles must alternate user and assistant roles except
    // for tool calls and results.`
    // @see https://github.com/ggml-org/llama.cpp/issues/19851
    models: /(?:mistral|mixtral|codestral|devstral|magistral|ministral|pixtral)/i,
    demands: { alternates: true },
  },
  {
    // `System message must be at the beginning.`, `No user query found in messages.`
    // @see https://github.com/lemonade-sdk/lemonade/issues/2674
    // @see https://github.com/vllm-project/vllm/issues/36432
    models: /qwen-?3\.[5-9]/i,
    demands: { systemFirst: true, needsUser: true },
  },
];

export const templates: readonly Variant[] = ["openai-chat", "anthropic"].flatMap((protocol) =>
  ofTemplates.map((variant) => ({ ...variant, protocol })),
);

/**
 * Ollama writes its prompts itself, and takes over what some models need.
 * @see https://github.com/ollama/ollama/issues/18303
 */
export const ollamaTemplates: readonly Variant[] = [
  { models: /qwen-?3\.[5-9]/i, demands: { needsUser: true } },
];

/** Names as Ollama's library writes them (`qwen3.5:9b`), and the sizes of open models (`Qwen3.5-27B`). */
const tag = /^[\w./-]+:[\w.-]+$/;
const size = /(?:^|[-_/])a?\d{1,4}(?:\.\d{1,2})?b(?:$|[-_.:])/i;

/** A server in one's own network. */
const ownHost =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|host\.docker\.internal$|[\w-]+$|.*\.local$)/i;

/**
 * What the template of an open model demands, wherever it is served, judged by the model's name. Services
 * that offer the model may merge turns before they fill it in.
 */
export function templatesOf(model: string, host: string | undefined): readonly Variant[] {
  if (tag.test(model)) return ollamaTemplates;
  if (!size.test(model)) return [];
  const isOwn = host !== undefined && ownHost.test(host);
  return isOwn ? templates : templates.filter(({ demands }) => demands.alternates !== true);
}
