import { expect, test } from "vitest";
import type { HistoryRun, Occurrence, PageConversation, PageStep } from "../../src/page/data.ts";
import { historyAt } from "../../src/page/history.ts";

function conversation(histories: readonly (readonly (HistoryRun | number)[])[]): PageConversation {
  const steps = histories.map((history, index) => ({
    number: index + 1,
    request: { history: history.map((part) => (typeof part === "number" ? occurrence(part) : part)) },
  }));
  return { steps: steps as unknown[] as PageStep[] } as unknown as PageConversation;
}

function occurrence(item: number): Occurrence {
  return { item, line: item + 1, column: 1 };
}

function itemsAt(of: PageConversation, step: number): number[] {
  return historyAt(of, step).map(({ item }) => item);
}

test("a history is what earlier steps have and what is new, in order", () => {
  const run = conversation([
    [0, 1],
    [{ from: 0, start: 0, count: 2 }, 2, 3],
    [4, { from: 1, start: 1, count: 3 }, 5],
  ]);
  expect(itemsAt(run, 0)).toEqual([0, 1]);
  expect(itemsAt(run, 1)).toEqual([0, 1, 2, 3]);
  expect(itemsAt(run, 2)).toEqual([4, 1, 2, 3, 5]);
});

test("a history may reach back through thousands of requests", () => {
  const histories = Array.from({ length: 20_000 }, (_, index) =>
    index === 0 ? [0] : [{ from: index - 1, start: 0, count: index }, index],
  );
  const all = itemsAt(conversation(histories), 19_999);
  expect(all).toHaveLength(20_000);
  expect(all.every((item, index) => item === index)).toBe(true);
});

test("a step without a request has no history", () => {
  expect(historyAt({ steps: [{ request: null }] } as unknown as PageConversation, 0)).toEqual([]);
});
