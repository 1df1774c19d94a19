/** Whether a code unit or byte is white space as JSON has it. */
export function isJsonSpace(code: number | undefined): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** The first place from `from` on without white space or a control character. */
export function pastSpace(bytes: Buffer, from: number, end = bytes.length): number {
  let at = from;
  while (at < end && (bytes[at] ?? 0) <= 32) at++;
  return at;
}

/** Whether a byte opens an object or a list. */
export function opensJson(byte: number | undefined): boolean {
  return byte === 123 || byte === 91;
}
