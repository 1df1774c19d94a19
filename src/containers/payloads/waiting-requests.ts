import type { Element } from "../../reading/shared-run.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { isSameRequest, type RequestCandidate, withCopies } from "./copies.ts";

type Answer = Exclude<PayloadCandidate, { part: "request" }>;

/** How many requests may wait for their replies at once; real clients have a dozen. */
const maxWaiting = 64;

/** A request, and by what it was found to be the one that a reply answers. */
export interface Claim {
  readonly request: RequestCandidate;
  readonly by: "id" | "order";
}

/** The requests of a log whose replies have not come yet, the oldest first. */
export class WaitingRequests {
  private readonly requests: RequestCandidate[] = [];

  add(request: RequestCandidate): void {
    this.requests.push(request);
  }

  takeAll(): RequestCandidate[] {
    return this.requests.splice(0);
  }

  /** Those that have waited too long. */
  giveUp(): RequestCandidate[] {
    return this.requests.splice(0, Math.max(0, this.requests.length - maxWaiting));
  }

  /** Whether a record carries an id of one of them. */
  awaits(record: RecordContext): boolean {
    return this.requests.some((request) => sharesId(request.record, record, this.requests));
  }

  /** The request that a reply answers, which then waits no more. */
  claim(reply: Answer): Claim | undefined {
    const fits = this.requests.filter((request) => isBare(reply) || mayAnswer(request, reply));
    const byId = fits.find((request) => sharesId(request.record, reply.record, fits));
    const byOrder = isBare(reply)
      ? undefined
      : nextInOrder(fits.filter((request) => !isElsewhere(request, reply)));
    const request = byId ?? byOrder;
    if (!request) return undefined;
    this.requests.splice(this.requests.indexOf(request), 1);
    return { request, by: byId ? "id" : "order" };
  }

  /**
   * The request, with its copy among those that wait: a tracing tool may report a run twice in one batch,
   * when it begins, and when its reply is there.
   */
  withEarlierCopy(request: RequestCandidate): RequestCandidate {
    const copy = this.requests.findIndex(
      (earlier) =>
        earlier.record.index === request.record.index &&
        earlier.record.span !== request.record.span &&
        isSameRequest(earlier, request),
    );
    return copy < 0 ? request : withCopies(request, this.requests.splice(copy, 1));
  }
}

/** Whether something is a reply only by what it answers. */
export function isBare(reply: Answer): boolean {
  return reply.part === "reply" && (reply.isBare === true || reply.isRefusal === true);
}

/** An error body looks the same in several protocols, so its protocol proves nothing. */
function mayAnswer(request: RequestCandidate, reply: Answer): boolean {
  return (
    request.protocol === reply.protocol ||
    reply.certainty < threshold.leading ||
    request.certainty < threshold.exclusive
  );
}

/** Everybody's errors look alike: one from another address that is no model's answers no model's request. */
function isElsewhere(request: RequestCandidate, reply: Answer): boolean {
  return (
    reply.certainty < threshold.leading &&
    reply.record.url !== undefined &&
    reply.record.url !== request.record.url
  );
}

function sharesId(
  request: RecordContext,
  reply: RecordContext,
  rivals: readonly RequestCandidate[],
): boolean {
  for (const [key, value] of reply.ids) {
    if (request.ids.get(key) !== value) continue;
    // An id that several requests carry (a session, a trace) joins nothing.
    if (rivals.filter((rival) => rival.record.ids.get(key) === value).length === 1) return true;
  }
  return false;
}

/**
 * The oldest request waits longest; but one that was sent again, or gone on from, will not be answered any
 * more.
 */
function nextInOrder(waiting: readonly RequestCandidate[]): RequestCandidate | undefined {
  return waiting.find(
    (request, place) => !waiting.slice(place + 1).some((later) => goesOnFrom(request, later)),
  );
}

/** Whether the later history begins with the whole earlier one, judged by its ends. */
function goesOnFrom(
  { body: { run: before } }: RequestCandidate,
  { body: { run: after } }: RequestCandidate,
): boolean {
  if (!before || !after || before.length === 0 || after.length < before.length) return false;
  return [0, before.length - 1].every((index) => isSameElement(before.element(index), after.element(index)));
}

/** Short histories are not kept for sharing, so that equal elements may be two objects. */
function isSameElement(a: Element, b: Element): boolean {
  return a === b || JSON.stringify(a.value) === JSON.stringify(b.value);
}
