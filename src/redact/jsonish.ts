/** Reads JSON that was printed, cut or written by hand: any quotes, bare keys, calls of classes. */

/** The end of a quoted text whose content begins at a place; the end of the text if it is open. */
export function endOfQuote(text: string, from: number, quote: string): number {
  for (let at = from; ; ) {
    const end = text.indexOf(quote, at);
    if (end < 0) return text.length;
    let slashes = 0;
    while (end - 1 - slashes >= from && text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
    at = end + 1;
  }
}

/** The end of the value at a place: behind its closing bracket or quote, or before what ends it. */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      at = endOfQuote(text, at + 1, character);
      if (depth === 0) return Math.min(text.length, at + 1);
    } else if (character === "{" || character === "[" || character === "(") depth++;
    else if (character === "}" || character === "]" || character === ")") {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === "," || character === "\n")) return at;
  }
  return text.length;
}

/** A member of an object or an element of a list, as far as it stands directly in it. */
export interface LooseMember {
  /** Empty for elements of lists. */
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
}

const keyForm =
  /(?:"((?:[^"\\\n]|\\.){0,200})"|'((?:[^'\\\n]|\\.){0,200})'|([A-Za-z_$][\w$.-]{0,100}))\s*(?::|=>|=(?!=))\s*/y;

/** The key at a place and where its value begins. */
export function memberAt(text: string, from: number): LooseMember | undefined {
  keyForm.lastIndex = from;
  const found = keyForm.exec(text);
  if (!found) return undefined;
  const key = found[1] ?? found[2] ?? found[3] ?? "";
  const keyStart = from + (found[3] === undefined ? 1 : 0);
  return { key, keyStart, keyEnd: keyStart + key.length, start: keyForm.lastIndex };
}

/** The texts and numbers that stand directly in the object that begins at a place, by their keys. */
export function scalarsOf(text: string, from: number, wanted: (key: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  let at = from + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "}" || character === ")") break;
    const member = memberAt(text, at);
    if (!member) {
      at = /[\s,]/.test(character) ? at + 1 : Math.max(at + 1, endOfValue(text, at));
      continue;
    }
    const end = endOfValue(text, member.start);
    const first = text.charAt(member.start);
    if (wanted(member.key) && first !== "{" && first !== "[")
      found.set(
        member.key,
        text
          .slice(member.start, end)
          .replace(/^["']|["']$/g, "")
          .trim(),
      );
    at = Math.max(end, member.start);
    if (at === member.start) at++;
  }
  return found;
}
