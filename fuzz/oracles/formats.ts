import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckReport } from "../../src/index.ts";
import type { Oracle } from "./oracle.ts";
import { misbehaviour, textOfLog } from "./texts.ts";

const names = ["json", "text", "lines", "jsonl", "sarif", "junit", "gitlab", "markdown", "github"];

/** All formats tell of the same findings, print nothing raw, and another run prints the same bytes. */
export const formatsOracle: Oracle = async function* ({ toollint, checked, path, bytes, dice, folder }) {
  if (!dice.once(12)) return;
  await toollint.run(
    "check",
    path,
    "--no-config",
    ...names.flatMap((name) => ["--format", `${name}=out/${name}`]),
  );
  const first = Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, "out", name), "utf8")]),
  );
  // All formats print what one check found, and each mutant was checked once as JSON.
  const name = dice.once(3) ? dice.pick(names) : "json";
  const second =
    name === "json" ? await checked() : await toollint.run("check", path, "--no-config", "--format", name);
  // What is no log is said on stderr alone.
  if (second.exit !== 2 && first[name] !== second.stdout)
    yield {
      kind: `check --format ${name}: differs in a second run`,
      detail: difference(first[name] ?? "", second.stdout),
    };
  const log = textOfLog(bytes);
  for (const name of ["text", "lines", "markdown", "github", "junit"])
    yield* misbehaviour(
      { args: ["check", "--format", name], exit: 0, stdout: first[name] ?? "", stderr: "", cpu: 0 },
      log,
    );
  const { findings, files }: CheckReport = JSON.parse(first["json"] ?? "");
  const own = findings.filter(({ cause }) => cause === null);
  const roots = own.length;
  const loud = own.filter(({ severity }) => severity !== "info").length;
  const counts: Readonly<Record<string, readonly [number, number]>> = {
    jsonl: [countOf(first["jsonl"], /\n/g) - 1, findings.length],
    sarif: [sarifResults(first["sarif"] ?? ""), findings.length],
    gitlab: [(JSON.parse(first["gitlab"] ?? "[]") as unknown[]).length, roots],
    lines: [countOf(first["lines"], /^(?: {2})?\S.*?: (?:error|warning|info): /gm), findings.length],
    junit: [countOf(first["junit"], /<testcase /g), Math.max(1, loud)],
    // It annotates ten of a level, as GitHub shows no more.
    github: [
      countOf(first["github"], /^::(?:error|warning|notice) /gm),
      ["error", "warning", "info"].reduce(
        (sum, level) => sum + Math.min(10, own.filter(({ severity }) => severity === level).length),
        0,
      ),
    ],
  };
  if (files.length > 0)
    for (const [name, [count, expected]] of Object.entries(counts))
      if (count !== expected)
        yield {
          kind: `check --format ${name}: tells of another number of findings`,
          detail: `${count} for ${expected}`,
        };
};

const countOf = (text: string | undefined, pattern: RegExp): number => text?.match(pattern)?.length ?? 0;

function sarifResults(text: string): number {
  const { runs } = JSON.parse(text) as { runs: readonly { results: readonly unknown[] }[] };
  return runs.flatMap(({ results }) => results).length;
}

function difference(one: string, two: string): string {
  const at = [...one].findIndex((unit, index) => unit !== two[index]);
  return `${one.slice(Math.max(0, at - 60), at + 60)}\n${two.slice(Math.max(0, at - 60), at + 60)}`;
}
