import type { Severity } from "../findings/finding.ts";
import type { Location } from "../findings/report.ts";
import { type Excerpt, excerptAround, joined, type LineSource, linesOfPlace } from "./excerpt.ts";
import type { FocusTerms } from "./focus.ts";
import { oneLine, type Paint, paragraph } from "./layout.ts";
import type { Style } from "./style.ts";
import { widthOf } from "./width.ts";

/** A place of the log in a frame, with its label, which is not yet printable. */
export interface Row {
  readonly location: Location;
  readonly label: string;
  /** What to show of a place that is too long. */
  readonly sought?: FocusTerms;
}

/** Maximum number of lines shown of a place with several lines. */
export const shownLines = 6;

/** The last line that is shown of a place. */
export function lastShown({ line, endLine }: Location): number {
  return endLine - line < shownLines ? endLine : line + shownLines - 2;
}

/** The longest underline of a place that is cut. */
const longMark = 24;

/** Writes the rows of one frame, with right-aligned line numbers in a gutter. */
export class Gutter {
  readonly #digits: number;
  readonly #style: Style;
  readonly #room: number;
  /** Columns for sentences. */
  readonly #proseRoom: number;

  constructor(lastLine: number, style: Style) {
    this.#digits = `${lastLine}`.length;
    this.#style = style;
    const edge = this.#digits + 7;
    this.#room = style.width - edge;
    this.#proseRoom = style.proseWidth - edge;
  }

  /** The line of a finding with its place underlined, or the first lines if it has several. */
  *main(
    { location, label, sought }: Row,
    source: LineSource | undefined,
    severity: Severity,
  ): Iterable<string> {
    const style = this.#style;
    const found = source && excerptAround(source, location, this.#room, style.showValues, sought);
    if (!source || !found) {
      yield* this.#text(label, style.severity[severity]);
    } else if (location.endLine > location.line) {
      const count = location.endLine - location.line + 1;
      const last = lastShown(location);
      const texts = linesOfPlace(source, location, last, this.#room, style.showValues);
      for (const [at, text] of texts.entries())
        yield at === 0
          ? this.#line("▸", found.before > 0 ? found.text : text, { number: location.line })
          : this.#line("┆", text, { number: location.line + at });
      if (count > shownLines)
        yield this.#line("┆", `… ${location.endLine - last} more lines`, { paint: style.dim });
      yield* this.#text(label, style.severity[severity]);
    } else {
      yield this.#line("▸", found.text, { number: location.line });
      const length = location.endColumn - location.column;
      const size = found.isCut && length >= 1000 ? sizeText(length) : "";
      yield* this.#underlined(found, size, label, style.severity[severity]);
    }
  }

  /** The line of another place, with its relation to the finding. */
  *note({ location, label, sought }: Row, source: LineSource | undefined): Iterable<string> {
    const style = this.#style;
    const text = style.safe(label);
    const arrow = `← ${text}`;
    const isShort = widthOf(arrow) * 2 <= this.#room;
    const room = isShort ? this.#room - widthOf(arrow) - 2 : this.#room;
    const found = source && joined(source, location, room, style.showValues, sought);
    if (!found) {
      const [first = "", ...rest] = paragraph([arrow], this.#proseRoom, "  ");
      yield this.#line(" ", first, { number: location.line, paint: style.note });
      for (const line of rest) yield this.#line(" ", line, { paint: style.note });
    } else if (isShort) {
      yield `${this.#line(" ", found.text, { number: location.line })}  ${style.note(arrow)}`;
    } else {
      yield this.#line(" ", found.text, { number: location.line });
      yield* this.#text(`↑ ${label}`, style.note);
    }
  }

  /** Text without a line number; nothing for an empty text. */
  *#text(label: string, paint: Paint): Iterable<string> {
    if (label === "") return;
    for (const text of paragraph([this.#style.safe(label)], this.#proseRoom, "  "))
      yield this.#line(" ", text, { paint });
  }

  *#underlined({ before, size }: Excerpt, length: string, label: string, paint: Paint): Iterable<string> {
    const mark = "▔".repeat(length === "" ? size : Math.min(size, longMark));
    const line = [" ".repeat(before) + mark, length].filter((text) => text !== "").join(" ");
    const text = this.#style.safe(label);
    const isBeside = text !== "" && widthOf(line) + 1 + widthOf(text) <= this.#room;
    yield this.#line(" ", isBeside ? `${line} ${text}` : line, { paint });
    if (!isBeside) yield* this.#text(label, paint);
  }

  #line(sign: string, text: string, { number, paint }: { number?: number; paint?: Paint } = {}): string {
    const { dim, width } = this.#style;
    const gutter = `${number ?? ""}`.padStart(this.#digits);
    const content = paint ? ([text, paint] as const) : text;
    return oneLine(["  ", ["│", dim], " ", [gutter, dim], ` ${sign} `, content], width);
  }
}

/** The size of a long text: `8.1 kB`. */
function sizeText(units: number): string {
  const [size, unit] = units < 999_500 ? [units / 1000, "kB"] : [units / 1_000_000, "MB"];
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
