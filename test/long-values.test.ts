import { expect, test } from "vitest";
import { check, fix } from "../src/index.ts";
import { asks, calls, found, logOf, looks, result, tells, unsafe } from "./fix/log.ts";

const long = "x".repeat(100_000);
const values: readonly unknown[] = [
  long,
  `${"many words ".repeat(9_000)}`,
  { an: { object: long } },
  ["a", "list"],
  { toString: 5 },
];

/** Everything that a report says about a log in which one value is another one, wherever it occurs. */
async function saidWith(value: unknown, place: string): Promise<string[]> {
  const log = logOf([
    { sent: [asks], back: looks },
    { sent: [asks, found], back: calls("call_2", "get_weather", {}) },
    { sent: [asks, looks, result("call_3", "6 °C")], back: tells },
  ]);
  const bytes = Buffer.from(log.replaceAll(JSON.stringify(place), JSON.stringify(value)));
  const { findings, diagnoses } = await check(bytes, { name: "run.jsonl" });
  const { report } = await fix(bytes, { name: "run.jsonl", ...unsafe });
  return [
    ...findings.flatMap(({ message, related, fix: repair }) => [
      message,
      ...related.map((note) => note.message),
      repair?.title ?? "",
    ]),
    ...diagnoses.flatMap(({ title, consequence, change }) => [title, consequence ?? "", change]),
    ...report.edits.flatMap(({ title, why }) => [title, why]),
  ];
}

test.each(["get_weather", "call_1", "call_2", "call_3", "tool", "assistant", "-3 °C", "function"])(
  "a value of any size or kind in place of `%s` makes no sentence long or senseless",
  async (place) => {
    for (const value of values)
      for (const sentence of await saidWith(value, place)) {
        expect(sentence.length).toBeLessThan(1200);
        expect(sentence).not.toContain("[object Object]");
      }
  },
);
