import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { clean, dropped, logFolder, run } from "./cases.ts";
import { brokenLog, healthyLog } from "./logs.ts";
import { toollint } from "./program.ts";

const folder = logFolder();

describe("gates and exit codes", () => {
  run(folder, [
    { name: "nothing wrong: 0", args: ["check", "healthy.jsonl"], out: clean, exit: 0 },
    { name: "an error: 1", args: ["check", "broken.jsonl"], out: dropped, exit: 1 },
    { name: "warnings alone: 0", args: ["check", "loop.jsonl"], out: /warning\[repeated-call\]/, exit: 0 },
    {
      name: "--fail-on warning",
      args: ["check", "--fail-on", "warning", "loop.jsonl"],
      out: /\n1 warning · fails \(--fail-on warning\)\n$/,
      exit: 1,
    },
    {
      name: "--fail-on never",
      args: ["check", "--fail-on=never", "broken.jsonl"],
      out: /\n1 error · passes \(--fail-on never\)\n$/,
      exit: 0,
    },
    {
      name: "more warnings than allowed",
      args: ["check", "--max-warnings", "0", "loop.jsonl"],
      out: /\n1 warning · fails \(--max-warnings 0\)\n$/,
      exit: 1,
    },
    {
      name: "as many warnings as allowed",
      args: ["check", "--max-warnings", "1", "loop.jsonl"],
      out: /\n1 warning · passes \(--fail-on error, --max-warnings 1\)\n$/,
      exit: 0,
    },
    {
      name: "a rule raised to an error",
      args: ["check", "--rule", "repeated-call:error", "loop.jsonl"],
      out: /error\[repeated-call\]/,
      exit: 1,
    },
    {
      name: "a rule switched off",
      args: ["check", "--rule=repeated-call:off", "loop.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "an option of a rule",
      args: ["check", '--rule=repeated-call:{"minTimes":4}', "loop.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "a level and an option of a rule",
      args: ["check", '--rule=repeated-call:error:{"minTimes":3}', "loop.jsonl"],
      out: /error\[repeated-call\]/,
      exit: 1,
    },
    {
      name: "an option that the rule does not have",
      args: ["check", '--rule=repeated-call:{"maxTimes":3}', "loop.jsonl"],
      err: "toollint: `repeated-call` has no option `maxTimes`: it has `minTimes`, `errorTimes`; see `toollint explain repeated-call`\n",
      exit: 2,
    },
    {
      name: "a value below what makes sense",
      args: ["check", '--rule=repeated-call:{"minTimes":1}', "loop.jsonl"],
      err: "toollint: `minTimes` of `repeated-call` must be a whole number of at least 3, not `1`; see `toollint explain repeated-call`\n",
      exit: 2,
    },
    {
      name: "of two levels for a rule the last counts",
      args: ["check", "--rule=repeated-call:off", "--rule=repeated-call:error", "loop.jsonl"],
      out: /./,
      exit: 1,
    },
    {
      name: "--quiet shows no warnings, but they still count",
      args: ["check", "--quiet", "--fail-on", "warning", "loop.jsonl"],
      out: /^(?!.*warning\[).*not shown: 1 warning \(--quiet\)\n.*\n1 warning · fails \(--fail-on warning\)\n$/s,
      exit: 1,
    },
    {
      name: "the format changes no exit code",
      args: ["check", "--format", "json", "broken.jsonl"],
      out: /^\{/,
      exit: 1,
    },
  ]);

  test("--all prints what is folded", async () => {
    const folded = await toollint(["check", "broken.jsonl"], { cwd: folder });
    expect(folded.stdout).toMatch(/^folded: 1 finding that follows from these \(--all prints them\)$/m);
    expect(folded.stdout).not.toContain("error[orphaned-tool-result]");
    const { stdout, exit } = await toollint(["check", "broken.jsonl", "--all"], { cwd: folder });
    expect(stdout).toMatch(/^ {5}error\[orphaned-tool-result\] broken\.jsonl:2:\d+ tool result /m);
    expect(stdout).not.toContain("folded");
    expect(exit).toBe(1);
  });

  test("--statistics counts by rule, also with --quiet and over several files", async () => {
    const args = ["check", "broken.jsonl", "loop.jsonl", "--statistics", "--quiet"];
    const { stdout, exit } = await toollint(args, { cwd: folder });
    expect(stdout).toContain(`
rule                  errors  warnings  infos  consequences  files
dropped-tool-call          1         0      0             0      1
repeated-call              0         1      0             0      1
orphaned-tool-result       0         0      0             1      1

`);
    expect(stdout).toMatch(/\n1 error, 1 warning · fails \(--fail-on error\)\n$/);
    expect(exit).toBe(1);
  });

  test("--complete makes an error of a log that ends on a call", async () => {
    const growing = await toollint(["check", "open.jsonl"], { cwd: folder });
    const finished = await toollint(["check", "--complete", "open.jsonl"], { cwd: folder });
    expect([growing.exit, finished.exit]).toEqual([0, 1]);
  });
});

describe("output", () => {
  test("JSON for programs goes to a file, and the text to the screen", async () => {
    const { stdout, exit } = await toollint(["check", "broken.jsonl", "--format", "json", "-o", "out.json"], {
      cwd: folder,
    });
    expect(exit).toBe(1);
    expect(stdout).toMatch(dropped);
    expect(JSON.parse(fs.readFileSync(path.join(folder, "out.json"), "utf8"))).toMatchObject({
      schemaVersion: "1.0",
      summary: { error: 1 },
    });
  });

  test.each([
    ["check", "--format", "html", "-o", "said.html"],
    ["check", "--format", "sarif=said.html"],
    ["check", "-o", "said.html"],
    ["show", "--format", "html", "-o", "said.html"],
    ["show", "-o", "said.html"],
  ])("%s says at a terminal that a file was written: %s %s", async (command, ...options) => {
    const args = [command, "broken.jsonl", ...options];
    const { stderr } = await toollint(args, { cwd: folder, isErrorTTY: true });
    expect(stderr).toContain("toollint: wrote said.html\n");
    expect((await toollint(args, { cwd: folder })).stderr).toBe("");
    fs.rmSync(path.join(folder, "said.html"));
  });

  test("with --quiet nobody hears of a written file", async () => {
    const quiet = ["check", "broken.jsonl", "--quiet", "--format", "html", "-o", "said.html"];
    const world = { cwd: folder, isErrorTTY: true };
    expect(await toollint(quiet, world)).toMatchObject({ exit: 1, stderr: "" });
    fs.rmSync(path.join(folder, "said.html"));
  });

  test("text in a file has no colours, whatever the terminal has", async () => {
    const { stdout } = await toollint(["check", "broken.jsonl", "--color", "-oout.txt"], { cwd: folder });
    expect(stdout).toBe("");
    const written = fs.readFileSync(path.join(folder, "out.txt"), "utf8");
    expect(written).toContain("dropped-tool-call");
    expect(written).not.toContain("\u001b");
  });

  test("a log is not overwritten by its report", async () => {
    const { exit, stderr } = await toollint(["check", "broken.jsonl", "--output", "./broken.jsonl"], {
      cwd: folder,
    });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "toollint: `--output` would overwrite the log broken.jsonl: name another file\n",
    });
    expect(fs.readFileSync(path.join(folder, "broken.jsonl"), "utf8")).toBe(brokenLog);
  });

  test("programs get JSON even when nothing was understood", async () => {
    const { exit, stdout } = await toollint(["check", "notes.txt", "--format", "json"], { cwd: folder });
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ files: [], findings: [] });
  });

  test("--quiet leaves warnings out of the JSON, too", async () => {
    const { stdout } = await toollint(["check", "loop.jsonl", "--quiet", "--format", "json"], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [], diagnoses: [], summary: { warning: 0 } });
  });

  run(folder, [
    { name: "`-o -` is standard output", args: ["check", "-o", "-", "healthy.jsonl"], out: clean, exit: 0 },
    {
      name: "an output that cannot be written",
      args: ["check", "-o", "nowhere/r.txt", "healthy.jsonl"],
      err: "toollint: cannot write nowhere/r.txt: there is no directory nowhere; create it first: `mkdir -p nowhere`\n",
      exit: 2,
    },
    {
      name: "a reader that has gone away is no trouble",
      args: ["check", "broken.jsonl"],
      stdoutFails: "EPIPE",
      out: /./,
      exit: 1,
    },
    {
      name: "a full disk is",
      args: ["check", "healthy.jsonl"],
      stdoutFails: "ENOSPC",
      out: /./,
      err: "toollint: cannot write the output: no space left on the device\n",
      exit: 2,
    },
    {
      name: "--show-values into a file is warned of",
      args: ["check", "healthy.jsonl", "--show-values", "-o", "v.txt"],
      err: /v.txt contains unmasked credentials/,
      exit: 0,
    },
    {
      name: "--show-values does nothing to data",
      args: ["check", "healthy.jsonl", "--show-values", "--format", "json"],
      out: /^\{/,
      err: /has no effect on data/,
      exit: 0,
    },
  ]);
});

