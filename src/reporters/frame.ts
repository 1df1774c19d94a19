import type { FindingReport, Location } from "../findings/report.ts";
import type { ByteSource } from "../reading/source.ts";
import { listed, oneLine, paragraph } from "./layout.ts";
import { exchanges, placeInFile, placeInRun } from "./numbers.ts";
import { type Root, summedUp } from "./roots.ts";
import { Gutter, type Row, shownLines } from "./rows.ts";
import type { Style } from "./style.ts";
import { cutStart, widthOf } from "./width.ts";

const shownNotes = 3;

/** What is left of a pointer, at most, when the path beside it is long. */
const shortPointer = 16;

/** A finding with the lines of the log that it is about, and what follows from it. */
export function* frame(
  { finding, consequences }: Root,
  sources: ReadonlyMap<string, ByteSource>,
  style: Style,
): Iterable<string> {
  const { location, related, severity } = finding;
  yield* headline(finding, style);
  yield header("┌─", location, style);
  const labels = related.filter((note) => isSamePlace(note.location, location));
  const notes = related.filter((note) => !labels.includes(note));
  const main: Row = { location, label: labels.map(({ message }) => message).join("; ") };
  const others = notes
    .slice(0, shownNotes)
    .map((note) => ({ location: note.location, label: labelOf(note, location) }));
  const lastLine = Math.max(
    Math.min(location.endLine, location.line + shownLines),
    ...others.map((row) => row.location.line),
  );
  const gutter = new Gutter(lastLine, style);
  const rows = [main, ...others.filter((row) => row.location.file === location.file)].sort(inFile);
  for (const row of rows) {
    const source = sources.get(location.file);
    yield* row === main ? gutter.main(row, source, severity) : gutter.note(row, source);
  }
  for (const row of others.filter(({ location: { file } }) => file !== location.file)) {
    yield header("├─", row.location, style);
    yield* gutter.note(row, sources.get(row.location.file));
  }
  yield* itemLists(finding, style);
  yield* footer(finding, consequences, notes.length - shownNotes, style);
}

/** `error[rule]  message`, on as many lines as it needs. */
function headline({ severity, rule, message }: FindingReport, style: Style): string[] {
  return paragraph(
    [
      [severity, style.severity[severity]],
      [`[${style.safe(rule)}]`, style.bold],
      "  ",
      [style.safe(message), style.bold],
    ],
    style.width,
    "  ",
  );
}

/** What is said about a finding in one breath: where else it shows, what follows from it, how it can be repaired. */
export function remarks(
  finding: FindingReport,
  consequences: readonly FindingReport[],
  style: Style,
): string[] {
  const { alsoIn, fix, location } = finding;
  return [
    ...(alsoIn.length > 0 ? [`also in ${exchanges(alsoIn, location.part)}`] : []),
    ...(consequences.length > 0 ? [`because of it: ${style.safe(summedUp(consequences))}`] : []),
    ...(fix ? [`fix: ${fix.safety}, ${style.safe(fix.title)}`] : []),
  ];
}

function header(corner: string, location: Location, style: Style): string {
  const where = placeInRun(location);
  const middle = where === undefined ? "" : ` · ${where}`;
  const pointer = style.safe(location.pointer ?? "");
  const room = style.width - 5 - widthOf(middle);
  const tail = pointer === "" ? "" : ` · ${pointer}`;
  // Editors and terminals open `file:line:column`; the pointer gives way first.
  const file = cutStart(style.safe(placeInFile(location)), room - Math.min(widthOf(tail), shortPointer));
  return oneLine(
    ["  ", [corner, style.dim], " ", [file, style.note], [`${middle}${tail}`, style.dim]],
    style.width,
  );
}

/** Items that a rule lists by name rather than by place: those that are gone, those that are left. */
function* itemLists({ data, related }: FindingReport, style: Style): Iterable<string> {
  for (const key of ["gone", "kept"]) {
    const items = data[key];
    // As many notes say the same, with their places.
    if (!Array.isArray(items) || items.length <= related.length) continue;
    const text = items
      .filter((item): item is string => typeof item === "string")
      .map(style.safe)
      .join(" · ");
    if (text !== "") yield oneLine(["  ", ["│", style.dim], ` ${key}: ${text}`], style.width);
  }
}

function* footer(
  finding: FindingReport,
  consequences: readonly FindingReport[],
  hiddenNotes: number,
  style: Style,
): Iterable<string> {
  const parts = [
    ...(hiddenNotes > 0 ? [`${hiddenNotes} more ${hiddenNotes === 1 ? "place" : "places"}`] : []),
    ...remarks(finding, consequences, style),
  ];
  const [first = "", ...rest] = listed(parts, style.width - 5);
  yield `  ${style.dim("└─")} ${first}`.trimEnd();
  for (const line of rest) yield `     ${line}`;
}

function labelOf(note: FindingReport["related"][number], main: Location): string {
  const where = note.location.exchange === main.exchange ? undefined : placeInRun(note.location);
  return where === undefined ? note.message : `${note.message} (${where})`;
}

function isSamePlace(a: Location, b: Location): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column;
}

function inFile({ location: a }: Row, { location: b }: Row): number {
  return a.line - b.line || a.column - b.column;
}
