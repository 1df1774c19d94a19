import { meaningOfError } from "../explain/meaning.ts";
import { type UnreadInput, unreadSentence } from "../log/unsupported-inputs.ts";
import type { ByteSource } from "../reading/source.ts";
import { NotUnderstoodError } from "./not-understood.ts";

/** The error for a log in which nothing was understood. `asked` names the options it was read with. */
export function notUnderstoodIn(
  source: ByteSource,
  asked: Omit<UnreadInput, "retry" | "meaningOf"> = {},
  advice?: string,
): NotUnderstoodError {
  return new NotUnderstoodError(
    unreadSentence(source, { retry: '{ container: "NAME" }', meaningOf: meaningOfError, ...asked }, advice),
  );
}

/** The error for a value that is not a log at all. */
export function noLog(value: unknown): NotUnderstoodError {
  const what = value === "" ? "an empty string" : typeof value === "string" ? "a string" : String(value);
  return new NotUnderstoodError(
    `a log is the path of a file, its text or bytes, a request body, a list of messages or exchanges, or the result of read(), not ${what}`,
  );
}
