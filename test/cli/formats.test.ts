import fs from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { logFolder, run } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();

describe("--format", () => {
  run(folder, [
    {
      name: "lines, as compilers write them",
      args: ["check", "broken.jsonl", "--format", "lines"],
      out: /^broken\.jsonl:\d+:\d+: error: .+ \[[a-z-]+\]\n/,
      exit: 1,
    },
    {
      name: "jsonl: a line a finding, and the summary at the end",
      args: ["check", "broken.jsonl", "--format", "jsonl"],
      out: /^\{"id":"f1".*\}\n(?:.*\n)*\{"summary":.*\}\n$/,
      exit: 1,
    },
    {
      name: "sarif, with the rules and their pages",
      args: ["check", "broken.jsonl", "--format", "sarif"],
      out: /"version": ?"2\.1\.0"/,
      exit: 1,
    },
    {
      name: "junit: a test that fails",
      args: ["check", "broken.jsonl", "--format", "junit"],
      out: /^<\?xml .*<testsuites .*<failure /s,
      exit: 1,
    },
    {
      name: "junit: nothing fails in a clean log",
      args: ["check", "healthy.jsonl", "--format", "junit"],
      out: /<testsuites (?:(?!<failure ).)*$/s,
      exit: 0,
    },
    {
      name: "github: annotations",
      args: ["check", "broken.jsonl", "--format", "github"],
      out: /^::error file=broken\.jsonl,line=\d+/,
      exit: 1,
    },
    {
      name: "gitlab: issues of its Code Quality report",
      args: ["check", "broken.jsonl", "--format", "gitlab"],
      out: /^\[\n.*"check_name": "dropped-tool-call",\n.*"severity": "major",\n.*"begin": 2,/s,
      exit: 1,
    },
    {
      name: "markdown",
      args: ["check", "broken.jsonl", "--format", "markdown"],
      out: /^#+ /,
      exit: 1,
    },
    {
      name: "another one is refused with the names that there are",
      args: ["check", "broken.jsonl", "--format", "yaml"],
      err: "toollint: `--format` cannot be `yaml`; choose from text, lines, json, jsonl, sarif, junit, github, gitlab, markdown, html, blob\n",
      exit: 2,
    },
  ]);

  test("with -o, the report is in the file and the text on the screen", async () => {
    const { stdout: out, exit } = await toollint(
      ["check", "broken.jsonl", "--format", "sarif", "-o", "out.sarif"],
      {
        cwd: folder,
      },
    );
    expect(exit).toBe(1);
    expect(out).toMatch(/^error\[|broken\.jsonl/m);
    expect(JSON.parse(fs.readFileSync(path.join(folder, "out.sarif"), "utf8"))).toMatchObject({
      version: "2.1.0",
    });
  });

  test("github adds its summary to the page of the step", async () => {
    const page = path.join(folder, "summary.md");
    const args = ["check", "broken.jsonl", "--format", "github"];
    await toollint(args, { cwd: folder, env: { GITHUB_STEP_SUMMARY: page } });
    expect(fs.readFileSync(page, "utf8")).toMatch(/^#+ /);
    const { stderr: err, exit } = await toollint(args, { cwd: folder, env: { GITHUB_STEP_SUMMARY: folder } });
    expect(err).toContain("cannot write the step summary");
    expect(exit).toBe(1);
  });
});

test("a log copied from a viewer counts as no skipped record", async () => {
  const log = fs.readFileSync(path.join(folder, "broken.jsonl"), "utf8").trimEnd().split("\n");
  const lines = [...log, "end"].map((line, index) => `${index + 1}\t${line}\n`);
  fs.writeFileSync(path.join(folder, "copied.txt"), lines.join(""));
  const sentence = "copied from a viewer: line numbers";
  for (const [args, words] of [
    [[], `read as it was before: copied.txt (${sentence})`],
    [["--explain-input"], `read as before ${sentence}`],
    [["--format", "html"], `copied.txt was read as it was before: ${sentence}`],
  ] as const) {
    const { stdout: out } = await toollint(["check", "copied.txt", ...args], { cwd: folder });
    expect(out).toContain(words);
    expect(out).not.toMatch(/skipped: |records? skipped| {2}skipped {2}/);
  }
  const { stdout: report } = await toollint(["check", "copied.txt", "--format", "json"], { cwd: folder });
  const schema = path.join(import.meta.dirname, "../../schemas/report.schema.json");
  const isReport = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(fs.readFileSync(schema, "utf8")),
  );
  expect(report).toContain('"copy": true');
  expect(isReport(JSON.parse(report)), JSON.stringify(isReport.errors)).toBe(true);
});
