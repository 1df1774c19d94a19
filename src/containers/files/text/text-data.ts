import { wholeFile } from "../../../traffic/container.ts";
import { headerLengths } from "../stated-lengths.ts";

/**
 * What the container of logs for people states without its reader. Those have JSON (on one line or several)
 * and server-sent events among arbitrary lines, after prefixes, under headings, in fences or prose. Other
 * lines are skipped.
 */
export const textData = {
  name: "text",
  isFallback: true,
  isLogOfProgram: true,
  summary:
    "a text log with JSON, server-sent events or printed values anywhere between its lines, also as a terminal or a viewer shows them",
  signs: "the fallback: no other format matched",
  maxSize: wholeFile,
  recognize: (head: Buffer): number =>
    head.length > 0 && !head.includes(0) && !isOwnReport(head.toString("utf8", 0, reportHead)) ? 0.2 : 0,
  lengths: headerLengths,
} as const;

const reportHead = 16 << 10;

/** Whether a text is a saved report of toollint, which quotes a log but is not one. */
export function isOwnReport(text: string): boolean {
  return (
    /^(?:error|warning|info)\[[a-z]+(?:-[a-z]+)+\] {1,2}\S/m.test(text) && /^ {2}┌─ \S+:\d+:\d+/m.test(text)
  );
}
