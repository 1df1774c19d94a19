/** A word as a shell takes it: a path, or a text that was typed. */
export function shellWord(text: string): string {
  return /^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
