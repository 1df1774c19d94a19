/** `npm run fuzz`: makes mutants of logs, asks the oracles about them in worker processes, and keeps what fails. */
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { serialize } from "node:v8";
import type { Found, Plan } from "./messages.ts";
import { minimised } from "./minimise.ts";
import { mutants } from "./mutant.ts";
import { operators } from "./operators/index.ts";
import { type Options, optionsOf, usage } from "./options.ts";
import { type Worker, workers } from "./pool.ts";
import { seedLogs } from "./seeds/index.ts";

/** Mutants that a worker gets at once. */
const batch = 50;

/** Failing logs that are kept of one kind. */
const keptOfKind = 3;

/** @param folder in which the bundles stand; `root` is the project's. */
export async function main(args: readonly string[], root: string, folder: string): Promise<number> {
  const options = optionsOf(args, availableParallelism());
  if (!options) {
    process.stdout.write(usage);
    return 0;
  }
  const logs = await seedLogs(root, options.corpus);
  console.log(
    `seed ${options.seed}: ${options.count} mutants of ${logs.length} logs by ${operators.length} operators`,
  );
  const work = mkdtempSync(join(tmpdir(), "toollint-fuzz-"));
  const scratch = mkdtempSync(join(inMemory(), "toollint-fuzz-"));
  try {
    const plan = join(work, "plan");
    writeFileSync(
      plan,
      serialize({
        root,
        modules: options.isBuilt
          ? ["cli.cjs", "index.js"].map((name) => join(root, "dist", name))
          : [join(folder, "program.mjs")],
        seed: options.seed,
        only: options.only,
        isStrict: options.isStrict,
        logs,
      } satisfies Plan),
    );
    const found: Found[] = [];
    const started = Date.now();
    const make = mutants(options.seed, logs, operators);
    const pool = workers(options.jobs, join(folder, "worker.mjs"), plan, scratch, {
      onFound(each) {
        // A long run tells at once what it comes across.
        if (found.every(({ kind }) => kind !== each.kind))
          console.log(`case ${each.number}: ${each.kind} (${each.seed}, ${each.operators.join(" + ")})`);
        found.push(each);
      },
      onDeath({ number, kind }) {
        const mutant = make(number);
        found.push({
          kind,
          detail: "",
          number,
          seed: mutant?.seed.name ?? "",
          operators: mutant?.applied.map(({ name }) => name) ?? [],
          file: mutant?.seed.file ?? "run.log",
          bytes: mutant?.bytes ?? Buffer.alloc(0),
        });
      },
    });
    let made = 0;
    let cpu = 0;
    let next = options.from;
    const end = options.from + options.count;
    await Promise.all(
      pool.map(async (worker) => {
        while (next < end) {
          const from = next;
          next = Math.min(end, from + batch);
          const done = await worker.does({ does: "try", from, to: next });
          made += done.made;
          cpu += done.cpu;
        }
      }),
    );
    const seconds = (Date.now() - started) / 1000;
    await report(found, options, root, pool);
    for (const worker of pool) worker.stop();
    console.log(
      `${made} mutants in ${seconds.toFixed(0)} s (${cpu.toFixed(0)} s of CPU time): ${found.length === 0 ? "no failure" : `${new Set(found.map(({ kind }) => kind)).size} kinds of failure in ${new Set(found.map(({ number }) => number)).size} mutants`} (seed ${options.seed})`,
    );
    return found.length === 0 ? 0 : 1;
  } finally {
    for (const each of [work, scratch]) rmSync(each, { recursive: true, force: true });
  }
}

/** A folder whose files take no disk, where there is one: workers write and remove several for each mutant. */
function inMemory(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

/** Prints each kind of failure with its first mutant, and writes the logs to files. */
async function report(
  found: readonly Found[],
  options: Options,
  root: string,
  [worker]: readonly Worker[],
): Promise<void> {
  const kinds = new Map<string, Found[]>();
  for (const each of found.toSorted((a, b) => a.number - b.number))
    kinds.set(each.kind, [...(kinds.get(each.kind) ?? []), each]);
  const more = [
    ...options.only.map((word) => ` --only '${word}'`),
    options.corpus === undefined ? "" : ` --corpus ${options.corpus}`,
    options.isStrict ? " --strict" : "",
    options.isBuilt ? " --built" : "",
  ].join("");
  for (const [kind, all] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`\n${all.length} × ${kind}`);
    for (const [index, each] of all.slice(0, keptOfKind).entries()) {
      const place = join(options.output, `${options.seed}-${each.number}`);
      mkdirSync(join(root, place), { recursive: true });
      const file = join(place, each.file);
      let { bytes } = each;
      if (options.minimises && index === 0 && worker)
        bytes = await minimised(
          Buffer.from(bytes),
          async (smaller) =>
            (await worker.does({ does: "again", number: each.number, kind, bytes: smaller })).fails,
        );
      writeFileSync(join(root, file), bytes);
      console.log(
        `  ${relative(".", join(root, file))} (${bytes.length} bytes): ${each.seed}, ${each.operators.join(" + ")}`,
      );
      if (index === 0) {
        if (each.detail !== "") console.log(each.detail.slice(0, 1200).replace(/^/gm, "    "));
        console.log(`  again: npm run fuzz -- --seed ${options.seed} --case ${each.number}${more}`);
      }
    }
  }
  if (found.length > 0) console.log("");
}
