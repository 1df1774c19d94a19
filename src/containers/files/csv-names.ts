import { textStart } from "../../reading/source.ts";

export const TAB = 9;
export const COMMA = 44;
const SEMICOLON = 59;
const LINE_FEED = 10;

/** The separator of the names in the first line; `undefined` if it is not a line of names. */
export function separatorOf(head: Buffer): number | undefined {
  const first = head.toString("utf8", textStart(head), head.indexOf(LINE_FEED)).trimEnd();
  // No name begins so, and nearly every log does: Unicode classes take a millisecond to compile.
  if (first.startsWith("{") || first.startsWith("[")) return undefined;
  for (const separator of [TAB, COMMA, SEMICOLON]) {
    const names = first.split(String.fromCharCode(separator));
    if (
      names.length > 1 &&
      names.every((name) => /^"?[\p{L}_@][\p{L}\p{N}_ .:/()@[\]-]{0,60}"?$/u.test(name))
    )
      return separator;
  }
  return undefined;
}

/** The names in the first line. */
export function namesIn(head: Buffer, separator: number): string[] {
  const first = head.toString("utf8", textStart(head), head.indexOf(LINE_FEED)).trimEnd();
  return first.split(String.fromCharCode(separator)).map((name) => name.replaceAll('"', ""));
}
