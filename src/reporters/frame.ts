import type { FindingReport, Location } from "../findings/report.ts";
import { entryIn } from "../reading/entries.ts";
import type { LineSource } from "./excerpt.ts";
import { focusTerms } from "./focus.ts";
import { listed, oneLine, paragraph } from "./layout.ts";
import { exchanges, placeInFile, placeInRun } from "./numbers.ts";
import { messageAboveAnswer, providerAnswer } from "./provider-answer.ts";
import type { Root } from "./roots.ts";
import { Gutter, type Row, shownLines } from "./rows.ts";
import type { Style } from "./style.ts";
import { remarksOf } from "./summing.ts";
import { cut, cutStart, widthOf } from "./width.ts";

const shownNotes = 3;

/** Maximum number of lines for items listed by name. */
const listedLines = 3;

/** Maximum number of lines of a provider's answer, and more characters than these lines hold. */
const answerSize = 8;
const maxAnswer = 2000;

/** A pointer that would be cut to less than this is omitted. */
const shortPointer = 16;

/** A finding with its lines of the log, and its consequences: in short, or each on a line if `isAll`. */
export function* frame(
  root: Root,
  sources: ReadonlyMap<string, LineSource>,
  style: Style,
  isAll = false,
): Iterable<string> {
  const { finding, consequences } = root;
  const { location, severity } = finding;
  yield* headline(root, style);
  yield header("┌─", location, style);
  const { labels, notes } = notesOf(finding);
  const main: Row = {
    location,
    label: labels.map(({ message }) => message).join("; "),
    sought: focusTerms(finding),
  };
  const others = notes.slice(0, shownNotes).map((note) => ({
    location: note.location,
    label: labelOf(note, location),
    sought: focusTerms(finding, note),
  }));
  const lastLine = Math.max(
    Math.min(location.endLine, location.line + shownLines),
    ...others.map((row) => row.location.line),
  );
  const gutter = new Gutter(lastLine, style);
  const isHere = ({ location: { file, entry } }: Row): boolean =>
    file === location.file && entry === location.entry;
  const sourceOf = ({ file, entry }: Location): LineSource | undefined =>
    entrySource(sources.get(file), entry);
  const rows = [main, ...others.filter(isHere)].sort(inFile);
  for (const row of rows) {
    const source = sourceOf(location);
    yield* row === main ? gutter.main(row, source, severity) : gutter.note(row, source);
  }
  for (const row of others.filter((other) => !isHere(other))) {
    yield header("├─", row.location, style);
    yield* gutter.note(row, sourceOf(row.location));
  }
  yield* itemLists(finding, notes.slice(0, shownNotes), style);
  yield* answerLines(root, style);
  yield* footer(finding, consequences, notes.slice(shownNotes), style);
  if (isAll) yield* unfolded(consequences, "     ", style);
}

/** The notes of a finding: what is said of its own place, and of others. */
function notesOf({ location, related }: FindingReport): Record<"labels" | "notes", FindingReport["related"]> {
  const labels = related.filter((note) => isSamePlace(note.location, location));
  return { labels, notes: related.filter((note) => !labels.includes(note)) };
}

/** The places whose lines the frame of a finding shows. */
export function framedNotes(finding: FindingReport): FindingReport["related"] {
  return notesOf(finding).notes.slice(0, shownNotes);
}

/** The source of an archive's file, or the source itself without one. */
export function entrySource(
  source: LineSource | undefined,
  entry: string | undefined,
): LineSource | undefined {
  return source === undefined || "keptAt" in source ? source : entryIn(source, entry);
}

/** Consequences one by one, as findings without a frame are printed. */
export function* unfolded(
  consequences: readonly FindingReport[],
  indent: string,
  style: Style,
): Iterable<string> {
  for (const { severity, rule, location, message } of consequences)
    yield* paragraph(
      [
        indent,
        [severity, style.severity[severity]],
        style.rule(rule),
        " ",
        [style.safe(placeInFile(location)), style.note],
        ` ${style.safe(message)}`,
      ],
      style.proseWidth,
      `${indent}  `,
    );
}

/** `error[rule]  message`, on as many lines as it needs. */
function headline(root: Root, style: Style): string[] {
  const { severity, rule } = root.finding;
  const message = messageAboveAnswer(root);
  return paragraph(
    [[severity, style.severity[severity]], style.rule(rule, true), "  ", [style.safe(message), style.bold]],
    style.proseWidth,
    "  ",
  );
}

/** Short remarks on a finding: where else it occurs, what follows from it, its fix. */
export function remarks(
  finding: FindingReport,
  consequences: readonly FindingReport[],
  style: Style,
): string[] {
  return remarksOf({ finding, consequences }).map(style.safe);
}

