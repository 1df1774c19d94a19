import type { ByteSource } from "../../../reading/source.ts";
import { originIn } from "../../../reading/view.ts";
import type { Skipped } from "../../../traffic/container.ts";
import type { Line } from "./lines.ts";

/** How a program that shows JSON writes its quotes; the expressions match bytes. */
interface Quotes {
  /** A member behind the bracket of its object, which prose hardly has. */
  readonly record: RegExp;
  /** A member alone on its line, with an indent behind what a logger puts before each line. */
  readonly member: RegExp;
  readonly reason: string;
}

const quotes: readonly Quotes[] = [
  {
    record:
      /^[^<"]{0,200}[{[]\s*&(?:amp;){0,3}(?:quot|apos|#0?3[49]|#x2[27]);[\w.-]{1,80}&(?:amp;){0,3}(?:quot|apos|#0?3[49]|#x2[27]);\s*:/i,
    member:
      /^(?:[^<"&]{0,120}(?:[ \t]{2}|\t))?[ \t]*&(?:amp;){0,3}(?:quot|apos|#0?3[49]|#x2[27]);[\w.-]{1,80}&(?:amp;){0,3}(?:quot|apos|#0?3[49]|#x2[27]);[ \t]*:/i,
    reason: "JSON whose quotes are entities of HTML (`&quot;`)",
  },
  {
    record:
      /^[^<"]{0,200}[{[]\s*(?:\xe2\x80[\x98-\x9e]|\xc2\xab)[\w.$-]{1,80}(?:\xe2\x80[\x98\x99\x9c\x9d]|\xc2\xbb)\s*:/,
    member:
      /^(?:[^<"\xe2\xc2]{0,120}(?:[ \t]{2}|\t))?[ \t]*(?:\xe2\x80[\x98-\x9e]|\xc2\xab)[\w.$-]{1,80}(?:\xe2\x80[\x98\x99\x9c\x9d]|\xc2\xbb)[ \t]*:/,
    reason: "JSON whose quotes are typographic ones (`“`)",
  },
];

/** Fewer members may be prose. */
const fewMembers = 3;

interface Found {
  readonly first: Line;
  count: number;
  members: number;
}

/** The lines of a log that were copied out of a program which shows quotes in another way, beside others. */
export class CopiedLines {
  private readonly found = new Map<Quotes, Found>();

  /** Whether a line, given by its bytes as text, is such a line. */
  add(text: string, line: Line): boolean {
    for (const kind of quotes) {
      const isRecord = kind.record.test(text);
      if (!isRecord && !kind.member.test(text)) continue;
      const known = this.found.get(kind) ?? { first: line, count: 0, members: 0 };
      if (isRecord) known.count++;
      else known.members++;
      this.found.set(kind, known);
      return isRecord;
    }
    return false;
  }

  /** What is to be said of them: records, or the one that members alone on their lines are of. */
  told(source: ByteSource): Skipped[] {
    return [...this.found].flatMap(([{ reason }, { first, count, members }]) =>
      count > 0 || members >= fewMembers
        ? [{ origin: originIn(source, first.start, first.end), count: Math.max(1, count), reason }]
        : [],
    );
  }
}
