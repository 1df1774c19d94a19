import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { CheckSettings } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { type Shrunk, shrink } from "../../src/shrink/shrink.ts";
import type { Choice } from "../../src/shrink/subject.ts";
import { pagePaths } from "../rule-docs.ts";

/** A log in which a rule has something to say. */
export interface FaultyLog {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly rule: string;
  readonly isComplete: boolean;
}

const example = /^```jsonl reported(?<flags>(?: \w+)*)\n(?<log>[\s\S]*?)^```\n/gm;

/** The examples of mistakes on the pages of the rules. */
export const pageExamples: readonly FaultyLog[] = [...pagePaths].flatMap(([rule, page]) =>
  [...readFileSync(page, "utf8").matchAll(example)].map(({ groups }, index) => ({
    name: `${rule}, example ${index + 1}`,
    file: "log.jsonl",
    bytes: Buffer.from(groups?.["log"] ?? ""),
    rule,
    isComplete: (groups?.["flags"] ?? "").includes("complete"),
  })),
);

const samples = path.join(import.meta.dirname, "../../samples");

/** The failing runs of the samples, by each rule that they are samples of. */
export const sampleLogs: readonly FaultyLog[] = readdirSync(samples).flatMap((folder) => {
  const file = readdirSync(path.join(samples, folder)).find((name) => /^failing\.(?!expected)/.test(name));
  if (file === undefined) return [];
  const { findings } = JSON.parse(
    readFileSync(path.join(samples, folder, "failing.expected.json"), "utf8"),
  ) as { findings: { rule: string; cause: string | null }[] };
  const rules = new Set(findings.filter(({ cause }) => cause === null).map(({ rule }) => rule));
  return [...rules].map((rule) => ({
    name: `${folder}, ${rule}`,
    file,
    bytes: readFileSync(path.join(samples, folder, file)),
    rule,
    isComplete: false,
  }));
});

/** Shrinks bytes as if they were a file. */
export async function shrunken(
  file: string,
  bytes: Buffer,
  choice: Choice = {},
  settings: CheckSettings = {},
): Promise<Shrunk | undefined> {
  const { shrunk } = await shrink([{ path: file, source: bytesSource(file, bytes) }], choice, settings);
  return shrunk;
}
