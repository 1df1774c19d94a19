import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { toollint } from "../cli/program.ts";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/testing.md"), "utf8");
const { devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** The code of a language with the line above it. */
const blocksIn = (language: string) =>
  [...page.matchAll(new RegExp(`^(.+)\\n\\n\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, title = "", code = ""]) => ({ title, code, lines: code.trimEnd().split("\n").length }),
  );

const [script] = blocksIn("yaml");
const programs = blocksIn("js");
const python = blocksIn("python");
const isTest = ({ code }: (typeof programs)[number]) => code.includes("toollint/testing");
const needs = (code: string) =>
  [...code.matchAll(/^(?:import|const) .*(?: from |require\()"((?:@[\w-]+\/)?[\w-]+)/gm)].map(
    ([, name = ""]) => name,
  );
/** LangChain and the Agents SDK are not installed here. */
const canRun = ({ code }: (typeof programs)[number]) =>
  needs(code).every((name) => name === "toollint" || name in devDependencies || code.includes("node:test"));

/** A project that has installed what this one has, and toollint itself. */
const folder = mkdtempSync(path.join(tmpdir(), "toollint-testing-page-"));
const modules = path.join(folder, "node_modules");
mkdirSync(modules);
for (const name of ["openai", "ai", "ollama", "zod", "vitest", "@ai-sdk", "@anthropic-ai", "@google"])
  symlinkSync(path.join(root, "node_modules", name), path.join(modules, name), "junction");
symlinkSync(root, path.join(modules, "toollint"), "junction");
writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
writeFileSync(path.join(folder, "replies.yaml"), script?.code ?? "");
afterAll(() => rmSync(folder, { recursive: true }));

const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" };

async function served(code: string) {
  writeFileSync(path.join(folder, "example.js"), code);
  return toollint(["serve", "--script", "replies.yaml", "--", process.execPath, "example.js"], {
    cwd: folder,
    env,
  });
}

async function tested(code: string) {
  const modules = path.join(root, "node_modules");
  const [file, ...runner] = code.includes("toollint/jest")
    ? [
        "greeting.test.cjs",
        path.join(modules, "jest/bin/jest.js"),
        "--rootDir",
        folder,
        "--testMatch",
        "**/*.cjs",
      ]
    : code.includes('from "vitest"')
      ? ["greeting.test.js", path.join(modules, "vitest/vitest.mjs"), "run"]
      : ["greeting.js", "--test", "--test-reporter=tap", "greeting.js"];
  writeFileSync(path.join(folder, file ?? ""), code);
  return promisify(execFile)(process.execPath, runner, { cwd: folder, env });
}

test("the page has an example for each SDK, about ten lines long", () => {
  expect(programs.filter((program) => !isTest(program)).map(({ title }) => title)).toHaveLength(8);
  expect(programs.filter(isTest)).toHaveLength(3);
  expect(python).toHaveLength(9);
  const long = [...programs.filter((program) => !isTest(program)), ...python].filter(
    ({ lines }) => lines > 13,
  );
  expect(long).toEqual([]);
});

const runnable = programs.filter(canRun);

describe("the programs", () => {
  test.each(runnable.filter((program) => !isTest(program)))("$title", async ({ code }) => {
    const { exit, stdout, stderr } = await served(code);
    expect(`${stdout}${stderr}`).toMatch(/^It left on Monday\.$[\s\S]*^toollint: 2 requests, all answered/m);
    expect(exit).toBe(0);
  });

  test("one that leaves out the model's message is refused", async () => {
    const [{ code = "" } = {}] = programs;
    const { exit, stderr } = await served(code.replace("messages.push(message, ", "messages.push("));
    expect(stderr).toContain("rejected[orphaned-tool-result]  request 2");
    expect(exit).toBe(1);
  });
});

describe("the tests", () => {
  test.each(runnable.filter(isTest))("$title", async ({ code }) => {
    const { stdout, stderr } = await tested(code);
    expect(`${stdout}${stderr}`).toMatch(/Tests:? +1 passed|^# pass 1$/m);
  });

  test("run here, all of them", () => {
    expect(runnable.filter(isTest)).toHaveLength(3);
    expect(runnable).toHaveLength(9);
  });
});
