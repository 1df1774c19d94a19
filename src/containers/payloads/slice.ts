import type { EscapeLevel } from "../../reading/escapes.ts";
import { locateJson, locateText, originOf, type Span } from "../../reading/place.ts";
import type { JsonNode } from "../../reading/scan.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { View } from "../../reading/view.ts";
import type { PayloadPlace } from "../../traffic/place.ts";

/** A range of a view that is in memory. */
export interface Slice {
  readonly view: View;
  readonly bytes: Buffer;
  /** Offset in the view of the first of `bytes`. */
  readonly shift: number;
  readonly level: EscapeLevel;
  /** It was a string of the log. */
  readonly isEmbedded?: boolean;
  /** The logger left out parts of the values. */
  readonly hasGaps?: boolean;
}

/** The value is incomplete: the log ends inside it, or parts of it were left out or could not be read. */
export function isCut({ hasGaps = false }: Slice, node: JsonNode): boolean {
  return node.state === "open" || hasGaps || holdsBroken(node);
}

/** Whether a history has an element that is not JSON, or a list was read only in part. */
export function holdsBroken({ run, members, items, isCrowd }: JsonNode): boolean {
  if (isCrowd) return true;
  if (!run) return (members?.some((member) => holdsBroken(member.node)) || items?.some(holdsBroken)) ?? false;
  if (run.brokenAt !== undefined || run.crowdedAt !== undefined) return true;
  return flawsOf(run).some((index) => run.element(index).isBroken || run.element(index).isCrowd);
}

/** The elements of a list that may be no JSON, by their index. */
export function flawsOf({ flaws, length }: SharedRun): readonly number[] {
  return flaws ?? Array.from({ length }, (_, index) => index);
}

/** The span of a node of a slice. */
export function spanOf(at: Slice, node: JsonNode): Span {
  return { view: at.view, start: at.shift + node.start, end: at.shift + node.end, level: at.level };
}

/** The place of a body that is JSON text, so pointers can be resolved. */
export function jsonPlace(span: Span): PayloadPlace {
  return {
    get origin() {
      return originOf(span);
    },
    locate: (pointer) => locateJson(span, pointer),
    locateAt: (extent) => locateText(span, extent.start, extent.end),
    span,
  };
}

/** The place of a joined stream, where only extents can be resolved, not pointers. */
export function streamPlace(span: Span): PayloadPlace {
  return {
    get origin() {
      return originOf(span);
    },
    locate: () => originOf(span),
    locateAt: (extent) => locateText(span, extent.start, extent.end),
    span,
  };
}
