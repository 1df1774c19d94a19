import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { clean, dropped, logFolder, run } from "./cases.ts";
import { brokenLog, loopLog } from "./logs.ts";
import { toollint, type World } from "./program.ts";

const folder = logFolder();
const shownPage = fs.readFileSync(path.join(import.meta.dirname, "../../docs/config.md"), "utf8");
const write = (file: string, content: string | object) => {
  fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  fs.writeFileSync(path.join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
};
const read = (file: string) => fs.readFileSync(path.join(folder, file), "utf8");
const config = (content: string | object) => write("toollint.config.json", content);
const check = (args: readonly string[], world: World = {}) =>
  toollint(["check", ...args], { cwd: folder, ...world });

beforeEach(() => {
  for (const file of ["toollint.config.json", "toollint.config.jsonc", "baseline.json"])
    fs.rmSync(path.join(folder, file), { force: true });
});

describe("a config file", () => {
  test("sets levels and options of rules", async () => {
    config({ rules: { "repeated-call": "error" } });
    expect((await check(["loop.jsonl"])).exit).toBe(1);
    config({ rules: { "repeated-call": { minTimes: 4 } } });
    expect((await check(["loop.jsonl"])).stdout).toMatch(/\nno findings · passes\n$/);
    config({ rules: { "repeated-call": ["error", { minTimes: 3 }] } });
    expect((await check(["loop.jsonl"])).stdout).toMatch(/error\[repeated-call\]/);
  });

  test("may have comments, and commas at the end of lists", async () => {
    write(
      "toollint.config.jsonc",
      '\ufeff{\n  // loops are bugs here\n  "rules": { "repeated-call": "error", },\n}\n',
    );
    expect((await check(["loop.jsonl"])).exit).toBe(1);
  });

  test("is found from the working directory upwards, and the nearest one holds alone", async () => {
    config({ rules: { "repeated-call": "error" } });
    const cwd = path.join(folder, "inner", "deep");
    write("inner/deep/loop.jsonl", loopLog(3));
    expect((await check(["loop.jsonl"], { cwd })).exit).toBe(1);
    write("inner/toollint.config.json", { failOn: "error" });
    expect((await check(["loop.jsonl"], { cwd })).exit).toBe(0);
  });

  test("can be named, or left alone", async () => {
    config({ rules: { "repeated-call": "error" } });
    write("strict.json", { failOn: "warning" });
    expect((await check(["loop.jsonl", "--no-config"])).exit).toBe(0);
    expect((await check(["loop.jsonl", "--config", "strict.json"])).stdout).toMatch(
      /warning\[repeated-call\]/,
    );
  });

  test("gives way to the command line", async () => {
    config({
      rules: { "repeated-call": ["error", { minTimes: 5 }] },
      failOn: "never",
      maxWarnings: 0,
      complete: true,
    });
    expect((await check(["loop.jsonl"])).stdout).toMatch(/\nno findings · passes\n$/);
    expect((await check(["loop.jsonl", '--rule=repeated-call:{"minTimes":3}'])).stdout).toMatch(
      /error\[repeated-call\]/,
    );
    expect((await check(["broken.jsonl", "--fail-on=error"])).exit).toBe(1);
    expect((await check(["open.jsonl", "--fail-on=error"])).exit).toBe(1);
    expect(
      (await check(["open.jsonl", "--fail-on=error", "--complete=false", "--max-warnings=9"])).exit,
    ).toBe(0);
  });

  test("says what holds for some files only, the last word first", async () => {
    config({
      rules: { "dropped-tool-call": "off" },
      overrides: [
        { files: ["logs/**"], rules: { "dropped-tool-call": "error" } },
        { files: ["*.none", "logs/deep/"], rules: { "dropped-tool-call": "info" } },
      ],
    });
    write("logs/c.jsonl", brokenLog);
    const levels = async (file: string) =>
      JSON.parse((await check([file, "--format=json"])).stdout).findings.flatMap(
        ({ rule, severity }: { rule: string; severity: string }) =>
          rule === "dropped-tool-call" ? [severity] : [],
      );
    expect(await levels("broken.jsonl")).toEqual([]);
    expect(await levels("logs/c.jsonl")).toEqual(["error"]);
    expect(await levels("logs/deep/b.jsonl")).toEqual(["info"]);
    fs.rmSync(path.join(folder, "logs/c.jsonl"));
  });

  test("is right where its page shows one", async () => {
    const [, shown = ""] = /```jsonc\n(\{\n {2}"rules"[\s\S]*?)```/.exec(shownPage) ?? [];
    expect(shown).toContain('"baseline": "toollint-baseline.json"');
    config(shown.replace(/^ *"baseline".*\n/m, ""));
    expect(await check(["healthy.jsonl"])).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/matched nothing/),
    });
  });

  test("takes every report that the command line takes", async () => {
    const { stderr } = await check(["healthy.jsonl", "--format=yaml"]);
    const names = /; choose from (.*)\n$/.exec(stderr)?.[1]?.split(", ") ?? [];
    expect(names).toContain("sarif");
    config({ outputs: names.map((name) => `${name}=out.${name}`) });
    expect(await check(["healthy.jsonl"])).toMatchObject({ exit: 0, stderr: "" });
    for (const name of names) fs.rmSync(path.join(folder, `out.${name}`));
  });

  test("names a container for some files", async () => {
    config({ overrides: [{ files: ["healthy.jsonl"], container: "text" }] });
    const report = JSON.parse((await check(["healthy.jsonl", "broken.jsonl", "--format=json"])).stdout);
    expect(report.files).toMatchObject([{ container: "text" }, { container: "jsonl" }]);
  });
});

