import picocolors from "picocolors";
import type { Location } from "../../findings/report.ts";
import type { FixedLogs } from "../../fix/fixed-logs.ts";
import { isUnwritable } from "../../fix/known-fixes.ts";
import type { EditReport, FixedFile, FixReport } from "../../fix/report.ts";
import { protocolNamed } from "../../protocols/index.ts";
import { supported } from "../../protocols/protocol.ts";
import { groupBy } from "../../reading/group-by.ts";
import { pushAll } from "../../reading/lists.ts";
import { paragraph } from "../../reporters/layout.ts";
import { counted, exchanges, placeInFile, ranges } from "../../reporters/numbers.ts";
import { shellWord } from "../../reporters/shell.ts";
import { repairWords } from "../../reporters/summing.ts";
import { printable } from "../../reporters/visible.ts";
import type { TerminalStyle } from "../terminal/paint.ts";

interface Look extends TerminalStyle {
  /** Writes nothing; shows every request and session that would change as a diff. */
  readonly isDiff: boolean;
  /** Writes only the fixed bodies. */
  readonly isBodies: boolean;
  /** Different credentials in the file of fixed bodies; 0 if they are masked, or went elsewhere. */
  readonly bodyCredentials: number;
}

/** The text report of `fix`. */
export async function fixLines(report: FixReport, logs: FixedLogs, look: Look): Promise<string[]> {
  const paint = picocolors.createColors(look.color);
  const safe = (text: string): string => printable(text, look.showValues);
  const lines: string[] = [];
  if (look.isDiff) {
    const { diffsOf } = await import("./request-diff.ts");
    for (const { requests } of logs.runs) for (const line of diffsOf(requests, look, safe)) lines.push(line);
  }
  const { applied, left } = groupsOf(report);
  for (const edit of applied) pushAll(lines, described(edit, look, safe));
  if (left.length > 0) {
    if (applied.length > 0) lines.push("");
    lines.push(paint.bold("Not repaired:"));
    for (const edit of left) pushAll(lines, described(edit, look, safe));
  }
  if (applied.length + left.length > 0) lines.push("");
  const unwritable = unwritableNotes(logs);
  pushAll(lines, [...unwritable, ...closing(report, logs, look, unwritable.length > 0, safe)]);
  return lines;
}

/** Fixes of the same kind in several places of a file. */
interface Group {
  readonly first: EditReport;
  readonly all: readonly EditReport[];
  /** The number of similar fixes, with other values, that this one represents. */
  readonly alike: number;
}

/** Up to this many similar fixes are listed one by one. */
const maxAlike = 5;

function groupsOf({ edits }: FixReport): { applied: Group[]; left: Group[] } {
  const alike = groupBy(edits, ({ applied, rule, safety, title, location, why }) =>
    [applied, rule, safety, withoutValues(title), location.file, applied ? "" : withoutValues(why)].join(
      "\n",
    ),
  );
  const list = [...alike.values()].flatMap((all): Group[] => {
    const equal = [
      ...groupBy(all, ({ title, applied, why }) => (applied ? title : `${title}\n${why}`)).values(),
    ];
    const groups = equal.length > maxAlike ? [all] : equal;
    return groups.map((own) => ({
      first: own[0] as EditReport,
      all: own,
      alike: equal.length - groups.length,
    }));
  });
  return {
    applied: list.filter(({ first }) => first.applied),
    left: list.filter(({ first }) => !first.applied),
  };
}

