/** A member that the messages of most bodies have. */
const ofMessages = /"role"\s*:/;

/**
 * The line with the first bracket that nothing opens, in a text that is the end of a JSON body: its beginning
 * was not copied, or a log was cut there. `undefined` for any other text.
 */
export function unopenedAt(text: string): number | undefined {
  if (!/[\]}]\s*$/.test(text) || !ofMessages.test(text)) return undefined;
  // The cut may lie within a string.
  const at = firstUnopened(text, false) ?? firstUnopened(text, true);
  return at === undefined ? undefined : text.slice(0, at).split("\n").length;
}

function firstUnopened(text: string, isInString: boolean): number | undefined {
  let inString = isInString;
  let depth = 0;
  let lowest = 0;
  let first: number | undefined;
  for (const { 0: mark, index } of text.matchAll(/\\.|["[\]{}\n]/g)) {
    if (mark === '"') inString = !inString;
    else if (mark === "\n" && inString) return undefined;
    else if (inString || mark === "\n" || mark[0] === "\\") continue;
    else if (mark === "{" || mark === "[") depth++;
    else if (--depth < lowest) {
      lowest = depth;
      first ??= index;
    }
  }
  return !inString && depth === lowest ? first : undefined;
}
