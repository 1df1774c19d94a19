import { type BodyChange, writeBack } from "../containers/write/write-back.ts";
import { locateJson, locateText, originOf, type Span } from "../reading/place.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type { FailingLog } from "./oracle.ts";

/** The log with edited bodies, or why they cannot be written. */
export function edited(
  { file }: FailingLog,
  changes: readonly BodyChange[],
): Buffer | { readonly why: string } {
  const { bytes, refused } = writeBack(file.source, changes, { lengths: file.lengths });
  return refused[0] ? { why: refused[0].why } : bytes;
}

/** A record, or any other JSON of a file, as a place that can be edited. */
export function placeOf(span: Span): PayloadPlace {
  return {
    span,
    origin: originOf(span),
    locate: (pointer) => locateJson(span, pointer),
    locateAt: ({ start, end }) => locateText(span, start, end),
  };
}
