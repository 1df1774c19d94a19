import type { Recognizer } from "../../../traffic/recognizer.ts";
import { type Line, lineAt, lineHead } from "./lines.ts";

/** Refusals that lines of a text log tell in words, as the exceptions of client libraries do. */

/** What a line says of a refusal. */
export interface WordedRefusal {
  readonly status: number;
  /** Offsets of the words, without the head and the stack of the exception. */
  readonly start: number;
  readonly end: number;
}

/** The refusal that a line tells in words, with its status. */
export function wordedRefusal(bytes: Buffer, line: Line, recognizer: Recognizer): WordedRefusal | undefined {
  const most = line.start + maxRefusal;
  const status = statusInWords(bytes.toString("utf8", line.start, Math.min(line.end, most)), recognizer);
  if (status === undefined) return undefined;
  const end = Math.min(endOfException(bytes, line), most);
  const head = headOfRefusal.exec(bytes.toString("utf8", line.start, end))?.[0] ?? "";
  return { status, start: line.start + Buffer.byteLength(head), end };
}
/** Longer lines tell more than an error. */
const maxRefusal = 4000;

/** What servers say of a body that they cannot take, without a status. */
const ofBody = /failed to deserialize the JSON body into the target type/i;

/** The status of a refusal that a line tells in words; `undefined` for an access log, which has no reason. */
function statusInWords(line: string, recognizer: Recognizer): number | undefined {
  if (/\bHTTP Request:|"HTTP\/|\bHTTP\/[\d.]+"? 4/.test(line) || line.trim().length < minRefusal)
    return undefined;
  const status = refusedStatus.test(line) ? wordedStatus(line) : undefined;
  if (status && !unit.test(line.slice(status.index + status[0].length))) return Number(status[1]);
  return ofBody.test(line) ? 422 : recognizer.printedStatus(line);
}

/** The words of a line that refuses a history as a known provider does, without saying that one failed. */
export function knownWords(
  bytes: Buffer,
  line: Line,
  recognizer: Recognizer,
): Pick<WordedRefusal, "start" | "end"> | undefined {
  const end = Math.min(line.end, line.start + maxRefusal);
  const text = bytes.toString("utf8", line.start, end);
  if (text.trim().length < minRefusal || ofThePast.test(text)) return undefined;
  if (!recognizer.refusesInWords(text)) return undefined;
  const [lead = ""] = /^[\s"'`>*_-]*/.exec(text) ?? [];
  const [tail = ""] = /[\s"'`*_]{0,8}$/.exec(text) ?? [];
  return { start: line.start + Buffer.byteLength(lead), end: end - tail.length };
}

/** People also tell what another version did, or what they have repaired. */
const ofThePast =
  /\b(?:used to|previously|no longer|any ?more|(?:was|were|been|we|I|is now|already) (?:fixed|solved|resolved)|fixed (?:by|in|with|last)|instead of)\b/i;

/** What stands before a value that is the error of an object, on a line of its own. */
export const namesErrorMember = /^\s*["']?error["']?\s*[:=]\s*$/;

const refusedStatus = /4(?:00|13|22)/;

/** Where words call a number a status. */
function wordedStatus(line: string): RegExpExecArray | null {
  return (
    /\b(?:\w{0,40}error|status)(?:[ _-]?code)?\W{0,4}(400|413|422)\b/i.exec(line) ??
    /\bHTTP\W{0,3}(?:error\W{0,3})?(400|413|422)\b/i.exec(line) ??
    /\bfailed \((400|413|422)\)/i.exec(line) ??
    /\b(400|413|422)\W{1,3}(?:Bad Request|Unprocessable)/i.exec(line) ??
    // LangChain's `ChatGoogleGenerativeAIError: Invalid argument provided to Gemini: 400 …`.
    /\b\w{1,60}(?<!\b(?:Value|Type|Key|Index|Range|Runtime|Assertion))(?:Error|Exception): (?:[^\n:]{1,80}: )?(400|413|422) /.exec(
      line,
    )
  );
}

/** What stands after a number that is no status: `TimeoutError: 400 ms passed`. */
const unit = /^ ?(?:m?s|(?:milli)?seconds?|bytes|characters|tokens|items|lines|rows)\b/;

/** The most lines that the message of an exception may have. */
const maxWordLines = 8;

/** Where the message of an exception ends: before its stack, or on the first line if no stack follows. */
function endOfException(bytes: Buffer, first: Line): number {
  let line = first;
  for (let count = 1; count < maxWordLines && line.next < bytes.length; count++) {
    const next = lineAt(bytes, line.next);
    if (/^\s+at \S/.test(lineHead(bytes, next))) return line.end;
    line = next;
  }
  return first.end;
}

/** The time, the level and the class of an exception, before its words. */
const headOfRefusal = /^.*?\b(?:[\w.]*(?:Exception|Error)|failed \(4\d\d\)): (?=\S.{20})/;

/** What stands before the words of an exception. */
export const ofException = /(?:Exception|Error): $/;

/** A status with its name alone: `Error code: 400 Bad Request`. */
const minRefusal = 40;
