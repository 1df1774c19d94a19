import type { FindingReport, Location } from "../findings/report.ts";
import { entryIn } from "../reading/entries.ts";
import { linesOf } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import { block, type Excerpt, excerptAround, joined } from "../reporters/excerpt.ts";
import { focusTerms } from "../reporters/focus.ts";
import { beginning } from "../reporters/width.ts";
import { html, type Markup } from "./markup.ts";

/** The files of a log by name. */
export type Sources = ReadonlyMap<string, ByteSource>;

/** Columns of a line in a frame. */
const room = 180;

/** Lines of a place with several lines, and lines around a place with one. */
const shownLines = 8;
const around = 2;

/** Longer lines are records of their own: those around them say nothing. */
const longLine = 400;

/** The lines of the log that a finding is about, with its place marked; `undefined` without its file. */
export function frameOf(finding: FindingReport, sources: Sources): Markup | undefined {
  const { location } = finding;
  const source = sourceOf(location, sources);
  const found = source && excerptAround(source, location, room, false, focusTerms(finding));
  if (!source || !found) return undefined;
  const { line, endLine } = location;
  if (endLine > line) return manyLines(source, location, found);
  const { before, after, indent } = neighbours(source, line);
  return framed([
    ...before.map((text, at) => lineOf(line - before.length + at, html`${text}`)),
    lineOf(line, html`${" ".repeat(indent)}${withMark(found)}`),
    ...after.map((text, at) => lineOf(line + 1 + at, html`${text}`)),
  ]);
}

/** The line of another place that explains a finding. */
export function noteFrame(
  finding: FindingReport,
  note: FindingReport["related"][number],
  sources: Sources,
): Markup | undefined {
  const source = sourceOf(note.location, sources);
  const found = source && joined(source, note.location, room, false, focusTerms(finding, note));
  return found && framed([lineOf(note.location.line, html`${found.text}`)]);
}

function sourceOf({ file, entry }: Location, sources: Sources): ByteSource | undefined {
  return entryIn(sources.get(file), entry);
}

function manyLines(source: ByteSource, { line, endLine }: Location, found: Excerpt): Markup {
  const last = Math.min(endLine, line + shownLines - 1);
  const texts = block(source, line, last, room, false);
  const rows = texts.map((text, at) =>
    lineOf(line + at, at === 0 && found.before > 0 ? withMark(found) : html`<mark>${text}</mark>`),
  );
  const more = endLine - last;
  if (more > 0) rows.push(html`<span class="more">… ${more} more ${more === 1 ? "line" : "lines"}</span>\n`);
  return framed(rows);
}

/** The short lines around a line, as far as there are some, and the indent of the line among them. */
function neighbours(
  source: ByteSource,
  line: number,
): { readonly before: readonly string[]; readonly after: readonly string[]; readonly indent: number } {
  const lines = linesOf(source);
  const isShort = (number: number): boolean => lines.end(number) - lines.start(number) <= longLine;
  const first = Math.max(1, line - around);
  const last = Math.min(lines.count, line + around);
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  if (!numbers.every(isShort)) return { before: [], after: [], indent: 0 };
  const texts = block(source, first, last, room, false);
  const own = texts[line - first] ?? "";
  const after = texts.slice(line - first + 1);
  while (after.at(-1)?.trim() === "") after.pop();
  return { before: texts.slice(0, line - first), after, indent: own.length - own.trimStart().length };
}

function withMark({ text, before, size }: Excerpt): Markup {
  const start = beginning(text, before).length;
  const end = beginning(text, before + size).length;
  return html`${text.slice(0, start)}<mark>${text.slice(start, end)}</mark>${text.slice(end)}`;
}

function lineOf(number: number, text: Markup): Markup {
  return html`<span class="line" data-line="${number}">${text}</span>\n`;
}

function framed(rows: readonly Markup[]): Markup {
  return html`<pre class="frame">${rows}</pre>`;
}
