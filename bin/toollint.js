#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { load } = require("./code-cache.js");

// By default, a run spends a quarter of its CPU time on optimising functions and ends before that pays, so only
// the hottest are optimised. Each version of V8 has a flag of its own for this, and complains of unknown ones.
const calmOptimizer = {
  20: "--interrupt-budget=1000000",
  22: "--invocation-count-for-turbofan=30000",
  24: "--invocation-count-for-turbofan=30000",
}[Number.parseInt(process.versions.node, 10)];
if (calmOptimizer) setFlagsFromString(calmOptimizer);

const program = join(__dirname, "../dist/cli.cjs");

// Nothing is left to do then. By itself, Node would take the heap apart before it ends.
process.once("beforeExit", () => process.exit());

if (existsSync(program)) {
  load(program)
    .main(process.argv.slice(2))
    .then((exit) => {
      process.exitCode = exit;
    });
} else {
  console.error("toollint: the program is not built: run `npm ci` or `npm run build`");
  process.exitCode = 2;
}
