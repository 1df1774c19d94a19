#!/usr/bin/env node
/**
 * Redacts the logs of the corpus in memory: at least 99 of 100 must keep their findings and repairs, and of the words that nobody but
 * their authors has, hardly any may be left.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundled } from "./bundled.mjs";

const root = join(import.meta.dirname, "..");
const corpus = join(root, "..", "shared", "corpus");
if (!existsSync(corpus)) process.exit(0);

const { checkFiles, redact, toolNames, publicNameWords, readWords, fileSource } = await bundled("redacted", [
  'export { checkFiles } from "./src/check/check.ts";',
  'export { redact } from "./src/redact/redact.ts";',
  'export { toolNames } from "./src/redact/tool-names.ts";',
  'export { publicNameWords, readWords } from "./src/redact/vocabulary.ts";',
  'export { fileSource } from "./src/reading/source.ts";',
]);

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
    const { files, differences, keepsReadWords } = await redact([{ path: file, source }]);
    const offered = toolNames(await checkFiles([{ path: file, source }], {}));
    count.push(file);
    if (keepsReadWords) depending.push(file);
    if (differences.length > 0) misses.push(`${folder}/${name}: ${differences[0].is} ${differences[0].what}`);
    const tools = new Set([...offered].flatMap((tool) => tool.toLowerCase().match(/[a-z]+/g) ?? []));
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
