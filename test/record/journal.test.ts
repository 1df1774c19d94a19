import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/record/journal.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-journal-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("lines stand in the file in the order in which they were added", async () => {
  const file = path.join(folder, "run.jsonl");
  const journal = await openJournal(file);
  await Promise.all(["one\n", "two\n", "three\n"].map((line) => journal.add(line)));
  await journal.close();
  expect(fs.readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
});

test("a new one is for its owner only: it holds whole conversations", async () => {
  const file = path.join(folder, "private.jsonl");
  await (await openJournal(file)).close();
  expect(fs.statSync(file).mode & 0o077).toBe(0);
});

test("what a recorder left half written when it was killed stays, on a line of its own", async () => {
  const file = path.join(folder, "killed.jsonl");
  fs.writeFileSync(file, 'one\n{"half":');
  const journal = await openJournal(file);
  await journal.add("two\n");
  await journal.close();
  expect(fs.readFileSync(file, "utf8")).toBe('one\n{"half":\ntwo\n');
});

test("a line that cannot be written is an error, and the next is still tried", async () => {
  const file = path.join(folder, "gone.jsonl");
  const journal = await openJournal(file);
  await journal.close();
  await expect(journal.add("one\n")).rejects.toThrow();
  await expect(journal.add("two\n")).rejects.toThrow();
});
