/** A user speaks, in the form of any program's records. */
const isOfUser = /["'](?:role|type|sender|from|author)["']\s*:\s*["'](?:user|human)["']/;
const saysSomething = /["'](?:content|text|parts)["']\s*:\s*[["'{]/;

/** Bytes of a value that are looked at. */
const maxHead = 8 << 10;

/** Whether a value at a place of a log, in whatever form, holds what a user said. */
export function holdsWordsOfUser(bytes: Buffer, { start, end }: { start: number; end: number }): boolean {
  const text = bytes.toString("latin1", start, Math.min(end, start + maxHead));
  return isOfUser.test(text) && saysSomething.test(text);
}
