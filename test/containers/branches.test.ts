import { expect, test } from "vitest";
import {
  append,
  branched,
  type GrowingThread,
  growingThread,
} from "../../src/containers/sessions/branches.ts";
import { memorySource } from "../../src/reading/source.ts";
import { wholeView } from "../../src/reading/view.ts";
import { entryAt, holderOf } from "../../src/traffic/transcript.ts";

const view = wholeView(memorySource("session.jsonl", Buffer.from("{}")));

function say(thread: GrowingThread, ...values: readonly string[]): GrowingThread {
  for (const value of values)
    append(thread, { value, span: { view, start: 0, end: 2, level: 0 }, base: "", pointer: "" });
  return thread;
}

const told = (thread: GrowingThread, length: number): unknown[] =>
  Array.from({ length }, (_, index) => entryAt(thread, index)?.value);

test("a branch has the entries before its point from the thread it leaves, then its own", () => {
  const first = say(growingThread("plain"), "a", "b", "c");
  const second = say(branched(first, 2), "d", "e");
  expect(told(second, 5)).toEqual(["a", "b", "d", "e", undefined]);
});

test("a branch may leave another one before that one's own entries begin", () => {
  const first = say(growingThread("plain"), "a", "b", "c");
  const second = say(branched(first, 2), "d", "e");
  const third = say(branched(second, 1), "f");
  expect(told(third, 3)).toEqual(["a", "f", undefined]);
  expect(holderOf(third, 0)).toBe(first);
});

test("a branch may leave another one before its first entry", () => {
  const first = say(growingThread("plain"), "a");
  expect(told(say(branched(branched(first, 0), 0), "b"), 2)).toEqual(["b", undefined]);
});

test("a branch of a branch, a thousand deep, still knows what each of them said", () => {
  let thread = say(growingThread("plain"), "said 0", "dropped");
  for (let depth = 1; depth <= 1000; depth++)
    thread = say(branched(thread, depth), `said ${depth}`, "dropped");
  expect(told(thread, 1002)).toEqual([
    ...Array.from({ length: 1001 }, (_, depth) => `said ${depth}`),
    "dropped",
  ]);
});
