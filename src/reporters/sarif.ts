import type { Severity } from "../findings/finding.ts";
import type { CheckReport, FindingReport, Location, SuppressedFinding } from "../findings/report.ts";
import { type Folders, isFromRoot, uriOf } from "./artifact.ts";
import { unreadIn } from "./incomplete.ts";
import { maskedJson } from "./masked-json.ts";
import { rootsOf } from "./roots.ts";
import { mostSevereFirst, uncheckedOf } from "./summing.ts";
import { printable } from "./visible.ts";

/** The metadata of a rule in the report. */
export interface SarifRule {
  readonly name: string;
  readonly summary: string;
  readonly severity: Severity;
}

export interface SarifContext {
  readonly rules: readonly SarifRule[];
  /** The page of a rule, in Markdown. */
  page(rule: string): string | undefined;
  /** The web address of that page; absent if it has none. */
  readonly helpUri?: ((rule: string) => string | undefined) | undefined;
  /** The web address of the tool. */
  readonly informationUri?: string | undefined;
  readonly folders?: Folders | undefined;
  /** Some of the work could not be done: exit code 2. */
  readonly hadTrouble?: boolean | undefined;
}

/** GitHub rejects a run with more results, and keeps only some of them. */
const limits = { results: 25_000, kept: 5_000, locations: 1_000 };

const levels = { error: "error", warning: "warning", info: "note" } as const;

/**
 * The report as masked SARIF 2.1.0, in chunks with line feeds. Consequences are notes with a cause property.
 *
 * `primaryLocationLineHash` is left to GitHub's upload action, which warns about values from other tools.
 */
export function* reportSarif(report: CheckReport, context: SarifContext): Iterable<string> {
  const aside = report.suppressed ?? [];
  const found = new Set([...report.findings, ...aside].map(({ rule }) => rule));
  const named = new Set(context.rules.map(({ name }) => name));
  const rules = [
    ...context.rules,
    ...[...found]
      .filter((rule) => !named.has(rule))
      .map((rule) => ({ name: rule, summary: rule, severity: "warning" as const })),
  ].map((rule) => descriptor(rule, found.has(rule.name), context));
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const roots = new Set(rootsOf(report).map(({ finding }) => finding));
  const results: { finding: FindingReport | SuppressedFinding; severity: Severity }[] = [
    ...report.findings.map((finding) => ({
      finding,
      severity: roots.has(finding) ? finding.severity : ("info" as const),
    })),
    ...aside.map((finding) => ({ finding, severity: "info" as const })),
  ];
  const chosen = results.length > limits.kept ? mostSevereFirst(results).slice(0, limits.results) : results;
  const run = {
    tool: {
      driver: {
        name: report.tool.name,
        version: report.tool.version,
        ...(context.informationUri !== undefined && { informationUri: context.informationUri }),
        rules,
      },
    },
    columnKind: "utf16CodeUnits",
    invocations: [
      {
        executionSuccessful: !context.hadTrouble,
        toolExecutionNotifications: [
          ...capped(results.length, chosen.length),
          ...incompleteNotes(report, context.folders),
          ...uncheckedNotes(report, context.folders),
        ],
      },
    ],
    artifacts: [...new Set(report.files.map(({ path }) => uriOf(path, context.folders)))].map((uri) => ({
      location: artifact(uri),
    })),
  };
  yield '{\n  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n  "version": "2.1.0",\n  "runs": [\n    {\n';
  for (const [key, value] of Object.entries(run)) yield `      "${key}": ${indented(value, 6)},\n`;
  if (chosen.length === 0) yield '      "results": []\n';
  else {
    yield '      "results": [\n';
    for (const [index, { finding, severity }] of chosen.entries()) {
      const written = indented(
        result(finding, severity, indexes.get(finding.rule) ?? -1, context.folders),
        8,
      );
      yield `        ${written}${index < chosen.length - 1 ? "," : ""}\n`;
    }
    yield "      ]\n";
  }
  yield "    }\n  ]\n}\n";
}

