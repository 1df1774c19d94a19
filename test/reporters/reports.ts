import { diagnose } from "../../src/diagnosis/index.ts";
import type {
  CheckReport,
  DiagnosisReport,
  FileReport,
  FindingReport,
  Location,
} from "../../src/findings/report.ts";
import { protocolNamed } from "../../src/protocols/index.ts";
import { supported } from "../../src/protocols/protocol.ts";
import { type ByteSource, memorySource } from "../../src/reading/source.ts";
import { reportText, type TextContext } from "../../src/reporters/text.ts";

/** A place in `run.log`, one column long unless said otherwise. */
export function at(line: number, column: number, more: Partial<Location> = {}): Location {
  return { file: "run.log", line, column, endLine: line, endColumn: column + 1, ...more };
}

export function finding(rule: string, location: Location, more: Partial<FindingReport> = {}): FindingReport {
  return {
    id: `f-${rule}-${location.line}-${location.column}`,
    rule,
    kind: "any",
    severity: "error",
    message: `something about ${rule}`,
    location,
    related: [],
    data: {},
    fix: null,
    cause: null,
    alsoIn: [],
    fingerprint: "0123456789abcdef",
    ...more,
  };
}

/** The diagnoses of findings that were all made in traffic of one protocol. */
export function diagnosed(
  findings: readonly FindingReport[],
  protocol = "openai-responses",
): DiagnosisReport[] {
  return diagnose(findings, () => supported(protocolNamed(protocol)?.idiom));
}

export function file(path: string, more: Partial<FileReport> = {}): FileReport {
  return {
    path,
    container: "text",
    kind: "requests",
    protocols: ["openai-responses"],
    exchanges: 9,
    conversations: 1,
    calls: 8,
    skipped: [],
    ...more,
  };
}

export function report(findings: readonly FindingReport[], more: Partial<CheckReport> = {}): CheckReport {
  const roots = findings.filter(({ cause }) => cause === null);
  const count = (severity: string) => roots.filter((each) => each.severity === severity).length;
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: "1.2.3" },
    files: [file("run.log")],
    findings,
    diagnoses: [],
    notChecked: [],
    summary: {
      error: count("error"),
      warning: count("warning"),
      info: count("info"),
      consequences: findings.length - roots.length,
      fixable: findings.filter(({ fix }) => fix).length,
    },
    ...more,
  };
}

export function sources(files: Readonly<Record<string, string>>): ReadonlyMap<string, ByteSource> {
  return new Map(
    Object.entries(files).map(([name, content]) => [name, memorySource(name, Buffer.from(content))]),
  );
}

/** The text report as it stands on a terminal 100 columns wide. */
export function printed(
  checked: CheckReport,
  files: Readonly<Record<string, string>> = {},
  context: Partial<TextContext> = {},
): string {
  const lines = reportText(checked, {
    sources: sources(files),
    color: false,
    width: 100,
    showValues: false,
    quiet: false,
    pageSummary: () => undefined,
    ...context,
  });
  return [...lines].join("\n");
}
