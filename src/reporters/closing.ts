import type { CheckReport } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";
import { listed, paragraph } from "./layout.ts";
import { counted } from "./numbers.ts";
import { protocolNames } from "./protocol-names.ts";
import type { Root } from "./roots.ts";
import { shellWord } from "./shell.ts";
import type { Style } from "./style.ts";
import { conversationsIn, suppressedWords } from "./summing.ts";
import { cutMiddle, widthOf } from "./width.ts";

/** Rules listed by name; the rest is counted. */
const shownRules = 4;

/** How many reasons for skipped records are given, and the columns of each. */
const shownReasons = 2;
const reasonWidth = 70;

/** What was skipped and what was checked: the last lines of every report. `shown` are the roots above it. */
export function* closing(
  report: CheckReport,
  shown: readonly Root[],
  skippedFiles: number,
  style: Style,
): Iterable<string> {
  const withFindings = new Set(shown.map(({ finding }) => finding.location.file));
  const quietFiles = report.files.filter(({ path }) => !withFindings.has(path)).length;
  if (withFindings.size > 0 && quietFiles > 0)
    yield `${nothing(report, shown)} in ${counted(quietFiles, "other file")}`;
  const skipped = skippedText(report, skippedFiles);
  if (skipped !== "") yield* paragraph([style.safe(`skipped: ${skipped}`)], style.width, "  ");
  const aside = suppressedWords(report);
  const parts = [
    foundText(report, shown),
    ...(aside === "" ? [] : [aside]),
    checkedText(report),
    `not checked: ${notCheckedText(report)}`,
  ];
  yield* listed(parts.map(style.safe), style.width);
}

/** The commands to type next. */
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
  // Lossy and placeholder fixes are only made on request.
  const isUnsafe = shown.every(({ finding: { fix } }) => fix?.safety !== "safe");
  // An agent resumes its session file in place.
  const isSession = shown.every(({ finding: { location } }) => location.part === "transcript");
  const repair =
    fixCommand === undefined || file === undefined
      ? ""
      : files.length === 1
        ? `Repair: ${fixCommand} ${shellWord(file)}${isUnsafe ? " --unsafe" : ""} ${isSession ? "--write" : `-o fixed${extension(file)}`}`
        : `Repair: ${fixCommand} ${files.length <= shownRules ? files.map(shellWord).join(" ") : "FILES"}${isUnsafe ? " --unsafe" : ""} -o fixed/`;
  const parts = [repair, learn === undefined ? "" : `Learn: toollint explain ${learn}`]
    .map(style.safe)
    .filter((text) => text !== "");
  const line = parts.join("      ");
  if (widthOf(line) <= style.width) yield* parts.length > 0 ? [line] : [];
  // A command broken over two lines cannot be pasted.
  else yield* parts;
}

function foundText(report: CheckReport, shown: readonly Root[]): string {
  const found = shown.flatMap(({ finding, consequences }) => [finding, ...consequences]);
  const ids = new Set(found.map(({ id }) => id));
  const causes = report.diagnoses.filter(({ findings }) => findings.some((id) => ids.has(id))).length;
  const all = report.files.length;
  const files = new Set(found.map(({ location }) => location.file)).size;
  const what =
    found.length === 0
      ? nothing(report, shown)
      : causes > 0
        ? `${counted(causes, "cause")}, ${counted(found.length, "finding")}`
        : counted(found.length, found.every(({ severity }) => severity === "info") ? "info" : "finding");
  const where =
    all <= 1 ? "" : found.length === 0 ? ` in ${counted(all, "file")}` : ` in ${files} of ${all} files`;
  const hidden = report.findings.length - found.length;
  return `${what}${where}${hidden > 0 ? ` (${hidden} below error not shown)` : ""}`;
}

/** If findings are hidden, "no findings" would be ambiguous. */
function nothing({ findings, suppressed = [] }: CheckReport, shown: readonly Root[]): string {
  const count = shown.reduce((sum, { consequences }) => sum + 1 + consequences.length, 0);
  if (findings.length > count) return "no errors";
  return suppressed.length > 0 ? "no other findings" : "no findings";
}

function checkedText({ files }: CheckReport): string {
  const sum = (key: "exchanges" | "calls"): number => files.reduce((total, file) => total + file[key], 0);
  const requests = files.some(({ kind }) => kind === "requests");
  const protocols = [...new Set(files.flatMap((file) => file.protocols))];
  return [
    ...(requests ? [counted(sum("exchanges"), "exchange")] : []),
    counted(conversationsIn(files), "conversation"),
    ...(requests ? [] : [counted(sum("calls"), "call")]),
    ...protocolNames(protocols),
    ...judgeText(files),
  ].join(", ");
}

/** States the profile or target that the user chose to judge by. */
function judgeText(files: CheckReport["files"]): string[] {
  const judges = files.flatMap(({ judgedFor = [] }) => judgedFor);
  const named = judges.filter(({ by }) => by === "profile" || by === "target");
  return [
    ...new Set(
      named.map(({ profile, by }) =>
        by === "target" ? `judged as if sent to ${profile}` : `judged for ${profile}`,
      ),
    ),
  ];
}

function notCheckedText({ notChecked, files, findings }: CheckReport): string {
  const unread = findings.reduce((sum, { data }) => sum + Number(data["unchecked"] ?? 0), 0);
  const places = unread === 0 ? [] : [`what could not be read (${counted(unread, "place")})`];
  if (notChecked.length === 0) return places[0] ?? "nothing";
  return [...groupBy(notChecked, ({ why }) => why)]
    .map<string>(([why, group]) => {
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
    .concat(places)
    .join("; ");
}

/**
 * Session files contain many records about the session itself, so only those of logs are counted; probes are
 * part of any client's traffic.
 */
function skippedText({ files }: CheckReport, skippedFiles: number): string {
  const logs = files.filter(({ kind }) => kind === "requests");
  const records = logs.flatMap(({ path, skipped }) =>
    skipped.filter(({ probe }) => !probe).map((record) => ({ path, ...record })),
  );
  const paths = new Set(records.map(({ path }) => path));
  const reasons = [...new Set(records.map(({ reason }) => reason))];
  const [first] = records;
  const more = reasons.length > shownReasons ? [`${reasons.length - shownReasons} other reasons`] : [];
  const why = [...reasons.slice(0, shownReasons).map((reason) => cutMiddle(reason, reasonWidth)), ...more];
  return [
    ...(skippedFiles > 0 ? [`${counted(skippedFiles, "file")} without model traffic`] : []),
    ...(first
      ? [
          `${counted(records.length, "record")} ${paths.size > 1 ? `in ${paths.size} files` : `from ${first.path}:${first.line} on`} (${why.join("; ")})`,
        ]
      : []),
  ].join(", ");
}

function extension(path: string): string {
  return /(?<=[^/\\])\.[A-Za-z0-9]+$/.exec(path.replace(/\.(?:gz|zst)$/, ""))?.[0] ?? "";
}
