import { expect, test } from "vitest";
import type { Cut, FailingLog, Objection } from "../../src/shrink/oracle.ts";
import { type Judge, type Pass, swept } from "../../src/shrink/sweep.ts";

test("work on cuts that cannot be written comes to its bound", async () => {
  const units = Array.from({ length: 1000 }, (_, index) => ({ name: `unit ${index}` }));
  let written = 0;
  const pass: Pass = {
    strictness: "errors",
    unitsOf: () => units,
    without: (): Cut => {
      written++;
      return { why: "toollint cannot write the form in which the log stores this body" };
    },
  };
  const judge: Judge = {
    get isExhausted() {
      return written >= 20;
    },
    judge: async (_, cut): Promise<Objection> => ({
      is: "unwritable",
      why: "why" in cut ? cut.why : "",
    }),
  };
  await swept(pass, {} as FailingLog, judge);
  expect(written).toBe(20);
});