test("a config says where requests went, in all or in some files", async () => {
  config({ profile: "groq", overrides: [{ files: ["b*.jsonl"], profile: "vllm/gemma-3-27b-it" }] });
  const report = JSON.parse((await check(["healthy.jsonl", "broken.jsonl", "--format=json"])).stdout);
  expect(report.files).toMatchObject([
    { judgedFor: [{ profile: "groq", by: "profile" }] },
    { judgedFor: [{ profile: "vllm", by: "profile" }] },
  ]);
  config({ profile: "grok" });
  expect((await check(["healthy.jsonl"])).stderr).toBe(
    "toollint: toollint.config.json:1:2: there is no profile `grok`; did you mean `groq`?\n",
  );
});

describe("a config file holds for every command that reads logs", () => {
  beforeEach(() => {
    write("odd/broken.jsonl", brokenLog);
    config({ overrides: [{ files: ["odd/**"], container: "sse" }] });
  });
  const unread = `toollint: odd/broken.jsonl: toollint found no conversation in it as container sse
  To let toollint recognise the format, remove \`container\` from the config (toollint.config.json:1:35); \`toollint formats\` lists what can be read.
`;

  test.each([
    [["check", "odd/broken.jsonl"]],
    [["show", "odd/broken.jsonl"]],
    [["diff", "odd/broken.jsonl", "healthy.jsonl"]],
    [["diff", "--steps", "odd/broken.jsonl"]],
    [["fix", "odd/broken.jsonl"]],
    [["replay", "odd/broken.jsonl", "--dry-run", "--base-url", "http://127.0.0.1:1"]],
    [["explain", "--error", "No tool output found for function call call_1.", "odd/broken.jsonl"]],
  ])("%j", async (args) => {
    const asked = await toollint(args, { cwd: folder });
    expect(asked).toMatchObject({ exit: 2, stderr: unread });
    const typed = await toollint([...args, "--container", "sse"], { cwd: folder });
    expect(typed.stderr).toMatch(
      /in it as container sse\n {2}To let toollint recognise the format, remove `--container`;/,
    );
    const without = await toollint([...args, "--no-config"], { cwd: folder });
    expect(without.stderr).not.toContain("as container sse");
    const other = await toollint([...args, "--config", "none.json"], { cwd: folder });
    expect(other).toMatchObject({ exit: 2, stderr: expect.stringContaining("none.json") });
  });
});

