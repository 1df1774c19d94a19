import { expect, test } from "vitest";
import { KeyedNoise } from "../../src/redact/keyed-noise.ts";

const numbers = (noise: KeyedNoise, count: number) => Array.from({ length: count }, (_, at) => noise.at(at));

test("a block is one of ChaCha with 12 rounds", () => {
  const noise = new KeyedNoise(Buffer.alloc(32));
  noise.begin(0);
  noise.take([], 0, 0);
  // The test vector for a key, a nonce and a counter of zero begins with 9b f4 9a 6a 07 55 f9 53.
  expect(numbers(noise, 4)).toEqual([0xf49b, 0x6a9a, 0x5507, 0x53f9]);
});

test("each number that is taken in changes what follows, also in long lists", () => {
  const noise = new KeyedNoise(Buffer.alloc(32, 7));
  const digits = Array.from({ length: 40 }, (_, at) => at);
  const seen = new Set<string>();
  for (let at = 0; at < digits.length; at++) {
    const changed = digits.with(at, 99);
    noise.begin(1);
    noise.take(changed, 0, changed.length);
    seen.add(numbers(noise, 70).join(" "));
  }
  expect(seen.size).toBe(40);
  const [first = ""] = seen;
  expect(new Set(first.split(" ")).size).toBeGreaterThan(65);
});