function header(corner: string, location: Location, style: Style): string {
  const where = placeInRun(location);
  const { tableColumn } = location;
  const inTable = tableColumn === undefined ? "" : ` · column ${style.safe(tableColumn)}`;
  const middle = `${where === undefined ? "" : ` · ${where}`}${inTable}`;
  const pointer = style.safe(location.pointer ?? "");
  // Editors, terminals and readers of CI logs need `file:line:column` whole, so the pointer is cut instead.
  const file = style.safe(placeInFile(location));
  const room = style.width - 5 - widthOf(file) - widthOf(middle) - 3;
  // The end of a pointer is its most specific part.
  const end =
    pointer === "" || room < Math.min(widthOf(pointer), shortPointer) ? "" : ` · ${cutStart(pointer, room)}`;
  return oneLine(
    ["  ", [corner, style.dim], " ", [file, style.note], [`${middle}${end}`, style.dim]],
    Number.POSITIVE_INFINITY,
  );
}

/** The items that a rule lists as gone or kept, except those already shown in notes. */
function* itemLists(
  { data }: FindingReport,
  notes: FindingReport["related"],
  style: Style,
): Iterable<string> {
  for (const key of ["gone", "kept"]) {
    const items = data[key];
    if (!Array.isArray(items)) continue;
    const reported = notes.map(({ message }) => message);
    const rest = items
      .filter((item): item is string => typeof item === "string")
      .filter((item) => !isReported(`${key}: ${item}`, reported));
    if (rest.length === 0) continue;
    const head = rest.length < items.length ? `also ${key}: ` : `${key}: `;
    // The data contain only the beginning of a long list.
    const total = key === "gone" && typeof data["items"] === "number" ? data["items"] : items.length;
    const unlisted = Math.max(0, total - items.length);
    yield* listOf(head, rest.map(style.safe), unlisted, style);
  }
}

/** What the provider answered. */
function* answerLines(root: Root, style: Style): Iterable<string> {
  const answer = providerAnswer(root);
  if (answer === undefined) return;
  const text = style.safe(answer).slice(0, maxAnswer);
  const lines = paragraph([text], style.proseWidth - 4, "  ");
  for (const line of lines.slice(0, answerSize))
    yield oneLine(["  ", ["│", style.dim], ` ${line}`], style.width);
  if (lines.length > answerSize)
    yield oneLine(["  ", ["│", style.dim], " ", ["  … the rest is in the log", style.dim]], style.width);
}

/** Whether a note reports the item; each note counts once. */
function isReported(text: string, reported: string[]): boolean {
  const at = reported.indexOf(text);
  if (at >= 0) reported.splice(at, 1);
  return at >= 0;
}

/** Items separated by ` · ` on a few lines of a frame; the rest is counted. */
function* listOf(head: string, items: readonly string[], unlisted: number, style: Style): Iterable<string> {
  const room = style.width - 4;
  const lines = [head];
  let left = items.length + unlisted;
  const tail = (): string => (left > 0 ? ` · ${left} more` : "");
  for (const [index, item] of items.entries()) {
    const line = lines.at(-1) ?? "";
    const longer = index > 0 ? `${line} · ${item}` : line + item;
    const isLast = lines.length === listedLines;
    left--;
    if (index === 0 || widthOf(longer + (isLast ? tail() : "")) <= room) lines.splice(-1, 1, longer);
    else if (!isLast) lines.push(`  ${item}`);
    else {
      left++;
      break;
    }
  }
  lines.push(cut(lines.pop() ?? "", room - widthOf(tail())) + tail());
  for (const line of lines) yield oneLine(["  ", ["│", style.dim], ` ${line}`], style.width);
}

function* footer(
  finding: FindingReport,
  consequences: readonly FindingReport[],
  hiddenNotes: FindingReport["related"],
  style: Style,
): Iterable<string> {
  const parts = [
    ...(hiddenNotes.length > 0 ? [placesText(hiddenNotes, finding.location)] : []),
    ...remarks(finding, consequences, style),
  ];
  const [first, ...rest] = listed(parts, style.proseWidth - 5);
  if (first === undefined) return;
  yield `  ${style.dim("└─")} ${first}`;
  for (const line of rest) yield `     ${line}`;
}

/** `2 more places (replies 5, 6)`. */
function placesText(notes: FindingReport["related"], { part }: Location): string {
  const places = `${notes.length} more ${notes.length === 1 ? "place" : "places"}`;
  const numbers = notes.flatMap(({ location }) =>
    location.part === part && location.exchange !== undefined ? [location.exchange] : [],
  );
  return numbers.length === notes.length ? `${places} (${exchanges(numbers, part)})` : places;
}

function labelOf(note: FindingReport["related"][number], main: Location): string {
  const where = note.location.exchange === main.exchange ? undefined : placeInRun(note.location);
  return where === undefined ? note.message : `${note.message} (${where})`;
}

export function isSamePlace(a: Location, b: Location): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column;
}

function inFile({ location: a }: Row, { location: b }: Row): number {
  return a.line - b.line || a.column - b.column;
}
