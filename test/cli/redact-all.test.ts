import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { logFolder } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
const full = (name: string): string => path.join(folder, name);
const read = (name: string): string => fs.readFileSync(full(name), "utf8");
const running = (...args: string[]) => toollint(args, { cwd: folder, columns: 100 });

const key = `sk-proj-${"Ab3dE6gH".repeat(5)}`;
const user = { role: "user", content: `Find Lindqvistova of Brinkmann with ${key}` };
const call = { id: "call_1", type: "function", function: { name: "find", arguments: '{"of":"Brinkmann"}' } };
const said = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "Oberwaldt" };
const reply = (message: object, finish: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-4.1",
  choices: [{ index: 0, message, finish_reason: finish }],
});
const second = (messages: object[]): string =>
  [
    { request: { model: "gpt-4.1", messages: [user] }, response: reply(said, "tool_calls") },
    {
      request: { model: "gpt-4.1", messages },
      response: reply({ role: "assistant", content: "Hm." }, "stop"),
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

fs.writeFileSync(full("private.jsonl"), second([user, result]));
fs.writeFileSync(full("passing.jsonl"), second([user, said, result]));

const words = /lindqvistova|brinkmann|oberwaldt/i;

describe("--redact=all", () => {
  test("lets fix write a repaired log without anybody's words", async () => {
    const { exit } = await running("fix", "private.jsonl", "-o", "fixed.jsonl", "--redact=all");
    expect(exit).toBe(0);
    expect(read("fixed.jsonl")).not.toMatch(words);
    expect(read("fixed.jsonl")).not.toContain(key);
    expect((await running("check", "fixed.jsonl")).exit).toBe(0);
  });

  test("lets shrink write a small log without them", async () => {
    const { exit } = await running("shrink", "private.jsonl", "-o", "small.jsonl", "--redact=all");
    expect(exit).toBe(0);
    expect(read("small.jsonl")).not.toMatch(words);
  });

  test.each([
    ["check", ["private.jsonl"]],
    ["show", ["private.jsonl"]],
    ["diff", ["private.jsonl", "passing.jsonl"]],
  ])("lets %s make a page without them, with what it found", async (command, logs) => {
    const plain = await running(command, ...logs, "--format", "html");
    expect(plain.stdout).toMatch(words);
    const { exit, stdout } = await running(command, ...logs, "--format", "html", "--redact=all");
    expect(exit).toBe(plain.exit);
    expect(stdout).toContain("<!doctype html>");
    expect(stdout).not.toMatch(words);
  });

  test("holds for other formats and for the steps of one log, too", async () => {
    for (const args of [
      ["check", "private.jsonl", "--format", "json"],
      ["show", "private.jsonl"],
      ["diff", "--steps", "private.jsonl"],
    ]) {
      expect((await running(...args)).stdout).not.toBe("");
      expect((await running(...args, "--redact=all")).stdout).not.toMatch(words);
    }
  });
});

test("--redact alone masks credentials, as before", async () => {
  await running("fix", "private.jsonl", "-o", "masked.jsonl", "--redact");
  expect(read("masked.jsonl")).toMatch(words);
  expect(read("masked.jsonl")).not.toContain(key);
});

test.each([
  [["fix", "private.jsonl", "-o", "x.jsonl", "--redact=every"], "choose from credentials, all"],
  [["check", "private.jsonl", "--redact=all", "--watch"], "toollint redact LOGS -o DIR --key FILE"],
  [["record", "-o", "run.jsonl", "--redact=all"], "toollint redact run.jsonl -o shown.jsonl"],
])("%j cannot be done, and it says what to type", async (args, why) => {
  const { exit, stderr } = await running(...args);
  expect(exit).toBe(2);
  expect(stderr).toContain(why);
});
