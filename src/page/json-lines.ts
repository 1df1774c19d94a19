/**
 * JSON with a member or an element per line. Only white space changes: numbers, escapes and repeated members
 * stay as they were written.
 */
export function jsonInLines(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  const newLine = (): void => void parts.push(`\n${"  ".repeat(Math.min(depth, deepest))}`);
  for (let at = 0; at < json.length; ) {
    const character = json[at] ?? "";
    if (character === '"') {
      const end = endOfString(json, at);
      parts.push(json.slice(at, end));
      at = end;
      continue;
    }
    at++;
    if (/\s/.test(character)) continue;
    if (character === "{" || character === "[") {
      const inside = afterSpace(json, at);
      const isEmpty = json[inside] === "}" || json[inside] === "]";
      parts.push(isEmpty ? `${character}${json[inside]}` : character);
      if (isEmpty) at = inside + 1;
      else {
        depth++;
        newLine();
      }
    } else if (character === "}" || character === "]") {
      depth--;
      newLine();
      parts.push(character);
    } else {
      parts.push(character === ":" ? ": " : character);
      if (character === ",") newLine();
    }
  }
  return parts.join("");
}

/** Deeper values are not indented further: a text of brackets would grow by the square of its length. */
const deepest = 40;

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function afterSpace(json: string, start: number): number {
  let at = start;
  while (at < json.length && /\s/.test(json[at] ?? "")) at++;
  return at;
}
