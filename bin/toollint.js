#!/usr/bin/env node
import module from "node:module";

module.enableCompileCache?.();

const program = await import("../dist/cli.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
});

if (program) {
  process.exitCode = await program.main(process.argv.slice(2));
} else {
  console.error("toollint: the program is not built: run `npm ci` or `npm run build`");
  process.exitCode = 2;
}
