import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Meddling, openJournal } from "../../src/record/journal.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-journal-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function opened(name: string, before?: string) {
  const file = path.join(folder, name);
  if (before !== undefined) fs.writeFileSync(file, before);
  const meddled: Meddling[] = [];
  const journal = await openJournal(file, (how) => meddled.push(how));
  return { file, journal, meddled, text: (of = file) => fs.readFileSync(of, "utf8") };
}

test("lines stand in the file in the order in which they were added", async () => {
  const { journal, text } = await opened("run.jsonl");
  await Promise.all(["one\n", "two\n", "three\n"].map((line) => journal.add(line)));
  await journal.close();
  expect(text()).toBe("one\ntwo\nthree\n");
});

test("a new one is for its owner only: it holds whole conversations", async () => {
  const { file, journal } = await opened("private.jsonl");
  await journal.close();
  expect(fs.statSync(file).mode & 0o077).toBe(0);
});

test("what a recorder left half written when it was killed stays, on a line of its own", async () => {
  const { journal, text } = await opened("killed.jsonl", 'one\n{"half":');
  await journal.add("two\n");
  await journal.add("three\n");
  await journal.close();
  expect(text()).toBe('one\n{"half":\ntwo\nthree\n');
});

test("a journal that is opened and not used stays as it was", async () => {
  const { journal, text } = await opened("unused.jsonl", '{"half":');
  await journal.close();
  expect(text()).toBe('{"half":');
});

test("clearing takes away what stood there, and keeps what is added after it", async () => {
  const { journal, meddled, text } = await opened("cleared.jsonl", "old\n");
  const cleared = journal.clear();
  const added = journal.add("new\n");
  await Promise.all([cleared, added]);
  await journal.close();
  expect(text()).toBe("new\n");
  expect(meddled).toEqual([]);
});

test("a line that cannot be written is an error, and the next is still tried", async () => {
  const { journal } = await opened("gone.jsonl");
  await journal.close();
  await expect(journal.add("one\n")).rejects.toThrow();
  await expect(journal.add("two\n")).rejects.toThrow();
});

test.runIf(fs.existsSync("/dev/full"))("a full disk is an error for each line", async () => {
  const journal = await openJournal("/dev/full");
  await expect(journal.add("one\n")).rejects.toThrow(/ENOSPC/);
  await expect(journal.add("two\n")).rejects.toThrow(/ENOSPC/);
  await journal.close();
});

test.runIf(fs.existsSync("/dev/null"))("a device is written to, although it cannot be flushed", async () => {
  const journal = await openJournal("/dev/null");
  await journal.add("one\n");
  await journal.close();
});

describe("what other programs do to the file", () => {
  test("removed: the recording goes on in a new one, and it is told", async () => {
    const { file, journal, meddled, text } = await opened("removed.jsonl");
    await journal.add("one\n");
    fs.rmSync(file);
    await journal.add("two\n");
    await journal.add("three\n");
    await journal.close();
    expect(text()).toBe("two\nthree\n");
    expect(meddled).toEqual(["moved"]);
  });

  test("renamed, as logs are rotated: both files are whole", async () => {
    const { file, journal, meddled, text } = await opened("rotated.jsonl");
    await journal.add("one\n");
    fs.renameSync(file, `${file}.1`);
    await journal.add("two\n");
    await journal.close();
    expect([text(`${file}.1`), text()]).toEqual(["one\n", "two\n"]);
    expect(meddled).toEqual(["moved"]);
  });

  test("replaced by a file that ends in half a line", async () => {
    const { file, journal, text } = await opened("replaced.jsonl");
    await journal.add("one\n");
    fs.writeFileSync(`${file}.new`, "other");
    fs.renameSync(`${file}.new`, file);
    await journal.add("two\n");
    await journal.close();
    expect(text()).toBe("other\ntwo\n");
  });

  test("removed with its folder: an error until the folder is back", async () => {
    fs.mkdirSync(path.join(folder, "deep"));
    const { file, journal, text } = await opened("deep/run.jsonl");
    await journal.add("one\n");
    fs.rmSync(path.dirname(file), { recursive: true });
    await expect(journal.add("two\n")).rejects.toThrow(/ENOENT/);
    fs.mkdirSync(path.dirname(file));
    await journal.add("three\n");
    await journal.close();
    expect(text()).toBe("three\n");
  });

  test("replaced by a pipe that nobody reads, or a device: an error, and nobody waits", async () => {
    for (const replace of [
      (file: string) => void execFileSync("mkfifo", [file]),
      (file: string) => fs.symlinkSync("/dev/null", file),
    ]) {
      const { file, journal, text } = await opened("pipe.jsonl");
      await journal.add("one\n");
      fs.rmSync(file);
      replace(file);
      await expect(journal.add("two\n")).rejects.toThrow();
      fs.rmSync(file);
      await journal.add("three\n");
      await journal.close();
      expect(text()).toBe("three\n");
      fs.rmSync(file);
    }
  });

  test("emptied: it is told", async () => {
    const { file, journal, meddled, text } = await opened("emptied.jsonl");
    await journal.add("one\n");
    fs.truncateSync(file);
    await journal.add("two\n");
    await journal.close();
    expect(text()).toBe("two\n");
    expect(meddled).toEqual(["changed"]);
  });

  test("two recorders at once: both are told, and all lines are whole", async () => {
    const first = await opened("shared.jsonl");
    const second = await opened("shared.jsonl");
    const long = (name: string) => `${name.repeat(700_000)}\n`;
    await Promise.all(
      ["a", "b", "c", "d"].flatMap((name) => [
        first.journal.add(long(name)),
        second.journal.add(long(name.toUpperCase())),
      ]),
    );
    await first.journal.close();
    await second.journal.close();
    expect([...first.meddled, ...second.meddled]).toContain("changed");
    expect(first.text().match(/^(\w)\1+$/gm)).toHaveLength(8);
  });
});
