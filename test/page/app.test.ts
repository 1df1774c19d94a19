import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { atAGlance } from "../../src/page/app/glance.ts";
import { TextBlocks } from "../../src/page/app/text-blocks.ts";
import { loopLanes, loopParts, noFilters, rowsOf } from "../../src/page/app/timeline.ts";
import { searchFor, slicesOf } from "../../src/page/app/visible.ts";
import { wordDiff } from "../../src/page/app/word-diff.ts";
import type { PageConversation, PageData, PageLoop } from "../../src/page/data.ts";

/** A conversation with so many steps of so many turns. */
function conversation(name: string, turns: readonly number[], calledBy: [number, number] | null = null) {
  return {
    name,
    file: 0,
    opening: null,
    calledBy: calledBy && { conversation: calledBy[0], step: calledBy[1], tool: "task" },
    totals: { turns: new Set(turns).size, calls: 0, tokens: null, durationMs: null },
    steps: turns.map((turn, index) => ({ number: index + 1, turn, request: null, reply: null })),
    loops: [],
  };
}

/** The rows of a page, in short: `c1`, a turn, a step; indented. */
function rows(conversations: readonly object[], folded: readonly string[] = []): string[] {
  // What the rows need of a page.
  const data = {
    files: [{ path: "run.jsonl" }],
    conversations,
    items: [],
    findings: [],
  } as unknown as PageData;
  return rowsOf(data, noFilters, new Set(folded)).map((row) => {
    const name = row.is === "turn" || row.is === "step" ? `${row.is} ${row.step + 1}` : row.is;
    return `${"  ".repeat(row.depth)}${name}`;
  });
}

describe("the rows of a run", () => {
  test("turns head their steps", () => {
    expect(rows([conversation("c1", [1, 1, 2])])).toEqual(["turn 1", "step 1", "step 2", "turn 3", "step 3"]);
  });

  test("a sub-agent stands below the step that called it, indented", () => {
    expect(rows([conversation("c1", [1, 1]), conversation("c2", [1], [0, 0])])).toEqual([
      "conversation",
      "turn 1",
      "step 1",
      "  conversation",
      "  turn 1",
      "  step 1",
      "step 2",
    ]);
  });

  test("a conversation that claims to be called by itself stands alone", () => {
    expect(rows([conversation("c1", [1], [0, 0])])).toEqual(["turn 1", "step 1"]);
  });

  test("what is folded is not there", () => {
    const two = [conversation("c1", [1, 2]), conversation("c2", [1])];
    expect(rows(two, ["c0"])).toEqual(["conversation", "conversation", "turn 1", "step 1"]);
    expect(rows(two, ["c0t0"]).slice(0, 4)).toEqual(["conversation", "turn 1", "turn 2", "step 2"]);
  });
});

test("loops that overlap get lanes of their own", () => {
  const loops = [
    [0, 2, 6],
    [1, 3],
    [4, 5],
  ].map((steps): PageLoop => ({ calls: [], steps, results: 1 }));
  const lanes = loopLanes({ loops } as unknown as PageConversation);
  expect(lanes.map(({ lane }) => lane)).toEqual([0, 1, 1]);
  const partsAt = (step: number) => loopParts(lanes, step, false).map(({ lane, part }) => `${lane} ${part}`);
  expect([0, 1, 2, 3, 6, 7].map(partsAt)).toEqual([
    ["0 start"],
    ["0 between", "1 start"],
    ["0 repeat", "1 between"],
    ["0 between", "1 end"],
    ["0 end"],
    [],
  ]);
  expect(loopParts(lanes, 0, true)).toEqual([]);
});

describe("a word diff", () => {
  const marks = { same: "", gone: "-", new: "+" };
  const diff = (before: string, after: string) =>
    wordDiff(before, after).map(({ text, is }) => `${marks[is]}${text}`);

  test("shows the words that changed", () => {
    expect(diff("it is warm in Paris", "it is cold in Paris")).toEqual([
      "it is ",
      "-warm",
      "+cold",
      " in Paris",
    ]);
    expect(diff("a b c d", "a c d e")).toEqual(["a ", "-b ", "c d", "+ e"]);
  });

  test("of the same text is that text, and of nothing is nothing", () => {
    expect(diff("same", "same")).toEqual(["same"]);
    expect(diff("", "")).toEqual([]);
    expect(diff("", "new")).toEqual(["+new"]);
  });

  test("takes a long change as a replacement", () => {
    const words = (word: string) => `${word} `.repeat(2000);
    expect(wordDiff(`start ${words("a")}end`, `start ${words("b")}end`).map(({ is }) => is)).toEqual([
      "same",
      "gone",
      "new",
      "same",
    ]);
  });
});

describe("a text from a log", () => {
  test("is cut where the search found something, whatever its case, and where an escape stands", () => {
    expect(slicesOf("Paris \\u{202e} paris", searchFor("PARIS"))).toEqual([
      { text: "Paris", is: "found" },
      { text: " ", is: "plain" },
      { text: "\\u{202e}", is: "escape" },
      { text: " ", is: "plain" },
      { text: "paris", is: "found" },
    ]);
  });

  test.each(["a.b", "(", "[x]", "$&", "\\", "a|b", "-", "/", "{1}", "^", "?"])(
    "%s is searched as it stands",
    (query) => {
      const found = slicesOf(`before ${query} after`, searchFor(query)).filter(({ is }) => is === "found");
      expect(found).toEqual([{ text: query, is: "found" }]);
    },
  );

  test("an empty search finds nothing", () => {
    expect(searchFor("  ")).toBeNull();
  });
});

describe("the texts in blocks", () => {
  const blocks = [["needle", "hay", "ne", "edle", ""], ["a needle, a needle"]];
  const texts = new TextBlocks(
    {
      sizes: [...blocks.flat().map(({ length }) => length), 0],
      blocks: [0, 0, 0, 0, 0, 1, -1],
      leftOut: { count: 1, bytes: 9 },
    },
    (block) => gzipSync((blocks[block] ?? []).join("")).toString("base64"),
  );

  test("are read one by one", async () => {
    expect(await texts.read(1)).toBe("hay");
    expect(await texts.read(5)).toBe("a needle, a needle");
    expect([texts.isLeftOut(5), texts.isLeftOut(6)]).toEqual([false, true]);
  });

  test("are searched each for itself: no match lies across two texts", async () => {
    const found: number[] = [];
    for await (const some of texts.search(/needle/giu)) found.push(...some);
    expect(found).toEqual([0, 5]);
  });
});

test.each([
  ['{ "path": "src/payments/charge.ts", "limit": 40 }', "…/charge.ts, 40"],
  ['{"query":"say \\"hi\\" / then go"}', 'say \\"hi\\" / then go'],
  ["{}", ""],
  ['{ "path": "src/payments/charge.ts", "text": "cut of', "…/charge.ts, cut of"],
  ["not JSON", "not JSON"],
])("arguments at a glance: %s", (json, glance) => {
  expect(atAGlance(json)).toBe(glance);
});
