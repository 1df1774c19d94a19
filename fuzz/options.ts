import { parseArgs } from "node:util";

/** What a run of the fuzzer does. */
export interface Options {
  readonly seed: number;
  readonly count: number;
  /** The number of the first mutant. */
  readonly from: number;
  /** Words of which each must stand in the name of an operator, a log or an oracle. */
  readonly only: readonly string[];
  /** A folder of further logs. */
  readonly corpus: string | undefined;
  readonly jobs: number;
  /** Where failing logs are kept. */
  readonly output: string;
  readonly isStrict: boolean;
  readonly isBuilt: boolean;
  readonly minimises: boolean;
}

export const usage = `Usage: npm run fuzz -- [options]

Damages logs at random and looks whether toollint still tells the truth about them.

  --seed N        decides all mutants (default: the clock)
  --count N       how many (default: 20000)
  --case N        only the mutant of this number; with --count, as many from it on
  --only WORD     only operators, logs and oracles whose name has this word; may be given several times
  --corpus DIR    further logs, from this folder
  --jobs N        worker processes (default: one more than the cores, at most 8)
  --output DIR    where failing logs go (default: fuzz/failures)
  --strict        also ask what does not hold everywhere yet
  --built         try what \`npm run build\` made, instead of the source
  --minimise      make the first failing log of each kind as small as it can be
`;

/**
 * A worker waits for its files a twelfth of the time; one more than the cores keeps them busy.
 *
 * @throws `TypeError` for an unknown option, `RangeError` for a wrong number.
 */
export function optionsOf(args: readonly string[], cores: number): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      count: { type: "string" },
      case: { type: "string" },
      only: { type: "string", multiple: true },
      corpus: { type: "string" },
      jobs: { type: "string" },
      output: { type: "string" },
      strict: { type: "boolean" },
      built: { type: "boolean" },
      minimise: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  return {
    seed: number("seed", values.seed) ?? Date.now() % 1_000_000,
    count: number("count", values.count) ?? (values.case === undefined ? 20_000 : 1),
    from: number("case", values.case) ?? 0,
    only: values.only ?? [],
    corpus: values.corpus,
    jobs: number("jobs", values.jobs) ?? Math.min(8, cores + 1),
    output: values.output ?? "fuzz/failures",
    isStrict: values.strict ?? false,
    isBuilt: values.built ?? false,
    minimises: values.minimise ?? false,
  };
}

function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`--${name} needs a whole number, not ${text}`);
  return value;
}
