import type { Location } from "../findings/report.ts";

const shownRanges = 6;

/** Whole numbers as people write them: `3–5, 9`; long lists end in how many there are. */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs: { first: number; last: number }[] = [];
  for (const number of sorted) {
    const run = runs.at(-1);
    if (run && number === run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const texts = runs
    .slice(0, shownRanges)
    .map(({ first, last }) =>
      first === last ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first}–${last}`,
    );
  return runs.length > shownRanges ? `${texts.join(", ")} … (${sorted.length} in all)` : texts.join(", ");
}

/** What the numbers of exchanges are called, by the half of the exchange that is meant. */
export type Half = Location["part"];

/** `request 3`, `replies 3–7`. */
export function exchanges(numbers: readonly number[], half: Half): string {
  const [one, many] =
    half === "request"
      ? ["request", "requests"]
      : half === "response"
        ? ["reply", "replies"]
        : ["exchange", "exchanges"];
  return `${new Set(numbers).size === 1 ? one : many} ${ranges(numbers)}`;
}

/** Where in the conversation a location is: `request 2`, `step 4`; absent when that is not known. */
export function placeInRun({ exchange, part, step }: Location): string | undefined {
  if (exchange !== undefined) return exchanges([exchange], part);
  return step === undefined ? undefined : `step ${step}`;
}

/** `file:line:column`. */
export function placeInFile({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** `1 file`, `3 files`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