describe("a mistake in a config file is told with its place, and nothing is checked", () => {
  const mistakes: readonly (readonly [name: string, content: string, said: string])[] = [
    ["a key", '{\n  "rulez": {}\n}', "2:3: there is no key `rulez`; did you mean `rules`?"],
    ["a rule", '{ "rules": { "repeted-call": "off" } }', "1:14: there is no rule `repeted-call`; did you mean `repeated-call`?"],
    ["a level", '{ "rules": { "repeated-call": "eror" } }', '1:14: `repeated-call` cannot be `"eror"`; did you mean `error`?'],
    ["a level of a rule without options", '{ "rules": { "empty-reply": {} } }', "1:14: `empty-reply` cannot be `{}`; choose from off, info, warning, error"],
    ["an option", '{ "rules": { "runaway-loop": { "maxRound": 8 } } }', "1:32: there is no key `maxRound`; did you mean `maxRounds`?"],
    ["an option behind a level", '{ "rules": { "runaway-loop": ["info", { "maxRounds": 0 }] } }', "1:41: `maxRounds` must be a whole number of at least 1, not `0`"],
    ["a level without options in a list", '{ "rules": { "runaway-loop": ["info"] } }', '1:14: `runaway-loop` must be a list of a level and options, not `["info"]`'],
    ["a number", '{ "maxWarnings": "ten" }', '1:3: `maxWarnings` must be a whole number, not `"ten"`'],
    ["an output", '{ "outputs": ["sarf=x"] }', '1:15: entry 1 of `outputs` cannot be `"sarf=x"`: `NAME` or `NAME=FILE`, where NAME is text, lines, json, jsonl, sarif, junit, github, gitlab, markdown, html or blob'],
    ["an override for no files", '{ "overrides": [{}] }', "1:17: entry 1 of `overrides` has no `files`"],
    ["a container", '{ "container": "jsnl" }', "1:3: there is no container `jsnl`; did you mean `jsonl`?"],
    ["no reason", '{ "ignore": [{ "rule": "empty-reply" }] }', "1:14: entry 1 of `ignore` has no `reason`"],
    ["nothing to ignore", '{ "ignore": [{ "reason": "later", "expires": "2027-01-31" }] }', "1:14: entry 1 of `ignore` does not say what to ignore: add `rule`, `file`, `tool` or `fingerprint`"],
    ["a rule to ignore", '{ "ignore": [{ "rule": "emty-reply", "reason": "x" }] }', "1:16: there is no rule `emty-reply`; did you mean `empty-reply`?"],
    ["a day", '{ "ignore": [{ "rule": "empty-reply", "reason": "x", "expires": "soon" }] }', '1:54: `expires` cannot be `"soon"`: the last day on which the entry applies, such as 2027-01-31'],
    ["the same key twice", '{ "failOn": "error", "failOn": "never" }', "1:22: `failOn` appears twice here"],
    ["broken JSON", '{ "failOn": "error" "complete": true }', "1:21: this is not JSON with comments: comma expected"],
    ["an empty file", "", "1:1: this is not JSON with comments: value expected"],
    ["a list", "[]", "1:1: the config must be an object, not `[]`"],
  ]; // biome-ignore format: one mistake a line

  test.each(mistakes)("%s", async (_, content, said) => {
    config(content);
    expect(await check(["healthy.jsonl"])).toEqual({
      exit: 2,
      stdout: "",
      stderr: `toollint: toollint.config.json:${said}\n`,
    });
  });

  test("more than twenty at once: the first, and that there are more", async () => {
    config(`{${Array.from({ length: 500 }, (_, at) => `"key-${at}": ${at}`).join(",")}}`);
    const lines = (await check(["healthy.jsonl"])).stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("  and more");
  });

  test("lists that nest too deep", async () => {
    config(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    expect((await check(["healthy.jsonl"])).stderr).toBe(
      "toollint: toollint.config.json: its lists and objects are nested too deeply for a config file\n",
    );
  });

  test("several at once, in the order of the file", async () => {
    config('{\n  "fail-on": "error",\n  "complete": 1\n}');
    expect((await check(["healthy.jsonl"])).stderr).toBe(
      "toollint: toollint.config.json:2:3: there is no key `fail-on`; did you mean `failOn`?\n" +
        "  toollint.config.json:3:3: `complete` must be true or false, not `1`\n",
    );
  });

  run(folder, [
    {
      name: "a config file that is not there",
      args: ["check", "healthy.jsonl", "--config", "none.json"],
      err: "toollint: cannot read none.json: there is no such file\n",
      exit: 2,
    },
    {
      name: "one that is wanted and not wanted",
      args: ["check", "healthy.jsonl", "--config", "none.json", "--no-config"],
      err: /cannot be combined/,
      exit: 2,
    },
  ]);
});

describe("ignore", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const ignoring = async (entry: object, args: readonly string[] = ["broken.jsonl"]) => {
    config({ ignore: [{ reason: "known to the team", ...entry }] });
    return check(args, { now });
  };

  test("by rule, file, tool or fingerprint: the finding counts nowhere, and the report says so", async () => {
    const { fingerprint } = JSON.parse((await check(["broken.jsonl", "--format=json"])).stdout).findings[0];
    for (const entry of [
      { rule: "dropped-tool-call" },
      { file: "*.jsonl" },
      { tool: "get_weather" },
      { fingerprint },
      { rule: "dropped-tool-call", expires: "2026-11-21" },
    ]) {
      const { exit, stdout, stderr } = await ignoring(entry);
      expect([exit, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/\nno other findings, [12] ignored findings? · passes\n$/);
    }
  });

  test("stays in the JSON, with its reason", async () => {
    const { stdout } = await ignoring({ rule: "dropped-tool-call" }, ["broken.jsonl", "--format=json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [],
      suppressed: [
        { rule: "dropped-tool-call", suppression: { by: "ignore", reason: "known to the team" } },
        { rule: "orphaned-tool-result", suppression: { by: "ignore", reason: "known to the team" } },
      ],
      diagnoses: [],
      summary: { error: 0, consequences: 0 },
    });
  });

  test("an entry for something else ignores nothing, and is told", async () => {
    const { exit, stdout, stderr } = await ignoring({ rule: "dropped-tool-call", tool: "list_cities" });
    expect(exit).toBe(1);
    expect(stdout).toMatch(dropped);
    expect(stderr).toBe(
      "toollint: toollint.config.json: an entry of `ignore` matched nothing: dropped-tool-call (line 1)\n",
    );
  });

  test("an entry for files that were not checked is no news", async () => {
    expect((await ignoring({ file: "logs/*" })).stderr).toBe("");
    expect((await ignoring({ rule: "empty-reply" }, ["broken.jsonl", "--exchange=1"])).stderr).toBe("");
  });

  test("an entry that has expired ignores nothing any more, and is told", async () => {
    const { exit, stderr } = await ignoring({ rule: "dropped-tool-call", expires: "2026-11-20" });
    expect(exit).toBe(1);
    expect(stderr).toBe(
      "toollint: toollint.config.json:1:12: dropped-tool-call is no longer ignored: the entry expired on 2026-11-20 (known to the team)\n",
    );
  });
});

describe("a baseline", () => {
  const update = (log = "broken.jsonl") => check([log, "--baseline", "baseline.json", "--update-baseline"]);
  const compare = (log: string, ...more: string[]) => check([log, "--baseline", "baseline.json", ...more]);

  test("is written from what is found, and then nothing of it fails", async () => {
    expect(await update()).toMatchObject({
      exit: 0,
      stderr: "toollint: 2 findings recorded in baseline.json: from now on they are known\n",
    });
    expect(JSON.parse(read("baseline.json"))).toEqual({
      schemaVersion: "1.0",
      findings: [
        {
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
          rule: "dropped-tool-call",
          file: "broken.jsonl",
        },
        { fingerprint: expect.any(String), rule: "orphaned-tool-result", file: "broken.jsonl" },
      ],
    });
    const { exit, stdout, stderr } = await compare("broken.jsonl");
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^checked: 2 exchanges.*\nno other findings, 2 known findings · passes\n$/);
  });

  test("knows its findings in another file, on other lines, with other ids", async () => {
    await update();
    write("moved.jsonl", `\n\n${brokenLog.replaceAll("call_paris", "call_Q9x2")}`);
    expect((await compare("moved.jsonl")).exit).toBe(0);
  });

  test("lets what is new fail", async () => {
    await update("loop.jsonl");
    expect(await compare("broken.jsonl")).toMatchObject({ exit: 1, stdout: expect.stringMatching(dropped) });
  });

  test("tells what is gone, and is rid of it when written anew", async () => {
    write("mended.jsonl", brokenLog);
    await update("mended.jsonl");
    write("mended.jsonl", read("healthy.jsonl"));
    const { exit, stderr } = await compare("mended.jsonl");
    expect([exit, stderr]).toEqual([
      0,
      "toollint: baseline.json: 2 known findings are gone (dropped-tool-call, orphaned-tool-result); `--update-baseline` removes them\n",
    ]);
    expect((await compare("healthy.jsonl")).stderr).toBe("");
    await update("mended.jsonl");
    expect(read("baseline.json")).toBe('{\n  "schemaVersion": "1.0",\n  "findings": []\n}\n');
  });

  test("may be named by the config", async () => {
    config({ baseline: "baseline.json" });
    expect((await check(["broken.jsonl", "--update-baseline"])).exit).toBe(0);
    expect((await check(["../broken.jsonl"], { cwd: path.join(folder, "logs") })).exit).toBe(0);
  });

  test("holds nothing that is ignored", async () => {
    config({ ignore: [{ rule: "dropped-tool-call", reason: "x" }] });
    await update();
    expect(JSON.parse(read("baseline.json")).findings).toEqual([]);
  });

  test("is not written when not everything could be checked", async () => {
    const { exit, stderr } = await check([
      "broken.jsonl",
      "none.log",
      "--baseline=baseline.json",
      "--update-baseline",
    ]);
    expect(exit).toBe(2);
    expect(stderr).toContain("baseline.json was not written, because some of the log could not be checked");
    expect(fs.existsSync(path.join(folder, "baseline.json"))).toBe(false);
  });

  run(folder, [
    {
      name: "that is not there says how to get one",
      args: ["check", "healthy.jsonl", "--baseline", "none.json"],
      err: "toollint: cannot read none.json: there is no such file; `--update-baseline` writes it\n",
      exit: 2,
    },
    {
      name: "that is something else is refused",
      args: ["check", "healthy.jsonl", "--baseline", "healthy.jsonl"],
      err: "toollint: healthy.jsonl is not a baseline: it is not JSON; `--update-baseline` writes a new one\n",
      exit: 2,
    },
    {
      name: "never overwrites a log",
      args: ["check", "healthy.jsonl", "--baseline", "healthy.jsonl", "--update-baseline"],
      err: "toollint: `--baseline` would overwrite the log healthy.jsonl: name another file\n",
      exit: 2,
    },
    {
      name: "is not written from a part of a log",
      args: ["check", "healthy.jsonl", "--baseline=b.json", "--update-baseline", "--exchange=1"],
      err: /needs whole logs/,
      exit: 2,
    },
    {
      name: "has to have a name to be written",
      args: ["check", "healthy.jsonl", "--update-baseline"],
      err: /needs a file: `--baseline toollint-baseline.json --update-baseline`/,
      exit: 2,
    },
  ]);
});

