import type { Exchange } from "../../conversation/exchange.ts";
import type { Reply } from "../../conversation/reply.ts";
import type { ServedEvent, ServedItem, ServedReply } from "../../protocols/server-side.ts";
import { isFields } from "../../reading/values.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { RecordedAnswer } from "./answer-source.ts";

/** Why an exchange of a log answers nothing. */
export type NoAnswer = "failed" | "cut off" | "without a reply";

/** An exchange of a log, at the point of the conversation where its request was sent. */
export interface RecordedTurn {
  readonly exchange: Exchange;
  /** All that was said until then, to the letter. */
  readonly exactKey: number;
  readonly outcome: Reply | NoAnswer;
}

/** A turn whose reply is an answer. */
export type AnsweringTurn = RecordedTurn & { readonly outcome: Reply };

export function isAnswering(turn: RecordedTurn): turn is AnsweringTurn {
  return typeof turn.outcome === "object";
}

/** The reply of an exchange, or why it is not an answer. */
export function outcomeOf({ reply, status, isCut }: Exchange): Reply | NoAnswer {
  if (reply?.error || (status !== undefined && status >= 400)) return "failed";
  if (!reply) return "without a reply";
  // Some clients hang up once they have the last event.
  return isCut || reply.state === "open" ? "cut off" : reply;
}

/** A reply of a log as an answer: in its words, and as it was received where the log has it so. */
export function recordedAnswer(reply: Reply): RecordedAnswer {
  const { received } = reply;
  if (!received) return { kind: "recorded", reply: servedReply(reply) };
  const { id } = reply;
  const answer = {
    kind: "recorded" as const,
    reply: { ...servedReply(reply), ...(id !== undefined && { id }) },
  };
  if ("frames" in received) {
    const framing = received.framing === "ndjson" ? "lines" : received.framing;
    return { ...answer, stream: { framing, events: received.frames.map(servedEvent) } };
  }
  return isFields(received.value) ? { ...answer, body: received.value } : answer;
}

/** An event with the very data that was received; as a value where that is the same, or of several lines. */
function servedEvent({ event, value, data }: Frame): ServedEvent {
  const isValue = value !== undefined && (data.includes("\n") || JSON.stringify(value) === data);
  return { ...(event !== undefined && { name: event }), value: isValue ? value : data };
}

function servedReply({ items, finish, usage }: Reply): ServedReply {
  const served = items.flatMap((item): ServedItem[] => {
    if (item.kind === "message" && item.text !== "") return [{ kind: "text", text: item.text }];
    if (item.kind === "reasoning" && item.text !== "") return [{ kind: "reasoning", text: item.text }];
    if (item.kind !== "call" || item.isHosted) return [];
    const { id, name, argumentsText } = item;
    const given = item.arguments === undefined ? argumentsText : item.arguments;
    return [{ kind: "call", name, arguments: given, ...(id !== undefined && { id }) }];
  });
  const isKnown = finish && finish.meaning !== "other" && finish.meaning !== "error";
  return { items: served, ...(isKnown && { stop: finish.meaning }), ...(usage && { usage }) };
}
