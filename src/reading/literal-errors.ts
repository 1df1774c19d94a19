/** An error that Node prints inside a value: its name, its message, the stack, and perhaps its members. */
export interface PrintedError {
  /** The offset behind the stack; with members, that of their brace. */
  readonly end: number;
  readonly hasMembers: boolean;
}

/** Longer than the messages and the stacks that programs print. */
const maxLines = 400;
const maxLine = 4096;

/** `TypeError: …`, `APICallError [AI_APICallError]: …`. */
const head = /^[A-Z][\w.$]{0,80}(?: \[[\w.$-]{1,80}\])?:? /;
const frame = /^\s+at \S/;

/**
 * Finds the end of an error that `util.inspect` prints. The message may have any number of lines; the lines
 * of the stack end it. `undefined` if there is no stack, since nothing else tells where the message ends.
 * @see https://nodejs.org/api/util.html#utilinspectobject-options
 */
export function printedError(bytes: Buffer, start: number, end: number): PrintedError | undefined {
  if (!head.test(bytes.toString("latin1", start, Math.min(end, start + 200)))) return undefined;
  let last: PrintedError | undefined;
  let at = start;
  for (let count = 0; count < maxLines && at < end; count++) {
    const feed = bytes.indexOf(10, at);
    const stop = feed < 0 || feed > end ? end : feed;
    if (stop - at > maxLine) return last;
    const line = bytes.toString("latin1", at, stop).trimEnd();
    if (frame.test(line)) last = endOfFrame(line, at);
    else if (last) return last;
    if (last?.hasMembers) return last;
    at = stop + 1;
  }
  return last;
}

/** The end of a line of the stack, without what belongs to the value around the error. */
function endOfFrame(line: string, at: number): PrintedError {
  if (line.endsWith(" {")) return { end: at + line.length - 1, hasMembers: true };
  const text = line.replace(/(?:,|\s?\])$/, "");
  return { end: at + text.length, hasMembers: false };
}
