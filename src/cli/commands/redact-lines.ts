import path from "node:path";
import picocolors from "picocolors";
import { pushAll } from "../../reading/lists.ts";
import type { Redacted, RedactedFile } from "../../redact/redact.ts";
import type { RedactReport } from "../../redact/report.ts";
import { paragraph } from "../../reporters/layout.ts";
import { counted } from "../../reporters/numbers.ts";
import { shellWord } from "../../reporters/shell.ts";
import { printable } from "../../reporters/visible.ts";
import type { TerminalStyle } from "../terminal/paint.ts";

/** Further differences are only counted. */
const mostDifferences = 12;
/** Examples of what stays, and lines of a preview. */
const [mostExamples, mostLines] = [14, 6];

/** The text report of `redact`. */
export function redactLines(
  report: RedactReport,
  { files, tally, whyReadOnly }: Pick<Redacted, "files" | "tally" | "whyReadOnly">,
  { color, width, showValues }: TerminalStyle,
): string[] {
  const { bold, dim } = picocolors.createColors(color);
  const safe = (text: string): string => printable(text, showValues);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const lines = report.files.map(({ path, output, container, bytes }) => {
    const { isRestored = false, isKept = false } = byPath.get(path) ?? {};
    const undone = isRestored
      ? ", with what a viewer or a terminal added"
      : isKept
        ? "; the copy is the log in it, without the file's own form"
        : "";
    const size = bytes.after === bytes.before ? ", as before" : ` (${bytes.before} before${undone})`;
    return safe(
      `${path} → ${output ?? "not written"} · ${container} · ${counted(bytes.after, "byte")}${size}`,
    );
  });
  if (report.differences.length > 0) {
    lines.push("", bold("Nothing was written: the redacted log would have other findings or repairs."));
    for (const { is, what, file, place } of report.differences.slice(0, mostDifferences))
      pushAll(lines, paragraph([safe(`${is}: ${what} · ${file} · ${place}`)], width - 2, "  ").map(indented));
    const more = report.differences.length - mostDifferences;
    if (more > 0) lines.push(dim(`  and ${more} more`));
    pushAll(lines, [
      "",
      ...whatNext(report, whyReadOnly).flatMap((line) => paragraph([safe(line)], width, "  ")),
    ]);
    return lines;
  }
  const outcome = `${counted(report.replaced, "word")} replaced · ${whatStays(report)}`;
  pushAll(lines, paragraph([outcome], width, "  "));
  if (report.masked > 0)
    lines.push(`${counted(report.masked, "more finding")} about credentials, which are masked now`);
  lines.push("", bold("What stays:"));
  for (const { kind, count, different, most } of tally.kept) {
    const examples = most.slice(0, mostExamples).join(", ");
    const more = different > mostExamples ? ", …" : "";
    pushAll(
      lines,
      paragraph(
        [safe(`${kind}: ${count} (${different} different): ${examples}${more}`)],
        width - 2,
        "  ",
      ).map(indented),
    );
  }
  return lines;
}

function whatStays({ findings, comparesRepairs }: RedactReport): string {
  const found = counted(findings, "finding");
  return comparesRepairs
    ? `${found} and all repairs stay the same`
    : `${found} ${findings === 1 ? "stays" : "stay"} the same; the repairs were not compared, as the log has too many exchanges or findings for its size`;
}

/** What to do about a log that cannot be redacted as it is. */
function whatNext({ files }: RedactReport, whyReadOnly: string | undefined): string[] {
  if (whyReadOnly !== undefined) return [`What to do: ${whyReadOnly}`];
  const [file] = files;
  if (!file || files.length > 1)
    return [
      "What to do: redact the logs one by one, and shrink the one that cannot be redacted (`toollint shrink`)",
    ];
  const small = `small${path.extname(file.path) || ".log"}`;
  return [
    "What to do: redact a part of the log, which often works:",
    `  toollint shrink ${shellWord(file.path)} -o ${small}`,
    `  toollint redact ${small} -o shown${path.extname(small)}`,
  ];
}

const indented = (line: string): string => `  ${line}`;

/** Some lines of the logs as they are, and as they would be written. */
export function previewLines(
  files: readonly RedactedFile[],
  { color, width, showValues }: TerminalStyle,
): string[] {
  const { bold, red, green } = picocolors.createColors(color);
  const short = (text: string): string => {
    const line = printable(text, showValues);
    return line.length <= width - 2 ? line : `${line.slice(0, width - 3)}…`;
  };
  return files.flatMap(({ path, plain, content }) => {
    const before = plain.toString("utf8").split("\n");
    const after = content.toString("utf8").split("\n");
    const changed = before.flatMap((line, index) => (line === after[index] ? [] : [index]));
    const step = Math.max(1, Math.floor(changed.length / mostLines));
    const shown = changed.filter((_, at) => at % step === 0).slice(0, mostLines);
    return [
      bold(printable(path, showValues)),
      ...shown.flatMap((index) => {
        const [from, to] = differingPart(before[index] ?? "", after[index] ?? "", width);
        return [red(`- ${short(from)}`), green(`+ ${short(to)}`)];
      }),
      "",
    ];
  });
}

/** A long line from shortly before its first difference on. */
function differingPart(before: string, after: string, width: number): readonly [string, string] {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - Math.floor(width / 4));
  const cut = (text: string): string => (from === 0 ? text : `…${text.slice(from)}`).slice(0, 400);
  return [cut(before), cut(after)];
}
