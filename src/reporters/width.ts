// Approximate columns of text in a terminal: Intl.Segmenter would cost 20 ms at every start.

const plain = /^[\x20-\x7e]*$/;
const mark = /\p{M}/u;

/** East Asian wide and full-width characters, and those drawn as emoji by default. */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f251}\u{1f300}-\u{1f5ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const flagLetter = /[\u{1f1e6}-\u{1f1ff}]/u;

/** European letters, punctuation, arrows, mathematics, boxes: common, and faster than a Unicode class. */
function isNarrow(code: number): boolean {
  return (
    code < 0x300 ||
    (code >= 0x2010 && code < 0x20d0) ||
    (code >= 0x2100 && code < 0x231a) ||
    (code >= 0x2500 && code < 0x25fd)
  );
}

function characterWidth(character: string): number {
  if (isNarrow(character.charCodeAt(0))) return 1;
  // The variation selector for emoji makes a character as wide as an emoji.
  if (character === "\ufe0f") return 1;
  if (mark.test(character)) return 0;
  return wide.test(character) && !flagLetter.test(character) ? 2 : 1;
}

/** The columns of a text, which must not contain control characters. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The longest beginning of a text within `width` columns. */
export function beginning(text: string, width: number): string {
  // Only what may fit is looked at: the text may have millions of characters, and is cut into many lines.
  const room = Math.max(0, width);
  if (plain.test(text.slice(0, room + 1))) return text.slice(0, room);
  let used = 0;
  let length = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) return text.slice(0, length);
    length += character.length;
  }
  return text;
}

/** Whether a text needs more than `width` columns. */
function isWider(text: string, width: number): boolean {
  return beginning(text, width).length < text.length;
}

/** The longest end of a text within `width` columns. */
function ending(text: string, width: number): string {
  if (plain.test(text)) return width <= 0 ? "" : text.slice(-width);
  const characters = [...text];
  let used = 0;
  let from = characters.length;
  while (from > 0) {
    const size = characterWidth(characters[from - 1] ?? "");
    if (used + size > width) break;
    used += size;
    from--;
  }
  return characters.slice(from).join("");
}

/** Text of at most `width` columns, cut at the end with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? "" : `${beginning(text, width - 1)}…`;
}

/** Text of at most `width` columns, cut at the start with an ellipsis. */
export function cutStart(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? "" : `…${ending(text, width - 1)}`;
}

/** Text of at most `width` columns, cut in the middle with an ellipsis. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const start = beginning(text, Math.ceil((width - 1) / 2));
  return width < 1 ? "" : `${start}…${ending(text, width - 1 - widthOf(start))}`;
}

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Words with the spaces before them; a value in backticks that fits on a line is one word. */
function* wordsOf(text: string, width: number): Iterable<{ readonly match: string; readonly index: number }> {
  for (const { 0: match, index } of text.matchAll(/(?<! ) *(?:`[^`]*`|[^ ])+/g)) {
    if (widthOf(match.trimStart()) <= width) yield { match, index };
    else
      for (const each of match.matchAll(/(?<! ) *[^ ]+/g))
        yield { match: each[0], index: index + each.index };
  }
}

/** A path or an address with its punctuation: it must stay whole to be copied. */
const path = /^\W{0,2}(?:[\w.@~%+=,:-]*[/\\])+[\w.@~%+=,:-]+\W{0,2}$/;
const longestPath = 400;

const isPath = (word: string): boolean => word.length <= longestPath && path.test(word);

/**
 * The ranges of the lines of a text, broken at spaces, or within a word longer than a line. Paths are never
 * broken, so their lines may exceed `width`.
 */
export function wrap(text: string, width: number, firstWidth = width): TextRange[] {
  const lines: TextRange[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  const room = (): number => Math.max(2, lines.length === 0 ? firstWidth : width);
  const close = (next: number): void => {
    lines.push({ start, end });
    start = next;
    end = next;
    used = 0;
  };
  for (const { match, index } of wordsOf(text, Math.max(2, Math.min(width, firstWidth)))) {
    const word = match.trimStart();
    let from = index + match.length - word.length;
    if (used > 0 && used + widthOf(match) > room()) close(from);
    else used += from - index;
    let rest = word;
    while (isWider(rest, room() - used) && !isPath(word)) {
      const head = beginning(rest, room() - used);
      end = from + head.length;
      rest = rest.slice(head.length);
      from = end;
      close(from);
    }
    used += widthOf(rest);
    end = from + rest.length;
  }
  if (end > start || lines.length === 0) close(end);
  return lines;
}
