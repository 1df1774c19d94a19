import type { FinishMeaning } from "../../conversation/exchange.ts";
import {
  argumentsText,
  type CreateServerSide,
  type ReplyContext,
  type ServedEvent,
  type ServedReply,
  servedUsage,
  slicesOf,
  stopOf,
} from "../server-side.ts";
import { type Fields, fields } from "../wire.ts";

const reasons: Readonly<Partial<Record<FinishMeaning, string>>> = {
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
};

const reasonOf = (reply: ServedReply): string => reasons[stopOf(reply)] ?? "stop";

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route: (method, { pathname }) =>
    method === "POST" && /\/chat\/completions\/?$/.test(pathname)
      ? { does: "turn" }
      : method === "GET" && /\/models(?:\/[^/]+)?\/?$/.test(pathname)
        ? { does: "beside" }
        : undefined,
  isStreaming: (body) => body["stream"] === true,
  whole,
  events,
  errorEvent: ({ message, type = "server_error", code }) => ({
    value: { error: { message, type, param: null, code: code ?? null } },
  }),
  count: (tokens) => ({ count: tokens }),
  beside: ({ url, context }) => {
    const name = /\/models\/(.+?)\/?$/.exec(url.pathname)?.[1];
    const model = (id: string) => ({ id, object: "model", created: context.created, owned_by: "toollint" });
    return {
      status: 200,
      body:
        name === undefined
          ? { object: "list", data: [model(context.model)] }
          : model(decodeURIComponent(name)),
    };
  },
  headers: (requestId) => ({ "x-request-id": requestId }),
});

function whole(reply: ServedReply, context: ReplyContext): Fields {
  const calls = callsOf(reply, context);
  const text = textOf(reply, "text");
  const reasoning = textOf(reply, "reasoning");
  return {
    id: reply.id ?? context.newId("chatcmpl-", 29),
    object: "chat.completion",
    created: context.created,
    model: context.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(reasoning !== "" && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: reasonOf(reply),
      },
    ],
    usage: usage(reply, context),
    service_tier: "default",
    system_fingerprint: null,
  };
}

function textOf({ items }: ServedReply, kind: "text" | "reasoning"): string {
  return items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join("");
}

function callsOf({ items }: ServedReply, { newId }: ReplyContext) {
  return items.flatMap((item) =>
    item.kind === "call"
      ? [
          {
            id: item.id ?? newId("call_", 24),
            type: "function",
            function: { name: item.name, arguments: argumentsText(item.arguments) },
          },
        ]
      : [],
  );
}

function usage(reply: ServedReply, context: ReplyContext) {
  const { input, output, reasoning, cached } = servedUsage(reply, context);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

/** @see https://platform.openai.com/docs/api-reference/chat-streaming */
function events(reply: ServedReply, context: ReplyContext): readonly ServedEvent[] {
  const base = {
    id: reply.id ?? context.newId("chatcmpl-", 29),
    object: "chat.completion.chunk",
    created: context.created,
    model: context.model,
    service_tier: "default",
    system_fingerprint: null,
  };
  const countsTokens = fields(context.fields["stream_options"])["include_usage"] === true;
  const chunk = (choices: readonly unknown[], counted?: unknown): ServedEvent => ({
    value: { ...base, choices, ...(countsTokens && { usage: counted ?? null }) },
  });
  const delta = (value: object, reason: string | null = null): ServedEvent =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason: reason }]);
  const calls = callsOf(reply, context);
  return [
    delta({ role: "assistant", content: calls.length > 0 ? null : "", refusal: null }),
    ...slicesOf(textOf(reply, "reasoning")).map((slice) => delta({ reasoning_content: slice })),
    ...slicesOf(textOf(reply, "text")).map((slice) => delta({ content: slice })),
    ...calls.flatMap(({ function: { name, arguments: text }, ...call }, index) => [
      delta({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] }),
      ...slicesOf(text).map((slice) => delta({ tool_calls: [{ index, function: { arguments: slice } }] })),
    ]),
    delta({}, reasonOf(reply)),
    ...(countsTokens ? [chunk([], usage(reply, context))] : []),
    { value: "[DONE]" },
  ];
}
