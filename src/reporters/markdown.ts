import { exchangesOf } from "../findings/occurrences.ts";
import type { CheckReport, DiagnosisReport, Location } from "../findings/report.ts";
import { numberOf } from "../findings/unlisted.ts";
import { groupBy } from "../reading/group-by.ts";
import { type Folders, pathFromRoot } from "./artifact.ts";
import { uncheckedText } from "./closing.ts";
import { incompleteOf } from "./incomplete.ts";
import { blockMarkdown, codeMarkdown, sentenceMarkdown } from "./markdown-escapes.ts";
import { counted, exchanges, placeInRun, ranges } from "./numbers.ts";
import { messageAboveAnswer, providerAnswer } from "./provider-answer.ts";
import { type Root, rootsOf } from "./roots.ts";
import { changeTitle, partsOf } from "./sentences.ts";
import { consequencesOf, conversationsIn, countsOf, mostSevereFirst, notesOf, remarksOf } from "./summing.ts";
import { kindOf } from "./text.ts";
import type { CheckVerdict } from "./verdict.ts";
import { printable } from "./visible.ts";

export interface MarkdownContext {
  /** The web address of a rule's page: rule names become links. */
  readonly ruleUrl?: ((rule: string) => string) | undefined;
  readonly folders?: Folders | undefined;
  /** Whether the check passes; without it, the heading only counts. */
  readonly verdict?: CheckVerdict | undefined;
}

/** GitHub limits comments to 65 536 characters; the details of findings must leave room for the rest. */
const room = 60_000;
const shownRows = 30;
/** Findings of one kind that have a row of their own. */
const shownOfKind = 3;
const shownDiagnoses = 10;
const shownNotes = 5;
/** Characters of a provider's answer. */
const maxAnswer = 600;
const shownPaths = 3;

/** Maximum characters of a sentence in a table. */
const cellLength = 240;

/**
 * The report as Markdown for a pull request comment, in chunks with line feeds: the verdict, what the client
 * does wrong and what to change, a table of findings, and folded details. No text from a log becomes markup;
 * credentials are masked.
 */
export function* reportMarkdown(report: CheckReport, context: MarkdownContext = {}): Iterable<string> {
  const { folders, verdict } = context;
  const roots = mostSevereFirst(
    rootsOf(report).map((root) => ({ ...root, severity: root.finding.severity })),
  );
  yield markdownHeading(report, verdict);
  let used = 0;
  for (const chunk of lead(report, folders)) {
    used += chunk.length;
    yield chunk;
  }
  for (const chunk of table(roots, context)) {
    used += chunk.length;
    yield chunk;
  }
  const end = markdownClosing(report, verdict);
  const details: string[] = [];
  used += end.length;
  for (const [index, root] of roots.entries()) {
    const chunk = detail(root, index + 1, context);
    used += chunk.length;
    if (used > room) break;
    details.push(chunk);
  }
  if (details.length > 0) {
    yield `\n<details>\n<summary>Details of ${counted(details.length, "finding")}</summary>\n`;
    yield* details;
    yield "\n</details>\n";
  }
  if (details.length < roots.length)
    yield `\nThe details of ${counted(count(roots.slice(details.length)), "finding")} are left out.\n`;
  yield end;
}

/** `toollint fails: 2 errors, 1 warning` */
export function markdownHeading(report: CheckReport, verdict: CheckVerdict | undefined): string {
  if (!verdict) return `### toollint: ${countsOf(report)}\n`;
  return `### toollint ${verdict.isPassed ? "passes" : "fails"}: ${verdict.counts}\n`;
}

/** What the client does wrong and what to change: each cause once, with the logs that show it. */
function* lead({ diagnoses, files }: CheckReport, folders: Folders | undefined): Iterable<string> {
  const same = groupBy(diagnoses, ({ title, change }) => JSON.stringify([title, change]));
  /** Causes that belong together share their consequence and what to change. */
  const said = new Set<string>();
  let causes = 0;
  let used = 0;
  for (const group of [...same.values()].slice(0, shownDiagnoses)) {
    const [first] = group;
    if (!first) continue;
    const { title, consequence } = first;
    const paths = [...new Set(group.map(({ file }) => file))];
    const named = paths.slice(0, shownPaths).map((path) => codeMarkdown(pathFromRoot(path, folders)));
    const rest = paths.length > shownPaths ? ` and ${counted(paths.length - shownPaths, "more file")}` : "";
    const where = files.length > 1 ? ` (${named.join(", ")}${rest})` : "";
    // Consequences differ between logs.
    const then =
      consequence === "" || paths.length > 1 || said.has(consequence) ? "" : ` ${sentence(consequence)}`;
    const text = `\n**${sentence(title)}**${where}${then}\n${advice(first, said)}`;
    used += text.length;
    if (used > room / 4) break;
    causes++;
    if (then !== "") said.add(consequence);
    yield text;
  }
  if (same.size > causes) yield `\n${counted(same.size - causes, "more cause")}.\n`;
}

/** What to change, once; a line of code is a block to copy, and comes once, too. */
function advice(diagnosis: DiagnosisReport, said: Set<string>): string {
  const { change } = diagnosis;
  if (change === "" || said.has(change)) return "";
  said.add(change);
  const { words, code } = partsOf(change);
  const isShown = code === undefined || said.has(code);
  const text = `\n**${changeTitle(diagnosis)}:** ${sentenceMarkdown(isShown ? words.replace(/:$/, "") : words)}\n`;
  if (isShown) return text;
  said.add(code);
  return `${text}\n${blockMarkdown(code, "js")}`;
}

