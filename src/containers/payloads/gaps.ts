import type { Gap } from "../../reading/printed-literal.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { HistoryGap } from "../../traffic/payload.ts";
import { flawsOf, type Slice } from "./slice.ts";

/** Members of blocks and calls. Whatever is left out of their values, no message, call or result is. */
const leafKeys = new Set(
  (
    "input arguments args parameters properties output response text data thinking reasoning_content " +
    "signature source image_url metadata cache_control usage annotations"
  ).split(" "),
);

/** Where a history lacks something that the request had. Empty where all of that stands outside it. */
export function historyGaps({ gaps = [], shift }: Slice, run: SharedRun): readonly HistoryGap[] {
  const found: HistoryGap[] = [];
  for (const gap of gaps) {
    const at = gap.at + shift;
    if (at <= run.arrayStart || at >= run.arrayEnd) continue;
    const element = elementAt(run, at);
    const isInside = element < run.length && run.start(element) < at;
    found.push({ element, lacks: isInside ? (isLeaf(gap) ? "value" : "in") : "before" });
  }
  const end = { element: run.length, lacks: "before" } as const;
  if (run.state === "open") {
    const last = run.length - 1;
    if (last >= 0 && run.end(last) >= run.arrayEnd) found.push({ element: last, lacks: "in" });
    found.push(end);
  } else if (run.brokenAt !== undefined || run.crowdedAt !== undefined) found.push(end);
  for (const element of flawsOf(run)) {
    const { isBroken, isCrowd } = run.element(element);
    if (isBroken || isCrowd) found.push({ element, lacks: "in" });
  }
  return found;
}

function isLeaf({ key }: Gap): boolean {
  return key !== undefined && leafKeys.has(key);
}

/** The first element that ends behind an offset in the view. */
function elementAt(run: SharedRun, offset: number): number {
  for (let index = 0; index < run.length; index++) if (run.end(index) > offset) return index;
  return run.length;
}
