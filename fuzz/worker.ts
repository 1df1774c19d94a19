/** Tries mutants one after the other, as its parent asks. */
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "node:v8";
import { once } from "../src/reading/once.ts";
import { Dice } from "./dice.ts";
import { atFile, type Message, type Plan, type Task } from "./messages.ts";
import { type Mutant, mutants } from "./mutant.ts";
import { operators } from "./operators/index.ts";
import { oracles } from "./oracles/index.ts";
import type { Failure, Trial } from "./oracles/oracle.ts";
import { loadSchemas } from "./oracles/schemas.ts";
import { loadToollint } from "./toollint.ts";

const [planFile = "", folder = ""] = process.argv.slice(2);
const plan = deserialize(readFileSync(planFile)) as Plan;
const logs = plan.logs.map((log) => ({ ...log, bytes: Buffer.from(log.bytes) }));
const { mutant: make, asked } = selected();

/** More memory than this for one small log is a failure; in MiB. */
const memory = 400;

const say = (message: Message): void => void process.send?.(message);

/** The number of the mutant that is tried now, for the parent if this process ends: a message takes far longer. */
const at = openSync(join(folder, atFile), "w");
const begin = (number: number): void => void writeSync(at, String(number).padStart(12), 0);

/** What `--only` leaves: a word that names no operator may name a log or an oracle. */
function selected() {
  const among = <T>(all: readonly T[], nameOf: (each: T) => string): readonly T[] => {
    const words = plan.only.filter((word) => all.some((each) => nameOf(each).includes(word)));
    return words.length === 0 ? all : all.filter((each) => words.some((word) => nameOf(each).includes(word)));
  };
  const all = among(Object.entries(oracles), ([name]) => name);
  return {
    mutant: mutants(
      plan.seed,
      among(logs, ({ name }) => name),
      among(operators, ({ name }) => name),
    ),
    asked: all.map(([, oracle]) => oracle),
  };
}

loadSchemas(plan.root, ["report", "diff", "diff-steps", "fix"]);
mkdirSync(join(folder, "out"), { recursive: true });
mkdirSync(join(folder, "whole"), { recursive: true });
const toollint = await loadToollint(plan.modules, folder);

/** What breaks without anybody waiting for it, in the mutant that is tried now. */
const unhandled: Failure[] = [];
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, (error: unknown) =>
    unhandled.push({ kind: `${event}: ${String(error)}`, detail: stackOf(error) }),
  );

const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);

/** All failures of a mutant, one of each kind. */
async function failuresOf(number: number, mutant: Mutant, bytes: Buffer): Promise<readonly Failure[]> {
  const { file, bytes: whole } = mutant.seed;
  const original = (): string => {
    const path = `whole/${file}`;
    writeFileSync(join(folder, path), whole);
    return path;
  };
  writeFileSync(join(folder, file), bytes);
  const checked = once(() => toollint.run("check", file, "--no-config", "--format", "json"));
  const failures: Failure[] = [];
  const before = process.resourceUsage().maxRSS;
  for (const [index, oracle] of asked.entries()) {
    const dice = new Dice(plan.seed, number, index + 1);
    const trial: Trial = {
      mutant,
      bytes,
      folder,
      path: file,
      original,
      toollint,
      checked,
      dice,
      isStrict: plan.isStrict,
    };
    try {
      for await (const failure of oracle(trial)) failures.push(failure);
    } catch (error) {
      // The library throws for a log that the command refuses, and nothing more can be asked of it.
      const isRefused = error instanceof Error && error.name === "NotUnderstoodError";
      if (isRefused && (await toollint.run("check", file, "--no-config")).exit === 2) continue;
      failures.push({
        kind: `throws ${String(error).replace(/\d+/g, "N").slice(0, 120)}`,
        detail: stackOf(error),
      });
    }
  }
  failures.push(...unhandled.splice(0));
  const grown = (process.resourceUsage().maxRSS - before) / 1024;
  if (grown > memory)
    failures.push({ kind: `takes more than ${memory} MiB`, detail: `${Math.round(grown)} MiB` });
  rmSync(join(folder, file));
  return failures.filter(({ kind }, index) => failures.findIndex((other) => other.kind === kind) === index);
}

process.on("message", async (task: Task) => {
  const start = process.cpuUsage();
  const cpu = (): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  if (task.does === "again") {
    begin(task.number);
    const mutant = make(task.number);
    const failures = mutant ? await failuresOf(task.number, mutant, Buffer.from(task.bytes)) : [];
    say({ says: "done", made: 1, cpu: cpu(), fails: failures.some(({ kind }) => kind === task.kind) });
    return;
  }
  let made = 0;
  for (let number = task.from; number < task.to; number++) {
    begin(number);
    const mutant = make(number);
    if (!mutant) continue;
    made++;
    for (const failure of await failuresOf(number, mutant, mutant.bytes))
      say({
        says: "failed",
        found: {
          ...failure,
          number,
          seed: mutant.seed.name,
          operators: mutant.applied.map(({ name }) => name),
          file: mutant.seed.file,
          bytes: mutant.bytes,
        },
      });
  }
  say({ says: "done", made, cpu: cpu() });
});
say({ says: "ready" });
