import { expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import { readLog } from "../../src/log/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import type { ByteSource } from "../../src/reading/source.ts";
import { asks } from "./stories.ts";

/** A file that begins with `head` and says that it goes on for so many bytes; what is not there cannot be read. */
function longFile(head: string, size: number): ByteSource {
  const bytes = Buffer.from(head);
  return {
    name: "run.log",
    size,
    read: (start, end) => {
      if (end - start > 2 ** 31 - 1)
        throw Object.assign(new RangeError("too long"), { code: "ERR_OUT_OF_RANGE" });
      return bytes.subarray(start, end);
    },
    copy: (target, at, start) => bytes.copy(target, at, start),
    close: () => {},
  };
}

test.each([
  [
    "json",
    `{"messages": [\n  {"role": "user",\n`,
    3_200_000_000,
    "3.2 GB long, and a file of this kind (json) is read as a whole, up to 2.1 GB",
  ],
  [
    "text",
    "2025-09-14 starting\nrequest:\n",
    2_500_000_000,
    "2.5 GB long, and a file of this kind (text) is read as a whole, up to 2.1 GB",
  ],
])(
  "%s: a file that is too long to be read whole is not read, and that is said",
  async (_, head, size, sentence) => {
    const log = await readLog(longFile(head, size), containers, protocols);
    expect(log.exchanges).toEqual([]);
    expect(log.advice).toBe(
      `${sentence}: split it, or store one record per line, which is read at any length`,
    );
  },
);

test("a line that is longer than a text can be is told from a file that is too long", async () => {
  const head = `${JSON.stringify(asks)}\n${JSON.stringify(asks)}\n`;
  const source: ByteSource = {
    ...longFile(head, 600_000_000),
    copy: () => {
      throw Object.assign(new Error("Cannot create a string longer than 0x1fffffe8 characters"), {
        code: "ERR_STRING_TOO_LONG",
      });
    },
  };
  const log = await readLog(source, containers, protocols);
  expect([log.exchanges.length, log.advice]).toEqual([
    0,
    "600 MB long, and a line, a body or a stream in it is longer than 537 MB, the maximum length of a string: split it, or remove that one",
  ]);
});

test("lines of JSON are read at any length", async () => {
  const lines = `${JSON.stringify(asks)}\n${JSON.stringify(asks)}\n`;
  const log = await readLog(longFile(lines, 3_200_000_000), containers, protocols);
  expect([log.container, log.exchanges.length, log.advice]).toEqual(["jsonl", 2, undefined]);
});
