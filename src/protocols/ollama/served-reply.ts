import {
  argumentsValue,
  type ReplyContext,
  type ServedEvent,
  type ServedReply,
  servedUsage,
  slicesOf,
  stopOf,
} from "../server-side.ts";
import { type Fields, fields, list, string } from "../wire.ts";

/** The reply as one object. @see https://github.com/ollama/ollama/blob/main/docs/api.md */
export function whole(reply: ServedReply, context: ReplyContext): Fields {
  const thinking = textOf(reply, "reasoning", context);
  const calls = callsOf(reply, context);
  const message = {
    content: textOf(reply, "text", context),
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { ...headOf(context), ...saying(message, context), ...endOf(reply, context) };
}

/** The reply in lines: thinking, text, each call whole in a line of its own; the last line is empty. */
export function events(_: ServedReply, context: ReplyContext, body: Fields): readonly ServedEvent[] {
  const { message, response, done_reason, total_duration, load_duration, ...rest } = body;
  const {
    content = response,
    thinking,
    tool_calls: calls,
  } = isPlainPrompt(context.fields) ? body : fields(message);
  const { prompt_eval_count, prompt_eval_duration, eval_count, eval_duration } = rest;
  const head = headOf(context);
  const line = (said: object): ServedEvent => ({
    value: { ...head, ...saying({ content: "", ...said }, context), done: false },
  });
  return [
    ...slicesOf(string(thinking) ?? "").map((slice) => line({ thinking: slice })),
    ...slicesOf(string(content) ?? "").map((slice) => line({ content: slice })),
    ...list(calls).map((call) => line({ tool_calls: [call] })),
    {
      value: {
        ...head,
        ...saying({ content: "" }, context),
        done: true,
        done_reason,
        total_duration,
        load_duration,
        prompt_eval_count,
        prompt_eval_duration,
        eval_count,
        eval_duration,
      },
    },
  ];
}

/** What a request answers that only loads the model, or unloads it (`keep_alive: 0`). */
export function loaded(context: ReplyContext): Fields {
  const { keep_alive: kept } = context.fields;
  return {
    ...headOf(context),
    ...saying({ content: "" }, context),
    done: true,
    done_reason: kept === 0 || kept === "0" || kept === "0s" ? "unload" : "load",
  };
}

/** A request to `/api/generate`, whose replies have no message. */
export function isPlainPrompt(body: Fields): boolean {
  return body["messages"] === undefined;
}

function saying({ content, ...others }: { readonly content: string }, context: ReplyContext): Fields {
  return isPlainPrompt(context.fields)
    ? { response: content, ...others }
    : { message: { role: "assistant", content, ...others } };
}

function headOf({ model, created }: ReplyContext): Fields {
  return { model, created_at: new Date(created * 1000).toISOString() };
}

/** Calls end with `stop`, too. Durations are in nanoseconds. */
function endOf(reply: ServedReply, context: ReplyContext): Fields {
  const { input, output } = servedUsage(reply, context);
  return {
    done: true,
    done_reason: stopOf(reply) === "length" ? "length" : "stop",
    total_duration: 1_000_000 * (input + 20 * output) + 50_000_000,
    load_duration: 50_000_000,
    prompt_eval_count: input,
    prompt_eval_duration: 1_000_000 * input,
    eval_count: output,
    eval_duration: 20_000_000 * output,
  };
}

function textOf({ items }: ServedReply, kind: "text" | "reasoning", { fields: body }: ReplyContext): string {
  if (kind === "reasoning" && body["think"] === false) return "";
  return items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join("");
}

function callsOf({ items }: ServedReply, { newId }: ReplyContext) {
  return items
    .filter((item) => item.kind === "call")
    .map(({ id, name, arguments: args }, index) => ({
      id: id ?? newId("call_", 8).toLowerCase(),
      function: { index, name, arguments: argumentsValue(args) },
    }));
}
