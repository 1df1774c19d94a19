import { expect, test } from "vitest";
import { json } from "../../src/containers/files/json.ts";
import { recognizerOf } from "../../src/log/recognizer.ts";
import { protocols } from "../../src/protocols/index.ts";
import type { Protocol } from "../../src/protocols/protocol.ts";
import { memorySource } from "../../src/reading/source.ts";

/** How often the protocols are asked about an object while a log is read. */
function questions(log: unknown): number {
  let count = 0;
  const counting = protocols.map(
    (protocol): Protocol => ({
      ...protocol,
      recognize(peek) {
        count++;
        return protocol.recognize(peek);
      },
    }),
  );
  const recognizer = recognizerOf(counting);
  const bytes = Buffer.from(JSON.stringify(log));
  Array.from(json.read(memorySource("run.json", bytes), recognizer).candidates);
  return count;
}

/** Lists within lists, each under the key of a history. */
function nested(key: string, depth: number): unknown {
  return depth === 0 ? { note: 1 } : { [key]: [nested(key, depth - 1)] };
}

const keys = [...new Set(protocols.flatMap(({ historyKeys }) => historyKeys))].filter(
  (key) => !key.includes("."),
);

test.each(keys)("of lists under `%s`, a protocol is asked twice for each", (key) => {
  for (const depth of [2, 4, 8]) {
    const log = Array.from({ length: 20 }, () => nested(key, depth));
    // Once about the object, and once about the list in it.
    expect(questions(log)).toBeLessThanOrEqual(20 * (2 * depth + 1) * (protocols.length + 1));
  }
});
