import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { define, vitePlugin } from "../build.mjs";

const root = join(import.meta.dirname, "..");

/** What modules of the source export, which the package does not, for measurements: `export … from` lines. */
export async function bundled(name, exports) {
  const outfile = join(root, "dist", `${name}-measurement.mjs`);
  await build({
    absWorkingDir: root,
    stdin: { contents: exports.join("\n"), resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    define,
    loader: { ".md": "text", ".jsonl": "text" },
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    logLevel: "error",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module";\nconst require = (id) => __createRequire(import.meta.url)(id);',
    },
    plugins: [
      {
        name: "modules",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^(?:schema|page|vocabulary):/ }, ({ path }) => ({
            path,
            namespace: "modules",
          }));
          onLoad({ filter: /.*/, namespace: "modules" }, async ({ path }) => ({
            contents: await vitePlugin.load(`\0${path}`),
            resolveDir: root,
          }));
        },
      },
    ],
  });
  const made = await import(pathToFileURL(outfile));
  rmSync(outfile);
  return made;
}
