import { structuredPatch } from "diff";
import { describe, expect, test } from "vitest";
import { hunksBetween } from "../../src/cli/commands/line-hunks.ts";

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `message ${index}`);
const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

/** What the library finds when it may search as long as it likes. */
function shortest(before: readonly string[], after: readonly string[]): object[] {
  return structuredPatch("", "", text(before), text(after), "", "", { context: 3 }).hunks;
}

describe("the hunks of a diff with more changes than the shortest edit is looked for", () => {
  const before = lines(1200);
  test.each<[string, (line: string, index: number) => string[]]>([
    ["a line behind every second one", (line, index) => (index % 2 ? [line] : [line, `result ${index}`])],
    ["every second line gone", (line, index) => (index % 2 ? [line] : [])],
    [
      "lines changed far apart",
      (line, index) => [index % 20 === 9 ? `${line}, changed` : line, `x ${index}`],
    ],
    [
      "changes with seven lines between",
      (line, index) => (index % 8 === 3 ? [line, "new", "more", "last"] : [line]),
    ],
    [
      "changes with six lines between",
      (line, index) => (index % 7 === 3 ? [line, "new", "more", "last"] : [line]),
    ],
    ["all lines new", (_, index) => [`other ${index}`]],
  ])("%s", (_, change) => {
    const after = before.flatMap(change);
    expect(hunksBetween(text(before), text(after))).toEqual(shortest(before, after));
  });
});
