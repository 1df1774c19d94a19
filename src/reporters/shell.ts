/** Quotes a path or a typed text for a shell. */
export function shellWord(text: string): string {
  return /^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
