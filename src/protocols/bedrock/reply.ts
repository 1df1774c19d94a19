import type { Extent, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import type { ReplyBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { decodeBlocks } from "./content.ts";

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
const meanings = new Map(
  Object.entries<FinishMeaning>({
    end_turn: "answer",
    stop_sequence: "answer",
    tool_use: "calls",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    guardrail_intervened: "filter",
    content_filtered: "filter",
    malformed_tool_use: "malformed-call",
    malformed_model_output: "malformed-call",
  }),
);

/** The pointer to the blocks of a reply. Those of a stream are assembled to the same form. */
export const contentPointer = "/output/message/content";

/** Reads `stopReason` from the body, or from `messageStop` in a stream. */
export function finishOf(holder: Fields, extent?: Extent): Finish | undefined {
  const reason = filled(holder["stopReason"]);
  if (reason === undefined) return undefined;
  return stopReason(reason, meanings.get(reason), "/stopReason", extent);
}

/** `inputTokens` excludes tokens read from or written to the cache; {@link Usage} counts the whole prompt. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const read = number(value["cacheReadInputTokens"]) ?? number(value["cacheReadInputTokenCount"]);
  const written = number(value["cacheWriteInputTokens"]) ?? number(value["cacheWriteInputTokenCount"]);
  const fresh = number(value["inputTokens"]);
  const input = fresh === undefined ? undefined : fresh + (read ?? 0) + (written ?? 0);
  return defined({ input, output: number(value["outputTokens"]), cached: read });
}

/** Reads `{message, __type}`, and what SDKs keep: `{Error: {Code, Message}}`, `{message, name, $fault}`. */
function errorOf(value: Fields): ReplyError | undefined {
  const kept = fields(value["Error"]);
  const key = ["message", "Message"].find((name) => typeof value[name] === "string");
  const message = key === undefined ? string(kept["Message"]) : string(value[key]);
  if (message === undefined) return undefined;
  // `com.amazon.coral.validate#ValidationException`
  const type =
    string(value["__type"])?.replace(/^.*#/, "") ??
    string(kept["Code"]) ??
    (value["$fault"] === undefined ? undefined : string(value["name"]));
  return defined({ message, type, isMidStream: false, pointer: key === undefined ? "/Error" : `/${key}` });
}

/** The blocks of a reply. The model's own empty texts are not the client's fault. */
export function decodedItems(content: readonly unknown[]): Item[] {
  return decodeBlocks(content, "assistant", contentPointer).flatMap((item): Item[] => {
    if (item.kind !== "message") return [item];
    const { flaws: _, ...message } = item;
    return message.text === "" && !message.hasMedia ? [] : [message];
  });
}

/** Flaws in the calls of a reply, which are the server's fault. */
export function callFlaws(items: readonly Item[]): ReplyFlaw[] {
  return items.flatMap((item): ReplyFlaw[] => {
    if (item.kind !== "call") return [];
    const { pointer } = item;
    const extent = item.fragments?.first;
    const found: ReplyFlaw[] = [];
    const flaw = (kind: ReplyFlaw["kind"], detail: string): void => {
      found.push(defined({ kind, isHarmless: false, detail, pointer, extent }));
    };
    if (item.id === undefined) flaw("missing-id", "the call has no id");
    if (item.name === "") flaw("missing-name", "the call names no tool");
    return found;
  });
}

export function decodeReply(body: ReplyBody): Reply {
  const value = fields(body.value);
  const items = decodedItems(list(fields(fields(value["output"])["message"])["content"]));
  return defined({
    place: body.place,
    form: "json" as const,
    // A prompt router names the model that it chose.
    model: filled(fields(fields(value["trace"])["promptRouter"])["invokedModelId"]),
    items,
    writings:
      items.length > 0
        ? [[{ role: "assistant", content: list(fields(fields(value["output"])["message"])["content"]) }]]
        : undefined,
    finish: finishOf(value),
    usage: usageOf(value["usage"]),
    state: "complete" as const,
    error: isFields(value["output"]) ? undefined : errorOf(value),
    flaws: callFlaws(items),
    otherChoices: 0,
  });
}
