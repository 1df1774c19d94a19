/**
 * No conversation was understood in a log, so nothing can be said about it: it is neither clean nor broken.
 * The message says what the log is, where that is known, and what to do next.
 */
export class NotUnderstoodError extends Error {
  override readonly name = "NotUnderstoodError";
}
