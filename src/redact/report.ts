import { type Difference, isOfCredential } from "./proof.ts";
import type { Redacted } from "./redact.ts";
import type { KeptKind } from "./tally.ts";

/** The result of `redact`: the contract of `--format json` (`schemas/redact.schema.json`). */
export interface RedactReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly files: readonly {
    readonly path: string;
    /** Where it was written; `null` if it was not. */
    readonly output: string | null;
    readonly container: string;
    /** The size of the log and of its redacted form. */
    readonly bytes: { readonly before: number; readonly after: number };
  }[];
  /** How many different words were replaced. */
  readonly replaced: number;
  /** What stays, by kind. */
  readonly kept: readonly { readonly kind: KeptKind; readonly count: number; readonly different: number }[];
  /** Findings, all of which the redacted logs have, too, unless there are differences. */
  readonly findings: number;
  /** Whether the repairs were compared, too; not where a small log has too many exchanges or findings. */
  readonly comparesRepairs: boolean;
  /** Further findings, about credentials, which are gone now. */
  readonly masked: number;
  /** What the logs and their redacted form do not have in common; nothing is written then. */
  readonly differences: readonly Difference[];
}

/** The report on redacted logs; `outputOf` says where each was written. */
export function redactReport(
  { files, report, differences, tally, replaced, comparesRepairs }: Redacted,
  outputOf: (path: string) => string | undefined,
): RedactReport {
  const masked = report.findings.filter(isOfCredential).length;
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    files: files.map(({ path, container, sizeBefore, bytes }) => ({
      path,
      output: outputOf(path) ?? null,
      container,
      bytes: { before: sizeBefore, after: bytes.length },
    })),
    replaced: replaced.size,
    kept: tally.kept.map(({ kind, count, different }) => ({ kind, count, different })),
    findings: report.findings.length - masked,
    comparesRepairs,
    masked,
    differences,
  };
}
