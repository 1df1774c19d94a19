import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

const root = path.join(import.meta.dirname, "..", "..", "src");

test("no list whose length a log decides is spread into arguments, which overflow the stack", () => {
  const spread = /\.(?:push|unshift)\(\s*\.\.\.|\.splice\([^)]*\.\.\.|\bMath\.(?:min|max)\(\s*\.\.\./;
  /** Lists of the program itself, and two sentences about clients' code. */
  const fixed = new Set([
    "cli/commands/formats.ts",
    "cli/usage/help.ts",
    "protocols/gemini-interactions/index.ts",
    "protocols/openai-responses/write.ts",
  ]);
  const found = readdirSync(root, { recursive: true })
    .map((file) => String(file).split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !fixed.has(file))
    .filter((file) => spread.test(readFileSync(path.join(root, file), "utf8")));
  expect(found).toEqual([]);
});

test("a schema may have 150,000 faults", async () => {
  const names = '"p",'.repeat(150_000).slice(0, -1);
  const tools = `[{"functionDeclarations":[{"name":"book","parameters":{"type":"object","properties":{},"required":[${names}]}}]}]`;
  const text = `{"request":{"contents":[{"role":"user","parts":[{"text":"Hello."}]}],"tools":${tools}}}`;
  const { findings } = await check(Buffer.from(text));
  expect(findings.length).toBeLessThan(2_000);
});
