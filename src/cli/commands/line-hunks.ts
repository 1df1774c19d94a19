import { structuredPatch } from "diff";
import { alignSequences } from "../../diff/sequence.ts";

/** A part of a unified diff, with the lines around its changes. */
export type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

/** Lines around a change. */
const context = 3;

/** The cost of the shortest edit is its length × the number of lines, so longer ones are not looked for. */
const maxEdits = 400;

/** The hunks of a unified diff between two texts that end with a line feed. */
export function hunksBetween(before: string, after: string): readonly Hunk[] {
  const patch = structuredPatch("", "", before, after, "", "", { context, maxEditLength: maxEdits });
  return patch?.hunks ?? hunksOf(changesBetween(linesIn(before), linesIn(after)));
}

function linesIn(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** All lines of both texts in order, each with its sign. */
function changesBetween(before: readonly string[], after: readonly string[]): string[] {
  const changes: string[] = [];
  let [left, right] = [0, 0];
  const moveTo = (leftEnd: number, rightEnd: number): void => {
    while (left < leftEnd) changes.push(`-${before[left++]}`);
    while (right < rightEnd) changes.push(`+${after[right++]}`);
  };
  for (const match of alignSequences(before, after).matches) {
    moveTo(match.left, match.right);
    changes.push(` ${before[left]}`);
    left++;
    right++;
  }
  moveTo(before.length, after.length);
  return changes;
}

function hunksOf(changes: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [1, 1];
  let done = 0;
  const passTo = (end: number): string[] => {
    const passed = changes.slice(done, end);
    done = end;
    oldLine += countOf(passed, "+");
    newLine += countOf(passed, "-");
    return passed;
  };
  for (let at = nextChange(changes, 0); at < changes.length; ) {
    passTo(Math.max(done, at - context));
    const [oldStart, newStart] = [oldLine, newLine];
    let end = at;
    for (; at < changes.length && at - end <= 2 * context; at = nextChange(changes, at + 1)) end = at;
    const lines = passTo(Math.min(changes.length, end + 1 + context));
    hunks.push({ oldStart, newStart, oldLines: countOf(lines, "+"), newLines: countOf(lines, "-"), lines });
  }
  return hunks;
}

function nextChange(changes: readonly string[], from: number): number {
  let at = from;
  while (at < changes.length && changes[at]?.startsWith(" ")) at++;
  return at;
}

/** The number of lines without a sign. */
function countOf(lines: readonly string[], sign: string): number {
  return lines.filter((line) => !line.startsWith(sign)).length;
}