describe("explain, formats, show", () => {
  run(folder, [
    {
      name: "explain lists the rules",
      args: ["explain"],
      out: /dropped-tool-call +error +\S.*\n.*--rule ID:LEVEL/s,
      exit: 0,
    },
    {
      name: "explain knows its rules",
      args: ["explain", "dropped-tool-call"],
      out: /dropped-tool-call/,
      exit: 0,
    },
    {
      name: "explain recognises a misspelt rule",
      args: ["explain", "droped-tool-call"],
      err: /did you mean `dropped-tool-call`/,
      exit: 2,
    },
    {
      name: "explain for programs",
      args: ["explain", "--format", "json"],
      out: /^\[\n {2}\{\n {4}"name"/,
      exit: 0,
    },
    {
      name: "formats lists containers and protocols",
      args: ["formats"],
      out: /Containers.*All 57 rules.* {2}jsonl +\S.*by shape.* {2}claude-trace +\S.*36 of 57 rules.* {2}langfuse +\S.*GENERATION.*Transcripts.*28 of 57 rules.*32 if.* {2}claude-code +\S.*uuid.*the content that toollint needs is not in them.* {2}aider +\S.*Protocols.* {2}openai-chat +\S/s,
      exit: 0,
    },
    {
      name: "--explain-input says how a log was read",
      args: ["check", "broken.jsonl", "--explain-input"],
      out: /^broken\.jsonl\n {2}container +jsonl: .*\n {2}recognised by +.*\n {2}family +requests: .*\n {2}protocol +.*\n {2}exchanges +\d+: .*\n {2}joined +request and reply in one record: \d+\n.* {2}c1 +\S+, \d+ steps? from line 1 \(start 1/s,
      exit: 0,
    },
    {
      name: "--explain-input says how a session was read, and what cannot be checked in it",
      args: ["check", "session.jsonl", "--explain-input"],
      out: /container +claude-code: .*family +transcript: .*replies +1 of the model\n.*skipped +1 record, in line 1: a title.*not checked +dropped-tool-call, .*transcript: /s,
      exit: 0,
    },
    {
      name: "--explain-input says of which run a file is",
      args: ["check", "rotated", "--explain-input"],
      out: /^rotated\/app\.log\.1\n.* {2}one run with +rotated\/app\.log: their\s+requests\s+continue\s+each\s+other.*\n\nrotated\/app\.log\n.* {2}c1 +openai-chat, \d+ steps from line 1 of rotated\/app\.log\.1/s,
      exit: 0,
    },
    { name: "formats for programs", args: ["formats", "--format=json"], out: /"protocols": \[/, exit: 0 },
    {
      name: "show prints the conversation",
      args: ["show", "broken.jsonl"],
      out: /▸ call +get_weather .*− gone +call get_weather/s,
      exit: 0,
    },
    { name: "show reads standard input", args: ["show", "-"], stdin: healthyLog, out: /^- · jsonl/, exit: 0 },
    {
      name: "show takes one log",
      args: ["show", "logs"],
      err: /^toollint: logs is not one log but 3 files: name one, such as `toollint show logs\/a.jsonl`/,
      exit: 2,
    },
    {
      name: "show says what it cannot read",
      args: ["show", "notes.txt"],
      err: /toollint show --container NAME notes.txt/,
      exit: 2,
    },
    {
      name: "show of exchanges that are not there",
      args: ["show", "healthy.jsonl", "--exchange", "9"],
      err: "toollint: there is no exchange 9: the last one is 2\n",
      exit: 2,
    },
    {
      name: "show of one exchange",
      args: ["show", "healthy.jsonl", "--exchange", "2"],
      out: /^2 {2}request/m,
      exit: 0,
    },
  ]);
});

describe("trouble of the program itself", () => {
  test("is one sentence, without a stack", async () => {
    const { exit, stderr } = await toollint(["check", "-"], { cwd: folder, stdinFails: "boom" });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^toollint: internal error: boom\n.*please report it.*\n$/);
  });

  test("has a stack for whoever asks", async () => {
    const { stderr } = await toollint(["check", "-"], {
      cwd: folder,
      stdinFails: "boom",
      env: { TOOLLINT_DEBUG: "1" },
    });
    expect(stderr).toMatch(/boom\n +at /);
  });
});
