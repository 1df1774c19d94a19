import type { Shard } from "../files/shards.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "./parse.ts";

type Env = Io["env"];

/** Options that are about all files, of which a shard sees a part. */
const ofAll = ["watch", "update-baseline", "conversation", "exchange"];

/** `--shard`, by default the only one; throws {@link Trouble} for options that do not go with it. */
export function shardOf(invocation: Invocation, env: Env): Shard {
  const value = invocation.one("shard");
  const other = ofAll.find((name) => invocation.has(name) || invocation.one(name) !== undefined);
  if (other === undefined) return value === undefined ? { number: 1, count: 1 } : shardNamed(value, env);
  throw new Trouble(
    value === undefined
      ? `a blob is the report of whole files, once: leave out \`--${other}\``
      : `\`--shard\` checks a part of the files, and \`--${other}\` is about all of them`,
  );
}

/** Variables by which an engine tells each of its jobs which one it is. */
interface Engine {
  readonly name: string;
  readonly index: string;
  /** Absent where the engine does not say of how many. */
  readonly count?: string;
  /** The number of the first job. */
  readonly first: 0 | 1;
}

/** The innermost engine first: a Bazel test may run in a job of GitLab. */
const engines: readonly Engine[] = [
  { name: "Bazel", index: "TEST_SHARD_INDEX", count: "TEST_TOTAL_SHARDS", first: 0 },
  { name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: 0 },
  { name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE", first: 0 },
  { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", first: 0 },
  { name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: 1 },
];

/** More would be a mistake in typing. */
const maxShards = 100_000;

/**
 * The shard that `--shard` names: `2/8`, counted from 1; `auto`, from the variables of an engine; `auto/8`
 * where an engine says which job this is, but not of how many. Throws {@link Trouble} for anything else.
 */
function shardNamed(value: string, env: Env): Shard {
  const [, number = "", total] = /^(auto|\d{1,9})(?:\/(\d{1,9}))?$/.exec(value) ?? [];
  if (number === "auto") return engineShard(env, total === undefined ? undefined : Number(total));
  if (number === "" || total === undefined)
    throw new Trouble(
      `\`--shard\` needs a number and how many there are, counted from 1: \`--shard 2/8\`, or \`auto\`; not \`${value}\``,
    );
  return checked({ number: Number(number), count: Number(total) }, `\`--shard ${value}\``);
}

function engineShard(env: Env, said: number | undefined): Shard {
  const value = (name: string): string | undefined => env[name] || undefined;
  const engine = engines.find(({ index }) => value(index) !== undefined);
  if (!engine) return withoutIndex(value, said);
  const { name, index, count: countName } = engine;
  const count = said ?? (countName === undefined ? undefined : numberIn(countName, value(countName)));
  if (count === undefined) {
    const missing = countName === undefined ? `${name} does not say of how many` : `${countName} is not set`;
    throw new Trouble(`${index} says which shard this is, and ${missing}: add it, as in \`--shard auto/8\``);
  }
  const own = numberIn(index, value(index)) ?? 0;
  const at = name === "Slurm" ? slurmIndex(own, count, value) : own - engine.first;
  return checked({ number: at + 1, count }, `${index}=${value(index)} of ${count}`, engine.first);
}

/** GitLab sets only the total, 1, for a job that is not parallel. */
function withoutIndex(value: (name: string) => string | undefined, said: number | undefined): Shard {
  if (value("CI_NODE_TOTAL") === "1" && said === undefined) return { number: 1, count: 1 };
  const half = engines.find(({ count }) => count !== undefined && value(count) !== undefined);
  if (half)
    throw new Trouble(
      `${half.count} says how many shards there are, and ${half.index}, the number of this one, is not set: add it, as in \`--shard 1/${value(half.count ?? "")}\``,
    );
  throw new Trouble(
    `\`--shard auto\` finds no variable that says which shard this is (${engines.map(({ index }) => index).join(", ")}): name it, as in \`--shard 1/4\``,
  );
}

/** Ids of an array may begin anywhere and have steps (`--array=10-40:10`), but no gaps. */
function slurmIndex(id: number, count: number, value: (name: string) => string | undefined): number {
  const min = numberIn("SLURM_ARRAY_TASK_MIN", value("SLURM_ARRAY_TASK_MIN")) ?? 0;
  const max = numberIn("SLURM_ARRAY_TASK_MAX", value("SLURM_ARRAY_TASK_MAX")) ?? min + count - 1;
  const index = max > min ? ((id - min) / (max - min)) * (count - 1) : 0;
  if (!Number.isInteger(index))
    throw new Trouble(
      `the ids of this Slurm array are not evenly spaced (${id}, of ${count} from ${min} to ${max}): use \`--array=0-${count - 1}\``,
    );
  return index;
}

function numberIn(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new Trouble(`${name} should be a whole number, not \`${value}\``);
  return Number(value);
}

/** @param first the number of the first shard, as those count who gave it */
function checked(shard: Shard, named: string, first = 1): Shard {
  const { number, count } = shard;
  if (count < 1 || count > maxShards) throw new Trouble(`${named}: there can be 1 to ${maxShards} shards`);
  if (number < 1 || number > count)
    throw new Trouble(`${named}: there is no such shard: they count from ${first} to ${count - 1 + first}`);
  return shard;
}
