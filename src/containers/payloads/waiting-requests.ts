import { emptyList } from "../../reading/lists.ts";
import type { Element } from "../../reading/shared-run.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { isSameRequest, type RequestCandidate, withCopies } from "./copies.ts";

type Answer = Exclude<PayloadCandidate, { part: "request" }>;

/** How many requests may wait for replies at once; real clients have a dozen. */
const maxWaiting = 64;

/** The request that a reply answers, and how it was matched. */
export interface Claim {
  readonly request: RequestCandidate;
  readonly by: "id" | "order";
}

/** The requests whose replies have not come yet, oldest first. */
export class WaitingRequests {
  private readonly requests: RequestCandidate[] = [];
  private readonly recognizer: Pick<Recognizer, "asksAlike">;

  constructor(recognizer: Pick<Recognizer, "asksAlike">) {
    this.recognizer = recognizer;
  }

  add(request: RequestCandidate): void {
    this.requests.push(request);
  }

  takeAll(): RequestCandidate[] {
    return this.requests.splice(0);
  }

  /** Removes and returns the requests that have waited too long. */
  giveUp(): readonly RequestCandidate[] {
    const count = this.requests.length - maxWaiting;
    return count > 0 ? this.requests.splice(0, count) : emptyList;
  }

  /** Whether a record shares an id with a waiting request. */
  awaits(record: RecordContext): boolean {
    return this.requests.some((request) => sharesId(request.record, record, this.requests));
  }

  /** Notes the reply to a request, linked by an id, that could not be read. */
  noteUnknown({ record, place: { origin } }: PayloadCandidate): void {
    const at = this.requests.findIndex((request) => sharesId(request.record, record, this.requests));
    const request = this.requests[at];
    if (request) this.requests[at] = { ...request, unknownReply: origin };
  }

  /** Finds the request that a reply answers and removes it from the waiting ones. */
  claim(reply: Answer): Claim | undefined {
    const fits = this.requests.filter((request) => isBare(reply) || this.mayAnswer(request, reply));
    const byId = fits.find((request) => sharesId(request.record, reply.record, fits));
    const byOrder = isBare(reply)
      ? undefined
      : nextInOrder(fits.filter((request) => !isElsewhere(request, reply)));
    const request = byId ?? byOrder;
    if (!request) return undefined;
    this.requests.splice(this.requests.indexOf(request), 1);
    return { request, by: byId ? "id" : "order" };
  }

  /** Error bodies look alike across protocols, so their protocol proves nothing. An address tells it. */
  private mayAnswer({ protocol, certainty, record }: RequestCandidate, reply: Answer): boolean {
    return (
      protocol === reply.protocol ||
      reply.certainty < threshold.leading ||
      certainty < threshold.exclusive ||
      (record.url === undefined && this.recognizer.asksAlike(protocol, reply.protocol))
    );
  }

  /**
   * Adds a waiting copy of the request to it. A tracing tool may report a run twice in one batch: when it
   * begins and when its reply is there.
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

/** Whether only its position makes this a reply. */
export function isBare(reply: Answer): boolean {
  return reply.part === "reply" && (reply.isBare === true || reply.isRefusal === true);
}

/** All services have similar errors, so one from another address answers no request here. */
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
    // An id that several requests carry (a session, a trace) links nothing.
    if (rivals.filter((rival) => rival.record.ids.get(key) === value).length === 1) return true;
  }
  return false;
}

/** The oldest waiting request that was neither sent again nor continued by a later one. */
function nextInOrder(waiting: readonly RequestCandidate[]): RequestCandidate | undefined {
  return waiting.find(
    (request, place) => !waiting.slice(place + 1).some((later) => goesOnFrom(request, later)),
  );
}

/** Whether the later history begins with the whole earlier one, judged by its first and last items. */
function goesOnFrom(
  { body: { run: before } }: RequestCandidate,
  { body: { run: after } }: RequestCandidate,
): boolean {
  if (!before || !after || before.length === 0 || after.length < before.length) return false;
  return [0, before.length - 1].every((index) => isSameElement(before.element(index), after.element(index)));
}

/** Short histories do not share elements, so equal elements may be two objects. */
function isSameElement(a: Element, b: Element): boolean {
  return a === b || JSON.stringify(a.value) === JSON.stringify(b.value);
}
