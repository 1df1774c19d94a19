import type { Request } from "../conversation/exchange.ts";
import type { Element } from "../reading/shared-run.ts";

/** The most that is kept of earlier requests, in characters of JSON. */
const maxKept = 32 << 20;

const known = new Map<string, Element>();
let kept = 0;

/**
 * The element of a history with this value. An agent sends the same elements again in each request; what was
 * decoded and found in them is found in the same object.
 */
export function sharedElement(value: unknown): Element {
  const text = JSON.stringify(value) ?? "";
  const found = known.get(text);
  if (found) return found;
  if (kept + text.length > maxKept) {
    known.clear();
    kept = 0;
  }
  kept += text.length;
  const element: Element = { value, size: text.length, isBroken: false };
  known.set(text, element);
  return element;
}

/** The elements of a request's history, with those that the server had stored. */
export function elementsOf({ history }: Request): unknown[] {
  return Array.from({ length: history.length }, (_, index) => history.element(index).value);
}
