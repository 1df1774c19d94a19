import type { Step } from "./conversation.ts";

/** A step of a history that a server was to hold. */
export interface StoredStep {
  readonly step: Step;
  /** The server keeps its reply: items of it can be named by their ids. */
  readonly isKept: boolean;
}

/**
 * The steps whose requests and replies make up the history that a request leaves to its server by naming the reply that it goes on from;
 * the oldest first. `undefined` when a part of it is not in the log.
 */
export function serverHistory(step: Step): readonly StoredStep[] | undefined {
  const held: StoredStep[] = [];
  for (let each = step; each.request?.links.previousReply !== undefined; ) {
    const { parent, request } = each;
    if (!parent?.request || parent.isPartial || !hasSaid(parent, request.links.previousReply))
      return undefined;
    const { links, settings } = parent.request;
    if (links.conversation !== undefined) return undefined;
    const isKept = parent.exchange.demands.hasServerHistory && settings.isUnstored !== true;
    held.unshift({ step: parent, isKept });
    each = parent;
  }
  return held;
}

/** The log holds the whole reply of this id. */
function hasSaid({ reply }: Step, id: string | undefined): boolean {
  return (
    reply !== undefined &&
    reply.id === id &&
    reply.writings?.[0] !== undefined &&
    reply.error === undefined &&
    reply.state === "complete"
  );
}
