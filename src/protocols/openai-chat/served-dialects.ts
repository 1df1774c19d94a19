import { type ReplyContext, type ServedReply, servedUsage } from "../server-side.ts";
import { type Fields, fields, list } from "../wire.ts";

/** How a server's replies differ from those of api.openai.com. */
export interface ChatDialect {
  replyId(context: ReplyContext): string;
  /** `number` counts the calls of the conversation, from 0. */
  callId(context: ReplyContext, name: string, number: number): string;
  /** Where reasoning stands; absent: the server keeps it to itself. */
  readonly reasoning?: "reasoning_content" | "reasoning" | "thinking-parts";
  /** A call comes in one chunk, and not in fragments. */
  readonly sendsWholeCalls?: true;
  /** The last chunk of a choice has its calls, too. */
  readonly endsWithCalls?: true;
  /** A stream counts tokens in its last chunk with a choice, asked or not. */
  readonly alwaysCounts?: true;
  readonly fingerprint?: string;
  /** Replies have the members that only OpenAI has: refusals, annotations, log probabilities. */
  readonly isOpenAi?: true;
  /** Signatures of Gemini's thoughts, which have to come back with the calls. */
  readonly signatures?: "extra-content" | "reasoning-details";
  /** Further members of a reply, and of each chunk. */
  readonly members?: Fields;
  /** Further members of the first chunk, and of a whole reply. */
  begin?(context: ReplyContext): Fields;
  /** Further members of the last chunk, and of a whole reply. */
  end?(reply: ServedReply, context: ReplyContext): Fields;
  /** Further members of a choice that ended. */
  choice?(reason: string): Fields;
  /** A comment that keeps the connection alive until the model speaks. */
  readonly comment?: string;
  /** What precedes the first chunk with a choice. */
  readonly prelude?: Fields;
}

const openAi: ChatDialect = {
  replyId: ({ newId }) => newId("chatcmpl-", 29),
  callId: ({ newId }) => newId("call_", 24),
  isOpenAi: true,
};

/** What most servers have in common that speak the API. */
const clone: ChatDialect = {
  replyId: ({ newId }) => newId("chatcmpl-", 32, "hex"),
  callId: ({ newId }) => newId("call_", 24),
  reasoning: "reasoning_content",
};

function uuid({ newId }: ReplyContext): string {
  return newId("", 32, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** What Azure's filter says of harmless text. */
const safe: Fields = Object.fromEntries(
  ["hate", "self_harm", "sexual", "violence"].map((kind) => [kind, { filtered: false, severity: "safe" }]),
);

const gemini: ChatDialect = {
  ...clone,
  replyId: ({ newId }) => newId("", 22),
  callId: ({ newId }) => newId("function-call-", 19, "hex"),
  // @see https://ai.google.dev/gemini-api/docs/thought-signatures#openai
  signatures: "extra-content",
  sendsWholeCalls: true,
};

const dialects: Readonly<Record<string, ChatDialect>> = {
  openai: openAi,
  "azure-openai": {
    ...openAi,
    // @see https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
    prelude: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }] },
    begin: () => ({ prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }] }),
    choice: () => ({ content_filter_results: safe }),
  },
  gemini,
  vertex: gemini,
  // Ids of nine characters; the whole calls come with the reason to stop.
  // @see https://docs.mistral.ai/capabilities/function_calling
  mistral: {
    replyId: ({ newId }) => newId("", 32, "hex"),
    callId: ({ newId }) => newId("", 9),
    reasoning: "thinking-parts",
    sendsWholeCalls: true,
    endsWithCalls: true,
    alwaysCounts: true,
  },
  // @see https://api-docs.deepseek.com/api/create-chat-completion
  deepseek: {
    ...clone,
    replyId: uuid,
    callId: ({ newId }, _, number) => newId(`call_${String(number).padStart(2, "0")}_`, 22),
    alwaysCounts: true,
    fingerprint: "fp_ffc7281d48_prod0820_fp8_kvcache",
  },
  // @see https://console.groq.com/docs/reasoning
  groq: {
    ...clone,
    replyId: (context) => `chatcmpl-${uuid(context)}`,
    callId: ({ newId }) => newId("", 9),
    reasoning: "reasoning",
    sendsWholeCalls: true,
    begin: ({ newId }) => ({ x_groq: { id: newId("req_", 26) } }),
    end: (reply, context) => ({
      x_groq: { id: context.newId("req_", 26), usage: chatUsage(reply, context) },
    }),
  },
  xai: { ...clone, replyId: uuid, sendsWholeCalls: true, alwaysCounts: true },
  // The ids count the calls of the conversation, and have to come back as they are.
  // @see https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
  moonshot: {
    ...clone,
    callId: (_, name, number) => `functions.${name}:${number}`,
  },
  minimax: {
    ...clone,
    callId: ({ newId }, _, number) => `${newId("call_function_", 12)}_${number + 1}`,
    members: { base_resp: { status_code: 0, status_msg: "" } },
  },
  zai: { ...clone, sendsWholeCalls: true, alwaysCounts: true },
  dashscope: { ...clone, callId: ({ newId }) => newId("call_", 24, "hex") },
  // @see https://openrouter.ai/docs/api_reference/streaming
  openrouter: {
    ...clone,
    replyId: ({ newId, created }) => newId(`gen-${created}-`, 20),
    reasoning: "reasoning",
    signatures: "reasoning-details",
    alwaysCounts: true,
    members: { provider: "OpenAI" },
    comment: ": OPENROUTER PROCESSING",
    choice: (reason) => ({ native_finish_reason: reason }),
  },
  // @see https://github.com/ollama/ollama/blob/main/openai/openai.go
  ollama: {
    ...clone,
    replyId: ({ newId }) => `chatcmpl-${Number.parseInt(newId("", 4, "hex"), 16) % 999}`,
    callId: ({ newId }) => newId("call_", 8, "hex"),
    reasoning: "reasoning",
    sendsWholeCalls: true,
    fingerprint: "fp_ollama",
  },
  // @see https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/protocol.py
  vllm: {
    ...clone,
    callId: ({ newId }) => newId("chatcmpl-tool-", 32, "hex"),
    choice: () => ({ stop_reason: null }),
  },
  // @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  "llama.cpp": {
    ...clone,
    replyId: ({ newId }) => newId("chatcmpl-", 32),
    callId: ({ newId }) => newId("", 32),
    fingerprint: "b6500-e7a6bb2a",
  },
  "lm-studio": {
    ...clone,
    replyId: ({ newId }) => newId("chatcmpl-", 22),
    callId: ({ newId }) => String(Number.parseInt(newId("", 12, "hex"), 16) % 1_000_000_000).padStart(9, "1"),
    sendsWholeCalls: true,
  },
};

export function dialectOf(profile: string): ChatDialect {
  return dialects[profile] ?? clone;
}

/** How many calls a history has. */
export function callsBefore({ fields: body }: ReplyContext): number {
  return list(body["messages"]).reduce<number>(
    (sum, message) => sum + list(fields(message)["tool_calls"]).length,
    0,
  );
}

export function chatUsage(reply: ServedReply, context: ReplyContext): Fields {
  const { input, output, reasoning, cached } = servedUsage(reply, context);
  const written = output * choicesOf(context);
  return {
    prompt_tokens: input,
    completion_tokens: written,
    total_tokens: input + written,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** How many choices a request asks for; each gets the same. */
export function choicesOf({ fields: body }: ReplyContext): number {
  const { n } = body;
  return typeof n === "number" && Number.isInteger(n) && n > 1 && n <= 128 ? n : 1;
}
