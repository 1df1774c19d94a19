import { type ReplyContext, type ServedEvent, type ServedReply, slicesOf } from "../server-side.ts";
import { type Fields, fields, filled, isFields, list } from "../wire.ts";
import { callSegments } from "./served-calls.ts";
import { type ChatDialect, choicesOf, dialectOf } from "./served-dialects.ts";
import { serverMembers } from "./served-reply.ts";

/**
 * The chunks of a reply, given as one body.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function eventsOf(reply: ServedReply, context: ReplyContext, body: Fields): readonly ServedEvent[] {
  const dialect = dialectOf(context.profile);
  const [choice] = list(body["choices"]).map(fields);
  const { message, index: _, finish_reason: reason, logprobs: __, ...ending } = choice ?? {};
  const isAsked = fields(context.fields["stream_options"])["include_usage"] === true;
  const base = {
    id: body["id"],
    object: "chat.completion.chunk",
    created: body["created"],
    model: body["model"],
    ...serverMembers(dialect),
  };
  const uncounted = isAsked && dialect.isOpenAi && { usage: null };
  const deltas = deltasOf(fields(message), dialect);
  const chunk = (delta: Fields, at: number, index: number): Fields => {
    const isLast = at === deltas.length - 1;
    return {
      ...base,
      choices: [
        { index, delta, logprobs: null, finish_reason: isLast ? reason : null, ...(isLast && ending) },
      ],
      ...uncounted,
      ...(at === 0 && dialect.begin?.(context)),
      ...(isLast && dialect.end?.(reply, context)),
      ...(isLast && dialect.alwaysCounts && { usage: body["usage"] }),
    };
  };
  const indexes = Array.from({ length: choicesOf(context) }, (_, index) => index);
  const chunks = deltas.flatMap((delta, at) => indexes.map((index) => chunk(delta, at, index)));
  const prelude = { choices: [], created: 0, id: "", model: "", object: "", ...dialect.prelude };
  const counts = isAsked && !dialect.alwaysCounts;
  return [
    ...(dialect.prelude ? [prelude] : []),
    ...chunks,
    ...(counts ? [{ ...base, choices: [], usage: body["usage"] }] : []),
    "[DONE]",
  ].map((value, at) => ({
    value,
    ...(at === 0 && dialect.comment !== undefined && { before: `${dialect.comment}\n\n` }),
  }));
}

/** A message in segments; the last one ends it. */
function deltasOf(message: Fields, dialect: ChatDialect): readonly Fields[] {
  const { content, tool_calls, function_call: legacy, refusal, reasoning_details: details } = message;
  const calls = list(tool_calls).map((call, index) =>
    (dialect.sendsWholeCalls ? [fields(call)] : callSegments(fields(call))).map((segment) => ({
      index,
      ...segment,
    })),
  );
  const first = {
    role: "assistant",
    content: content === null ? null : "",
    ...(dialect.isOpenAi && { refusal: null }),
  };
  const before = [
    first,
    ...["reasoning_content", "reasoning"].flatMap((member) => sliced(member, message[member])),
    ...(details === undefined ? [] : [{ reasoning_details: details }]),
    ...(Array.isArray(content) ? content.map((part) => ({ content: [part] })) : sliced("content", content)),
    ...sliced("refusal", refusal),
    ...(isFields(legacy)
      ? callSegments({ function: legacy }).map((segment) => ({ function_call: segment["function"] }))
      : []),
  ];
  if (dialect.endsWithCalls && calls.length > 0)
    return [...before, { content: "", tool_calls: calls.flat() }];
  return [...before, ...calls.flat().map((segment) => ({ tool_calls: [segment] })), {}];
}

function sliced(member: string, text: unknown): readonly Fields[] {
  return slicesOf(filled(text) ?? "").map((slice) => ({ [member]: slice }));
}
