#!/usr/bin/env node
/**
 * Redacts the logs of the corpus in memory: at least 99 of 100 must keep their findings and repairs, and of the words that nobody but
 * their authors has, hardly any may be left.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { define, vitePlugin } from "../build.mjs";

const root = join(import.meta.dirname, "..");
const corpus = join(root, "..", "shared", "corpus");
if (!existsSync(corpus)) process.exit(0);

/** What is measured, as one module: the package does not export it. */
const outfile = join(root, "dist", "redacted-measurement.mjs");
await build({
  absWorkingDir: root,
  stdin: {
    contents: [
      'export { redact } from "./src/redact/redact.ts";',
      'export { toolNames } from "./src/redact/tool-names.ts";',
      'export { publicNameWords, readWords } from "./src/redact/vocabulary.ts";',
      'export { fileSource } from "./src/reading/source.ts";',
    ].join("\n"),
    resolveDir: root,
  },
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
        onResolve({ filter: /^(?:schema|page|vocabulary):/ }, ({ path }) => ({ path, namespace: "modules" }));
        onLoad({ filter: /.*/, namespace: "modules" }, async ({ path }) => ({
          contents: await vitePlugin.load(`\0${path}`),
          resolveDir: root,
        }));
      },
    },
  ],
});
const { redact, toolNames, publicNameWords, readWords, fileSource } = await import(pathToFileURL(outfile));
rmSync(outfile);

const wordsOf = (bytes) =>
  new Set(
    bytes
      .toString()
      .replace(/\\+[nrt"]/g, " ")
      .match(/\p{L}{5,}/gu) ?? [],
  );
const misses = [];
const [count, depending, words, left] = [[], [], [], []];
for (const folder of ["faulty", "failures", "failures2", "features"]) {
  for (const name of readdirSync(join(corpus, folder), { recursive: true })) {
    const file = join(corpus, folder, name);
    if (!statSync(file).isFile() || /expect.*\.jsonl$/.test(file)) continue;
    const source = fileSource(file);
    const { files, result, differences, keepsReadWords } = await redact([{ path: file, source }]);
    count.push(file);
    if (keepsReadWords) depending.push(file);
    if (differences.length > 0) misses.push(`${folder}/${name}: ${differences[0].is} ${differences[0].what}`);
    const tools = new Set(
      [...toolNames(result)].flatMap((tool) => tool.toLowerCase().match(/[a-z]+/g) ?? []),
    );
    const made = wordsOf(files[0].content);
    for (const word of wordsOf(source.read(0, source.size))) {
      const parts = word
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .split(" ");
      const isPublic = (part) =>
        part.length < 2 || readWords.has(part) || publicNameWords.has(part) || tools.has(part);
      if (parts.every(isPublic)) continue;
      words.push(word);
      if (made.has(word)) left.push(`${word} in ${folder}/${name}`);
    }
  }
}
for (const miss of misses) console.error(miss);
console.log(
  `${count.length - misses.length} of ${count.length} logs keep their findings without their words, ${depending.length} with the words that rules look for; ${left.length} of ${words.length} words are left, names of models among them`,
);
// Names of models stay, and fragments of words of protocols look like words of somebody.
process.exitCode = misses.length > count.length / 100 || left.length > words.length / 200 ? 1 : 0;
