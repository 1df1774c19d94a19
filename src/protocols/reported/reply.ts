import type { Item } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError } from "../../conversation/reply.ts";
import { errorDetails, errorIn } from "../errors.ts";
import type { ReplyBody } from "../protocol.ts";
import { defined, type Fields, fields, filled, list } from "../wire.ts";
import { finishOf } from "./finish.ts";
import type { MessageReader, ReplyContent } from "./frameworks/framework.ts";
import { frameworks, unwrapped } from "./frameworks/index.ts";
import { decodeMessage } from "./message.ts";
import { itemBelow } from "./parts.ts";
import { completionKeys } from "./trace-attributes.ts";

/** The stop reason inside a message. */
export function finishOfMessage(value: unknown, base: string): Finish | undefined {
  const { message, base: inner } = unwrapped(value);
  const outer = fields(value);
  const holders = [
    [outer, base],
    [message, `${base}${inner}`],
    [fields(message["response_metadata"]), `${base}${inner}/response_metadata`],
  ] as const;
  for (const [holder, at] of holders)
    for (const key of ["finish_reason", "finishReason", "stop_reason", "stopReason"]) {
      const finish = finishOf(holder[key], `${at}/${key}`);
      if (finish) return finish;
    }
  return undefined;
}

/** Reply messages as one reply; `base` is the pointer to them. */
export function itemsOf(values: readonly unknown[], base: string, decode = decodeMessage): Item[] {
  return values.flatMap((value, index) =>
    decode(value).items.map((item) => itemBelow(item, `${base}/${index}`)),
  );
}

export function decodeReply({ value, place }: ReplyBody): Reply {
  const body = fields(value);
  const { items, finish } = contentOf(body);
  return defined({
    place,
    form: "json" as const,
    id: filled(body["gen_ai.response.id"]) ?? filled(body["ai.response.id"]),
    model: filled(body["gen_ai.response.model"]) ?? filled(body["ai.response.model"]),
    items,
    finish,
    error: items.length === 0 ? errorOf(body) : undefined,
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  });
}

/** What a provider says to a request that only its messages show: they were printed before it was sent. */
function errorOf(body: Fields): ReplyError | undefined {
  const error = fields(errorIn(body));
  const message = filled(error["message"]);
  return message === undefined
    ? undefined
    : { ...errorDetails(error), message, isMidStream: false, pointer: "/error" };
}

const messages: MessageReader = {
  items: (message, base) => decodeMessage(message).items.map((item) => itemBelow(item, base)),
  finish: finishOfMessage,
};

function contentOf(body: Fields): ReplyContent {
  const key = completionKeys.find((candidate) => Array.isArray(body[candidate]));
  if (key !== undefined) {
    const completions = list(body[key]);
    const finish =
      finishOfMessage(completions[0], `/${key}/0`) ??
      finishOf(list(body["gen_ai.response.finish_reasons"])[0], "/gen_ai.response.finish_reasons/0");
    return { items: itemsOf(completions, `/${key}`), finish };
  }
  for (const { reply } of frameworks) {
    const found = reply?.decode(body, messages);
    if (found) return found;
  }
  return { items: [], finish: undefined };
}
