import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check, diff, fix, NotUnderstoodError, read, repairedRequest } from "../src/index.ts";

const body = { model: "gpt-5-mini", messages: [{ role: "user", content: "Is it raining?" }] };

describe("check() never calls clean what it did not understand", () => {
  test.each([
    ["an empty object", {}],
    ["an empty list", []],
    ["messages that are none", { messages: "oops" }],
    ["numbers", [1, 2]],
    ["an empty text", Buffer.from("")],
    ["words", "no log\nat all"],
  ])("%s", async (_, log) => {
    const { files, findings, summary } = await check(log);
    expect(files).toEqual([]);
    expect(summary.error).toBe(1);
    expect(findings.map(({ rule, kind, severity }) => ({ rule, kind, severity }))).toEqual([
      { rule: "unreadable-record", kind: "not-understood", severity: "error" },
    ]);
  });

  test("null", async () => {
    const input: unknown = JSON.parse("null");
    expect((await check(input as object)).summary.error).toBe(1);
  });
});

describe("what was not understood throws, where no report could say so:", () => {
  const good = JSON.stringify(body);
  const ways: readonly (readonly [string, (log: never) => Promise<unknown>])[] = [
    ["read()", read],
    ["fix()", fix],
    ["repairedRequest()", (log) => repairedRequest(log, 1)],
    ["diff(log, …)", (log) => diff(log, good)],
    ["diff(…, log)", (log) => diff(good, log)],
  ];

  describe.each(ways)("%s", (_, work) => {
    test.each<[string, unknown]>([
      ["an empty object", {}],
      ["an empty list", []],
      ["null", null],
      ["messages that are none", { messages: "oops" }],
      ["words", "no log\nat all"],
    ])("%s", async (_, log) => {
      await expect(work(log as never)).rejects.toThrow(NotUnderstoodError);
      await expect(work(log as never)).rejects.toThrow(/no conversation was found in it/);
    });
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["an empty string", ""],
    ["a function", () => 1],
    ["a bigint", 10n],
  ])("check() of %s, which no log can be", async (_, log) => {
    await expect(check(log as never)).rejects.toThrow(NotUnderstoodError);
    await expect(check(log as never)).rejects.toThrow(/^a log is the path of a file, its text or bytes/);
  });

  test("a value that JSON cannot express", async () => {
    const loop: { self?: object } = {};
    loop.self = loop;
    await expect(check(loop)).rejects.toThrow("this value is not a log: it cannot be serialised as JSON");
  });

  test("an empty log, by what it is", async () => {
    await expect(read(Buffer.from(""))).rejects.toThrow("log is empty: there is nothing to check");
  });
});

describe("check() takes a string", () => {
  test.each([
    ["a body as JSON text", JSON.stringify(body)],
    ["JSON lines", `${JSON.stringify({ request: body })}\n`],
  ])("that is a text: %s", async (_, log) => {
    expect((await check(log)).files).toMatchObject([{ path: "log", exchanges: 1 }]);
  });

  test("that is a path, also of a file whose name begins like JSON", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toollint-library-"));
    const path = join(folder, "[draft] run.json");
    writeFileSync(path, JSON.stringify(body));
    try {
      expect((await check(path)).files).toMatchObject([{ path, exchanges: 1 }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("that names no file, and says so", async () => {
    await expect(check("no-such-run.jsonl")).rejects.toThrow(
      /^ENOENT: there is no file `no-such-run.jsonl`.*pass bytes: Buffer\.from\(text\)$/,
    );
    await expect(check("{ half")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
