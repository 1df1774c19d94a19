import { resolve } from "node:path";
import { type ByteSource, bytesSource, fileSource } from "../reading/source.ts";

/**
 * A log: the path of a file, its bytes, what `read` gave, or a request body (or a `messages` array) that is in memory and may not have
 * been sent yet.
 */
export type LogInput = string | Uint8Array | object;

/** What a log was read from, and how. */
interface Recorded {
  readonly source: ByteSource;
  readonly container?: string | undefined;
  readonly protocol?: string | undefined;
}

const recordings = new WeakMap<object, Recorded>();

/** Keeps what a log was read from beside it. */
export function remember(log: object, recorded: Recorded): void {
  recordings.set(log, recorded);
}

/** What a log was read from; `undefined` when it was not given by `read`. */
export function recordingOf(log: LogInput): Recorded | undefined {
  return typeof log === "object" ? recordings.get(log) : undefined;
}

/** The bytes of a log; `name` is what reports call those that have no path. */
export function sourceOf(log: LogInput, name = "log"): ByteSource {
  if (typeof log === "string") return fileSource(resolve(log), log);
  if (log instanceof Uint8Array)
    return bytesSource(name, Buffer.from(log.buffer, log.byteOffset, log.byteLength));
  return bytesSource(name, Buffer.from(JSON.stringify(log, undefined, 2)));
}