function* table(roots: readonly Root[], context: MarkdownContext): Iterable<string> {
  if (roots.length === 0) return;
  yield "\n| | What | Where | Rule |\n| --- | --- | --- | --- |\n";
  let rows = 0;
  let used = 0;
  let left: readonly Root[] = roots;
  for (const [row, covered] of rowsOf(roots, context)) {
    const written = `| ${row.join(" | ")} |\n`;
    used += written.length;
    if (used > room / 2 || rows >= shownRows) break;
    rows++;
    left = left.filter((root) => !covered.includes(root));
    yield written;
  }
  if (left.length > 0) yield `\n${counted(count(left), "more finding")}.\n`;
}

/** The cells of each row, and the findings that it covers: one, or those of a kind that are only counted. */
function* rowsOf(
  roots: readonly Root[],
  context: MarkdownContext,
): Iterable<readonly [cells: readonly string[], covered: readonly Root[]]> {
  for (const group of groupBy(roots, ({ finding }) => `${finding.severity} ${kindOf(finding)}`).values()) {
    // One more row is no longer than a row that counts one.
    const size = group.length === shownOfKind + 1 ? group.length : shownOfKind;
    for (const root of group.slice(0, size)) {
      const { severity, rule, location, message } = root.finding;
      const what = sentenceMarkdown(shortened(printable(message, false), cellLength), true);
      yield [
        [severity, what, placeMarkdown(location, context.folders, true), ruleMarkdown(rule, context, true)],
        [root],
      ];
    }
    const rest = group.slice(size);
    const [first] = rest;
    if (!first) continue;
    const { severity, rule, location } = first.finding;
    const numbers = rest.flatMap(({ finding }) => exchangesOf(finding));
    const where =
      numbers.length > 0
        ? exchanges(numbers, location.part)
        : `lines ${ranges(rest.map(({ finding }) => finding.location.line))}`;
    yield [[severity, `${count(rest)} more like these`, where, ruleMarkdown(rule, context, true)], rest];
  }
}

function count(roots: readonly Root[]): number {
  return numberOf(roots.map(({ finding }) => finding));
}

function detail(root: Root, number: number, context: MarkdownContext): string {
  const { folders } = context;
  const { severity, rule, location } = root.finding;
  const { shown, more } = notesOf(root.finding, shownNotes);
  const answer = providerAnswer(root);
  const items = [
    ...(answer === undefined ? [] : [sentenceMarkdown(shortened(printable(answer, false), maxAnswer))]),
    ...shown.map((note) => `${sentenceMarkdown(note.message)}: ${placeMarkdown(note.location, folders)}`),
    ...(more > 0 ? [counted(more, "more place")] : []),
    ...remarksOf(root).map((remark) => sentenceMarkdown(remark)),
  ];
  return [
    `\n**${number}. ${severity}** ${ruleMarkdown(rule, context)} in ${placeMarkdown(location, folders)}\n\n`,
    `> ${sentenceMarkdown(messageAboveAnswer(root))}\n`,
    ...(items.length > 0 ? ["\n"] : []),
    ...items.map((item) => `- ${item}\n`),
  ].join("");
}

/** A rule's name as code; where its page has an address, as a link to it. */
function ruleMarkdown(rule: string, { ruleUrl }: MarkdownContext, inTable = false): string {
  const name = codeMarkdown(rule, inTable);
  return ruleUrl ? `[${name}](${ruleUrl(rule)})` : name;
}

/** What decided, what was checked and what was not. */
/** What decides the verdict, what was checked and what is missing. */
export function markdownClosing(report: CheckReport, verdict: CheckVerdict | undefined): string {
  const { files, summary } = report;
  const all = files.reduce((sum, file) => sum + file.exchanges, 0);
  const consequences = consequencesOf(summary);
  const unchecked = uncheckedText(report, false);
  const checked = [
    counted(files.length, "file"),
    ...(all > 0 ? [counted(all, "exchange")] : []),
    counted(conversationsIn(files), "conversation"),
  ];
  const parts = [
    ...(verdict && verdict.outcome !== "passes" ? [sentenceMarkdown(verdict.outcome)] : []),
    ...(consequences > 0
      ? [`${counted(consequences, "more finding")} ${consequences === 1 ? "follows" : "follow"} from these`]
      : []),
    `checked: ${checked.join(", ")}`,
    ...incompleteOf(report).map((clause) => sentenceMarkdown(printable(clause, false))),
    ...(unchecked === "" ? [] : [`not checked: ${sentenceMarkdown(unchecked)}`]),
  ];
  return `\n${parts.join(" · ")}\n`;
}

/** `file:line:column` as code, and the place in the run. */
function placeMarkdown(location: Location, folders: Folders | undefined, inTable = false): string {
  const { file, line, column } = location;
  const where = placeInRun(location);
  const place = codeMarkdown(`${pathFromRoot(file, folders)}:${line}:${column}`, inTable);
  return where === undefined ? place : `${place} (${where})`;
}

function sentence(text: string): string {
  const written = sentenceMarkdown(text);
  return /[.!?…]$/.test(written) ? written : `${written}.`;
}

/** Cuts between characters, never within one. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
