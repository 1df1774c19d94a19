import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { check, fix } from "../../src/index.ts";

const root = path.join(import.meta.dirname, "..", "..", "samples");
const logs = readdirSync(root).flatMap((story) =>
  readdirSync(path.join(root, story))
    .filter((file) => /^(?:failing|passing)\./.test(file) && !/expected|\.md$/.test(file))
    .map((file) => `${story}/${file}`),
);

test.each(logs.filter((log) => log.includes("passing")))("%s comes back byte for byte", async (log) => {
  const bytes = readFileSync(path.join(root, log));
  const fixed = await fix(bytes, { name: log, classes: ["safe", "lossy", "inventing"] });
  expect(Buffer.from(fixed.bytes).equals(bytes)).toBe(true);
});

test.each(logs.filter((log) => log.includes("failing")))(
  "%s has nothing left that could be repaired",
  async (log) => {
    const { bytes } = await fix(readFileSync(path.join(root, log)), { name: log });
    const { findings } = await check(bytes, { name: log });
    expect(findings.filter((finding) => finding.fix?.safety === "safe")).toEqual([]);
    const again = await fix(bytes, { name: log });
    expect(Buffer.from(again.bytes).equals(bytes)).toBe(true);
  },
);
