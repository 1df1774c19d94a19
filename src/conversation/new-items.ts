import { type Placed, placedItems, type Step } from "./conversation.ts";

/**
 * The items of a request after the beginning that it shares with the request it goes on from, empty messages
 * included. None when the same history was sent again, or when the logger cut it.
 */
export function* newItems(step: Step): Generator<Placed> {
  if (step.relation === "retry" || step.relation === "repeat" || step.exchange.isCut) return;
  yield* placedItems(step, step.request?.history, step.kept);
}

/**
 * What a request says that neither the one before it nor its reply had said so: items that are new, and those
 * that came back changed.
 */
export function enteredItems({ added, changed }: Step): Placed[] {
  return changed.length === 0 ? [...added] : [...added, ...changed.map(({ after }) => after)];
}

/** What makes an element the same mistake in a later request, wherever it stands there. */
export function formOf({ step, element, item }: Placed): string {
  return `${item.pointer} ${JSON.stringify(step.request?.history.element(element).value)}`;
}

/**
 * Whether a history was surely sent as this protocol's request. What merely looks like one, a session file or
 * somebody's list of messages, has forms of its own, and nobody refuses them.
 */
export function isSurelySent({ request, exchange }: Step): boolean {
  return (
    request !== undefined &&
    request.historyPointer !== "" &&
    (request.model !== undefined || request.tools !== undefined || exchange.url !== undefined)
  );
}
