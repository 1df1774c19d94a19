#!/usr/bin/env node
/** Bundles the fuzzer and what it tries, which are written in TypeScript, and runs it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { writeModule } from "../build.mjs";

const root = join(import.meta.dirname, "..");
const isBuilt = process.argv.includes("--built");
if (isBuilt && !existsSync(join(root, "dist/cli.cjs"))) {
  console.error("the program is not built: run `npm run build`");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "toollint-fuzzer-"));
try {
  if (!isBuilt) await writeModule("fuzz/program.ts", join(folder, "program.mjs"));
  await build({
    absWorkingDir: root,
    entryPoints: { main: "fuzz/main.ts", worker: "fuzz/worker.ts" },
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // The tests' logs stand beside helpers that read with the source, which the fuzzer does not use.
    external: ["schema:*"],
    loader: { ".md": "empty" },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
    },
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
  const { main } = await import(pathToFileURL(join(folder, "main.mjs")).href);
  process.exitCode = await main(process.argv.slice(2), root, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
