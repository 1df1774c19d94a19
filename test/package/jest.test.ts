import { beforeAll, describe, expect, test } from "vitest";
import { brokenLog, healthyLog } from "../cli/logs.ts";
import { consumer, jest, packed, run } from "./consumer.ts";

let unpacked: string;
beforeAll(() => {
  unpacked = packed();
});

const files = {
  "package.json": '{ "private": true }',
  "broken.jsonl": brokenLog,
  "healthy.jsonl": healthyLog,
};

describe("in a project with Jest as it comes, which is CommonJS", () => {
  test("the matchers, the library and the model server work", { timeout: 120_000 }, () => {
    const folder = consumer(unpacked, ["@jest/globals"], {
      ...files,
      "agent.test.js": `const { check, defineRule, NotUnderstoodError, read } = require("toollint");
const { toHaveAcceptedEveryHistory, toHaveHealthyConversations } = require("toollint/jest");
const { serve } = require("toollint/testing");

expect.extend({ toHaveAcceptedEveryHistory, toHaveHealthyConversations });

test("matchers pass and fail", async () => {
  await expect("healthy.jsonl").toHaveHealthyConversations();
  await expect({ model: "gpt-5", messages: [{ role: "user", content: "Hello" }] }).toHaveHealthyConversations();
  await expect("broken.jsonl").not.toHaveHealthyConversations();
  await expect(expect("broken.jsonl").toHaveHealthyConversations()).rejects.toThrow("error[dropped-tool-call]");
});

test("what read() gave can be checked", async () => {
  const report = await check(await read("broken.jsonl"));
  expect(report.files).toEqual([expect.objectContaining({ path: "broken.jsonl" })]);
});

test("errors are of the classes that a test can name", async () => {
  await expect(read("nothing\\nhere")).rejects.toThrow(NotUnderstoodError);
  await expect(check("run.jsonl", { profile: "nobody" })).rejects.toThrow(Error);
  await expect(check("healthy.jsonl", { profile: "nobody" })).rejects.toThrow(RangeError);
  expect(typeof defineRule).toBe("function");
});

test("a model server answers, and tells of a refusal", async () => {
  const server = await serve();
  const ask = (messages) =>
    fetch(server.baseUrl("openai") + "/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-5-mini", messages }),
    });
  expect((await ask([{ role: "user", content: "Hello" }])).status).toBe(200);
  expect(server).toHaveAcceptedEveryHistory();
  expect((await ask([{ role: "tool", tool_call_id: "call_1", content: "18" }])).status).toBe(400);
  expect(server).not.toHaveAcceptedEveryHistory();
  await server.close();
});
`,
      "globals.test.js": `const { expect, test } = require("@jest/globals");
const { toHaveHealthyConversations } = require("toollint/jest");

expect.extend({ toHaveHealthyConversations });

test("the matcher works with imported globals", async () => {
  await expect("healthy.jsonl").toHaveHealthyConversations();
});
`,
    });
    const { code, output } = run(folder, [jest, "--rootDir", folder], { NODE_OPTIONS: "" });
    expect(output).toMatch(/Tests: +5 passed, 5 total/);
    expect(code).toBe(0);
  });

  test("a failing assertion fails the run, with the report", { timeout: 120_000 }, () => {
    const folder = consumer(unpacked, [], {
      ...files,
      "agent.test.js": `const { toHaveHealthyConversations } = require("toollint/jest");

expect.extend({ toHaveHealthyConversations });

test("the agent talks properly", () => expect("broken.jsonl").toHaveHealthyConversations());
`,
    });
    const { code, output } = run(folder, [jest, "--rootDir", folder], { NODE_OPTIONS: "" });
    expect(output).toContain("expected broken.jsonl to have healthy conversations");
    expect(output).toContain("error[dropped-tool-call]");
    expect(code).toBe(1);
  });
});

test("require() works outside of Jest", () => {
  const folder = consumer(unpacked, [], {
    ...files,
    "use.js": `const { check } = require("toollint");
check("broken.jsonl").then(({ summary }) => console.log(summary.error));
`,
  });
  expect(run(folder, ["use.js"])).toEqual({ code: 0, output: "1\n" });
});

test("require() gives the names that import gives", async () => {
  const folder = consumer(unpacked, [], {
    "names.mjs": `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
for (const name of ["toollint", "toollint/jest", "toollint/testing"]) {
  const names = (module) => Object.keys(module).sort().join(" ");
  console.log(names(require(name)) === names(await import(name)), name);
}
`,
  });
  expect(run(folder, ["names.mjs"]).output).toBe(
    "true toollint\ntrue toollint/jest\ntrue toollint/testing\n",
  );
});
