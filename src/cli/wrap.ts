/** A text broken at its spaces so that no line is wider than `width`, the first line behind `first`, all others behind `rest`. */
export function* wrapped(text: string, width: number, first = "", rest = first): Generator<string> {
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/)) {
    if (!word) continue;
    if (!isEmpty && line.length + 1 + word.length > width) {
      yield line;
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  if (!isEmpty) yield line;
}
