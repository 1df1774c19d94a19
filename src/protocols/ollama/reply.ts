import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { errorIn } from "../errors.ts";
import type { ReplyBody, StreamBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { decodeMessage } from "./messages.ts";

/** Calls end with `stop`, too. */
const meanings = new Map(
  // A request without messages only loads the model or removes it from memory.
  Object.entries<FinishMeaning>({ stop: "answer", length: "length", load: "other", unload: "other" }),
);

/** Pointer to the message of a reply. */
const base = "/message";

function finishOf(value: Fields, extent?: Extent): Finish | undefined {
  const reason = filled(value["done_reason"]);
  if (reason === undefined || value["done"] !== true) return undefined;
  return stopReason(reason, meanings.get(reason), "/done_reason", extent);
}

function usageOf(value: Fields): Usage | undefined {
  const input = number(value["prompt_eval_count"]);
  const output = number(value["eval_count"]);
  return input === undefined && output === undefined ? undefined : defined({ input, output });
}

/** `{"error": "…"}`; the cloud service sends an object. */
function errorOf(value: Fields, isMidStream: boolean, extent?: Extent): ReplyError | undefined {
  const error = errorIn(value);
  if (error === undefined) return undefined;
  const inner = fields(error);
  const message = string(inner["message"]) ?? string(error) ?? JSON.stringify(error);
  return defined({ message, type: string(inner["type"]), isMidStream, pointer: "/error", extent });
}

/** The items of a reply. Empty texts come from the model and are dropped. */
function replyItems(message: unknown): Item[] {
  return decodeMessage(message, base, "assistant").items.flatMap((item): Item[] => {
    if (item.kind !== "message") return [item];
    const { flaws: _, ...said } = item;
    return said.text === "" && !said.hasMedia ? [] : [said];
  });
}

function nameFlaws(items: readonly Item[]): ReplyFlaw[] {
  return items.flatMap((item): ReplyFlaw[] => {
    if (item.kind !== "call" || item.name !== "") return [];
    const detail = "the call names no tool";
    const extent = item.fragments?.first;
    return [
      defined({ kind: "missing-name" as const, isHarmless: false, detail, pointer: item.pointer, extent }),
    ];
  });
}

export function decodeReply(body: ReplyBody): Reply {
  const value = fields(body.value);
  const items = isFields(value["message"]) ? replyItems(value["message"]) : [];
  return defined({
    place: body.place,
    form: "json" as const,
    model: filled(value["model"]),
    items,
    writings: items.length > 0 ? [[value["message"]]] : undefined,
    finish: finishOf(value),
    usage: usageOf(value),
    state: "complete" as const,
    error: errorOf(value, false),
    flaws: nameFlaws(items),
    otherChoices: 0,
  });
}

/** Assembles a stream. Several lines may carry one whole call each; the last (`done`) is mostly empty. */
export function decodeStream(body: StreamBody): Reply {
  const texts: Record<"content" | "thinking", string> = { content: "", thinking: "" };
  const textsAt: Partial<Record<"content" | "thinking", Fragments>> = {};
  const calls: unknown[] = [];
  const callsAt: Extent[] = [];
  let model: string | undefined;
  let finish: Finish | undefined;
  let usage: Usage | undefined;
  let error: ReplyError | undefined;
  let isDone = false;

  for (const { value: chunk, extent } of body.frames) {
    if (!isFields(chunk)) continue;
    const message = fields(chunk["message"]);
    for (const key of ["content", "thinking"] as const) {
      const chunk = filled(message[key]);
      if (chunk === undefined) continue;
      texts[key] += chunk;
      const before = textsAt[key];
      textsAt[key] = { count: (before?.count ?? 0) + 1, first: before?.first ?? extent, last: extent };
    }
    for (const call of list(message["tool_calls"])) {
      calls.push(call);
      callsAt.push(extent);
    }
    model ??= filled(chunk["model"]);
    finish = finishOf(chunk, extent) ?? finish;
    usage = usageOf(chunk) ?? usage;
    error ??= errorOf(chunk, (body.status ?? 200) < 400, extent);
    isDone ||= chunk["done"] === true;
  }

  const items = replyItems({ ...texts, tool_calls: calls }).map((item): Item => {
    const at = item.kind === "call" ? callsAt[calledAt(item)] : undefined;
    const said = item.kind === "reasoning" ? textsAt.thinking : textsAt.content;
    const fragments = at ? { count: 1, first: at, last: at } : said;
    return fragments ? { ...item, fragments } : item;
  });
  return defined({
    place: body.place,
    form: "stream" as const,
    model,
    items,
    writings: items.length > 0 ? [[writtenMessage(texts, calls)]] : undefined,
    finish,
    usage,
    state: isDone ? ("complete" as const) : ("open" as const),
    error,
    flaws: nameFlaws(items),
    otherChoices: 0,
  });
}

/** The message as a non-streamed body would carry it. */
function writtenMessage(
  { content, thinking }: Record<"content" | "thinking", string>,
  calls: unknown[],
): Fields {
  return {
    role: "assistant",
    content,
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function calledAt(item: Item): number {
  return Number(item.pointer.slice(item.pointer.lastIndexOf("/") + 1));
}
