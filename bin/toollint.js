#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { load } = require("./code-cache.js");

const program = join(__dirname, "../dist/cli.cjs");

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
