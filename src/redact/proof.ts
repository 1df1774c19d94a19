import type { CheckResult } from "../check/check.ts";
import type { FindingReport } from "../findings/report.ts";
import type { FixedLogs } from "../fix/fixed-logs.ts";

/** Something that a log and its redacted form do not have in common, as a line of a report. */
export interface Difference {
  readonly is: "lost" | "new";
  /** `error[orphaned-tool-result]`, `fix of dropped-turns`. */
  readonly what: string;
  readonly file: string;
  readonly place: string;
}

/** What can be compared: its names, and the pointer that may hold words of the log. */
export interface Fact {
  readonly what: string;
  readonly file: string;
  readonly exchange: string;
  readonly pointer: string;
}

/** What a log and its redacted form have to have in common. */
export interface Facts {
  /** Findings by rule, kind, severity, exchange and pointer, and how files are read. */
  readonly findings: readonly Fact[];
  /** The edits of repairs; absent where to make them would take too long. */
  readonly repairs?: readonly Fact[];
}

/** What a check found. */
export function findingFacts(checked: CheckResult): Fact[] {
  return [...factsOfFindings(checked), ...fileFacts(checked)];
}

/**
 * What a log and its redacted form differ in. `redacted` gives a token of a pointer as the redacted log has
 * it, if it was replaced.
 */
export function differences(
  facts: readonly Fact[],
  others: readonly Fact[],
  redacted: (pointer: string) => string,
): Difference[] {
  // What may have been replaced in a pointer is compared as it is written in both logs.
  const words = new Set(others.flatMap(({ pointer }) => tokensOf(pointer)));
  const asRedacted = (token: string): string => {
    const other = redacted(token);
    return words.has(other) ? other : token;
  };
  const open = new Map<string, number>();
  for (const fact of others) open.set(nameOf(fact), (open.get(nameOf(fact)) ?? 0) + 1);
  const found: Difference[] = [];
  for (const fact of facts) {
    const pointer = tokensOf(fact.pointer).map(asRedacted).join("/");
    const names = [nameOf(fact), nameOf({ ...fact, pointer })];
    const name = names.find((each) => (open.get(each) ?? 0) > 0);
    if (name === undefined) found.push(differenceOf(fact, "lost"));
    else open.set(name, (open.get(name) ?? 0) - 1);
  }
  for (const fact of others) {
    const count = open.get(nameOf(fact)) ?? 0;
    if (count === 0) continue;
    open.set(nameOf(fact), count - 1);
    found.push(differenceOf(fact, "new"));
  }
  return found;
}

/** The tokens of a pointer, as they are written in it. */
function tokensOf(pointer: string): string[] {
  return pointer.split("/");
}

function nameOf({ what, file, exchange, pointer }: Fact): string {
  return [what, file, exchange, pointer].join("\0");
}

function differenceOf({ what, file, exchange, pointer }: Fact, is: Difference["is"]): Difference {
  return { is, what, file, place: [exchange, pointer].filter((part) => part !== "").join(" · ") };
}

/** Whether a finding is about a credential, which is masked. */
export function isOfCredential({ rule }: Pick<FindingReport, "rule">): boolean {
  return rule === "exposed-secret";
}

function factsOfFindings({ report }: CheckResult): Fact[] {
  const findings = report.findings.filter((finding) => !isOfCredential(finding));
  return findings.map(({ rule, kind, severity, location, cause }: FindingReport) => ({
    what: `${severity}[${rule}] (${kind}${cause === null ? "" : ", a consequence"})`,
    file: location.file,
    exchange: location.exchange === undefined ? `line ${location.line}` : `exchange ${location.exchange}`,
    pointer: location.pointer ?? "",
  }));
}

/** The edits of repaired requests; what they restore has other words. */
export function repairFacts({ runs }: FixedLogs): Fact[] {
  return runs.flatMap(({ requests, left }) => [
    ...requests.flatMap(({ exchange, edits }) =>
      edits.map(({ op, pointer }) => ({
        what: `repair: ${op}`,
        file: exchange.file,
        exchange: `exchange ${exchange.number}`,
        pointer,
      })),
    ),
    ...left.map(({ finding: { rule, kind, locus } }) => ({
      what: `no repair of ${rule} (${kind})`,
      file: locus.exchange.file,
      exchange: `exchange ${locus.exchange.number}`,
      pointer: "",
    })),
  ]);
}

/** How a file is read. */
function fileFacts({ report }: CheckResult): Fact[] {
  return report.files.map(({ path, container, protocols, exchanges, conversations, calls }) => ({
    what: `read as ${container}, ${protocols.join(" and ")}, ${exchanges} exchanges, ${conversations} conversations, ${calls} calls`,
    file: path,
    exchange: "",
    pointer: "",
  }));
}
