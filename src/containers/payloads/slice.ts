import type { EscapeLevel } from "../../reading/escapes.ts";
import type { JsonNode, Member } from "../../reading/json-node.ts";
import type { Origin } from "../../reading/origin.ts";
import { locateJson, locateText, originOf, type Span } from "../../reading/place.ts";
import type { Gap } from "../../reading/printed-literal.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { View } from "../../reading/view.ts";
import type { Extent, PayloadPlace } from "../../traffic/place.ts";

/** A range of a view that is in memory. */
export interface Slice {
  readonly view: View;
  readonly bytes: Buffer;
  /** Offset in the view of the first of `bytes`. */
  readonly shift: number;
  readonly level: EscapeLevel;
  /** It was a string of the log. */
  readonly isEmbedded?: boolean;
  /** A program printed its own objects there, not what it sent. */
  readonly isReport?: boolean;
  /** Where parts of the values were left out. */
  readonly gaps?: readonly Gap[];
}

/** The value is incomplete: the log ends inside it, or parts of it were left out or could not be read. */
export function isCut({ gaps = [] }: Slice, node: JsonNode): boolean {
  const isShort = gaps.some((gap) => node.start <= gap.at && gap.at <= node.end);
  return node.state === "open" || isShort || holdsBroken(node);
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

/** The history among the members of a request. Where its key stands twice, the last counts. */
export function historyIn({ members = [] }: JsonNode, keys: ReadonlySet<string>): Member | undefined {
  const first = members.find(({ key, node }) => node.run && keys.has(key));
  return first && members.findLast(({ key, node }) => node.run && key === first.key);
}

/** The span of a node of a slice. */
export function spanOf(at: Slice, node: JsonNode): Span {
  return { view: at.view, start: at.shift + node.start, end: at.shift + node.end, level: at.level };
}

/** The place of a body that is JSON text, so pointers can be resolved. */
export function jsonPlace(span: Span): PayloadPlace {
  return new JsonPlace(span);
}

/** The place of a joined stream, where only extents can be resolved, not pointers. */
export function streamPlace(span: Span): PayloadPlace {
  return new StreamPlace(span);
}

// Every payload keeps its place, and closures or a getter in a literal would take ten times its memory.
class StreamPlace implements PayloadPlace {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  get origin(): Origin {
    return originOf(this.span);
  }

  locate(_pointer: string): Origin {
    return originOf(this.span);
  }

  locateAt({ start, end }: Extent): Origin {
    return locateText(this.span, start, end);
  }
}

class JsonPlace extends StreamPlace {
  override locate(pointer: string): Origin {
    return locateJson(this.span, pointer);
  }
}
