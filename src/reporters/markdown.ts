import type { CheckReport, Location } from "../findings/report.ts";
import { numberOf } from "../findings/unlisted.ts";
import { groupBy } from "../reading/group-by.ts";
import { type Folders, pathFromRoot } from "./artifact.ts";
import { codeMarkdown, sentenceMarkdown } from "./markdown-escapes.ts";
import { counted, placeInRun } from "./numbers.ts";
import { type Root, rootsOf } from "./roots.ts";
import { changeTitle } from "./sentences.ts";
import {
  consequencesOf,
  conversationsIn,
  mostSevereFirst,
  notesOf,
  remarksOf,
  sumOf,
  suppressedWords,
  uncheckedOf,
} from "./summing.ts";
import { printable } from "./visible.ts";

export interface MarkdownContext {
  readonly folders?: Folders | undefined;
}

/** GitHub limits comments to 65 536 characters; the details of findings must leave room for the rest. */
const room = 60_000;
const shownRows = 50;
const shownDiagnoses = 10;
const shownNotes = 5;
const shownPaths = 3;
const shownUnchecked = 10;
const shownRules = 5;

/** Maximum characters of a sentence in a table. */
const cellLength = 240;

/**
 * The report as Markdown for a pull request comment, in chunks with line feeds: summary, causes, a table of
 * findings, and folded details. No text from a log becomes markup; credentials are masked.
 */
export function* reportMarkdown(report: CheckReport, { folders }: MarkdownContext = {}): Iterable<string> {
  const roots = mostSevereFirst(
    rootsOf(report).map((root) => ({ ...root, severity: root.finding.severity })),
  );
  yield `### toollint: ${sumOf(report.summary)}\n`;
  let used = 0;
  for (const chunk of lead(report, folders)) {
    used += chunk.length;
    yield chunk;
  }
  for (const chunk of table(roots, folders)) {
    used += chunk.length;
    yield chunk;
  }
  const end = [...closing(report, folders)].join("");
  const details: string[] = [];
  used += end.length;
  for (const [index, root] of roots.entries()) {
    const chunk = detail(root, index + 1, folders);
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

/** What the client does wrong: each cause once, with the logs that show it. */
function* lead({ diagnoses, files }: CheckReport, folders: Folders | undefined): Iterable<string> {
  const same = groupBy(diagnoses, ({ title, change }) => JSON.stringify([title, change]));
  if (same.size > 0) yield "\n";
  let causes = 0;
  let used = 0;
  for (const group of [...same.values()].slice(0, shownDiagnoses)) {
    const [first] = group;
    if (!first) continue;
    const { title, consequence, change } = first;
    const paths = [...new Set(group.map(({ file }) => file))];
    const named = paths.slice(0, shownPaths).map((path) => codeMarkdown(pathFromRoot(path, folders)));
    const rest = paths.length > shownPaths ? ` and ${counted(paths.length - shownPaths, "more file")}` : "";
    const where = files.length > 1 ? ` in ${named.join(", ")}${rest}` : "";
    // Consequences differ between logs.
    const then = consequence === "" || paths.length > 1 ? "" : ` ${sentence(consequence)}`;
    const advice = change === "" ? "" : `  - ${changeTitle(first)}: ${sentenceMarkdown(change)}\n`;
    const text = `- **Cause**${where}: ${sentence(title)}${then}\n${advice}`;
    used += text.length;
    if (used > room / 4) break;
    causes++;
    yield text;
  }
  if (same.size > causes) yield `- ${counted(same.size - causes, "more cause")}\n`;
}

function* table(roots: readonly Root[], folders: Folders | undefined): Iterable<string> {
  if (roots.length === 0) return;
  yield "\n| | Rule | Where | What |\n| --- | --- | --- | --- |\n";
  let rows = 0;
  let used = 0;
  for (const { finding } of roots.slice(0, shownRows)) {
    const { severity, rule, location, message } = finding;
    const cells = [
      severity,
      codeMarkdown(rule, true),
      placeMarkdown(location, folders, true),
      sentenceMarkdown(shortened(printable(message, false)), true),
    ];
    const row = `| ${cells.join(" | ")} |\n`;
    used += row.length;
    if (used > room / 2) break;
    rows++;
    yield row;
  }
  if (roots.length > rows) yield `\n${counted(count(roots.slice(rows)), "more finding")}.\n`;
}

function count(roots: readonly Root[]): number {
  return numberOf(roots.map(({ finding }) => finding));
}

function detail(root: Root, number: number, folders: Folders | undefined): string {
  const { severity, rule, location, message } = root.finding;
  const { shown, more } = notesOf(root.finding, shownNotes);
  const items = [
    ...shown.map((note) => `${sentenceMarkdown(note.message)}: ${placeMarkdown(note.location, folders)}`),
    ...(more > 0 ? [counted(more, "more place")] : []),
    ...remarksOf(root).map((remark) => sentenceMarkdown(remark)),
  ];
  return [
    `\n**${number}. ${severity}** ${codeMarkdown(rule)} in ${placeMarkdown(location, folders)}\n\n`,
    `> ${sentenceMarkdown(message)}\n`,
    ...(items.length > 0 ? ["\n"] : []),
    ...items.map((item) => `- ${item}\n`),
  ].join("");
}

function* closing(report: CheckReport, folders: Folders | undefined): Iterable<string> {
  const { files, summary } = report;
  const exchanges = files.reduce((sum, file) => sum + file.exchanges, 0);
  const conversations = conversationsIn(files);
  const consequences = consequencesOf(summary);
  const aside = suppressedWords(report);
  const parts = [
    ...(aside === "" ? [] : [aside]),
    ...(consequences > 0 ? [`${counted(consequences, "more finding")} because of these`] : []),
    `checked ${counted(files.length, "file")}`,
    ...(exchanges > 0 ? [counted(exchanges, "exchange")] : []),
    counted(conversations, "conversation"),
  ];
  yield `\n${parts.join(", ")}.\n`;
  const unchecked = uncheckedOf(report);
  if (unchecked.length > 0) yield "\nNot checked:\n\n";
  for (const { file, why, rules } of unchecked.slice(0, shownUnchecked)) {
    const named = rules.slice(0, shownRules).map((rule) => codeMarkdown(rule));
    const rest = rules.length > shownRules ? ` and ${counted(rules.length - shownRules, "more rule")}` : "";
    yield `- ${named.join(", ")}${rest} in ${codeMarkdown(pathFromRoot(file, folders))}: ${sentenceMarkdown(why)}\n`;
  }
  if (unchecked.length > shownUnchecked)
    yield `- ${counted(unchecked.length - shownUnchecked, "more file")}\n`;
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
function shortened(text: string): string {
  if (text.length <= cellLength) return text;
  return `${text.slice(0, cellLength).replace(/[\ud800-\udbff]$/, "")}…`;
}
