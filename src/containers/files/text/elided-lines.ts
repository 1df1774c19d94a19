import type { ByteSource } from "../../../reading/source.ts";
import { originIn } from "../../../reading/view.ts";
import type { Skipped } from "../../../traffic/container.ts";
import { type Line, matchingPrefix } from "./lines.ts";

/** All that a line, or the event on it, says where somebody left others out; the ellipsis is in bytes. */
const elision =
  /^[^\w.<([\xe2]{0,12}(?:data: ?)?(?:[<([]? ?(?:\.{3,6}|\xe2\x80\xa6|snip(?:ped)?|truncated|omitted|elided|cut) ?[>)\]]?|(?:(?:\.{3}|\xe2\x80\xa6) ?[<([]?|[<([]) ?[\d,.]{1,12} more (?:characters|chars|lines|bytes|items|messages|events|chunks|records|rows) ?[>)\]]?)[^\w"]{0,6}$/i;

/** A longer text before a value is no head. */
const maxHead = 200;

/** The lines of a log that stand for others, which somebody left out. */
export class ElidedLines {
  /** What stands before the newest traffic on its line. */
  private head = "";
  private first: Line | undefined;
  private count = 0;

  /** Traffic stands behind these bytes of a line. */
  behind(bytes: Buffer, start: number, end: number): void {
    if (end - start <= maxHead) this.head = bytes.toString("latin1", start, end);
  }

  /** A line without traffic, given by its bytes as text. */
  add(text: string, line: Line): void {
    const size = this.head === "" ? 0 : (matchingPrefix(text, this.head.trimEnd()) ?? 0);
    if (!elision.test(text) && !elision.test(text.slice(size))) return;
    this.first ??= line;
    this.count++;
  }

  told(source: ByteSource): Skipped[] {
    if (!this.first) return [];
    const origin = originIn(source, this.first.start, this.first.end);
    const reason = "a line that stands for others, which somebody left out";
    return [{ origin, count: this.count, reason }];
  }
}
