import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import failing from "../../../samples/order-lookup/failing.jsonl";
import passing from "../../../samples/order-lookup/passing.jsonl";
import { shellWord } from "../../reporters/shell.ts";
import { writeWhole } from "../files/atomic.ts";
import { type Io, print } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";

/** Writes two logs of one task into a new folder: a run that looped, and one that went well. */
export async function writeSample(folder = "toollint-sample", io: Io): Promise<number> {
  const full = path.resolve(io.cwd, folder);
  if (existsSync(full))
    throw new Trouble(
      `${folder} already exists and was not changed; name another folder: \`toollint init --sample FOLDER\``,
    );
  await mkdir(full, { recursive: true });
  await writeWhole("failing.jsonl", full, [failing]);
  await writeWhole("passing.jsonl", full, [passing]);
  const [broken, good] = ["failing.jsonl", "passing.jsonl"].map((name) => shellWord(path.join(folder, name)));
  await print(io.stdout, [
    `wrote ${folder}: an agent that looks up the same order again and again, and the same task done right.`,
    `Next:  toollint check ${broken}`,
    `       toollint check ${broken} --format html -o report.html --open`,
    `       toollint diff ${broken} ${good}`,
    `       toollint fix ${broken} --dry-run`,
  ]);
  return 0;
}
