import { cut, type TextRange, widthOf, wrap } from "./width.ts";

/** Puts colour around text; does nothing when there is none. */
export type Paint = (text: string) => string;

/** A part of a line: plain, or with its colour. */
export type StyledText = string | readonly [text: string, paint: Paint];

/** What a part of a line says, without its colour. */
export const unstyled = (piece: StyledText): string => (typeof piece === "string" ? piece : piece[0]);

/** One line of at most `width` columns. */
export function oneLine(pieces: readonly StyledText[], width: number): string {
  const text = pieces.map(unstyled).join("");
  const short = cut(text, width);
  if (short === text) return painted(pieces, { start: 0, end: text.length });
  return `${painted(pieces, { start: 0, end: short.length - 1 })}…`;
}

/** Pieces broken into lines at spaces; lines after the first begin with `indent`. */
export function paragraph(pieces: readonly StyledText[], width: number, indent = ""): string[] {
  const stretches = wrap(pieces.map(unstyled).join(""), width - widthOf(indent), width);
  return stretches.map((stretch, line) => `${line > 0 ? indent : ""}${painted(pieces, stretch)}`);
}

/** Parts with ` · ` between them, broken between the parts where that is possible. */
export function listed(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line} · ${part}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = part;
    } else {
      line = longer;
    }
  }
  if (line !== "") lines.push(line);
  return lines.flatMap((each) => paragraph([each], width));
}

function painted(pieces: readonly StyledText[], { start, end }: TextRange): string {
  let result = "";
  let at = 0;
  for (const piece of pieces) {
    const text = unstyled(piece);
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += text.length;
    if (part !== "") result += typeof piece === "string" ? part : piece[1](part);
  }
  return result;
}
