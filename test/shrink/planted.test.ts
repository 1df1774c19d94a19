import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import type { FindingReport } from "../../src/findings/report.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { type Shrunk, unitPasses } from "../../src/shrink/shrink.ts";
import { type FaultyLog, pageExamples, sampleLogs, shrunken } from "./logs.ts";

/** The rule and the kind of a finding, and what it names: one tool or call, or several. */
const name = ({ rule, kind, severity }: FindingReport): string => `${rule} ${kind} ${severity}`;
const names = ({ data }: FindingReport): unknown[] =>
  ["tool", "tools", "callId", "callIds"].flatMap((key) => data[key] ?? []);

const isKept = (finding: FindingReport, before: FindingReport): boolean =>
  name(finding) === name(before) && names(finding).every((each) => names(before).includes(each));

/** What a plain check, which knows nothing of shrinking, finds in a log. */
async function findingsIn(file: string, bytes: Buffer, isComplete: boolean): Promise<FindingReport[]> {
  const { report } = await checkFiles([{ path: file, source: bytesSource(file, bytes) }], { isComplete });
  return [...report.findings];
}

const errors = (findings: readonly FindingReport[]): FindingReport[] =>
  findings.filter(({ severity, cause }) => severity === "error" && cause === null);

/** A cause stays one: as a consequence of something else, it is another story. */
const isRoot = (finding: FindingReport, before: FindingReport): boolean =>
  finding.cause === null || before.cause !== null;

/** Errors of a log that another one does not have. */
const news = (after: readonly FindingReport[], before: readonly FindingReport[]): string[] =>
  errors(after)
    .filter((error) => !errors(before).some((each) => isKept(error, each)))
    .map(({ message }) => message);

/** Whether a log is still kept in this way, or of JSON lines only one is left. */
async function isAlike(
  file: string,
  bytes: Buffer,
  container: string,
  isComplete: boolean,
): Promise<boolean> {
  const { report } = await checkFiles([{ path: file, source: bytesSource(file, bytes) }], { isComplete });
  return container === "jsonl" || report.files.every((each) => each.container === container);
}

/** The units that could go alone, by a plain check of the log without each of them. */
async function removable({ after }: Shrunk, { file, isComplete }: FaultyLog): Promise<string[]> {
  const found: string[] = [];
  for (const pass of unitPasses) {
    for (const unit of pass.unitsOf(after)) {
      const bytes = pass.without(after, [unit]);
      if ("why" in bytes) continue;
      const left = await findingsIn(file, bytes, isComplete);
      if (!(await isAlike(file, bytes, after.file.container, isComplete))) continue;
      const isShown = left.some(
        (finding) => isKept(finding, after.subject) && isRoot(finding, after.subject),
      );
      if (isShown && news(left, after.result.report.findings).length === 0) found.push(unit.name);
    }
  }
  return found;
}

describe.each([...pageExamples, ...sampleLogs])("$name", (log) => {
  const { file, bytes, rule, isComplete } = log;

  test("keeps the finding, adds no error, has nothing that can go alone, and shrinks to itself", async () => {
    const before = await findingsIn(file, bytes, isComplete);
    const shrunk = await shrunken(file, bytes, { rules: [rule] }, { isComplete });
    if (!shrunk) throw new Error("the example has no finding of its rule");
    const small = shrunk.written.bytes;
    const after = await findingsIn(file, small, isComplete);
    expect(after.filter((finding) => isKept(finding, shrunk.before.subject))).not.toEqual([]);
    expect(news(after, before)).toEqual([]);
    expect(small.length).toBeLessThanOrEqual(bytes.length);
    expect(await removable(shrunk, log)).toEqual([]);
    const again = await shrunken(file, small, { rules: [rule] }, { isComplete });
    expect(again?.written.bytes.toString()).toBe(small.toString());
  });
});

test.each(sampleLogs)("$name shrinks to the same bytes in every run", async ({ file, bytes, rule }) => {
  const [one, other] = [
    await shrunken(file, bytes, { rules: [rule] }),
    await shrunken(file, bytes, { rules: [rule] }),
  ];
  expect(one?.written.bytes.equals(other?.written.bytes ?? Buffer.alloc(0))).toBe(true);
});
