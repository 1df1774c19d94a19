/**
 * Whether a key may stand twice in an object of a JSON text with this value, which holds the last of them. A
 * text that begins with a colon counts as one key more, so the answer is certain only where it is no.
 */
export function mayRepeatKey(text: string, value: unknown): boolean {
  return keysIn(text) > keysOf(value);
}

/** How many colons stand behind a quote; in a string, a backslash comes before the quote. */
function keysIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) === QUOTE && text.charCodeAt(before - 1) !== BACKSLASH) count++;
  }
  return count;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

const [QUOTE, BACKSLASH] = [34, 92];

function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.reduce<number>((sum, child) => sum + keysOf(child), Array.isArray(value) ? 0 : inner.length);
}
