import type { Severity } from "../findings/finding.ts";
import type { CheckReport } from "../findings/report.ts";
import { type Folders, pathFromRoot, standardInput } from "./artifact.ts";
import { incompleteOf } from "./incomplete.ts";
import { type MarkdownContext, reportMarkdown } from "./markdown.ts";
import { counted } from "./numbers.ts";
import { type Root, rootsOf } from "./roots.ts";
import { consequencesOf, mostSevereFirst, notesOf, remarksOf, sumOf, suppressedWords } from "./summing.ts";
import { printable } from "./visible.ts";

export interface GithubContext {
  /** `root` must be the checkout (`GITHUB_WORKSPACE`): annotations appear in its files. */
  readonly folders?: Folders | undefined;
  /** The web address of a rule's page, which ends each annotation. */
  readonly ruleUrl?: ((rule: string) => string) | undefined;
}

/** GitHub's limit of annotations of one kind per step. */
const shownOfAKind = 10;

/** Maximum number of notes in an annotation. */
const shownNotes = 5;

const commands = { error: "error", warning: "warning", info: "notice" } as const;

/**
 * The report as annotations (GitHub's workflow commands), most severe first, then a summary line; as chunks
 * that include their line feeds. Credentials are masked.
 */
export function* reportGithub(
  report: CheckReport,
  { folders, ruleUrl }: GithubContext = {},
): Iterable<string> {
  const roots = rootsOf(report).map((root) => ({ ...root, severity: root.finding.severity }));
  const shown: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  for (const root of mostSevereFirst(roots)) {
    if (shown[root.severity] === shownOfAKind) continue;
    shown[root.severity]++;
    yield `${annotation(root, folders, ruleUrl)}\n`;
  }
  const consequences = consequencesOf(report.summary);
  const aside = suppressedWords(report);
  const parts = [
    sumOf(report.summary),
    ...(aside === "" ? [] : [aside]),
    ...(consequences > 0 ? [`${counted(consequences, "more finding")} because of them`] : []),
    ...(shown.error + shown.warning + shown.info < roots.length ? [`annotated: ${sumOf(shown)}`] : []),
  ];
  for (const clause of incompleteOf(report)) yield `::warning title=toollint::${escapedData(safe(clause))}\n`;
  yield `toollint: ${parts.join("; ")} (${counted(report.files.length, "file")} checked)\n`;
}

/** The report as Markdown for the file `GITHUB_STEP_SUMMARY`, as chunks that include their line feeds. */
export function githubSummary(report: CheckReport, context: MarkdownContext = {}): Iterable<string> {
  return reportMarkdown(report, context);
}

type Property = readonly [name: string, value: string | number];

function annotation(root: Root, folders: Folders | undefined, ruleUrl: GithubContext["ruleUrl"]): string {
  const { finding } = root;
  const { severity, rule, message, location } = finding;
  const isOneLine = location.line === location.endLine;
  const column: Property[] = [["col", location.column]];
  const endColumn: Property[] = [["endColumn", location.endColumn]];
  const place: Property[] = [
    ["file", pathFromRoot(location.file, folders)],
    ["line", location.line],
    // The runner accepts columns only within one line.
    ...(isOneLine ? column : []),
    ["endLine", location.endLine],
    ...(isOneLine ? endColumn : []),
  ];
  const properties: Property[] = [...(location.file === standardInput ? [] : place), ["title", rule]];
  const { shown, more } = notesOf(finding, shownNotes);
  const lines = [
    message,
    ...shown.map((note) => `${placeText(note.location, folders)}: ${note.message}`),
    ...(more > 0 ? [counted(more, "more place")] : []),
    ...remarksOf(root),
    ...(ruleUrl ? [ruleUrl(rule)] : []),
  ];
  const written = properties.map(([name, value]) => `${name}=${escapedProperty(safe(String(value)))}`);
  return `::${commands[severity]} ${written.join(",")}::${escapedData(lines.map(safe).join("\n"))}`;
}

function placeText(
  { file, line, column }: Root["finding"]["location"],
  folders: Folders | undefined,
): string {
  return `${pathFromRoot(file, folders)}:${line}:${column}`;
}

function safe(text: string): string {
  return printable(text, false);
}

function escapedData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
