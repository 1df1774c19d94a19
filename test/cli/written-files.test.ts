import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createWhole, writeWhole } from "../../src/cli/files/atomic.ts";
import { newDraft } from "../../src/cli/files/drafts.ts";
import { fileState } from "../../src/cli/files/file-state.ts";
import { pipeSource } from "../../src/cli/files/inputs.ts";
import { replaceFile } from "../../src/cli/files/replace.ts";
import { readAll } from "../../src/cli/terminal/io.ts";
import { fileSource } from "../../src/reading/source.ts";
import { loopLog } from "./logs.ts";
import { toollint } from "./program.ts";

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-written-"));
  return () => fs.rmSync(folder, { recursive: true });
});

const at = (name: string): string => path.join(folder, name);
const read = (name: string): string => fs.readFileSync(at(name), "utf8");
const names = (): string[] => fs.readdirSync(folder).sort();
const isRoot = process.getuid?.() === 0;

function* fullDisk(): Generator<string> {
  yield "half of the new";
  throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
}

describe("a file that is written", () => {
  test("is whole or as it was when the disk is full", async () => {
    fs.writeFileSync(at("report.json"), "old");
    await expect(writeWhole("report.json", folder, fullDisk())).rejects.toThrow(
      "cannot write report.json: no space left on the device",
    );
    expect(read("report.json")).toBe("old");
    await expect(writeWhole("new.json", folder, fullDisk())).rejects.toThrow("no space left on the device");
    expect(names()).toEqual(["report.json"]);
  });

  test("keeps its permissions and all its names", async () => {
    fs.writeFileSync(at("report.json"), "old and longer", { mode: 0o640 });
    fs.chmodSync(at("report.json"), 0o640);
    fs.symlinkSync("report.json", at("symbolic.json"));
    await writeWhole("symbolic.json", folder, ["first"]);
    expect(fs.lstatSync(at("symbolic.json")).isSymbolicLink()).toBe(true);
    expect(read("report.json")).toBe("first");
    fs.linkSync(at("report.json"), at("hard.json"));
    await writeWhole("hard.json", folder, ["se", Buffer.from("con"), "d"]);
    expect([read("report.json"), read("hard.json")]).toEqual(["second", "second"]);
    expect(fs.statSync(at("report.json")).mode & 0o777).toBe(0o640);
    expect(names()).toEqual(["hard.json", "report.json", "symbolic.json"]);
  });

  test("is as private as the files that it is made of, if it is new", async () => {
    for (const [name, mode] of [
      ["private.log", 0o600],
      ["group.log", 0o640],
    ] as const) {
      fs.writeFileSync(at(name), "log");
      fs.chmodSync(at(name), mode);
    }
    const modeOf = (name: string) => fs.statSync(at(name)).mode & 0o777;
    await writeWhole("a.log", folder, ["log"], { copyOf: ["private.log"] });
    await writeWhole("b.log", folder, ["log"], { copyOf: ["group.log"] });
    await writeWhole("c.log", folder, ["log"], { copyOf: ["group.log", "private.log", "-", "missing.log"] });
    await writeWhole("d.log", folder, ["log"]);
    const usual = modeOf("d.log");
    expect(["a.log", "b.log", "c.log"].map(modeOf)).toEqual([0o600, 0o640 & usual, 0o600]);
    fs.chmodSync(at("a.log"), 0o644);
    await writeWhole("a.log", folder, ["log"], { copyOf: ["private.log"] });
    expect(modeOf("a.log")).toBe(0o644);
  });

  test("is its owner's alone where it has to be, whatever stood there", async () => {
    await writeWhole("new.json", folder, ["secret"], { isPrivate: true });
    fs.writeFileSync(at("old.json"), "old");
    fs.writeFileSync(at("linked.json"), "old");
    fs.linkSync(at("linked.json"), at("other.json"));
    fs.symlinkSync("old.json", at("symbolic.json"));
    for (const name of ["symbolic.json", "other.json"])
      await writeWhole(name, folder, ["secret"], { isPrivate: true });
    for (const name of ["new.json", "old.json", "linked.json"]) {
      expect(read(name)).toBe("secret");
      expect(fs.statSync(at(name)).mode & 0o077).toBe(0);
    }
    await expect(writeWhole("new.json", folder, fullDisk(), { isPrivate: true })).rejects.toThrow("no space");
    expect(read("new.json")).toBe("secret");
  });

  test("is made once by two at the same moment", async () => {
    const made = await Promise.all(["a", "b", "c"].map((text) => createWhole(at("key"), [text])));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(read("key")).toBe(["a", "b", "c"][made.indexOf(true)]);
    expect(fs.statSync(at("key")).mode & 0o077).toBe(0);
    await expect(createWhole(at("next"), fullDisk())).rejects.toThrow("ENOSPC");
    expect(names()).toEqual(["key"]);
  });

  test.runIf(isRoot)("stays its owner's, and so does its backup", async () => {
    fs.writeFileSync(at("run.log"), "old");
    fs.chownSync(at("run.log"), 1234, 1235);
    await replaceFile("run.log", folder, ["new"], fileState(at("run.log")));
    const owners = ["run.log", "run.log.bak"].map((name) => fs.statSync(at(name)));
    expect(owners.map(({ uid, gid }) => [uid, gid])).toEqual([
      [1234, 1235],
      [1234, 1235],
    ]);
  });

  test.skipIf(isRoot)("stays as it was if it is write-protected", async () => {
    fs.writeFileSync(at("report.json"), "old");
    fs.chmodSync(at("report.json"), 0o444);
    await expect(writeWhole("report.json", folder, ["new"])).rejects.toThrow(
      "cannot write report.json: permission denied",
    );
    expect(read("report.json")).toBe("old");
    expect(names()).toEqual(["report.json"]);
  });

  test("goes where a symbolic link leads, also if nothing is there yet", async () => {
    fs.mkdirSync(at("deep"));
    fs.symlinkSync("deep/target.json", at("link.json"));
    fs.symlinkSync("link.json", at("chain.json"));
    await writeWhole("chain.json", folder, ["text"]);
    expect(read("deep/target.json")).toBe("text");
    expect(fs.lstatSync(at("chain.json")).isSymbolicLink()).toBe(true);
    fs.symlinkSync("missing/target.json", at("lost.json"));
    await expect(writeWhole("lost.json", folder, ["text"])).rejects.toThrow(
      "cannot write lost.json: there is no directory",
    );
  });

  test("in place keeps its other names, beside a backup of its own", async () => {
    fs.writeFileSync(at("run.log"), "old");
    fs.linkSync(at("run.log"), at("other.log"));
    const backup = await replaceFile("run.log", folder, ["new"], fileState(at("run.log")));
    expect([read("run.log"), read("other.log"), read(backup)]).toEqual(["new", "new", "old"]);
  });

  test("may be a device", async () => {
    await writeWhole("/dev/null", folder, ["text"]);
    expect(fs.statSync("/dev/null").isFile()).toBe(false);
  });

  test("overwrites no backup", async () => {
    fs.writeFileSync(at("run.log"), "1");
    for (const content of ["2", "3"])
      await replaceFile("run.log", folder, [content], fileState(at("run.log")));
    expect(names()).toEqual(["run.log", "run.log.bak", "run.log.bak2"]);
    expect([read("run.log.bak"), read("run.log.bak2")]).toEqual(["1", "2"]);
  });
});