describe("several reports of one run", () => {
  test("go into their files, and the text stays on the screen", async () => {
    const { exit, stdout } = await check([
      "broken.jsonl",
      "--format=sarif=r.sarif",
      "--format",
      "junit=r.xml",
    ]);
    expect(exit).toBe(1);
    expect(stdout).toMatch(dropped);
    expect(JSON.parse(read("r.sarif")).version).toBe("2.1.0");
    expect(read("r.xml")).toMatch(/^<\?xml/);
  });

  test("beside one for the screen, or for the file of -o", async () => {
    const screen = await check(["broken.jsonl", "--format=lines", "--format=json=r.json"]);
    expect(screen.stdout).toMatch(/^broken\.jsonl:2:/);
    const file = await check(["broken.jsonl", "--format=lines", "--format=json=r.json", "-o", "r.txt"]);
    expect(file.stdout).toMatch(dropped);
    expect(read("r.txt")).toBe(screen.stdout);
  });

  test("may be asked for in the config, from whose folder the files are named; the command line replaces them", async () => {
    config({ outputs: ["lines", "json=reports.json"] });
    const { stdout } = await check(["b.jsonl"], { cwd: path.join(folder, "logs/deep") });
    expect(stdout).toMatch(/^b\.jsonl:2:/);
    expect(JSON.parse(read("reports.json"))).toMatchObject({ summary: { error: 1 } });
    fs.rmSync(path.join(folder, "reports.json"));
    expect((await check(["broken.jsonl", "--format=text"])).stdout).toMatch(dropped);
    expect(fs.existsSync(path.join(folder, "reports.json"))).toBe(false);
  });

  run(folder, [
    {
      name: "never two into one file",
      args: ["check", "broken.jsonl", "--format=json=r.json", "-o", "./r.json"],
      err: "toollint: two reports would go to r.json: name another file for one of them\n",
      exit: 2,
    },
    {
      name: "never over a log",
      args: ["check", "broken.jsonl", "--format=json=broken.jsonl"],
      err: /would overwrite the log broken.jsonl/,
      exit: 2,
    },
    {
      name: "never into nothing",
      args: ["check", "broken.jsonl", "--format=json="],
      err: "toollint: `--format json=` needs a file after the `=`\n",
      exit: 2,
    },
  ]);
});

