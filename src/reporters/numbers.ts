import type { Location } from "../findings/report.ts";

const shownRanges = 6;

/** Whole numbers as people write them: `3–5, 9`; a long list ends with a count: `1, 3, … and 92 others`. */
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
  const rest = runs.slice(shownRanges).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  if (rest === 0) return texts.join(", ");
  return `${texts.join(", ")} and ${rest} ${rest === 1 ? "other" : "others"}`;
}

/** The half of an exchange that its number refers to. */
export type Half = Location["part"];

/** `request 3`, `replies 3–7`; see {@link ranges}. */
export function exchanges(numbers: readonly number[], half: Half): string {
  const [one, many] =
    half === "request"
      ? ["request", "requests"]
      : half === "response"
        ? ["reply", "replies"]
        : ["exchange", "exchanges"];
  return `${new Set(numbers).size === 1 ? one : many} ${ranges(numbers)}`;
}

/** The place in the conversation: `request 2`, `step 4`; `undefined` if unknown. */
export function placeInRun({ exchange, part, step }: Location): string | undefined {
  if (exchange !== undefined) return exchanges([exchange], part);
  return step === undefined ? undefined : `step ${step}`;
}

/** `file:line:column`. */
export function placeInFile({ file, entry, line, column }: Location): string {
  return `${file}${entry === undefined ? "" : `!${entry}`}:${line}:${column}`;
}

/** `1 file`, `3 files`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
