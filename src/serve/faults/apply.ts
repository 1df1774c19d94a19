import { STATUS_CODES } from "node:http";
import { failureHeaders, failureOf } from "../../protocols/failures.ts";
import { oddities } from "../../protocols/oddities.ts";
import type { Profile } from "../../protocols/profiles/profile.ts";
import { refusalsOf } from "../../protocols/profiles/refusals.ts";
import type { ServedEvent } from "../../protocols/server-side.ts";
import type { Fields } from "../../protocols/wire.ts";
import { type AnswerContext, type GivenAnswer, headersOf, written } from "../http-answers.ts";
import type { HttpAnswer } from "../http-server.ts";
import type { Fault } from "./fault.ts";
import { faultyReply } from "./reply.ts";
import { type FaultyBytes, faultyBody, faultyStream, noSuchHabit } from "./stream.ts";

/** What a faulty answer is written with. */
export interface FaultContext extends AnswerContext {
  /** The protocol's name. */
  readonly protocol: string;
  readonly profile: Profile;
  /** Called with the reason why a part of the fault can change nothing. */
  idle(why: string): void;
}

/** What came of a faulty answer. */
export interface FaultyEnd {
  /** The client has all that the model had to say. */
  readonly isAnswered: boolean;
  /** The reply that the client has, if it is whole, whatever the model left unsaid. */
  readonly body?: Fields;
}

/** An answer with its fault. */
export function faultyAnswer(
  fault: Fault,
  answer: GivenAnswer,
  context: FaultContext,
  ended: (end: FaultyEnd) => void,
): HttpAnswer {
  if (fault.instead)
    return { ...failure(fault, context), ...delay(fault), ended: () => ended({ isAnswered: false }) };
  const cutCall = context.server.cutCall?.(context.isStreaming) ?? "text";
  const said: GivenAnswer = fault.reply
    ? { kind: "reply", reply: faultyReply(answer.reply, fault.reply, cutCall) }
    : answer;
  const whole = written(said, context);
  const { writes, isCut, isWhole } = context.isStreaming
    ? streamed(fault, whole.events(), context)
    : sentAtOnce(fault, whole.body, context);
  return {
    status: 200,
    headers: headersOf(context),
    body: each(writes),
    ...delay(fault),
    ...((fault.pauseMs !== undefined || fault.writes) && { pauseMs: fault.pauseMs ?? 0 }),
    ...(isCut && { fails: "cut" as const }),
    ended: (_, isSent) =>
      ended({
        isAnswered: isSent && isWhole && !fault.reply,
        ...(isSent && isWhole && { body: whole.body }),
      }),
  };
}

async function* each(writes: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* writes;
}

function delay({ delayMs }: Fault): Pick<HttpAnswer, "delayMs"> {
  return delayMs === undefined ? {} : { delayMs };
}

function streamed(fault: Fault, events: readonly ServedEvent[], context: FaultContext): FaultyBytes {
  const { server, protocol, profile, reply, requestId, framing, idle } = context;
  return faultyStream(fault, events, {
    framing,
    oddities: oddities[protocol] ?? {},
    idle,
    errorEvent: (sent) => {
      const failures = refusalsOf(profile, protocol)?.failures;
      const error = failureOf(failures, { status: failures?.inStream ?? 500, model: reply.model });
      return server.errorEvent({ ...error, requestId }, sent);
    },
  });
}

function sentAtOnce(fault: Fault, whole: Fields, { protocol, idle }: FaultContext): FaultyBytes {
  let body = whole;
  const known = oddities[protocol] ?? {};
  for (const name of fault.oddities ?? []) {
    const oddity = Object.hasOwn(known, name) ? known[name] : undefined;
    if (oddity?.whole) body = oddity.whole(body);
    else idle(oddity ? `\`${name}\` affects only streams` : noSuchHabit(name));
  }
  return faultyBody(fault, `${JSON.stringify(body)}\n`, idle);
}

function failure(
  { instead, retryAfterMs, isHtml }: Fault,
  { server, protocol, profile, reply, requestId }: FaultContext,
): Pick<HttpAnswer, "status" | "headers" | "body" | "fails"> {
  if (instead?.kind !== "status")
    return { status: 200, headers: {}, body: "", ...(instead && { fails: instead.kind }) };
  const { status } = instead;
  const refusals = refusalsOf(profile, protocol);
  const error = failureOf(refusals?.failures, {
    status,
    model: reply.model,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  const headers = failureHeaders(refusals?.failures, error);
  if (isHtml) return { status, headers: { "content-type": "text/html", ...headers }, body: page(status) };
  return {
    status,
    headers: { "content-type": "application/json", ...server.headers(requestId), ...headers },
    body: `${JSON.stringify(refusals?.errorBody({ ...error, requestId }))}\n`,
  };
}

/** What a gateway says in its own name. */
function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? "Error"}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
}
