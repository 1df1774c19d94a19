/**
 * Tells bytes of a reply that say something from those that only keep its connection open: white space,
 * comments of an event stream, and events that are named for it. A server that has lost its model may send
 * them for ever.
 */
export class KeepAliveFilter {
  readonly #isReadable: boolean;
  /** The beginning of a line whose end has not come. */
  #line = "";
  /** The event that is being read only keeps the connection open. */
  #isIdle = false;

  /** @param encoding the reply's `Content-Encoding`: of packed bytes each one counts */
  constructor(encoding: string | undefined) {
    this.#isReadable = encoding === undefined || encoding === "identity";
  }

  /** Whether the bytes that come next say something. */
  says(chunk: Buffer): boolean {
    if (!this.#isReadable) return true;
    // A line that is longer than any of these says something; its end does not matter.
    const lines = (this.#line + chunk.toString("latin1")).split(/\r?\n/);
    const rest = lines.pop() ?? "";
    this.#line = rest.slice(0, longest);
    let says = false;
    for (const line of lines) {
      if (line === "") this.#isIdle = false;
      else if (/^event: ?(?:ping|keep-?alive|heartbeat)\s*$/i.test(line.slice(0, longest)))
        this.#isIdle = true;
      else if (!this.#isIdle && !isIdleLine(line)) says = true;
    }
    return says || (!this.#isIdle && !isIdleLine(rest));
  }
}

const longest = 100;

function isIdleLine(line: string): boolean {
  const start = line.slice(0, longest);
  return /^(?::.*|\s*|e(?:v(?:e(?:n(?:t(?::.*)?)?)?)?)?|data: ?\{"type": ?"ping"\}\s*)$/s.test(start);
}
