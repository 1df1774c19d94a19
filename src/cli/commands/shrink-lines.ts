import picocolors from "picocolors";
import { groupBy } from "../../reading/group-by.ts";
import { pushAll } from "../../reading/lists.ts";
import { paragraph } from "../../reporters/layout.ts";
import { counted, placeInFile } from "../../reporters/numbers.ts";
import { printable } from "../../reporters/visible.ts";
import { bytesText } from "../../show/words.ts";
import type { LiveReport, LogSize, ShrinkReport } from "../../shrink/report.ts";
import type { TerminalStyle } from "../terminal/paint.ts";

/** Further units are only counted. */
const mostKept = 12;

/** The text report of `shrink`. */
export function shrinkLines(report: ShrinkReport, { color, width, showValues }: TerminalStyle): string[] {
  const { bold, dim } = picocolors.createColors(color);
  const safe = (text: string): string => printable(text, showValues);
  const { finding, input, output, kept } = report;
  const lines = [
    ...paragraph([safe(`${finding.rule} · ${placeInFile(finding.location)} · ${finding.message}`)], width),
    "",
    bold(safe(`${nameOf(input.path)} → ${nameOf(output.path)}`)),
    `  ${sizes(input, output)} · ${counted(report.checks, "check")}`,
    `  ${keptAs(input, output)}`,
  ];
  if (report.live) lines.push(safe(`  ${liveText(report.live)}`));
  if (!report.isSmaller)
    lines.push(
      "",
      ...paragraph(
        [
          report.wasMinimal
            ? "The log cannot get any smaller; it was written unchanged."
            : report.isMinimal
              ? "No smaller log keeps the finding; the log was written unchanged."
              : "No smaller log was found before the limit was reached; the log was written unchanged.",
        ],
        width,
      ),
    );
  if (report.isLostByMasking)
    lines.push(
      "",
      ...paragraph(["The finding is about a credential, which is masked in the small log."], width),
    );
  if (kept.length > 0) {
    lines.push("", bold("What is left, and why:"));
    for (const [why, units] of groupBy(kept.slice(0, mostKept), ({ why }) => why)) {
      const names = units.map(({ unit }) => unit);
      pushAll(lines, indented(safe(names.length > 1 ? `${why}:` : `${names[0]}: ${why}`), 2, width));
      if (names.length > 1) for (const name of names) pushAll(lines, indented(safe(name), 4, width));
    }
    if (kept.length > mostKept) lines.push(dim(`  and ${kept.length - mostKept} more`));
  }
  if (!report.isMinimal)
    lines.push(
      "",
      ...paragraph(
        ["toollint reached its limit before it had tried every cut. Shrink the result again."],
        width,
      ),
    );
  return lines;
}

function indented(text: string, by: number, width: number): string[] {
  return paragraph([text], width - by, "  ").map((line) => " ".repeat(by) + line);
}

function nameOf(path: string): string {
  return path === "-" ? "standard output" : path;
}

/** `1 of 6 exchanges · 2 of 9 parts · 4.3 kB of 35.8 kB`. */
export function sizes(input: LogSize, output: LogSize): string {
  return [
    ...(input.exchanges > 0 ? [`${output.exchanges} of ${counted(input.exchanges, "exchange")}`] : []),
    `${output.units} of ${counted(input.units, "part")}`,
    `${bytesText(output.bytes)} of ${bytesText(input.bytes)}`,
  ].join(" · ");
}

/** `POST https://…: rejected with status 400, … · 14 requests, 1 not judged`. */
function liveText({ url, outcome, status, message, tools, requests, skipped }: LiveReport): string {
  const what =
    status === undefined
      ? `${outcome}${tools.length > 0 ? ` (${tools.join(", ")})` : ""}`
      : `rejected with status ${status}: ${message}`;
  return `${url}: ${what} · ${counted(requests, "request")}${skipped > 0 ? `, ${skipped} not judged` : ""}`;
}

function keptAs(input: LogSize, output: LogSize): string {
  return input.container === output.container
    ? `written as ${output.container}, like the log`
    : `written as ${output.container}; the log is ${input.container}`;
}
