import type { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import {
  type Inverse,
  mapThroughSegments,
  type SegmentWriter,
  segmentedView,
  sourceOver,
  wholeView,
} from "./view.ts";

/** What was collected from a source, perhaps in another order; origins and edits reach the source. */
export function rewrittenSource(source: ByteSource, plain: Segments, write: SegmentWriter): ByteSource {
  const base = wholeView(source);
  const { segments, length } = plain;
  const mapPatches: Inverse["mapPatches"] = (patches) => {
    const mapped = mapThroughSegments(patches, length, segments, write);
    return "why" in mapped
      ? mapped
      : { ...mapped, patches: mapped.patches.toSorted((a, b) => a.start - b.start) };
  };
  return sourceOver({ ...segmentedView(base, plain.bytes, segments), inverse: { base, mapPatches } });
}
