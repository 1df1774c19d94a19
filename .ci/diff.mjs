#!/usr/bin/env node
/**
 * Compares every log of the corpus in which a fault was planted with the log before the fault: the runs must part at the planted one, on the
 * client's side. Run it after a build.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { diff } from "../dist/index.js";

const corpus = join(import.meta.dirname, "..", "..", "shared", "corpus");
const list = join(corpus, "repair", "expect.jsonl");
if (!existsSync(list)) process.exit(0);
const misses = [];
let count = 0;
for (const line of readFileSync(list, "utf8").trim().split("\n")) {
  const { file, truth, must } = JSON.parse(line);
  const report = await diff(join(corpus, "repair", file), join(corpus, truth));
  const { side, left, isMinor } = report?.firstDivergence ?? {};
  if (side !== "request" || isMinor || left?.exchange !== must[0].exchange)
    misses.push(`${file}: at ${left?.exchange} in the ${side}, not at ${must[0].exchange} in the request`);
  count++;
}
for (const miss of misses) console.error(miss);
console.log(`${count - misses.length} of ${count} planted faults are where the runs part`);
process.exitCode = misses.length > 0 ? 1 : 0;
