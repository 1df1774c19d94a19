import fs from "node:fs";
import path from "node:path";
import validate from "schema:redact";
import { describe, expect, test } from "vitest";
import { keepings } from "../damage/kept-logs.ts";
import { messages } from "../damage/runs.ts";
import { logFolder } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
const full = (name: string): string => path.join(folder, name);
const read = (name: string): string => fs.readFileSync(full(name), "utf8");
const redacting = (...args: string[]) => toollint(["redact", ...args], { cwd: folder, columns: 100 });

describe("redact writes", () => {
  test("a log with other words and the same findings, and says what stays", async () => {
    const { exit, stdout, stderr } = await redacting("broken.jsonl", "-o", "shown.jsonl");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain("What stays:");
    expect(stdout).toContain("names of tools");
    expect(read("shown.jsonl")).toHaveLength(read("broken.jsonl").length);
    expect(read("shown.jsonl")).not.toBe(read("broken.jsonl"));
    const findings = async (log: string): Promise<string[]> =>
      JSON.parse((await toollint(["check", log, "--format", "json"], { cwd: folder })).stdout).findings.map(
        ({ rule, location }: { rule: string; location: { pointer: string } }) =>
          `${rule} ${location.pointer}`,
      );
    expect(await findings("shown.jsonl")).toEqual(await findings("broken.jsonl"));
  });

  test("several logs to a directory, with the same pseudonyms, and nothing over a log", async () => {
    const { exit } = await redacting("broken.jsonl", "healthy.jsonl", "-o", "shown");
    expect(exit).toBe(0);
    expect(fs.readdirSync(full("shown")).sort()).toEqual(["broken.jsonl", "healthy.jsonl"]);
    const inPlace = await redacting("broken.jsonl", "-o", "broken.jsonl");
    expect(inPlace.exit).toBe(2);
    expect(inPlace.stderr).toContain("would overwrite the log broken.jsonl");
    expect((await redacting("broken.jsonl", "healthy.jsonl", "-o", "open.jsonl")).stderr).toContain(
      "`-o DIR`",
    );
  });

  test("the same with a key, which it makes for its owner only, and a map for the owner", async () => {
    const first = await redacting(
      "broken.jsonl",
      "-o",
      "one.jsonl",
      "--key",
      "my.key",
      "--map",
      "words.json",
    );
    expect(first.stderr).toContain("created the key my.key");
    const second = await redacting("broken.jsonl", "-o", "two.jsonl", "--key", "my.key");
    expect(second.stderr).toBe("");
    expect(read("two.jsonl")).toBe(read("one.jsonl"));
    for (const name of ["my.key", "words.json"]) expect(fs.statSync(full(name)).mode & 0o777).toBe(0o600);
    const words = JSON.parse(read("words.json")) as Record<string, string>;
    for (const [word, pseudonym] of Object.entries(words)) expect(pseudonym).toHaveLength(word.length);
    fs.writeFileSync(full("short.key"), "abc");
    const short = await redacting("broken.jsonl", "-o", "x.jsonl", "--key", "short.key");
    expect({ exit: short.exit, isThere: fs.existsSync(full("x.jsonl")) }).toEqual({
      exit: 2,
      isThere: false,
    });
  });

  test("nothing with --preview, which shows lines of both", async () => {
    const { exit, stdout } = await redacting("broken.jsonl", "--preview");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^- .*\n\+ /m);
    expect(stdout).toContain("not written");
  });

  test("a report that its schema describes", async () => {
    const { exit, stdout } = await redacting("broken.jsonl", "-o", "json.jsonl", "--format", "json");
    expect(exit).toBe(0);
    const report = JSON.parse(stdout);
    expect(validate(report) ? [] : validate.errors).toEqual([]);
    expect(report).toMatchObject({
      files: [{ path: "broken.jsonl", output: "json.jsonl" }],
      differences: [],
    });
  });
});

describe("what cannot be redacted is refused with what to do", () => {
  test("values that Go prints without quotes", async () => {
    const body = (id: string): string =>
      `map[messages:[map[content:Hi role:user] map[content:<nil> role:assistant tool_calls:[map[function:map[arguments:{"a": 1 name:find] id:call_1 type:function]]] map[content:done role:tool tool_call_id:${id}]] model:gpt-5]`;
    fs.writeFileSync(full("go.log"), `sent ${body("call_1")}\nsent ${body("call_2")}\n`);
    const { exit, stdout } = await redacting("go.log", "-o", "shown-go.log");
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "What to do: toollint reads what Go prints, but cannot write it: log the bodies as JSON",
    );
    expect(fs.existsSync(full("shown-go.log"))).toBe(false);
  });

  test("any other log", async () => {
    // The fragments of a stream in base64 are no words.
    const log = Buffer.from(keepings["csv of base64"]?.keep(messages) ?? "", "latin1");
    fs.writeFileSync(full("rows.csv"), log);
    const { exit, stdout } = await redacting("rows.csv", "-o", "shown.csv");
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "  toollint shrink rows.csv -o small.csv\n  toollint redact small.csv -o shown.csv",
    );
  });
});

test("a table of a log's lines becomes the log where it cannot stay a table", async () => {
  const rows = fs.readFileSync("samples/rag-read-loop/failing.log", "utf8").split("\n");
  const cells = rows.map((row) => `2025-11-21,${/[",]/.test(row) ? `"${row.replaceAll('"', '""')}"` : row}`);
  fs.writeFileSync(full("lines.csv"), `@timestamp,message\n${cells.join("\n")}\n`);
  const { exit, stdout } = await redacting("lines.csv", "-o", "shown.log");
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /^lines\.csv → shown\.log · text · \d+ bytes \(\d+ before; the copy is the log in it, without the file's own form\)/,
  );
  expect(read("shown.log")).not.toContain("@timestamp");
});

test("the map and the key are their owner's, and no other file is one of them", async () => {
  const args = ["broken.jsonl", "-o", "own.jsonl", "--map", "own.json", "--key", "own.key"];
  expect((await redacting(...args)).exit).toBe(0);
  for (const name of ["own.json", "own.key"]) expect(fs.statSync(full(name)).mode & 0o077).toBe(0);
  fs.symlinkSync("own.key", full("key-too"));
  const key = read("own.key");
  for (const [output, map] of [
    ["own.key", "new.json"],
    ["new.jsonl", "own.key"],
    ["key-too", "new.json"],
    ["new.jsonl", "./new.jsonl"],
  ] as const) {
    const { exit, stderr } = await redacting("broken.jsonl", "-o", output, "--map", map, "--key", "own.key");
    expect(stderr).toContain("name the same file");
    expect(exit).toBe(2);
  }
  expect(read("own.key")).toBe(key);
});

test.each([
  [["broken.jsonl", "-o", "x.jsonl", "--key", "/dev/zero"], "too long to be a key file"],
  [["broken.jsonl"], "say where the redacted log goes"],
  [["notes.txt", "-o", "x.txt"], "notes.txt"],
  [["none.jsonl", "-o", "x.jsonl"], "cannot read none.jsonl"],
  [["broken.jsonl", "-o", "x.jsonl", "--keep-text", "usr"], "user"],
  [["broken.jsonl", "-o", "-", "--format", "json"], "standard output"],
])("%j cannot be done, and it says why", async (args, why) => {
  const { exit, stderr } = await redacting(...args);
  expect(exit).toBe(2);
  expect(stderr).toContain(why);
});
