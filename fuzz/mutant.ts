import { Dice } from "./dice.ts";
import type { Operator } from "./operators/operator.ts";
import type { SeedLog } from "./seeds/seed.ts";

/** A log that was changed. */
export interface Mutant {
  readonly seed: SeedLog;
  /** In the order in which they were applied. */
  readonly applied: readonly Operator[];
  readonly bytes: Buffer;
  /** The operators at the end of {@link applied} that change how the log is kept, not what it says. */
  readonly damage: readonly Operator[];
  /** The log before them. */
  readonly undamaged: Buffer;
}

/** Of the other operators, a log may say something else afterwards. */
const damaging =
  /^(?:bytes|lines|faults|syntax|containers|delivery|encodings|writes|layouts|tools|prints|copies\/(?:broken|beside)|streams\/broken)\/|nest deeply/;

/** Larger mutants take more time than they tell. */
const largest = 256 << 10;

/** How often an operator is looked for that can do something to a log. */
const tries = 8;

/** Makes mutants, each from the run's seed and its own number alone. */
export function mutants(
  seed: number,
  seeds: readonly SeedLog[],
  operators: readonly Operator[],
): (number: number) => Mutant | undefined {
  const groups = groupsOf(seeds);
  return (number) => {
    const dice = new Dice(seed, number);
    const log = dice.pick(dice.pick(groups));
    const applied: Operator[] = [];
    let bytes = log.bytes;
    let undamaged = bytes;
    let damage: Operator[] = [];
    for (let more = dice.pick([1, 1, 1, 1, 2, 2, 3]); more > 0; more--)
      for (let tried = 0; tried < tries; tried++) {
        const operator = dice.pick(operators);
        const changed = changedBy(operator, { log: bytes, file: log.file, dice, others: seeds });
        if (!changed || changed.length > largest || changed.equals(bytes)) continue;
        bytes = changed;
        applied.push(operator);
        if (damaging.test(operator.name)) damage.push(operator);
        else [undamaged, damage] = [bytes, []];
        break;
      }
    return applied.length === 0 ? undefined : { seed: log, applied, bytes, damage, undamaged };
  };
}

/** The damaged log; `undefined` also where an earlier operator nested a value too deeply to be written again. */
function changedBy(operator: Operator, victim: Parameters<Operator["apply"]>[0]): Buffer | undefined {
  try {
    return operator.apply(victim);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** By where they come from, so that each source gets its share however many logs it has. */
function groupsOf(seeds: readonly SeedLog[]): readonly (readonly SeedLog[])[] {
  const groups = new Map<string, SeedLog[]>();
  for (const seed of seeds) {
    const [source = ""] = seed.name.split("/");
    groups.set(source, [...(groups.get(source) ?? []), seed]);
  }
  return [...groups.values()];
}
