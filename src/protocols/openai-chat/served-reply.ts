import type { FinishMeaning } from "../../conversation/reply.ts";
import { signsCalls } from "../gemini/signatures.ts";
import { type ReplyContext, type ServedReply, stopOf } from "../server-side.ts";
import { defined, type Fields, fields, isFields } from "../wire.ts";
import { neededReasoning } from "./reasoning.ts";
import { isLegacy, writtenCalls } from "./served-calls.ts";
import { type ChatDialect, chatUsage, choicesOf, dialectOf } from "./served-dialects.ts";
import { thinkingOf } from "./thinking.ts";

const reasons: Readonly<Partial<Record<FinishMeaning, string>>> = {
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
};

/** A reply as one body. @see https://platform.openai.com/docs/api-reference/chat/object */
export function whole(reply: ServedReply, context: ReplyContext): Fields {
  const dialect = dialectOf(context.profile);
  const reason = reasonOf(reply, context, dialect);
  const choice = {
    message: messageOf(reply, context, dialect),
    logprobs: null,
    finish_reason: reason,
    ...dialect.choice?.(reason),
  };
  return {
    id: reply.id ?? dialect.replyId(context),
    object: "chat.completion",
    created: context.created,
    model: context.model,
    choices: Array.from({ length: choicesOf(context) }, (_, index) => ({ index, ...choice })),
    usage: chatUsage(reply, context),
    ...serverMembers(dialect),
    ...dialect.begin?.(context),
    ...dialect.end?.(reply, context),
  };
}

/** What a server says of itself in each reply and chunk. */
export function serverMembers(dialect: ChatDialect): Fields {
  return {
    ...(dialect.isOpenAi && { service_tier: "default", system_fingerprint: null }),
    ...(dialect.fingerprint !== undefined && { system_fingerprint: dialect.fingerprint }),
    ...dialect.members,
  };
}

function reasonOf(reply: ServedReply, context: ReplyContext, dialect: ChatDialect): string {
  const stop = stopOf(reply);
  if (stop !== "calls") return reasons[stop] ?? "stop";
  if (isLegacy(context)) return "function_call";
  // A call of the function that the request names is what it asked for, and ends the reply like a text.
  // @see https://platform.openai.com/docs/guides/function-calling
  return dialect.isOpenAi && isFields(context.fields["tool_choice"]) ? "stop" : "tool_calls";
}

function messageOf(reply: ServedReply, context: ReplyContext, dialect: ChatDialect): Fields {
  const text = textOf(reply, "text");
  const calls = writtenCalls(reply, context, dialect);
  const isRefusal = stopOf(reply) === "refusal";
  const reasoning = reasoningOf(reply, context, calls.length > 0);
  const isInParts = dialect.reasoning === "thinking-parts" && reasoning !== "";
  const isSilent = isRefusal || (text === "" && calls.length > 0);
  const signature =
    calls.length > 0 && signsCalls(context.model) && dialect.signatures !== undefined
      ? context.newId("", 180)
      : undefined;
  return {
    role: "assistant",
    ...(reasoning !== "" && !isInParts && { [memberOf(dialect)]: reasoning }),
    ...(signature !== undefined &&
      dialect.signatures === "reasoning-details" && {
        reasoning_details: [{ type: "reasoning.encrypted", data: signature, index: 0 }],
      }),
    content: isInParts ? inParts(reasoning, text) : isSilent ? null : text,
    ...callMembers(dialect.signatures === "extra-content" ? signed(calls, signature) : calls, context),
    ...((isRefusal || dialect.isOpenAi) && { refusal: isRefusal ? text : null }),
    ...(dialect.isOpenAi && { annotations: [] }),
  };
}

function textOf({ items }: ServedReply, kind: "text" | "reasoning"): string {
  return items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join("");
}

/**
 * The reasoning of a reply. A model that wants its reasoning back with its calls has always some to give; a
 * server that keeps it to itself gives none else.
 */
function reasoningOf(reply: ServedReply, context: ReplyContext, hasCalls: boolean): string {
  const { model, fields: body } = context;
  const isNeeded =
    hasCalls && neededReasoning({ model, settings: defined({ reasoning: thinkingOf(body) }) }) !== undefined;
  const text = textOf(reply, "reasoning");
  if (isNeeded && text === "") return "A tool is needed here.";
  return isNeeded || dialectOf(context.profile).reasoning !== undefined ? text : "";
}

function memberOf({ reasoning }: ChatDialect): string {
  return reasoning === "reasoning" ? "reasoning" : "reasoning_content";
}

/** @see https://docs.mistral.ai/capabilities/reasoning */
function inParts(reasoning: string, text: string): readonly Fields[] {
  return [
    { type: "thinking", thinking: [{ type: "text", text: reasoning }] },
    ...(text === "" ? [] : [{ type: "text", text }]),
  ];
}

/** The first call carries the signature of all. */
function signed(calls: readonly Fields[], signature: string | undefined): readonly Fields[] {
  return calls.map((call, index) =>
    index === 0 && signature !== undefined
      ? { ...call, extra_content: { google: { thought_signature: signature } } }
      : call,
  );
}

/** In the form before tools, a message has one call at most. */
function callMembers(calls: readonly Fields[], context: ReplyContext): Fields {
  const [first] = calls;
  if (!first) return {};
  return isLegacy(context) ? { function_call: fields(first["function"]) } : { tool_calls: calls };
}
