import type { ByteSource } from "../../../reading/source.ts";
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

/** A fence of Markdown, and a message in YAML. */
const [fence, message] = [
  /^[ \t]{0,12}(?:`{3}|~{3})/m,
  /^[ \t]{0,80}(?:- )?["']?role["']?:[ \t]{1,8}["']?(?:user|assistant|system|developer|tool|model)\b/m,
];

/** How much of a text must quote YAML, in bytes. */
const quoteHead = 256 << 10;

/** Whether a text seems to quote a conversation in YAML; the library that reads it loads only then. */
export function quotesYaml(source: ByteSource): boolean {
  const head = source.read(0, Math.min(source.size, quoteHead)).toString("latin1");
  return fence.test(head) && message.test(head);
}

const reportHead = 16 << 10;

/** Whether a text is a saved report of toollint, which quotes a log but is not one. */
export function isOwnReport(text: string): boolean {
  return (
    /^(?:error|warning|info)\[[a-z]+(?:-[a-z]+)+\] {1,2}\S/m.test(text) && /^ {2}┌─ \S+:\d+:\d+/m.test(text)
  );
}
