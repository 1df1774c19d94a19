import { expect, test } from "vitest";
import { escapesBeyondAscii } from "../../src/reading/escapes.ts";
import { memorySource } from "../../src/reading/source.ts";
import { textAround } from "../../src/reading/surroundings.ts";
import { wholeView } from "../../src/reading/view.ts";

const nothing = Buffer.alloc(0);

test("text is read once for all the places whose surroundings it is", () => {
  const source = memorySource("run.jsonl", Buffer.alloc(1 << 20, '"a":1,'));
  let bytes = 0;
  const counted = {
    ...source,
    read(start: number, end: number) {
      bytes += end - start;
      return source.read(start, end);
    },
  };
  for (let at = 0; at < source.size; at += 500)
    expect(escapesBeyondAscii(nothing, textAround(wholeView(counted), at))).toBe(false);
  expect(bytes).toBeLessThan(1.01 * source.size);
});

test("the surroundings of a place are near it", () => {
  const text = Buffer.alloc(2 << 20, '"a":1,');
  text.write('"\\u00e9"', 500);
  text.write('"é"', 2 ** 21 - 500);
  const view = wholeView(memorySource("run.jsonl", text));
  const isEscaped = (at: number): boolean => escapesBeyondAscii(nothing, textAround(view, at));
  expect([isEscaped(0), isEscaped(200_000), isEscaped(1_000_000), isEscaped(2_000_000)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test.each([0, 1, 4, 5])("an escape across two blocks is seen, %i bytes in the first", (before) => {
  const text = Buffer.alloc(3 << 16, " ");
  text.write("\\u00e9", (1 << 16) - before);
  expect(escapesBeyondAscii(nothing, textAround(wholeView(memorySource("run.jsonl", text)), 0))).toBe(true);
});
