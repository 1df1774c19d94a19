import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { check, fix } from "../../src/index.ts";
import { pagePaths } from "../rule-docs.ts";

/** The examples that a rule's page shows as reported, in which something is offered to be repaired. */
async function repairable(): Promise<{ name: string; log: string; file: string }[]> {
  const examples = [...pagePaths].flatMap(([rule, page]) =>
    [...readFileSync(page, "utf8").matchAll(/```(jsonl?) reported[^\n]*\n([\s\S]*?)```/g)].map(
      ([, kind, log], index) => ({
        name: `${rule}, example ${index + 1}`,
        log: log ?? "",
        file: `log.${kind}`,
      }),
    ),
  );
  const offered = await Promise.all(
    examples.map(async ({ log, file }) => {
      const { findings } = await check(Buffer.from(log), { name: file });
      return findings.some((finding) => finding.fix !== null);
    }),
  );
  return examples.filter((_, index) => offered[index]);
}

describe("a repair that a page's example is offered", async () => {
  const classes = ["safe", "lossy", "inventing"] as const;

  test.each(await repairable())(
    "is made, and leaves nothing to be repaired: $name",
    async ({ log, file }) => {
      const once = await fix(Buffer.from(log), { name: file, classes });
      expect(once.report.edits.filter(({ applied }) => !applied)).toEqual([]);
      expect(once.report.summary.applied).toBeGreaterThan(0);
      const { findings } = await check(once.bytes, { name: file });
      expect(findings.filter((finding) => finding.fix !== null)).toEqual([]);
      const twice = await fix(once.bytes, { name: file, classes });
      expect(Buffer.from(twice.bytes).equals(once.bytes)).toBe(true);
    },
  );
});
