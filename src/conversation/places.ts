import { type LineColumn, linesOf, type Origin } from "../reading/origin.ts";
import { locateJson } from "../reading/place.ts";
import { type Placed, pointerOf } from "./conversation.ts";

/** The line and column of an item in its file; `undefined` when the log has no source for it. */
export function itemPlace(placed: Placed): LineColumn | undefined {
  const origin = itemOrigin(placed);
  return origin && linesOf(origin.source).at(origin.start);
}

/** The byte range of an item; `undefined` when the log has no source for it. */
export function itemOrigin(placed: Placed): Origin | undefined {
  const { item, step, part, element } = placed;
  const place = part === "request" ? step.request?.place : step.reply?.place;
  if (!place) return undefined;
  if (item.fragments) return place.locateAt(item.fragments.first);
  if (step.exchange.session) return place.locate(pointerOf(placed));
  const run = part === "request" ? step.request?.history.run : undefined;
  // Look at the element only: a search of the whole body per item would take quadratic time.
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
