import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Inputs } from "../../src/cli/files/inputs.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import { progressOn } from "../../src/cli/terminal/progress.ts";
import { memorySource } from "../../src/reading/source.ts";
import { logFolder } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
const erase = "\r\u001b[K";

/** A terminal whose clock is set by hand. */
function terminal(more: Partial<Io> = {}) {
  const world = { now: 0, written: "" };
  const stderr = new Writable({
    write(part, _, done) {
      world.written += part;
      done();
    },
  });
  const io: Io = {
    stdin: process.stdin,
    stdout: stderr,
    stderr,
    env: {},
    cwd: folder,
    isTTY: true,
    isErrorTTY: true,
    clock: { now: () => world.now },
    ...more,
  };
  return { io, world };
}

const inputs: Inputs = {
  files: ["a.log", "b.log"].map((path) => ({
    path,
    source: memorySource(path, Buffer.alloc(1000)),
    isNamed: true,
    troublesBefore: 0,
  })),
  troubles: [],
  searched: [],
  binaries: 0,
};

describe("the progress line", () => {
  test("says after half a second how much is read, then what is checked, and is erased", () => {
    const { io, world } = terminal();
    const progress = progressOn(io, false);
    const { files } = progress.reading(inputs);
    const [a, b] = files.map(({ source }) => source);
    expect(a?.read(0, 400)).toHaveLength(400);
    world.now = 499;
    a?.read(400, 800);
    expect(world.written).toBe("");
    world.now = 500;
    a?.read(800, 5000);
    expect(world.written).toBe(`${erase}reading a.log · 50 % of 2 kB`);
    world.now = 550;
    b?.read(0, 500);
    world.now = 600;
    b?.copy(Buffer.alloc(500), 0, 0);
    expect(world.written.split(erase).slice(2)).toEqual(["reading b.log · 75 % of 2 kB"]);
    world.now = 700;
    progress.checking(2, 3);
    world.now = 800;
    a?.read(0, 1000);
    progress.end();
    expect(world.written.split(erase).slice(3)).toEqual([
      "checking log 2 of 3 …",
      "checking log 2 of 3 …",
      "",
    ]);
  });

  test.each<[string, Partial<Io>, boolean]>([
    ["a pipe", { isErrorTTY: false }, false],
    ["CI", { env: { CI: "true" } }, false],
    ["a terminal that cannot erase", { env: { TERM: "dumb" } }, false],
    ["--quiet", {}, true],
  ])("is not written for %s", (_, more, isQuiet) => {
    const { io, world } = terminal(more);
    const progress = progressOn(io, isQuiet);
    const { files } = progress.reading(inputs);
    world.now = 10_000;
    files[0]?.source.read(0, 1000);
    progress.checking(1, 1);
    progress.end();
    expect(world.written).toBe("");
  });

  test("makes a path printable, and keeps to one line", () => {
    const { io, world } = terminal();
    const [file] = inputs.files;
    if (!file) throw new Error("there is a file");
    const source = memorySource(`${"deep/".repeat(40)}\u001b[31mrun.log`, Buffer.alloc(1000));
    const { files } = progressOn(io, false).reading({ ...inputs, files: [{ ...file, source }] });
    world.now = 1000;
    files[0]?.source.read(0, 1000);
    const [, line = ""] = world.written.split(erase);
    expect(line).toMatch(/^reading deep\/.*…/);
    expect(line).not.toContain("\u001b");
    expect(line.length).toBeLessThanOrEqual(72);
  });

  test("a short check writes none, and the report is the same", async () => {
    const plain = await toollint(["check", "broken.jsonl"], { cwd: folder });
    const onTerminal = await toollint(["check", "broken.jsonl"], { cwd: folder, isErrorTTY: true });
    expect(onTerminal).toEqual(plain);
  });
});
