import type { ByteSource } from "./source.ts";

/**
 * The wire log of Apache's HTTP client, which many programs in Java use: what went over a connection, a line
 * of it in quotes on each line of the log, other bytes in brackets: `http-outgoing-0 >> "{[\n]"`. Another
 * logger may keep such a line in a string of its own: `msg="… http-outgoing-0 >> \"{[\\n]\""`.
 * @see https://hc.apache.org/httpcomponents-client-5.5.x/logging.html
 */
export const wireLine = /http-outgoing-\d{1,9} (>>|<<) (\\?)"/;

/** How much of a log must have such a line, in bytes. */
const headSize = 256 << 10;

/** Whether a source begins as a wire log. */
export function isWireLog(source: ByteSource): boolean {
  return wireLine.test(source.read(0, Math.min(source.size, headSize)).toString("latin1"));
}
