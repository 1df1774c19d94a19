import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alignSequences } from "../../src/diff/sequence.ts";

const words = fc.array(fc.constantFrom("call", "result", "text", "retry", "end"), { maxLength: 40 });

describe("aligning two sequences", () => {
  test("one beside itself matches all along", () => {
    fc.assert(
      fc.property(words, (all) => {
        expect(alignSequences(all, all).matches).toEqual(all.map((_, at) => ({ left: at, right: at })));
      }),
    );
  });

  test("matches are equal elements, and keep their order on both sides", () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const { matches } = alignSequences(left, right);
        for (const [index, match] of matches.entries()) {
          expect(left[match.left]).toBe(right[match.right]);
          const next = matches[index + 1];
          if (next) expect(next.left > match.left && next.right > match.right).toBe(true);
        }
      }),
    );
  });

  test("one element that was put in is the only one without a match", () => {
    fc.assert(
      fc.property(words, fc.nat(40), (all, place) => {
        const at = Math.min(place, all.length);
        const longer = [...all.slice(0, at), "new", ...all.slice(at)];
        const { matches } = alignSequences(longer, all);
        expect(matches).toHaveLength(all.length);
        expect(matches.some(({ left }) => left === at)).toBe(false);
      }),
    );
  });

  test("an element that occurs once holds the rest in place", () => {
    const left = ["a", "a", "anchor", "b"];
    const right = ["a", "anchor", "b", "b", "a"];
    expect(alignSequences(left, right).matches).toEqual([
      { left: 0, right: 0 },
      { left: 2, right: 1 },
      { left: 3, right: 2 },
    ]);
  });

  test("long stretches without anything in common end at once", () => {
    const left = Array.from({ length: 20_000 }, (_, at) => `left ${at}`);
    const right = Array.from({ length: 20_000 }, (_, at) => `right ${at}`);
    expect(alignSequences(left, right)).toEqual({ matches: [], isBounded: false });
  });

  test("a stretch whose best alignment is too far to seek meets in order, and says so", () => {
    const left = Array.from({ length: 4000 }, (_, at) => `${(at * 7919) % 50}`);
    const right = Array.from({ length: 4000 }, (_, at) => `${(at * 104729 + 3) % 50}`);
    const { matches, isBounded } = alignSequences(left, right);
    expect(isBounded).toBe(true);
    expect(matches.length).toBeGreaterThan(0);
  });
});
