import { resolve } from "node:path";
import { type ByteSource, bytesSource, fileSource } from "../reading/source.ts";

/**
 * A log: a file's path, its bytes, the result of `read`, or a request body (or `messages` array) in memory,
 * which need not have been sent yet.
 */
export type LogInput = string | Uint8Array | object;

/** The source of a log and the options it was read with. */
interface Recorded {
  readonly source: ByteSource;
  readonly container?: string | undefined;
  readonly protocol?: string | undefined;
}

const recordings = new WeakMap<object, Recorded>();

/** Remembers the source of a log. */
export function remember(log: object, recorded: Recorded): void {
  recordings.set(log, recorded);
}

/** The source of a log; `undefined` when it does not come from `read`. */
export function recordingOf(log: LogInput): Recorded | undefined {
  return typeof log === "object" ? recordings.get(log) : undefined;
}

/** The bytes of a log; `name` is the report's name for input without a path. */
export function sourceOf(log: LogInput, name = "log"): ByteSource {
  if (typeof log === "string") return fileSource(resolve(log), log);
  if (log instanceof Uint8Array)
    return bytesSource(name, Buffer.from(log.buffer, log.byteOffset, log.byteLength));
  return bytesSource(name, Buffer.from(JSON.stringify(log, undefined, 2)));
}
