import type { CheckReport, NotChecked } from "../findings/report.ts";
import { listed, oneLine, paragraph } from "./layout.ts";
import { counted } from "./numbers.ts";
import { type Root, rootsOf } from "./roots.ts";
import type { Style } from "./style.ts";
import { widthOf } from "./width.ts";

/** Rules that are named; more are counted. */
const shownRules = 4;

/** What was skipped and what was checked: the last lines of every report. `shown` are the roots that stand above it. */
export function* closing(
  report: CheckReport,
  shown: readonly Root[],
  skippedFiles: number,
  style: Style,
): Iterable<string> {
  const withFindings = new Set(shown.map(({ finding }) => finding.location.file));
  const quietFiles = report.files.filter(({ path }) => !withFindings.has(path)).length;
  if (withFindings.size > 0 && quietFiles > 0) yield `no findings in ${counted(quietFiles, "other file")}`;
  const skipped = skippedText(report, skippedFiles);
  if (skipped !== "") yield oneLine([style.safe(`skipped: ${skipped}`)], style.width);
  const parts = [foundText(report, shown), checkedText(report), `not checked: ${notCheckedText(report)}`];
  yield* listed(parts.map(style.safe), style.width);
}

/** What to type next. */
export function* hints(
  shown: readonly Root[],
  learn: string | undefined,
  fixCommand: string | undefined,
  style: Style,
): Iterable<string> {
  const files = [
    ...new Set(shown.filter(({ finding }) => finding.fix).map(({ finding }) => finding.location.file)),
  ];
  const [file] = files;
  const repair =
    fixCommand === undefined || file === undefined
      ? ""
      : files.length === 1
        ? `Repair: ${fixCommand} ${quoted(file)} -o fixed${extension(file)}`
        : `Repair: ${fixCommand} ${files.length <= shownRules ? files.map(quoted).join(" ") : "FILES"} -o fixed/`;
  const parts = [repair, learn === undefined ? "" : `Learn: toollint explain ${learn}`]
    .map(style.safe)
    .filter((text) => text !== "");
  const line = parts.join("      ");
  if (widthOf(line) <= style.width) yield* parts.length > 0 ? [line] : [];
  else for (const part of parts) yield* paragraph([part], style.width, "  ");
}

function foundText(report: CheckReport, shown: readonly Root[]): string {
  const hidden = rootsOf(report).length - shown.length;
  const causes = report.diagnoses.length;
  const total = report.findings.length;
  const files = new Set(report.findings.map(({ location }) => location.file)).size;
  const found =
    total === 0
      ? "no findings"
      : causes > 0
        ? `${counted(causes, "cause")}, ${counted(total, "finding")}`
        : counted(total, report.findings.every(({ severity }) => severity === "info") ? "info" : "finding");
  const where =
    report.files.length <= 1
      ? ""
      : total === 0
        ? ` in ${counted(report.files.length, "file")}`
        : ` in ${files} of ${report.files.length} files`;
  return `${found}${where}${hidden > 0 ? ` (${hidden} below error not shown)` : ""}`;
}

function checkedText({ files }: CheckReport): string {
  const sum = (key: "exchanges" | "conversations" | "calls"): number =>
    files.reduce((total, file) => total + file[key], 0);
  const requests = files.some(({ kind }) => kind === "requests");
  const protocols = [...new Set(files.flatMap((file) => file.protocols))];
  return [
    ...(requests ? [counted(sum("exchanges"), "exchange")] : []),
    counted(sum("conversations"), "conversation"),
    ...(requests ? [] : [counted(sum("calls"), "call")]),
    ...protocols,
  ].join(", ");
}

function notCheckedText({ notChecked, files }: CheckReport): string {
  if (notChecked.length === 0) return "nothing";
  const reasons = new Map<string, NotChecked[]>();
  for (const each of notChecked) reasons.set(each.why, [...(reasons.get(each.why) ?? []), each]);
  return [...reasons]
    .map(([why, group]) => {
      const rules = [...new Set(group.map(({ rule }) => rule))];
      const paths = new Set(group.map(({ file }) => file));
      const named = rules.slice(0, rules.length === shownRules + 1 ? shownRules + 1 : shownRules).join(", ");
      const more = rules.length > shownRules + 1 ? ` and ${rules.length - shownRules} more rules` : "";
      const where =
        files.length <= 1 || paths.size === files.length
          ? ""
          : paths.size === 1
            ? ` in ${[...paths][0]}`
            : ` in ${paths.size} files`;
      return `${named}${more}${where} (${why})`;
    })
    .join("; ");
}

function skippedText({ files }: CheckReport, skippedFiles: number): string {
  const records = files.flatMap(({ path, skipped }) => skipped.map((record) => ({ path, ...record })));
  const reasons = [...new Set(records.map(({ reason }) => reason))];
  const [first] = records;
  return [
    ...(skippedFiles > 0 ? [`${counted(skippedFiles, "file")} without model traffic`] : []),
    ...(first
      ? [`${counted(records.length, "record")} from ${first.path}:${first.line} on (${reasons.join("; ")})`]
      : []),
  ].join(", ");
}

function extension(path: string): string {
  return /(?<=[^/\\])\.[A-Za-z0-9]+$/.exec(path.replace(/\.gz$/, ""))?.[0] ?? "";
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  if (/^[\w./@%+:,=-]+$/.test(path)) return path;
  return `'${path.replaceAll("'", "'\\''")}'`;
}
