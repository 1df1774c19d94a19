import type { EscapeLevel } from "../../reading/escapes.ts";
import { locateJson, locateText, originOf, type Span } from "../../reading/place.ts";
import type { JsonNode } from "../../reading/scan.ts";
import type { View } from "../../reading/view.ts";
import type { PayloadPlace } from "../../traffic/place.ts";

/** Bytes of a view that are in memory now. */
export interface Slice {
  readonly view: View;
  readonly bytes: Buffer;
  /** Added to an offset in `bytes`, it gives the offset in the view. */
  readonly shift: number;
  readonly level: EscapeLevel;
  /** Whoever wrote the log down left parts out of the values in it. */
  readonly hasGaps?: boolean;
}

/** The log has not all of a value: it ends in the middle, or parts of it were left out. */
export function isCut({ hasGaps = false }: Slice, { state }: JsonNode): boolean {
  return state === "open" || hasGaps;
}

/** Where a node of a stretch stands. */
export function spanOf(at: Slice, node: JsonNode): Span {
  return { view: at.view, start: at.shift + node.start, end: at.shift + node.end, level: at.level };
}

/** The body is the JSON that stands there, so that pointers lead into it. */
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

/** The body of a stream is put together, so a pointer leads nowhere in it: only extents do. */
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