describe("a program that is ended while it writes", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s leaves nothing but the old file", (signal) => {
    fs.writeFileSync(at("big.log"), "old");
    const draft = newDraft(folder);
    fs.writeFileSync(draft, "half");
    // Another listener, so that the signal does not end this process.
    const other = () => {};
    process.on(signal, other);
    process.emit(signal, signal);
    process.removeListener(signal, other);
    expect(names()).toEqual(["big.log"]);
    expect(process.listeners(signal).filter(({ name }) => name === "onEnding")).toEqual([]);
  });
});

describe("a draft that a killed run left", () => {
  const parent = process.ppid;
  /** A draft of another process, written so many hours ago. */
  function left(pid: number, hours: number): string {
    const draft = path.basename(newDraft(folder)).replace(`-${process.pid}-`, `-${pid}-`);
    fs.writeFileSync(at(draft), "half");
    const time = Date.now() / 1000 - hours * 3600;
    fs.utimesSync(at(draft), time, time);
    return draft;
  }

  /** What is there after a write, without the file itself. */
  async function afterWrite(): Promise<string[]> {
    // A run looks for leftovers once in each folder.
    const other = `${folder}-moved`;
    fs.renameSync(folder, other);
    folder = other;
    await writeWhole("report.json", folder, ["new"]);
    return names().filter((name) => name !== "report.json");
  }

  test("is removed by the next write when its process has ended", async () => {
    left(spawnSync(process.execPath, ["-e", ""]).pid, 0);
    expect(await afterWrite()).toEqual([]);
  });

  test("is removed when its number is that of a process which started later", async () => {
    left(parent, 30 * 24);
    expect(await afterWrite()).toEqual([]);
  });

  test("is removed when its number is the run's own", async () => {
    left(process.pid, 0);
    expect(await afterWrite()).toEqual([]);
  });

  test("stays while its process runs", async () => {
    const draft = left(parent, 0);
    expect(await afterWrite()).toEqual([draft]);
  });
});

