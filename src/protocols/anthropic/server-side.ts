import type { FinishMeaning } from "../../conversation/reply.ts";
import { decodedSegment } from "../paths.ts";
import type { CreateServerSide, ReplyContext, Route, ServedReply } from "../server-side.ts";
import { argumentsValue, servedUsage, stopOf } from "../server-side.ts";
import { type Fields, list, string } from "../wire.ts";
import { errorType } from "./served-errors.ts";
import { eventsOf } from "./served-events.ts";
import { serveModels } from "./served-models.ts";
import { thinkingOf, thoughtful } from "./served-thinking.ts";
import { alteredThinking, signatureOf } from "./signatures.ts";
import { createThreads } from "./threads.ts";

const reasons: Readonly<Partial<Record<FinishMeaning, string>>> = {
  calls: "tool_use",
  length: "max_tokens",
  pause: "pause_turn",
  refusal: "refusal",
  filter: "refusal",
  compaction: "compaction",
};

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route,
  isStreaming: (body) => body["stream"] === true,
  whole: messageOf,
  events: (_reply, _context, message) => eventsOf(message),
  // An input that is not an object has no place in a whole body.
  cutCall: (isStreaming) => (isStreaming ? "text" : "empty"),
  errorEvent: ({ status, message, type = errorType(status), requestId }) => ({
    name: "error",
    value: { type: "error", error: { type, message }, request_id: requestId },
  }),
  count: (tokens) => ({ input_tokens: tokens }),
  resource: serveModels,
  signatureError: alteredThinking,
  ...createThreads(),
  headers,
});

/** Vertex names the model and what to do in the path; so does Bedrock, whose streams are binary. */
const atVertex = /\/publishers\/anthropic\/models\/([^/:]+):(streamRawPredict|rawPredict)$/;
const atBedrock = /\/model\/([^/]*(?:anthropic|claude)[^/]*)\/(invoke)$/;

function route(
  method: string,
  { pathname }: URL,
  headers: Readonly<Record<string, string>>,
): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  if (method === "GET" && /\/v1\/models(?:\/[^/]+)?$/.test(path))
    return { does: "resource", isCertain: headers["anthropic-version"] !== undefined };
  if (method !== "POST") return undefined;
  if (/\/v1\/messages\/count_tokens$|\/models\/count-tokens:rawPredict$/.test(path)) return { does: "count" };
  if (/^(?!.*\/threads\/).*\/v1\/messages$/s.test(path)) return { does: "turn" };
  const [, model, verb] = atVertex.exec(path) ?? atBedrock.exec(path) ?? [];
  return model === undefined
    ? undefined
    : { does: "turn", model: decodedSegment(model), isStreaming: verb === "streamRawPredict" };
}

/** @see https://platform.claude.com/docs/en/api/rate-limits#response-headers */
function headers(requestId: string): Readonly<Record<string, string>> {
  const reset = new Date(Date.now() + 1_000).toISOString().replace(/\.\d+Z$/, "Z");
  const limits = { requests: 4_000, "input-tokens": 2_000_000, "output-tokens": 400_000, tokens: 2_400_000 };
  return {
    "request-id": requestId,
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
    ...Object.fromEntries(
      Object.entries(limits).flatMap(([name, limit]) => [
        [`anthropic-ratelimit-${name}-limit`, String(limit)],
        [`anthropic-ratelimit-${name}-remaining`, String(limit - 1)],
        [`anthropic-ratelimit-${name}-reset`, reset],
      ]),
    ),
  };
}

/** @see https://platform.claude.com/docs/en/api/messages */
function messageOf(reply: ServedReply, context: ReplyContext): Fields {
  const cut = cutAtStop(reply, context.fields);
  const reason = cut.sequence === undefined ? (reasons[stopOf(cut.reply)] ?? "end_turn") : "stop_sequence";
  return {
    model: context.model,
    id: reply.id ?? context.newId("msg_01", 22),
    type: "message",
    role: "assistant",
    content: blocksOf(cut.reply, context),
    stop_reason: reason,
    stop_sequence: cut.sequence ?? null,
    stop_details: reason === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
    usage: usageOf(cut.reply, context),
  };
}

/** The reply up to the first of the request's `stop_sequences`, which it does not repeat. */
function cutAtStop(
  reply: ServedReply,
  request: Fields,
): { readonly reply: ServedReply; readonly sequence?: string } {
  const sequences = list(request["stop_sequences"]).flatMap((one) => string(one) || []);
  for (const [index, item] of reply.items.entries()) {
    if (item.kind !== "text") continue;
    const hits = sequences
      .map((sequence) => ({ sequence, at: item.text.indexOf(sequence) }))
      .filter(({ at }) => at >= 0);
    const [first] = hits.sort((a, b) => a.at - b.at);
    if (!first) continue;
    const said = item.text.slice(0, first.at);
    const items = [...reply.items.slice(0, index), ...(said === "" ? [] : [{ ...item, text: said }])];
    return { reply: { ...reply, items }, sequence: first.sequence };
  }
  return { reply };
}

function blocksOf({ items }: ServedReply, { fields: request, newId }: ReplyContext): Fields[] {
  const thinking = thinkingOf(request);
  return thoughtful(items, request).flatMap((item): Fields[] => {
    if (item.kind === "text") return [{ type: "text", text: item.text }];
    if (item.kind === "call")
      return [
        {
          type: "tool_use",
          id: item.id ?? newId("toolu_01", 22),
          name: item.name,
          input: argumentsValue(item.arguments),
          caller: { type: "direct" },
        },
      ];
    if (thinking === undefined) return [];
    // The signature of a block without words carries the thinking.
    const words = thinking === "omitted" ? "" : item.text;
    return [{ type: "thinking", thinking: words, signature: signatureOf(words) }];
  });
}

function usageOf(reply: ServedReply, context: ReplyContext): Fields {
  const { input, output, cached } = servedUsage(reply, context);
  return {
    input_tokens: Math.max(0, input - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}
