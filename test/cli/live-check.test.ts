import { expect, test } from "vitest";
import { liveCheck } from "../../src/cli/commands/live-check.ts";
import type { LiveChecker } from "../../src/cli/commands/live-checker.ts";

/** What a live check said in notes, with a checker that does this each time. */
function scene(check: LiveChecker["check"]) {
  const notes: string[] = [];
  let closed = 0;
  const live = liveCheck({ check, close: async () => void closed++ }, "run.jsonl", {
    print: async () => {},
    note: async (message) => void notes.push(message),
  });
  return { live, notes, closed: () => closed };
}

test("a check that fails says so once, and the next exchange is checked again", async () => {
  let checks = 0;
  const { live, notes, closed } = scene(async () => {
    checks++;
    throw new Error("run.jsonl cannot be read: permission denied");
  });
  for (let exchange = 0; exchange < 3; exchange++) {
    live.exchangeAdded();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await live.finish(1000);
  expect(notes).toEqual([
    "live findings have stopped: run.jsonl cannot be read: permission denied; the recording continues; run `toollint check run.jsonl` when it ends",
  ]);
  expect(checks).toBe(4);
  expect(closed()).toBe(1);
});

test("a check that does not end holds nobody up", async () => {
  const { live, notes, closed } = scene(() => new Promise(() => {}));
  live.exchangeAdded();
  await live.finish(1);
  expect(notes).toEqual(["live findings are incomplete: run `toollint check run.jsonl`"]);
  expect(closed()).toBe(1);
});

test("a recording without exchanges is not checked: an earlier one may stand in its file", async () => {
  let checks = 0;
  const { live } = scene(async () => ({ exchanges: checks++, findings: [] }));
  await live.finish(1000);
  expect(checks).toBe(0);
});