function indented(value: unknown, spaces: number): string {
  return maskedJson(value, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

/** Pages are long, so only violated rules include them. */
function descriptor({ name, summary, severity }: SarifRule, isBroken: boolean, context: SarifContext) {
  const helpUri = context.helpUri?.(name);
  const page = isBroken ? context.page(name) : undefined;
  return {
    id: name,
    shortDescription: { text: summary },
    fullDescription: { text: summary },
    defaultConfiguration: { level: levels[severity] },
    ...(helpUri !== undefined && { helpUri }),
    ...(page !== undefined && {
      help: { text: `${summary}. See: toollint explain ${name}`, markdown: page },
    }),
    properties: {
      tags: ["llm", "tool-calls"],
      "problem.severity": severity === "info" ? "recommendation" : severity,
    },
  };
}

function result(
  finding: FindingReport | SuppressedFinding,
  severity: Severity,
  ruleIndex: number,
  folders: Folders | undefined,
): Record<string, unknown> {
  const { id, rule, kind, message, related, data, fix, cause, alsoIn, fingerprint } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level: levels[severity],
    message: { text: plain(message) },
    locations: [locationOf(finding.location, folders)],
    ...(related.length > 0 && {
      relatedLocations: related.slice(0, limits.locations - 1).map((note, index) => ({
        id: index + 1,
        ...locationOf(note.location, folders),
        message: { text: plain(note.message) },
      })),
    }),
    ...("suppression" in finding && { suppressions: [suppressionOf(finding)] }),
    partialFingerprints: { "toollint/v1": fingerprint },
    properties: { id, kind, severity: finding.severity, cause, alsoIn, data, ...(fix && { fix }) },
  };
}

/** Suppressions are external: a log cannot contain annotations. */
function suppressionOf({ suppression: { by, reason } }: SuppressedFinding): Record<string, string> {
  return {
    kind: "external",
    justification: plain(reason ?? (by === "baseline" ? "known: in the baseline" : by)),
  };
}

function locationOf(
  { file, line, column, endLine, endColumn, ...inRun }: Location,
  folders: Folders | undefined,
): Record<string, unknown> {
  return {
    physicalLocation: {
      artifactLocation: artifact(uriOf(file, folders)),
      region: { startLine: line, startColumn: column, endLine, endColumn },
    },
    ...(Object.keys(inRun).length > 0 && { properties: inRun }),
  };
}

function artifact(uri: string): Record<string, string> {
  return isFromRoot(uri) ? { uri, uriBaseId: "%SRCROOT%" } : { uri };
}

/** Text for a message: in SARIF, `[words](target)` would be a link. */
function plain(text: string): string {
  return printable(text, false).replaceAll("](", "]\\(");
}

function capped(all: number, kept: number): unknown[] {
  if (kept === all) return [];
  const text = `${all} findings, of which only the ${kept} most severe are listed: GitHub takes no more in one run`;
  return [{ level: "warning", descriptor: { id: "too-many-results" }, message: { text } }];
}

function incompleteNotes(report: CheckReport, folders: Folders | undefined): unknown[] {
  const missing = (report.missingShards ?? []).map((shard) => ({
    level: "warning",
    descriptor: { id: "missing-shard" },
    message: { text: `shard ${shard} is missing: its files are not in this report` },
  }));
  const unread = unreadIn(report.unread).map(({ path, reason }) => ({
    level: "warning",
    descriptor: { id: "not-read" },
    message: { text: plain(`not read: ${reason}`) },
    locations: [{ physicalLocation: { artifactLocation: artifact(uriOf(path, folders)) } }],
  }));
  return [...missing, ...unread];
}

function uncheckedNotes(report: CheckReport, folders: Folders | undefined): unknown[] {
  return uncheckedOf(report).map(({ file, why, rules }) => ({
    level: "note",
    descriptor: { id: "not-checked" },
    message: { text: plain(`not checked: ${rules.join(", ")} (${why})`) },
    locations: [{ physicalLocation: { artifactLocation: artifact(uriOf(file, folders)) } }],
  }));
}
