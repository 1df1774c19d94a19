import { emptyList } from "../reading/lists.ts";
import { isWholeElement, type Placed, placedItems, type Step } from "./conversation.ts";

/**
 * The items of a request after the prefix shared with its parent, including empty messages. None if the same
 * history was resent, and none of an element that the log keeps only in part.
 */
export function newItems(step: Step): readonly Placed[] {
  const { relation, request, kept } = step;
  // Many rules ask, and a log may have tens of thousands of requests that add nothing.
  if (relation === "retry" || relation === "repeat" || kept >= (request?.history.length ?? 0))
    return emptyList;
  // What begins a conversation is all new.
  const isAdded = kept === 0 && relation === "start" && !step.parent && step.added[0]?.step === step;
  return wholeItems(step, isAdded ? step.added : [...placedItems(step, request?.history, kept)]);
}

/**
 * What a request adds or changes against its parent and the parent's reply, without elements that the log
 * keeps only in part.
 */
export function enteredItems(step: Step): readonly Placed[] {
  const { changed } = step;
  const added = wholeItems(step, step.added);
  return changed.length === 0
    ? added
    : [
        ...added,
        ...wholeItems(
          step,
          changed.map(({ after }) => after),
        ),
      ];
}

/** What a request adds, without elements that the log keeps only in part. */
export function addedItems(step: Step): readonly Placed[] {
  return wholeItems(step, step.added);
}

function wholeItems(step: Step, items: readonly Placed[]): readonly Placed[] {
  return step.request?.isCut ? items.filter(({ element }) => isWholeElement(step, element)) : items;
}

/** A key for the same mistake in a later request, at any position. */
export function formOf({ step, element, item }: Placed): string {
  return `${item.pointer} ${JSON.stringify(step.request?.history.element(element).value)}`;
}

/**
 * Whether a history was certainly sent as a request of this protocol. A session file or a bare list of
 * messages has a form of its own, which no provider rejects.
 */
export function isSurelySent({ request, exchange }: Step): boolean {
  return (
    request !== undefined &&
    request.historyPointer !== "" &&
    (request.model !== undefined || request.tools !== undefined || exchange.url !== undefined)
  );
}