function withoutValues(sentence: string): string {
  return sentence.replace(/`[^`]*`/g, "``");
}

function described({ first, all, alike }: Group, { width }: Look, safe: (text: string) => string): string[] {
  const numbers = [...new Set(all.flatMap(({ location }) => location.exchange ?? []))];
  const places =
    numbers.length > 0 ? exchanges(numbers, "request") : linesIn(all.map(({ location }) => location.line));
  const sources = all.flatMap(({ evidence }) => evidence);
  const [evidence] = sources;
  const from =
    first.applied && evidence
      ? `    from${sourcesIn(sources)} ${placeInFile(evidence)}`
      : first.applied
        ? undefined
        : `    ${safe(first.why)}`;
  const more = alike > 0 ? `, and ${alike} more like it` : "";
  const head = `${first.rule} · ${places} · ${repairText(first, safe)}${more}`;
  return [...paragraph([head], width, "    "), ...(from === undefined ? [] : [safe(from)])];
}

/** `safe: adds the type`. */
function repairText(edit: EditReport, safe: (text: string) => string): string {
  const { kind, does } = repairWords(edit);
  return `${kind}: ${safe(does)}`;
}

/** Reports fixable mistakes in requests that the log records only in a tool's own form. */
function unwritableNotes({ runs }: FixedLogs): string[] {
  const findings = runs.flatMap(({ run }) => [...run.findings.keys()].filter(isUnwritable));
  if (findings.length === 0) return [];
  const what = `${counted(findings.length, "mistake")} ${findings.length === 1 ? "is" : "are"}`;
  return [
    `${what} in requests that a tracing tool or an SDK rewrote: the log has no original request to repair.`,
    "toollint can repair a log of the traffic itself: `toollint record -o run.jsonl -- COMMAND`",
  ];
}

/** `line 4`, `lines 4, 7–9`. */
function linesIn(numbers: readonly number[]): string {
  return `line${new Set(numbers).size === 1 ? "" : "s"} ${ranges(numbers)}`;
}

/** Names the replies, otherwise the requests, that contain what was restored; `""` in a session. */
function sourcesIn(sources: readonly Location[]): string {
  const part = sources[0]?.part;
  const numbers = sources.flatMap((source) =>
    source.part === part && source.exchange !== undefined ? [source.exchange] : [],
  );
  if (numbers.length === 0) return "";
  const inOrder = [...new Set(numbers)].sort((a, b) => a - b);
  return ` ${exchanges(inOrder, part)}:`;
}

function closing(
  { files, edits, summary }: FixReport,
  logs: FixedLogs,
  { isDiff, isBodies, bodyCredentials }: Look,
  hasMistakes: boolean,
  safe: (text: string) => string,
): string[] {
  const changed = files.filter(({ isChanged }) => isChanged);
  if (summary.applied === 0) {
    const what =
      summary.left > 0 || hasMistakes
        ? "nothing was repaired"
        : logs.runs.some(({ run }) => [...run.findings.keys()].some(({ severity }) => severity !== "info"))
          ? "toollint knows no repair for these findings"
          : "nothing to repair";
    const noun = files.every(({ kind }) => kind === "transcript") ? "session" : "log";
    const before = `${what}: ${counted(files.length, noun)} ${files.length === 1 ? "is" : "are"} unchanged`;
    return [before, ...leakyFiles(files, safe)];
  }
  const count = [
    ...(summary.requests > 0 || summary.sessions === 0 ? [counted(summary.requests, "request")] : []),
    ...(summary.sessions > 0 ? [counted(summary.sessions, "session")] : []),
  ].join(" and ");
  if (isDiff)
    return [
      `${count} would change; nothing was written: \`-o FILE\` writes the repaired log, \`--write\` repairs it in place`,
    ];
  if (isBodies)
    return [`${counted(summary.requests, "repaired request")} written${credentialNote(bodyCredentials)}`];
  const [alone] = changed;
  const log = alone && changed.length === 1 ? shellWord(alone.backup ?? alone.path) : "LOG";
  const lines = changed.flatMap((file) => {
    const { path, kind, requests, output, backup, notes } = file;
    const made = edits.filter(({ applied, location }) => applied && location.file === path);
    const what =
      kind === "requests"
        ? `${counted(requests.length, "request")} repaired (${ranges(requests)})`
        : `${counted(made.length, "repair")} (${linesIn(made.map(({ location }) => location.line))})`;
    return [
      `${safe(path)}${output === undefined || output === path ? "" : ` → ${safe(output)}`}: ${what}${backup === undefined ? "" : `; as it was: ${safe(backup)}`}${credentialNote(file.credentials)}`,
      ...notes.map((text) => `    ${safe(text)}`),
    ];
  });
  pushAll(
    lines,
    leakyFiles(
      files.filter(({ isChanged }) => !isChanged),
      safe,
    ),
  );
  if (summary.requests === 0) {
    const isInPlace = changed.some(({ path, output }) => path === output);
    const warning =
      "An agent that still has the session open does not see the repair: stop it and resume the session.";
    return isInPlace ? [...lines, warning] : lines;
  }
  return [...lines, ...afterwards(logs, safe(log))];
}

/** Says how many credentials are in a written file; nothing if there is none. */
function credentialNote(credentials = 0): string {
  if (credentials === 0) return "";
  const [are, them] = credentials === 1 ? ["is", "it"] : ["are", "them"];
  return `; ${counted(credentials, "credential")} in bodies ${are} in this file; --redact masks ${them}`;
}

/** The unchanged files that were written with credentials in them. */
function leakyFiles(files: readonly FixedFile[], safe: (text: string) => string): string[] {
  return files
    .filter(({ credentials = 0 }) => credentials > 0)
    .map(
      (file) =>
        `${safe(file.path)} → ${safe(file.output ?? "")}: unchanged${credentialNote(file.credentials)}`,
    );
}

/** Notes about the fixed log, and next steps. */
function afterwards({ runs }: FixedLogs, log: string): string[] {
  const repaired = runs.flatMap(({ requests }) => requests.map(({ exchange }) => exchange));
  // A loop in the replies is still found in the fixed log; the fix did not fail.
  const replies = repaired.some(({ reply }) => reply)
    ? ["Recorded replies are unchanged, including loops."]
    : [];
  if (!repaired.some(({ protocol }) => supported(protocolNamed(protocol)?.endpoint))) return replies;
  return [
    [...replies, "To see how a model answers the repaired history:"].join(" "),
    `    toollint replay ${log}`,
  ];
}
