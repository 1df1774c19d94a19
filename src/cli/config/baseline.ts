import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import validate from "schema:baseline";
import type { FindingReport, Suppression } from "../../findings/report.ts";
import { counted } from "../../reporters/numbers.ts";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";

/** A known finding. */
interface Entry {
  readonly fingerprint: string;
  readonly rule: string;
  /** Relative to the baseline's folder, with slashes. */
  readonly file: string;
}

/** The known findings of a baseline. */
export interface Baseline {
  judge(finding: FindingReport): Suppression | undefined;
  /** Call after all findings: names entries without a finding, in files that were checked or are gone. */
  notes(checked: readonly string[]): string[];
}

/** Reads a baseline; `shown` is its path as messages print it. */
export async function readBaseline(shown: string, cwd: string): Promise<Baseline> {
  const full = path.resolve(cwd, shown);
  const entries = entriesIn(await textOf(full, shown), shown);
  const byFingerprint = new Set(entries.map(({ fingerprint }) => fingerprint));
  const found = new Set<string>();
  return {
    judge({ fingerprint }) {
      found.add(fingerprint);
      return byFingerprint.has(fingerprint) ? { by: "baseline" } : undefined;
    },
    notes(checked) {
      const files = new Set(checked.map((file) => fromFolder(full, cwd, file)));
      const stale = entries.filter(
        ({ fingerprint, file }) =>
          !found.has(fingerprint) && (files.has(file) || !existsSync(path.resolve(path.dirname(full), file))),
      );
      if (stale.length === 0) return [];
      const rules = [...new Set(stale.map(({ rule }) => rule))].join(", ");
      return [
        `${shown}: ${counted(stale.length, "known finding")} ${stale.length === 1 ? "is" : "are"} gone (${rules}); \`--update-baseline\` removes ${stale.length === 1 ? "it" : "them"}`,
      ];
    },
  };
}

async function textOf(full: string, shown: string): Promise<string> {
  try {
    return await readFile(full, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new Trouble(`cannot read ${shown}: there is no such file; \`--update-baseline\` writes it`);
    throw systemTrouble(error, `cannot read ${shown}`);
  }
}

function entriesIn(text: string, shown: string): readonly Entry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (validate(value)) return (value as { readonly findings: readonly Entry[] }).findings;
  const [error] = validate.errors ?? [];
  const what = value === undefined ? "it is not JSON" : `${error?.instancePath || "it"} ${error?.message}`;
  throw new Trouble(`${shown} is not a baseline: ${what}; \`--update-baseline\` writes a new one`);
}

/** A baseline of these findings as text: one sorted line per finding, so that diffs stay readable. */
export function baselineText(findings: readonly FindingReport[], shown: string, cwd: string): string {
  const full = path.resolve(cwd, shown);
  const lines = findings.map(({ fingerprint, rule, location }) => {
    const file = fromFolder(full, cwd, location.file);
    return { key: `${file} ${rule} ${fingerprint}`, line: JSON.stringify({ fingerprint, rule, file }) };
  });
  const sorted = [...new Map(lines.map(({ key, line }) => [key, line]))].sort(([a], [b]) => (a < b ? -1 : 1));
  const list = sorted.map(([, line]) => `\n    ${line}`).join(",");
  return `{\n  "schemaVersion": "1.0",\n  "findings": [${list}${list && "\n  "}]\n}\n`;
}

function fromFolder(full: string, cwd: string, file: string): string {
  if (file === "-") return file;
  return path.relative(path.dirname(full), path.resolve(cwd, file)).replaceAll(path.sep, "/");
}
