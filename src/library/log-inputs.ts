import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isJson } from "../reading/parse.ts";
import { type ByteSource, bytesSource, fileSource } from "../reading/source.ts";
import { NotUnderstoodError } from "./not-understood.ts";
import { noLog } from "./unread.ts";

/**
 * A log: a file's path, its text or bytes, the result of `read`, or a request body (or `messages` array) in
 * memory, which need not have been sent yet. A string is a text if it holds a line feed, is JSON, or begins
 * as a stream of server-sent events does; any other is a path.
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

/**
 * The bytes of a log; `name` is the report's name for input without a path.
 * @throws {@link NotUnderstoodError} for a value that is not a log; file system errors for a path.
 */
export function sourceOf(log: LogInput, name = "log"): ByteSource {
  if (typeof log === "string") return isText(log) ? bytesSource(name, Buffer.from(log)) : fileAt(log);
  if (log instanceof Uint8Array)
    return bytesSource(name, Buffer.from(log.buffer, log.byteOffset, log.byteLength));
  return bytesSource(name, Buffer.from(jsonOf(log)));
}

/** The file at a path. The error for one that does not exist says how a text is passed. */
function fileAt(path: string): ByteSource {
  if (path === "") throw noLog(path);
  const full = resolve(path);
  if (existsSync(full)) return fileSource(full, path);
  throw Object.assign(
    new Error(
      `ENOENT: there is no file \`${path.length > 80 ? `${path.slice(0, 80)}…` : path}\`. A string is treated as text only if it has a line feed, is JSON or begins like server-sent events; to check other text, pass bytes: Buffer.from(text)`,
    ),
    { code: "ENOENT", errno: -2, syscall: "open", path: full },
  );
}

/** Log inputs that are values: JavaScript callers pass what they like, also what JSON cannot express. */
function jsonOf(value: unknown): string {
  let json: string | undefined;
  try {
    json = typeof value === "bigint" ? undefined : JSON.stringify(value, undefined, 2);
  } catch (error) {
    throw new NotUnderstoodError(
      `this value is not a log: it cannot be serialised as JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
  if (json === undefined) throw noLog(value);
  return json;
}

/** Whether a string is a log itself; names of files hold no line feeds and are not JSON. */
function isText(log: string): boolean {
  if (/\n|^(?:data|event|id):/.test(log)) return true;
  return /^\s*[[{]/.test(log) && isJson(log);
}
