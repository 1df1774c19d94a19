import { type LineColumn, linesOf, type Origin } from "../reading/origin.ts";
import { locateJson } from "../reading/place.ts";
import { type Placed, pointerOf } from "./conversation.ts";

/** Where an item stands in its file; `undefined` when nothing in the log holds it. */
export function itemPlace(placed: Placed): LineColumn | undefined {
  const origin = itemOrigin(placed);
  return origin && linesOf(origin.source).at(origin.start);
}

/** The bytes of an item; `undefined` when nothing in the log holds it. */
export function itemOrigin(placed: Placed): Origin | undefined {
  const { item, step, part, element } = placed;
  const place = part === "request" ? step.request?.place : step.reply?.place;
  if (!place) return undefined;
  if (item.fragments) return place.locateAt(item.fragments.first);
  if (step.exchange.session) return place.locate(pointerOf(placed));
  const run = part === "request" ? step.request?.history.run : undefined;
  // Only the element is looked at: a search through the whole body for each of its items would cost its square.
  if (run && element >= 0 && run.end(element) > run.start(element)) {
    const span = {
      view: place.span.view,
      start: run.start(element),
      end: run.end(element),
      level: run.level,
    };
    return locateJson(span, item.pointer);
  }
  return place.locate(pointerOf(placed));
}
