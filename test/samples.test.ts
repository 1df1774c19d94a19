import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CheckReport } from "../src/findings/report.ts";
import { toollint } from "./cli/program.ts";

const root = path.join(import.meta.dirname, "..");

interface Story {
  /** The log of the failing run, in `samples/`; the passing one lies beside it. */
  readonly log: string;
  /** What `check` exits with on the failing run. */
  readonly exit: 0 | 1;
  /** Rules that the failing run must be told, as causes and not as consequences. */
  readonly causes: readonly string[];
}

const stories: readonly Story[] = [
  { log: "order-lookup/failing.jsonl", exit: 1, causes: ["dropped-tool-call"] },
  { log: "rag-read-loop/failing.log", exit: 1, causes: ["missing-output-type", "dropped-turns"] },
  { log: "fragments-lost/failing.jsonl", exit: 1, causes: ["dropped-tool-call", "lost-fragments"] },
  { log: "assistant-call-missing/failing.log", exit: 1, causes: ["dropped-tool-call"] },
  { log: "endless-loop/failing.jsonl", exit: 1, causes: ["repeated-call"] },
  { log: "farewell/failing.har", exit: 0, causes: ["call-after-farewell"] },
  {
    log: "greeting-and-eager-prompt/failing.json",
    exit: 0,
    causes: ["call-after-farewell", "call-after-greeting", "eager-tool-prompt"],
  },
  { log: "notebook-one-round/failing.log", exit: 1, causes: ["dropped-tool-call"] },
  { log: "notebook-app-events/failing.sse", exit: 0, causes: ["unclosed-loop"] },
  { log: "ollama-single-turn/failing.ndjson", exit: 0, causes: ["unclosed-loop"] },
  { log: "interrupted-session/failing.jsonl", exit: 0, causes: ["unanswered-tool-call"] },
  { log: "text-calls/failing.txt", exit: 1, causes: ["text-tool-call"] },
];

/** What the program says of a sample, as the reader of a pipe sees it: no colour, 100 columns. */
async function check(log: string, ...options: string[]) {
  const { stdout, stderr, exit } = await toollint(["check", `samples/${log}`, ...options], { cwd: root });
  expect(stderr).toBe("");
  return { stdout, exit };
}

/** Compares with the file that lies beside the sample, or writes it when `UPDATE=1` asks for that. */
function expectSame(file: string, text: string): void {
  const expected = path.join(root, "samples", file);
  if (process.env["UPDATE"]) writeFileSync(expected, text);
  else expect(text).toBe(readFileSync(expected, "utf8"));
}

test("every sample belongs to a story", () => {
  const folders = readdirSync(path.join(root, "samples"), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  // The project that the README tests without a model.
  const others = ["tested-agent"];
  expect(names.sort()).toEqual([...stories.map(({ log }) => path.dirname(log)), ...others].sort());
});

describe.each(stories)("$log", ({ log, exit, causes }) => {
  const folder = path.dirname(log);
  const passing = log.replace("failing", "passing");

  test("is reported as its page says", async () => {
    const { stdout, exit: code } = await check(log);
    expectSame(`${folder}/failing.expected.txt`, stdout);
    expect(code).toBe(exit);
  });

  test("is told its causes", async () => {
    const { stdout } = await check(log, "--format", "json");
    const report = JSON.parse(stdout) as CheckReport;
    expectSame(`${folder}/failing.expected.json`, stdout.replace(JSON.stringify(report.tool.version), '"…"'));
    const roots = report.findings.filter(({ cause }) => cause === null).map(({ rule }) => rule);
    expect(roots).toEqual(expect.arrayContaining([...causes]));
  });

  test("parts from the passing run where its page says", async () => {
    const args = ["diff", `samples/${log}`, `samples/${passing}`];
    const { stdout, stderr, exit: code } = await toollint(args, { cwd: root });
    expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
    expectSame(`${folder}/diff.expected.txt`, stdout);
  });

  test("finds nothing in the passing run", async () => {
    const { stdout, exit: code } = await check(passing);
    expectSame(`${folder}/passing.expected.txt`, stdout);
    expect(code).toBe(0);
    const { findings } = JSON.parse((await check(passing, "--format", "json")).stdout) as CheckReport;
    expect(findings).toEqual([]);
  });
});
