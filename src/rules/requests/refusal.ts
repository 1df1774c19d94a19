import type { Placed, Step } from "../../conversation/conversation.ts";
import type { ReplyError } from "../../conversation/reply.ts";
import type { Severity } from "../../findings/finding.ts";
import { requestErrorTypes } from "../../protocols/request-errors.ts";
import { type ErrorMatch, matchErrorText } from "../match-error-text.ts";
import { refused } from "../rule.ts";

/** How a provider rejected a request. */
export interface Refusal {
  /** The provider's error message. */
  readonly error: string;
  /** The full text: message, the member that the error names, upstream details, and code. */
  readonly words: string;
  /** Absent if the log lacks it. */
  readonly status: number | undefined;
  /** The meaning of the text, if it is known. */
  readonly match: ErrorMatch | undefined;
}

/** Authentication, permissions, addresses, timeouts, load: another history would rarely help. */
const unrelated = new Set([401, 403, 404, 408, 409, 429]);

/**
 * How a step's request was rejected for its content, if it was. The text must be a known one where the status
 * tells nothing: without one, after a server failure (500), and with those that other causes have.
 */
export function refusalOf({ reply, exchange }: Step): Refusal | undefined {
  const error = reply?.error;
  if (!error) return undefined;
  const status = statusOf(error, exchange);
  const match = matchErrorText(wordsOf(error));
  // A log that cut the body may have kept the sentence that counts.
  if (exchange.isCut && match?.about !== "history" && match?.about !== "reply") return undefined;
  const isRefused =
    status === undefined ? requestErrorTypes.has(error.type ?? "") : status < 500 && !unrelated.has(status);
  const isAboutRequest = match !== undefined && match.about !== "service";
  const isKnown =
    // A gateway answers 502 when the server behind it rejects a request.
    match?.about === "history" ? (status ?? 0) <= 502 : isAboutRequest && (status ?? 500) === 500;
  if (!isRefused && !isKnown) return undefined;
  return { error: tellingText(error), words: wordsOf(error), status, match };
}

/** A gateway's own "Provider returned error" is useless; the text that it passes on is not. */
function tellingText({ message, detail }: ReplyError): string {
  return detail !== undefined && !matchErrorText(message) && matchErrorText(detail) ? detail : message;
}

/**
 * The only answer in a log, where it is an error that no other history would have avoided: load, limits,
 * keys, models that do not exist. Among other answers, such errors pass.
 */
export function serviceFailure({
  reply,
  exchange,
  request,
  conversation,
}: Step): Pick<Refusal, "error" | "status"> | undefined {
  const { conversations } = conversation.log;
  if (conversations.length > 1 || conversation.steps.length > 1) return undefined;
  const { error } = reply ?? {};
  if (!error || error.isMidStream || exchange.isCut || request?.settings.isProbe) return undefined;
  // An error with a success status is one for another reason, which `stream-error` reports.
  if (exchange.status !== undefined && exchange.status < 300) return undefined;
  const status = statusOf(error, exchange);
  const about = matchErrorText(wordsOf(error))?.about;
  const isOfService =
    about === "service" ||
    (about === undefined && status !== undefined && (status >= 500 || unrelated.has(status)));
  return isOfService ? { error: tellingText(error), status } : undefined;
}

/** The status of a failure. Gateways answer 200 and write it into the body. */
function statusOf({ code }: ReplyError, exchange: Step["exchange"]): number | undefined {
  return [exchange.status, Number(code)].find(
    (one): one is number => one !== undefined && one >= 400 && one < 600,
  );
}

/**
 * The words of an error of which nothing is known, not even a status: the answer to a request, or all that
 * the log has. Elsewhere it may be what a tool answered.
 */
export function unreadError({ request, reply, exchange, conversation }: Step): string | undefined {
  const { error } = reply ?? {};
  if (!error || error.isMidStream || exchange.isCut || exchange.status !== undefined) return undefined;
  if (error.message === "" || statusOf(error, exchange) !== undefined) return undefined;
  const isAnswer = request !== undefined && exchange.fidelity === "wire";
  if (!isAnswer && !conversation.log.conversations.every(({ steps }) => steps.every(isErrorAlone)))
    return undefined;
  return matchErrorText(wordsOf(error)) ? undefined : error.message;
}

function isErrorAlone({ request, reply, exchange }: Step): boolean {
  return !request && reply?.error !== undefined && exchange.fidelity === "wire";
}

/**
 * The severity of what servers may or may not check. A refusal proves it, unless its words are known and mean
 * something else; then it is not what this server minds.
 */
export function suspected(rule: string, { step, element }: Placed): Severity {
  const { match } = refusalOf(step) ?? {};
  const isOther = match !== undefined && match.rule !== rule && match.or !== rule && match.index !== element;
  return isOther && !step.exchange.isOwnProvider ? "info" : refused(step.exchange);
}

/** The full text of an error: message, the value concerned, upstream details, and code. */
function wordsOf({ message, param, detail, code }: ReplyError): string {
  return [message, param, detail, code].filter((text) => text !== undefined).join(" ");
}

/** The step received a successful reply. */
export function hasSucceeded({ reply, exchange }: Step): boolean {
  return reply !== undefined && !reply.error && (exchange.status ?? 200) < 400;
}
