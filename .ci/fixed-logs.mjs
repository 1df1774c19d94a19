#!/usr/bin/env node
/**
 * Repairs every log of the corpus, with safe repairs alone and with all: nothing may be left that such a repair could mend, unless the report
 * says why, and repairing again may change nothing. Run it after a build.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { check, fix } from "../dist/index.js";

const corpus = join(import.meta.dirname, "..", "..", "shared", "corpus");
const folders = ["clean", "faulty", "repair", "failures", "recorded"].filter((folder) =>
  existsSync(join(corpus, folder, "expect.jsonl")),
);
const allowances = [["safe"], ["safe", "lossy", "inventing"]];
const misses = [];
let count = 0;
for (const folder of folders) {
  for (const line of readFileSync(join(corpus, folder, "expect.jsonl"), "utf8")
    .trim()
    .split("\n")) {
    const { file, skip } = JSON.parse(line);
    if (skip) continue;
    for (const classes of allowances) {
      const name = basename(file);
      const once = await fix(join(corpus, folder, file), { classes });
      const bytes = Buffer.from(once.bytes);
      const { findings } = await check(bytes, { name });
      const told = new Set(once.report.edits.filter(({ applied }) => !applied).map(({ rule }) => rule));
      const left = findings.filter(
        (finding) =>
          finding.fix &&
          classes.includes(finding.fix.safety) &&
          (classes.length === 1 || !told.has(finding.rule)),
      );
      const twice = await fix(bytes, { name, classes });
      const faults = [
        ...left.map(({ rule, location }) => `${rule} is left in request ${location.exchange}`),
        ...(Buffer.from(twice.bytes).equals(bytes) ? [] : ["a second repair changes it"]),
      ];
      if (faults.length > 0) misses.push(`${folder}/${file}, ${classes.join(" ")}: ${faults.join("; ")}`);
      count++;
    }
  }
}
for (const miss of misses) console.error(miss);
console.log(`${count - misses.length} of ${count} repaired logs have nothing left to repair`);
process.exitCode = misses.length > 0 ? 1 : 0;
