import {
  argumentsValue,
  type ReplyContext,
  type ServedEvent,
  type ServedReply,
  servedUsage,
  slicesOf,
  stopOf,
} from "../server-side.ts";
import type { Fields } from "../wire.ts";

/** The reply as one object. @see https://github.com/ollama/ollama/blob/main/docs/api.md */
export function whole(reply: ServedReply, context: ReplyContext): Fields {
  const thinking = textOf(reply, "reasoning", context);
  const calls = callsOf(reply, context);
  return {
    ...headOf(context),
    message: {
      role: "assistant",
      content: textOf(reply, "text", context),
      ...(thinking !== "" && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    ...endOf(reply, context),
  };
}

/** The reply in lines: thinking, text, each call whole in a line of its own; the last line is empty. */
export function events(reply: ServedReply, context: ReplyContext): readonly ServedEvent[] {
  const head = headOf(context);
  const line = (message: object): ServedEvent => ({
    value: { ...head, message: { role: "assistant", content: "", ...message }, done: false },
  });
  return [
    ...slicesOf(textOf(reply, "reasoning", context)).map((thinking) => line({ thinking })),
    ...slicesOf(textOf(reply, "text", context)).map((content) => line({ content })),
    ...callsOf(reply, context).map((call) => line({ tool_calls: [call] })),
    { value: { ...head, message: { role: "assistant", content: "" }, ...endOf(reply, context) } },
  ];
}

function headOf({ model, created }: ReplyContext): Fields {
  return { model, created_at: new Date(created * 1000).toISOString().replace("000Z", "000000Z") };
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

function textOf({ items }: ServedReply, kind: "text" | "reasoning", { fields }: ReplyContext): string {
  if (kind === "reasoning" && fields["think"] === false) return "";
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
