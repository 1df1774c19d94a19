import type { Step } from "../../conversation/conversation.ts";
import type { ReplyError } from "../../conversation/exchange.ts";
import { type ErrorMatch, matchErrorText } from "../error-texts.ts";

/** How a provider refused a request. */
export interface Refusal {
  /** Its words. */
  readonly error: string;
  /** All that it says, also where it points with something else than its words. */
  readonly words: string;
  /** Absent where the log does not say. */
  readonly status: number | undefined;
  /** What the words mean, where they are known. */
  readonly match: ErrorMatch | undefined;
}

/** Keys, rights, addresses, waiting, load: nothing that another history would change. */
const unrelated = new Set([401, 403, 404, 408, 409, 429]);

/**
 * How this step's request was refused for what it holds; `undefined` when it was not. Without a status, and with a server's own
 * failure (500), the words have to be known ones.
 */
export function refusalOf({ reply, exchange }: Step): Refusal | undefined {
  const error = reply?.error;
  if (!error || exchange.isCut) return undefined;
  // Gateways answer 200 and write the status into the body.
  const status = [exchange.status, Number(error.code)].find(
    (one): one is number => one !== undefined && one >= 400 && one < 600,
  );
  const match = matchErrorText(wordsOf(error));
  const isRefused = status !== undefined && status < 500 && !unrelated.has(status);
  const isKnown = match !== undefined && (status === undefined || status === 500);
  if (!isRefused && !isKnown) return undefined;
  // A gateway's own "Provider returned error" says nothing; what it passes on does.
  const isInDetail =
    error.detail !== undefined && !matchErrorText(error.message) && matchErrorText(error.detail);
  return { error: isInDetail ? (error.detail ?? "") : error.message, words: wordsOf(error), status, match };
}

/** All that an error says: its message, the value that it means, what a server further behind said, its code. */
function wordsOf({ message, param, detail, code }: ReplyError): string {
  return [message, param, detail, code].filter((text) => text !== undefined).join(" ");
}

/** The step got its answer. */
export function hasSucceeded({ reply, exchange }: Step): boolean {
  return reply !== undefined && !reply.error && (exchange.status ?? 200) < 400;
}
