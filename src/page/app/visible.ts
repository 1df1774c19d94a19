/** A slice of a text from a log: as it stands, found by the search, or an escape for what nobody sees. */
export interface TextSlice {
  readonly text: string;
  readonly is: "plain" | "found" | "escape";
}

/** What the page's data has for characters that nobody sees. */
const escapes = /\\u\{[0-9a-f]{1,6}\}/g;

/** A text cut where an escape or a match of the search stands. */
export function slicesOf(text: string, search: RegExp | null): TextSlice[] {
  const slices: TextSlice[] = [];
  cut(text, search, (part, isFound) => {
    if (isFound) slices.push({ text: part, is: "found" });
    else
      cut(part, escapes, (inner, isEscape) =>
        slices.push({ text: inner, is: isEscape ? "escape" : "plain" }),
      );
  });
  return slices;
}

function cut(text: string, pattern: RegExp | null, add: (part: string, isMatch: boolean) => void): void {
  let from = 0;
  for (const match of pattern ? text.matchAll(pattern) : []) {
    if (match.index > from) add(text.slice(from, match.index), false);
    add(match[0], true);
    from = match.index + match[0].length;
  }
  if (from < text.length) add(text.slice(from), false);
}

/** What finds a text whatever its case; `null` for none. */
export function searchFor(query: string): RegExp | null {
  const text = query.trim();
  return text === "" ? null : new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
}