describe("init --sample", () => {
  test("writes a broken log and a good one, says what to try, and never overwrites", async () => {
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-sample-"));
    const { exit, stdout, stderr } = await toollint(["init", "--sample"], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain("Next:  toollint check toollint-sample/failing.jsonl\n");
    expect((await toollint(["check", "toollint-sample/failing.jsonl"], { cwd })).exit).toBe(1);
    expect((await toollint(["check", "toollint-sample/passing.jsonl"], { cwd })).exit).toBe(0);
    const again = await toollint(["init", "--sample"], { cwd });
    expect(again).toMatchObject({ exit: 2, stdout: "" });
    expect(again.stderr).toContain("toollint-sample already exists and was not changed");
    expect((await toollint(["init", "--sample", "my logs/one"], { cwd })).stdout).toContain(
      "toollint check 'my logs/one/failing.jsonl'",
    );
    expect((await toollint(["init", "logs"], { cwd })).stderr).toContain("`toollint init --sample logs`");
    fs.rmSync(cwd, { recursive: true });
  });
});

describe("init", () => {
  test("writes a config file that changes nothing, and says what to do next", async () => {
    const { exit, stdout } = await toollint(["init"], { cwd: folder });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^toollint\.config\.jsonc written.*Next: {2}toollint check/s);
    expect(await check(["healthy.jsonl"])).toMatchObject({
      exit: 0,
      stderr: "",
      stdout: expect.stringMatching(clean),
    });
  });

  test("every setting in it is right once it is no comment any more", async () => {
    await toollint(["init"], { cwd: folder });
    const file = read("toollint.config.jsonc")
      .replace(/^( *)\/\/ (?=["{])/gm, "$1")
      .replaceAll('"baseline"', '// "baseline"');
    write("toollint.config.jsonc", file);
    expect(file).toContain('\n  "maxWarnings": 10,\n');
    const { exit, stderr } = await check(["healthy.jsonl"], { now: new Date("2026-11-21") });
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^toollint: toollint\.config\.jsonc: an entry of `ignore` matched nothing: repeated-call/,
      ),
    ]);
  });

  test("names every setting that there is", async () => {
    await toollint(["init"], { cwd: folder });
    const schema = JSON.parse(
      fs.readFileSync(path.join(import.meta.dirname, "../../schemas/config.schema.json"), "utf8"),
    );
    const template = read("toollint.config.jsonc");
    expect(Object.keys(schema.properties).filter((key) => !template.includes(`"${key}": `))).toEqual([]);
  });

  test("leaves alone what is there", async () => {
    config({ failOn: "never" });
    expect(await toollint(["init"], { cwd: folder })).toEqual({
      exit: 2,
      stdout: "",
      stderr: "toollint: toollint.config.json already exists and is unchanged; delete it to start over\n",
    });
    expect(read("toollint.config.json")).toBe('{"failOn":"never"}');
  });

  test("says when a config file above no longer holds", async () => {
    config({});
    const { stdout } = await toollint(["init"], { cwd: path.join(folder, "bare") });
    expect(stdout).toContain("It replaces ../toollint.config.json in this folder and below.");
  });
});
