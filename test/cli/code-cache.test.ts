import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const log = "samples/order-lookup/failing.jsonl";
const report = fs.readFileSync(path.join(root, "samples/order-lookup/failing.expected.json"), "utf8");

let home: string;
let kept: string;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-code-"));
  kept = path.join(home, "toollint");
});

afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

function check(variables: Readonly<Record<string, string>> = {}): string {
  const { XDG_CACHE_HOME, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE, ...env } =
    process.env;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(root, "bin/toollint.js"), "check", "--no-config", "--format", "json", log],
    {
      cwd: root,
      encoding: "utf8",
      env: { ...env, XDG_CACHE_HOME: home, LOCALAPPDATA: home, ...variables },
    },
  );
  expect([status, stderr]).toEqual([1, ""]);
  return stdout;
}

const codeFiles = (): readonly string[] => (fs.existsSync(kept) ? fs.readdirSync(kept).sort() : []);

/** The bytes of the largest file of code, and when it was written. */
function largest(): { readonly file: string; readonly bytes: Buffer; readonly inode: number } {
  const files = codeFiles().map((name) => path.join(kept, name));
  const [file = ""] = files.sort((a, b) => fs.statSync(b).size - fs.statSync(a).size);
  return { file, bytes: fs.readFileSync(file), inode: fs.statSync(file).ino };
}

describe.skipIf(!fs.existsSync(path.join(root, "dist/cli.cjs")))("the code of the program", () => {
  test("is kept by the first run, for its user only, and used by the next", () => {
    const first = check();
    const names = codeFiles();
    expect(names.every((name) => name.endsWith(`-${process.version}-${process.arch}.code`))).toBe(true);
    expect(names.length).toBeGreaterThan(0);
    if (process.platform !== "win32") {
      expect(fs.statSync(kept).mode & 0o777).toBe(0o700);
      expect(names.map((name) => fs.statSync(path.join(kept, name)).mode & 0o777)).toEqual(
        names.map(() => 0o600),
      );
    }
    const before = largest();
    expect(check()).toBe(first);
    expect(codeFiles()).toEqual(names);
    expect(largest().inode).toBe(before.inode);
  });

  test("changes nothing that a run says", () => {
    const without = check({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(codeFiles()).toEqual([]);
    expect([check(), check()]).toEqual([without, without]);
    expect(JSON.parse(without).findings).toEqual(JSON.parse(report).findings);
  });

  test("that is damaged is compiled and kept again", () => {
    const first = check();
    const { file, bytes } = largest();
    fs.writeFileSync(file, bytes.subarray(0, bytes.length >> 1));
    expect(check()).toBe(first);
    expect(fs.statSync(file).size).toBeGreaterThan(bytes.length >> 1);
    for (const at of [bytes.length >> 2, bytes.length >> 1, bytes.length - 40]) {
      fs.writeFileSync(file, Buffer.from(bytes).fill(0x55, at, at + 8));
      expect(check()).toBe(first);
    }
  });

  test.skipIf(process.platform === "win32")("that others could have written is not used", () => {
    check();
    const { file, inode } = largest();
    fs.chmodSync(file, 0o666);
    check();
    expect(largest().inode).not.toBe(inode);
    fs.chmodSync(kept, 0o777);
    const { inode: later } = largest();
    check();
    expect(largest().inode).toBe(later);
  });

  test("is kept in the folder of NODE_COMPILE_CACHE", () => {
    check({ NODE_COMPILE_CACHE: path.join(home, "other") });
    expect(codeFiles()).toEqual([]);
    expect(fs.readdirSync(path.join(home, "other/toollint")).length).toBeGreaterThan(0);
  });

  test("is not kept where nothing can be written", () => {
    const file = path.join(home, "file");
    fs.writeFileSync(file, "");
    check({ XDG_CACHE_HOME: file, LOCALAPPDATA: file });
    expect(fs.readdirSync(home)).toEqual(["file"]);
  });

  test("of versions that nobody runs is removed after some months", () => {
    fs.mkdirSync(kept, { mode: 0o700 });
    const [old, recent] = ["old.code", "recent.code"].map((name) => path.join(kept, name));
    for (const each of [old, recent]) fs.writeFileSync(each ?? "", "");
    fs.utimesSync(old ?? "", 1_700_000_000, 1_700_000_000);
    check();
    expect(codeFiles()).toContain("recent.code");
    expect(codeFiles()).not.toContain("old.code");
  });
});
