import type { FindingReport } from "../../findings/report.ts";
import { codeMarkdown, sentenceMarkdown } from "../../reporters/markdown-escapes.ts";
import { counted } from "../../reporters/numbers.ts";
import type { LogSize } from "../../shrink/report.ts";
import { sizes } from "./shrink-lines.ts";

/** What a bug report says; of the log itself only what has other words now. */
export interface BugFacts {
  readonly rule: string;
  /** The finding as the redacted log has it. */
  readonly finding: FindingReport | undefined;
  /** The other findings of the small log that are not consequences. */
  readonly others: readonly FindingReport[];
  readonly protocols: readonly string[];
  readonly input: LogSize;
  readonly output: LogSize;
  readonly wasMinimal: boolean;
  /** How many different words were replaced. */
  readonly replaced: number;
  readonly comparesRepairs: boolean;
  readonly log: Buffer;
}

/** A bug report as Markdown; `attached` names the file with the log, if that is too large to paste. */
export function bugReport(facts: BugFacts, attached: string | undefined): string[] {
  const { rule, finding, others, protocols, input, output, wasMinimal, replaced, comparesRepairs } = facts;
  const how = wasMinimal ? "as small as it gets" : sizes(input, output);
  const same = comparesRepairs
    ? "findings and repairs are the same"
    : "the findings are the same, and the repairs were not compared";
  return [
    `### ${rule}: what is wrong about this finding?`,
    "",
    "<!-- Read all of this before you post it, and say here what you expected. -->",
    "",
    "| | |",
    "|---|---|",
    `| toollint | ${__VERSION__} |`,
    `| Node.js | ${process.version}, ${process.platform} ${process.arch} |`,
    `| log | ${[output.container, ...protocols].join(", ")}; ${how} |`,
    `| redacted | ${counted(replaced, "word")} replaced; ${same} |`,
    "",
    ...(finding ? ["Finding:", "", findingLine(finding), ""] : []),
    ...(others.length > 0 ? ["Also in this log:", "", ...otherLines(others), ""] : []),
    ...(attached === undefined ? pasted(facts) : [`The log is attached: ${codeMarkdown(attached)}`]),
  ];
}

/** Further findings are only counted: where the log could not be shrunk, there may be thousands. */
const mostOthers = 20;

function otherLines(others: readonly FindingReport[]): string[] {
  const more = others.length - mostOthers;
  return [
    ...others.slice(0, mostOthers).map(findingLine),
    ...(more > 0 ? [`- and ${counted(more, "more finding")}`] : []),
  ];
}

function findingLine({ severity, rule, kind, message, location }: FindingReport): string {
  const { line, column, exchange, pointer } = location;
  const place = [
    `line ${line}:${column}`,
    ...(exchange === undefined ? [] : [`exchange ${exchange}`]),
    ...(pointer ? [codeMarkdown(pointer)] : []),
  ];
  return `- ${severity} \`${rule}\` (${kind}), ${place.join(", ")}: ${sentenceMarkdown(message)}`;
}

/**
 * Control characters as their pictures, and a space in what a build server takes for a command: a terminal or
 * a tracker would obey or lose them.
 */
function shownControls(text: string): string {
  const shown = text.replace(/\r?\n|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => {
    if (found.endsWith("\n")) return "\n";
    const code = found.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "␡";
  });
  return shown.replaceAll("##[", "## [").replace(/^(\s{0,80}:):/gm, "$1 :");
}

/** The log in a block whose fence is longer than any run of backticks in it. */
function pasted({ log, output }: BugFacts): string[] {
  const text = shownControls(log.toString("utf8"));
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return [
    "<details><summary>The redacted log</summary>",
    "",
    `${fence}${/^json/.test(output.container) ? output.container : ""}`,
    text.replace(/\r?\n$/, ""),
    fence,
    "",
    "</details>",
  ];
}
