import { parseJson } from "../../reading/parse.ts";
import type { ServedError } from "../refusals.ts";
import { type ReplyContext, type ServedEvent, slicesOf } from "../server-side.ts";
import { type Fields, fields, isFields, list, string, valueText } from "../wire.ts";
import { isTerminalType } from "./reply.ts";

/** An event without the members that all have. */
type EventBody = Fields & { readonly type: string };

/**
 * The events of a reply, given as one body.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function eventsOf(response: Fields, context: ReplyContext): readonly ServedEvent[] {
  const isObfuscated = fields(context.fields["stream_options"])["include_obfuscation"] !== false;
  const begun = { ...response, status: "in_progress", completed_at: null, incomplete_details: null };
  const open = { ...begun, output: [], usage: null };
  const bodies: EventBody[] = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    ...list(response["output"]).flatMap((item, index) => itemEvents(fields(item), index)),
    { type: `response.${response["status"]}`, response },
  ];
  return bodies.map(({ type, ...members }, sequence) => ({
    name: type,
    value: {
      type,
      sequence_number: sequence,
      ...members,
      ...(isObfuscated && "delta" in members && { obfuscation: padding(members["delta"], context) }),
    },
  }));
}

/**
 * The error is nested, although the reference shows its members next to the type.
 * @see https://github.com/openai/openai-dotnet/issues/881
 */
export function errorEvent(
  { message, type = "server_error", code, param }: ServedError,
  sent: number,
): ServedEvent {
  const error = { type, code: code ?? type, message, param: param ?? null };
  return { name: "error", value: { type: "error", sequence_number: sent, error } };
}

/** The reply in the last event of a stream that ended. */
export function bodyIn(events: readonly ServedEvent[]): Fields | undefined {
  const last = events.at(-1)?.value;
  const { type, response } = fields(typeof last === "string" ? parseJson(last) : last);
  return isTerminalType(valueText(type)) && isFields(response) ? response : undefined;
}

/** Fills a delta up to 16 characters, so that its length on the line says nothing. */
function padding(delta: unknown, { newId }: ReplyContext): string {
  return newId("", Math.max(1, 16 - String(delta).length));
}

function itemEvents(item: Fields, index: number): EventBody[] {
  const at = { item_id: item["id"], output_index: index };
  const { begun, events } = contentEvents(item, at);
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...events,
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** The item as it begins, and what fills it. */
function contentEvents(item: Fields, at: Fields): { begun: Fields; events: EventBody[] } {
  switch (item["type"]) {
    case "message":
      return {
        begun: { ...item, status: "in_progress", content: [] },
        events: list(item["content"]).flatMap((part, index) =>
          partEvents(fields(part), { ...at, content_index: index }),
        ),
      };
    case "reasoning":
      return {
        begun: { ...item, summary: [], ...(item["content"] !== undefined && { content: [] }) },
        events: [
          ...list(item["summary"]).flatMap((part, index) =>
            summaryEvents(fields(part), { ...at, summary_index: index }),
          ),
          ...list(item["content"]).flatMap((part, index) =>
            partEvents(fields(part), { ...at, content_index: index }),
          ),
        ],
      };
    case "function_call":
      return {
        begun: { ...item, status: "in_progress", arguments: "" },
        events: textEvents("response.function_call_arguments", "arguments", item, at),
      };
    case "custom_tool_call":
      return {
        begun: { ...item, status: "in_progress", input: "" },
        events: textEvents("response.custom_tool_call_input", "input", item, at),
      };
    default:
      return { begun: item, events: [] };
  }
}

/** The deltas of one text, and the event that repeats it whole. */
function textEvents(type: string, key: string, whole: Fields, at: Fields, extra: Fields = {}): EventBody[] {
  const text = string(whole[key]) ?? "";
  return [
    ...slicesOf(text).map((delta) => ({ type: `${type}.delta`, ...at, delta, ...extra })),
    { type: `${type}.done`, ...at, [key]: text, ...extra },
  ];
}

function partEvents(part: Fields, at: Fields): EventBody[] {
  const key = part["type"] === "refusal" ? "refusal" : "text";
  const extra = part["type"] === "output_text" ? { logprobs: [] } : {};
  return [
    { type: "response.content_part.added", ...at, part: { ...part, [key]: "" } },
    ...textEvents(`response.${part["type"]}`, key, part, at, extra),
    { type: "response.content_part.done", ...at, part },
  ];
}

function summaryEvents(part: Fields, at: Fields): EventBody[] {
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
    ...textEvents("response.reasoning_summary_text", "text", part, at),
    { type: "response.reasoning_summary_part.done", ...at, part },
  ];
}
