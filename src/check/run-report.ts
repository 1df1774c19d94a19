import type {
  CheckReport,
  DiagnosisReport,
  FileReport,
  FindingReport,
  NotChecked,
} from "../findings/report.ts";
import { summaryOf } from "../findings/suppress.ts";
import { pushAll } from "../reading/lists.ts";

/** A file in which no model traffic was recognised. */
export interface UnreadFile {
  readonly path: string;
  /** For a recognised file that cannot contain a conversation: what it is and what to use instead. */
  readonly advice?: string;
}

/** What became of one file of a run. */
export type FileOutcome =
  | { readonly kind: "read"; readonly report: FileReport }
  | { readonly kind: "unread"; readonly file: UnreadFile };

/**
 * All that a report needs of one checked run. Plain data, without the traffic: it can be sent between threads
 * and stored, and the reports of runs checked apart join to the report of all (see {@link joinedRuns}).
 */
export interface RunReport {
  /** In the order in which they continue each other. */
  readonly files: readonly FileOutcome[];
  /** Files with nothing but the reply to another file's request. */
  readonly sidecars: readonly FileOutcome[];
  /** In report order, numbered without gaps: `f1`, `f2` …, or from a later number on. */
  readonly findings: readonly FindingReport[];
  readonly diagnoses: readonly DiagnosisReport[];
  readonly notChecked: readonly NotChecked[];
  /** The names of its conversations (`c1`). */
  readonly conversations: readonly string[];
  /** The sessions that its files are of. */
  readonly sessions: readonly SessionPart[];
  /** When each finding occurred; `null` where the log does not say. */
  readonly times: readonly (TimeSpan | null)[];
}

/** A file of a session: its main file, or one of a sub-agent. */
export interface SessionPart {
  readonly path: string;
  /** The container and the session's id. */
  readonly session: string;
  readonly isSubAgent: boolean;
}

/** When the first and the last of some requests were sent, in milliseconds since the epoch. */
export type TimeSpan = readonly [first: number, last: number];

/** What a check of files found, without their traffic. */
export interface CheckOutcome {
  readonly report: CheckReport;
  /** What it was joined from. */
  readonly reports: readonly RunReport[];
  /** In report order. */
  readonly unreadFiles: readonly UnreadFile[];
  /** The names of the conversations of all runs, run by run. */
  readonly conversations: readonly string[];
}

/** Joins the reports of runs, whose findings are numbered on from run to run, in report order. */
export function joinedRuns(runs: readonly RunReport[]): CheckOutcome {
  const outcomes = [...runs.flatMap(({ files }) => files), ...runs.flatMap(({ sidecars }) => sidecars)];
  const findings: FindingReport[] = [];
  const diagnoses: DiagnosisReport[] = [];
  const notChecked: NotChecked[] = [];
  const conversations: string[] = [];
  for (const run of runs) {
    pushAll(findings, run.findings);
    pushAll(diagnoses, run.diagnoses);
    pushAll(notChecked, run.notChecked);
    pushAll(conversations, run.conversations);
  }
  return {
    reports: runs,
    unreadFiles: outcomes.flatMap((outcome) => (outcome.kind === "unread" ? outcome.file : [])),
    conversations,
    report: {
      schemaVersion: "1.0",
      tool: { name: "toollint", version: __VERSION__ },
      files: outcomes.flatMap((outcome) => (outcome.kind === "read" ? outcome.report : [])),
      findings,
      diagnoses,
      notChecked,
      summary: summaryOf(findings),
    },
  };
}

/** The same report with its findings numbered from `first` on. */
export function numberedFrom(first: number, run: RunReport): RunReport {
  const [{ id } = { id: `f${first}` }] = run.findings;
  const shift = first - numberIn(id);
  if (shift === 0) return run;
  const renamed = (name: string): string => `f${numberIn(name) + shift}`;
  return {
    ...run,
    findings: run.findings.map((finding) => ({
      ...finding,
      id: renamed(finding.id),
      cause: finding.cause === null ? null : renamed(finding.cause),
    })),
    diagnoses: run.diagnoses.map((diagnosis) => ({
      ...diagnosis,
      findings: diagnosis.findings.map(renamed),
    })),
  };
}

function numberIn(id: string): number {
  return Number(id.slice(1));
}
