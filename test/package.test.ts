import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const manifest = JSON.parse(read("package.json"));

test("the command is an executable script", () => {
  const bin = manifest.bin.toollint;
  expect(read(bin)).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(fs.statSync(path.join(root, bin)).mode & 0o111).toBe(0o111);
});

test("every file that the package lists exists", () => {
  const missing = manifest.files.filter((file: string) => !fs.existsSync(path.join(root, file)));
  expect(missing).toEqual([]);
});

test("whoever installs the package installs nothing else", () => {
  expect(manifest).not.toHaveProperty("dependencies");
});

test("what the package is built from is pinned to a version", () => {
  const ranges = Object.entries<string>(manifest.devDependencies).filter(
    ([, range]) => !/^\d+\.\d+\.\d+$/.test(range),
  );
  expect(ranges).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(read("package-lock.json")).not.toContain('"resolved"');
});

test("every entry of the package has its types built", () => {
  const { files } = JSON.parse(read("tsconfig.build.json"));
  const sources = files.filter((file: string) => file !== "src/build.d.ts");
  const names = Object.keys(manifest.exports).filter((name) => name !== "./package.json");
  expect(sources.map((file: string) => path.basename(file, ".ts")).sort()).toEqual(
    names.map((name) => (name === "." ? "index" : name.slice(2))).sort(),
  );
});
