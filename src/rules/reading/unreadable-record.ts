import { basename } from "node:path";
import type { Severity } from "../../findings/finding.ts";
import { fingerprintOf } from "../../findings/fingerprint.ts";
import type { FindingReport, Location } from "../../findings/report.ts";
import { entryName } from "../../reading/entries.ts";
import { groupBy } from "../../reading/group-by.ts";
import { linesOf } from "../../reading/origin.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { DefectKind } from "../../traffic/container.ts";
import type { RuleInfo } from "../rule.ts";
import { boundedSentence } from "../words.ts";

/** Where something stands. */
interface Place {
  readonly source: ByteSource;
  readonly start: number;
  readonly end: number;
}

/** The defects of a file. This rule has no conversation to read. */
interface Defective {
  readonly defects: readonly {
    readonly kind: DefectKind;
    readonly origin: Place;
    readonly message: string;
    readonly related?: { readonly message: string; readonly origin: Place };
    readonly isHealed?: boolean;
    readonly isReadBefore?: boolean;
    readonly isOverLimit?: boolean;
  }[];
}

/** Not a {@link Rule}, because it reads no conversation, but listed with the rules in tables. */
const unreadableRecord: RuleInfo = {
  name: "unreadable-record",
  summary: "A part of the file that could not be read",
  ground: "misleads",
  severity: "warning",
  needs: "file",
  traits: ["explains-nothing"],
  habit: {
    title: "Parts of the log cannot be read",
    consequence: "So their content was not checked",
    change:
      "write each record completely and with a JSON library, log bodies unchanged, and flush before the process ends",
    changeIn: "logger",
  },
};

export default unreadableRecord;

const unchecked: Readonly<Record<DefectKind, string>> = {
  broken: "; this part was not checked",
  cut: "; what came after is not checked",
  unfinished: "; what came after is not checked",
  unlinked: "; the lost record was not checked",
  foreign: "; the reply was not checked",
  empty: ", so there is nothing to check",
  unknown: "; this part was not checked",
  "left-out": ", which is not in the log",
  lax: "; toollint read it anyway",
};

/** What stands there was read, or nothing does. */
const complete: ReadonlySet<DefectKind> = new Set(["empty", "left-out", "lax"]);

/** Nothing of these was lost, or perhaps nothing was there. */
const mild: ReadonlySet<DefectKind> = new Set(["unfinished", "empty", "unknown", "left-out", "lax"]);

/** With more defects than this, one finding summarises all of them. */
const maxSingle = 5;

/** One finding per unreadable record, or one for all if there are many. */
export function unreadableRecords(
  file: string,
  log: Defective,
  level: Severity | "off" | undefined,
): FindingReport[] {
  if (level === "off" || log.defects.length === 0) return [];
  const levelOf = (defect: Defective["defects"][number]): Severity =>
    level ??
    (defect.isHealed === true || mild.has(defect.kind) || isShortened(defect)
      ? "info"
      : unreadableRecord.severity);
  const groupOf = (defect: Defective["defects"][number]): string =>
    defect.kind === "lax" ? "lax" : levelOf(defect);
  const inOrder = [...log.defects].sort((a, b) => a.origin.start - b.origin.start);
  return [...groupBy(inOrder, groupOf)].flatMap(([group, defects]) => {
    const isMany = defects.length > (group === "lax" ? 1 : maxSingle);
    const rest = isMany ? `, the first of ${defects.length} such records` : "";
    return (isMany ? defects.slice(0, 1) : defects).map((defect, index): FindingReport => {
      const { related } = defect;
      const records = isMany ? defects.length : 1;
      return {
        id: "",
        rule: unreadableRecord.name,
        kind: defect.kind,
        severity: levelOf(defect),
        message: boundedSentence(
          `${defect.message}${isShortened(defect) ? shortened : ""}${rest}${unchecked[defect.isReadBefore ? "cut" : defect.kind]}`,
        ),
        location: locationOf(file, defect.origin),
        related: related ? [{ message: related.message, location: locationOf(file, related.origin) }] : [],
        data: {
          defect: defect.kind,
          records,
          unchecked: complete.has(defect.kind) ? 0 : records,
          ...(defect.isOverLimit && { overLimit: true }),
        },
        fix: null,
        cause: null,
        alsoIn: [],
        fingerprint: fingerprintOf(`unreadable-record ${basename(file)} ${defect.kind} ${index}`),
      };
    });
  });
}

function locationOf(file: string, { source, start, end }: Place): Location {
  const lines = linesOf(source);
  const entry = entryName(source);
  const from = lines.at(start);
  const to = lines.at(end);
  return {
    file,
    ...(entry !== undefined && { entry }),
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
  };
}

/** People who paste a body write dots for what they leave out. */
function isShortened({ kind, origin: { source, start } }: Defective["defects"][number]): boolean {
  if (kind === "lax") return false;
  const text = source.read(start, Math.min(source.size, start + 4)).toString("utf8");
  return text.startsWith("...") || text.startsWith("…");
}

const shortened = ", but dots stand for what was left out";

/** The finding of a log in which no conversation was understood, for callers that have no exit code. */
export function notUnderstood(file: string, advice: string | undefined): FindingReport {
  const what =
    advice === undefined
      ? "no conversation was found; toollint expects requests to a language model and its replies"
      : `it is ${advice}`;
  return {
    id: "",
    rule: unreadableRecord.name,
    kind: "not-understood",
    severity: "error",
    message: what,
    location: { file, line: 1, column: 1, endLine: 1, endColumn: 1 },
    related: [],
    data: { defect: "not-understood" },
    fix: null,
    cause: null,
    alsoIn: [],
    fingerprint: fingerprintOf(`unreadable-record ${basename(file)} not-understood`),
  };
}
