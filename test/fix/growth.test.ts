import { expect, test } from "vitest";
import { calls, fixed, logOf, result } from "./log.ts";

const asked = { role: "user", content: "Read the files." };
const reply = (number: number): object => calls(`call_${number}`, "read", { path: `${number}.txt` });

/** A client that forgets all but the newest result: its whole history belongs into each request. */
const forgetful = logOf(
  Array.from({ length: 120 }, (_, number) => ({
    sent: [
      asked,
      ...(number > 0 ? [result(`call_${number - 1}`, `File ${number - 1}. ${"Words. ".repeat(1500)}`)] : []),
    ],
    back: reply(number),
  })),
);

test("a log that would be many times as large is left as it is, and the report says why", async () => {
  const { text, report } = await fixed(forgetful);
  expect(text).toBe(forgetful);
  expect(report.summary).toMatchObject({ applied: 0, requests: 0 });
  expect(new Set(report.edits.map(({ why }) => why))).toEqual(
    new Set([
      "the repaired log would be many times larger, because every request gets its lost history back: repair parts of it (`--exchange`)",
    ]),
  );
});

test("some of its requests can be repaired", async () => {
  const { report } = await fixed(forgetful, { exchanges: { from: 60, to: 62 } });
  expect(report.files.map(({ requests }) => requests)).toEqual([[60, 61, 62]]);
});