test("a pipe or device without an end is a sentence", async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1000);
  }
  await expect(readAll(endless(), 5000)).rejects.toThrow(
    "it is longer than 1 GiB; save it to a file first: toollint reads files in parts",
  );
});

test("a long pipe is kept in a file of its own user, which is gone at the end", async () => {
  const temporary = (): string[] =>
    fs.readdirSync(os.tmpdir()).filter((name) => /^toollint-[0-9a-f-]{36}$/.test(name));
  const before = new Set(temporary());
  async function* pipe(): AsyncGenerator<Buffer> {
    for (let line = 0; line < 2000; line++)
      yield Buffer.from(`line ${line} of the log ${"-".repeat(8192)}\n`);
  }
  const source = await pipeSource("-", pipe(), 100_000);
  const start = source.size - "-\n".length;
  expect(source.read(0, 6).toString()).toBe("line 0");
  expect(source.read(start, start + 100).toString()).toBe("-\n");
  source.close();
  expect(temporary().filter((name) => !before.has(name))).toEqual([]);
});

test("a file that grows while it is read ends where it ended at the start", () => {
  fs.writeFileSync(at("long.log"), "a".repeat(9 << 20));
  const source = fileSource(at("long.log"));
  fs.appendFileSync(at("long.log"), "b".repeat(1000));
  const target = Buffer.alloc(2000);
  expect(source.copy(target, 0, source.size - 500)).toBe(500);
  expect(source.read(source.size - 500, source.size + 500).toString()).toBe("a".repeat(500));
  source.close();
});

describe("an output that a config file names", () => {
  const check = (...args: string[]) => toollint(["check", "loop.jsonl", ...args], { cwd: at("project") });
  const config = (content: object) =>
    fs.writeFileSync(at("project/toollint.config.json"), JSON.stringify(content));
  beforeEach(() => {
    fs.mkdirSync(at("project/.git/hooks"), { recursive: true });
    fs.mkdirSync(at("home"));
    fs.writeFileSync(at("home/.bashrc"), "mine");
    fs.writeFileSync(at("project/loop.jsonl"), loopLog(3));
    fs.symlinkSync("../home", at("project/reports"));
    fs.symlinkSync("../home/.profile", at("project/dangling.json"));
  });

  test.each([
    ["markdown=../home/.bashrc", "outside its directory"],
    ["markdown=reports/.bashrc", "outside its directory"],
    ["json=/tmp/toollint-elsewhere.json", "outside its directory"],
    ["json=.git/hooks/post-checkout", "in git's own directory"],
    ["json=.GIT/hooks/post-checkout", "in git's own directory"],
    ["json=dangling.json", "outside its directory"],
  ])("%s is not written", async (output, why) => {
    config({ outputs: [output] });
    const { exit, stderr } = await check();
    expect(exit).toBe(2);
    expect(stderr).toContain(`toollint.config.json names an output ${why}`);
    expect(stderr).toContain(output);
    expect(read("home/.bashrc")).toBe("mine");
    expect(fs.readdirSync(at("home"))).toEqual([".bashrc"]);
    expect(fs.readdirSync(at("project/.git/hooks"))).toEqual([]);
  });

  test("is written inside its directory, and elsewhere if the user types it", async () => {
    config({ outputs: ["json=out.json"] });
    expect((await check()).exit).toBe(0);
    expect(JSON.parse(read("project/out.json")).summary).toBeDefined();
    expect((await check("--format", "json=../home/out.json")).exit).toBe(0);
    expect(JSON.parse(read("home/out.json")).summary).toBeDefined();
  });

  test("as a baseline may be read from elsewhere, but not updated there", async () => {
    expect((await check("--baseline", "../home/known.json", "--update-baseline")).exit).toBe(0);
    const before = read("home/known.json");
    config({ baseline: "../home/known.json" });
    expect((await check()).exit).toBe(0);
    const { exit, stderr } = await check("--update-baseline");
    expect(exit).toBe(2);
    expect(stderr).toContain('names an output outside its directory, "baseline": "../home/known.json"');
    expect(read("home/known.json")).toBe(before);
  });
});
