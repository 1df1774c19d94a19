import type { Line } from "./lines.ts";
import type { TextValue } from "./value-reader.ts";

/** Where a body is due: words of a log before it. */
const announces =
  /\b(?:re(?:quest|q|sponse|sp|ply|ceived|turned)|body|payload|sen[dt]|sending|got|completion|json|data|POST|HTTP|call(?:ing)?|model|llm|api|input|output)\b|(?:^|\s)[<>]{1,3} ?$|^[-=*#]{3,}/i;

/** A statement of a program, which no log announces a body with. */
const codes =
  /\b(?:const|let|var|return|await|def|assert|expect|throw|raise|new|import|json\.dumps|JSON\.stringify)\b/;

/** Words before the body of a reply. */
const announcesReply =
  /\b(?:re(?:sponse|sp|ply|plied|ceived|turned)|answer|completion|got|output)\b|(?:^|\s)<{1,3} ?$/i;

/** A member with which APIs say how a reply ended, or that a body is one. */
const ofReply =
  /"(?:finish_?reason|stop_?reason|done_?reason)"\s*:\s*"|"object"\s*:\s*"(?:chat\.completion|response)"/i;

/** Longer values are not looked through. */
const longestReply = 16 << 10;

/** Bytes before a value in which words are looked for: its line, or the line before. */
const maxWords = 300;

/** Whether words announce a body, and no code of a program. */
export function isAnnounced(bytes: Buffer, begin: number, line: Line): boolean {
  const head = wordsOn(bytes, begin, line);
  return head.trim() === ""
    ? announces.test(wordsAbove(bytes, line))
    : announces.test(head) && !codes.test(head);
}

/** Whether a value without traffic stands where a reply is announced, and has a member of one. */
export function isUnknownReply(
  bytes: Buffer,
  begin: number,
  line: Line,
  { at, node }: Pick<TextValue, "at" | "node">,
): boolean {
  const head = wordsOn(bytes, begin, line);
  const words = head.trim() === "" ? wordsAbove(bytes, line) : head;
  if (!announcesReply.test(words) || codes.test(words)) return false;
  return ofReply.test(at.bytes.toString("latin1", node.start, Math.min(node.end, node.start + longestReply)));
}

/** What stands before a value on its line. */
function wordsOn(bytes: Buffer, begin: number, line: Line): string {
  return bytes.toString("latin1", Math.max(line.start, begin - maxWords), begin);
}

/** The line before. */
function wordsAbove(bytes: Buffer, { start }: Line): string {
  const before = bytes.toString("latin1", Math.max(0, start - maxWords), start).trimEnd();
  return before.slice(before.lastIndexOf("\n") + 1);
}

/** A member of a message with words in it. */
const ofMessage =
  /\b(?:content|text|parts|input|prompt|output)["'\\]{0,4}[)\]]?[ \t]?(?:=>?|->|:)[ \t]?[^\s,;:=]+[ \t]\S+[ \t]\S/;

/** How far behind a bracket a value may stand in it, in bytes. */
const reach = 512;

/**
 * Whether the value at `begin` stands in brackets that also hold the text of a message, in any notation.
 * They open on its line, behind `from`.
 */
export function isBesideMembers(bytes: Buffer, begin: number, from: number): boolean {
  const before = bytes.toString("latin1", Math.max(from, begin - reach), begin);
  let depth = 0;
  for (let at = before.length - 1; at >= 0 && before[at] !== "\n"; at--) {
    const mark = before[at] ?? "";
    if (")]}".includes(mark)) depth++;
    else if ("([{".includes(mark) && --depth < 0) {
      if (ofMessage.test(before.slice(at))) return true;
      depth = 0;
    }
  }
  return false;
}
