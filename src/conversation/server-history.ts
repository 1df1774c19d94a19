import type { Step } from "./conversation.ts";
import type { Request } from "./exchange.ts";

/** A step of a history that the server was to store. */
export interface StoredStep {
  readonly step: Step;
  /** The server stores its reply, so requests may refer to its items by id. */
  readonly isKept: boolean;
}

/**
 * The steps whose requests and replies form the history that a request leaves to its server by naming the
 * reply it continues; oldest first. `undefined` when the log lacks a part of it.
 */
export function serverHistory(step: Step): readonly StoredStep[] | undefined {
  const stored: StoredStep[] = [];
  for (let each = step; ; ) {
    const before = storedBefore(each);
    if (before === "missing") return undefined;
    if (before === "none") return stored.reverse();
    stored.push(before);
    each = before.step;
  }
}

/** The step whose reply a request continues on its server; `none` if it names no reply. */
export function storedBefore({ parent, request }: Step): StoredStep | "none" | "missing" {
  if (request?.links.previousReply === undefined) return "none";
  if (!parent?.request || parent.isPartial || !hasSaid(parent, request.links.previousReply)) return "missing";
  const { links, settings } = parent.request;
  if (links.conversation !== undefined) return "missing";
  const isKept = parent.exchange.demands.hasServerHistory && settings.isUnstored !== true;
  return { step: parent, isKept };
}

/** The log has the whole reply with this id. */
function hasSaid({ reply }: Step, id: string | undefined): boolean {
  return (
    reply !== undefined &&
    reply.id === id &&
    reply.writings?.[0] !== undefined &&
    reply.error === undefined &&
    reply.state === "complete"
  );
}

/** A request leaves the history before it to the server, which stores it under a reply or a conversation. */
export function continuesStored(request: Request | undefined): boolean {
  return request?.links.previousReply !== undefined || request?.links.conversation !== undefined;
}
