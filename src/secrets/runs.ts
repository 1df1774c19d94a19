/** Some characters as a table by their codes. */
export function charactersOf(characters: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let at = 0; at < characters.length; at++) table[characters.charCodeAt(at)] = 1;
  return table;
}

/**
 * Where the first run of at least `size` such characters begins, from a place on; `undefined` for none. It is
 * enough to look at every `size`th character, and back from there: far less than what a pattern looks at.
 */
export function runAt(text: string, isOfRun: Uint8Array, size: number, from = 0): number | undefined {
  let at = from + size - 1;
  while (at < text.length) {
    const before = at - size;
    let back = at;
    while (back > before && isOfRun[text.charCodeAt(back)] === 1) back--;
    if (back === before) return back + 1;
    at = back + size;
  }
  return undefined;
}
