import type { Framing, ReplyContext, ServedEvent, ServerSide } from "../protocols/server-side.ts";
import type { Fields } from "../protocols/wire.ts";
import type { ServedAnswer } from "./answers/answer-source.ts";
import { closingFrames, framesOf, mediaTypes } from "./frames.ts";
import type { HttpAnswer } from "./http-server.ts";

/** An answer that says something. */
export type GivenAnswer = Exclude<ServedAnswer, { kind: "miss" }>;

/** What an answer is written with. */
export interface AnswerContext {
  readonly server: ServerSide;
  readonly reply: ReplyContext;
  readonly requestId: string;
  readonly isStreaming: boolean;
  readonly framing: Framing;
}

/** An answer as one body, and as a stream. */
export interface WrittenAnswer {
  readonly body: Fields;
  readonly events: () => readonly ServedEvent[];
}

export function written(answer: GivenAnswer, { server, reply, framing }: AnswerContext): WrittenAnswer {
  const recorded = answer.kind === "recorded" ? answer : undefined;
  const stream = recorded?.stream;
  const body =
    recorded?.body ?? (stream && server.bodyIn?.(stream.events)) ?? server.whole(answer.reply, reply);
  const events = stream?.framing === framing ? stream.events : undefined;
  return { body, events: () => events ?? server.events(answer.reply, reply, body) };
}

/** An answer as it is sent if nothing goes wrong. */
export function httpAnswer(
  { body, events }: WrittenAnswer,
  context: AnswerContext,
  ended: (isWhole: boolean) => void,
): HttpAnswer {
  return {
    status: 200,
    headers: headersOf(context),
    body: context.isStreaming ? chunks(events(), context.framing) : `${JSON.stringify(body)}\n`,
    ended: (_, isWhole) => ended(isWhole),
  };
}

export function headersOf({ server, requestId, isStreaming, framing }: AnswerContext): HttpAnswer["headers"] {
  const own = server.headers(requestId);
  if (!isStreaming) return { "content-type": "application/json", ...own };
  return { "content-type": mediaTypes[framing], "cache-control": "no-cache", ...own };
}

/** The events as bytes, one chunk each. */
async function* chunks(events: readonly ServedEvent[], framing: Framing): AsyncGenerator<string> {
  yield* framesOf(events, framing);
  yield* closingFrames(events, framing);
}
