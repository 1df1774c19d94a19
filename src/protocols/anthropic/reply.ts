import type { Extent, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { errorDetails, errorIn } from "../errors.ts";
import type { ReplyBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { decodeBlock } from "./blocks.ts";

/** @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const meanings = new Map(
  Object.entries<FinishMeaning>({
    end_turn: "answer",
    stop_sequence: "answer",
    tool_use: "calls",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    pause_turn: "pause",
    refusal: "refusal",
    compaction: "compaction",
  }),
);

export function meaningOf(reason: string): FinishMeaning {
  return meanings.get(reason) ?? "other";
}

/** Reads `stop_reason` from a message, or from the delta of a stream's `message_delta`. */
export function finishOf(holder: Fields, extent?: Extent): Finish | undefined {
  const reason = filled(holder["stop_reason"]);
  if (reason === undefined) return undefined;
  return stopReason(reason, meanings.get(reason), "/stop_reason", extent);
}

/** `input_tokens` excludes tokens read from or written to the cache; {@link Usage} counts them. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const read = number(value["cache_read_input_tokens"]);
  const fresh = number(value["input_tokens"]);
  const input =
    fresh === undefined
      ? undefined
      : fresh + (read ?? 0) + (number(value["cache_creation_input_tokens"]) ?? 0);
  return defined({ input, output: number(value["output_tokens"]), cached: read });
}

/** Reads `{type: "error", error: {type, message}}`. Gateways omit the outer type or write `error` as text. */
export function errorOf(value: unknown, isMidStream = false, extent?: Extent): ReplyError | undefined {
  const body = fields(value);
  const error = errorIn(body) ?? body["detail"];
  if (error === undefined || error === null) return undefined;
  const inner = fields(error);
  return defined({
    message: string(inner["message"]) ?? string(error) ?? JSON.stringify(error),
    type: string(inner["type"]),
    isMidStream,
    pointer: fields(value)["error"] === undefined ? "/detail" : "/error",
    extent,
    ...errorDetails({ detail: fields(value)["detail"], ...inner }),
  });
}

/** The blocks of a reply. The API itself writes empty text blocks, which are not the client's fault. */
export function decodedItems(content: readonly unknown[]): Item[] {
  return content.flatMap((block, index): Item[] => {
    const item = decodeBlock(block, "assistant", `/content/${index}`);
    if (item.kind !== "message") return [item];
    const { flaws: _, ...message } = item;
    return message.text === "" && !message.hasMedia ? [] : [message];
  });
}

/** The message that a client appends. */
export function writingsOf(content: readonly unknown[]): unknown[][] {
  return [[{ role: "assistant", content }]];
}

/** Flaws in the calls of a reply, which are the server's fault. */
export function callFlaws(items: readonly Item[]): ReplyFlaw[] {
  return items.flatMap((item): ReplyFlaw[] => {
    if (item.kind !== "call") return [];
    const { pointer } = item;
    const extent = item.fragments?.first;
    const found: ReplyFlaw[] = [];
    if (item.id === undefined) {
      const detail = "the call has no id";
      found.push(defined({ kind: "missing-id" as const, isHarmless: false, detail, pointer, extent }));
    }
    if (item.name === "") {
      const detail = "the call names no tool";
      found.push(defined({ kind: "missing-name" as const, isHarmless: false, detail, pointer, extent }));
    }
    return found;
  });
}

export function decodeReply(body: ReplyBody): Reply {
  const value = fields(body.value);
  const finish = finishOf(value);
  const isError =
    value["type"] === "error" || (body.status ?? 200) >= 400 || !Array.isArray(value["content"]);
  const items = decodedItems(list(value["content"]));
  return defined({
    place: body.place,
    form: "json" as const,
    id: filled(value["id"]),
    model: filled(value["model"]),
    items,
    writings: items.length > 0 ? writingsOf(list(value["content"])) : undefined,
    finish,
    usage: usageOf(value["usage"]),
    state: "complete" as const,
    error: isError ? errorOf(value) : undefined,
    flaws: callFlaws(items),
    otherChoices: 0,
  });
}
