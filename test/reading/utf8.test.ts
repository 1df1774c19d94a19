import { describe, expect, test, vi } from "vitest";
import { invalidByte, textOfLength } from "../../src/reading/utf8.ts";

const asked = vi.hoisted(() => ({ bytes: 0 }));
vi.mock("node:buffer", async (load) => {
  const buffer = await load<typeof import("node:buffer")>();
  const isUtf8 = (bytes: Uint8Array): boolean => {
    asked.bytes += bytes.length;
    return buffer.isUtf8(bytes);
  };
  return { ...buffer, isUtf8 };
});

/** The same, by one character after the other. */
function firstInvalid(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => {
      const text = bytes.subarray(at, at + size).toString("utf8");
      return !text.includes("\ufffd") && [...text].length === 1;
    });
    if (length === undefined || at + length > bytes.length) return at;
    at += length;
  }
  return bytes.length;
}

/** Bytes that look random, and are the same in each run. */
function noise(length: number, kinds: readonly number[]): Buffer {
  let state = 7;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
      return kinds[(state >> 16) % kinds.length] ?? 0;
    }),
  );
}

const anyByte = Array.from({ length: 256 }, (_, byte) => byte);
const texts = ["a", "é", "€", "😀", "word "];

describe("the first byte that is no UTF-8", () => {
  test.each([0, 1, 3, 62, 63, 64, 65, 127, 190, 449, 1000])("is found behind %i characters", (count) => {
    for (const text of texts)
      for (const wrong of [[0x80], [0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80]])
        for (const rest of ["", "b", "é😀"]) {
          const bytes = Buffer.concat([
            Buffer.from(text.repeat(count)),
            Buffer.from(wrong),
            Buffer.from(rest),
          ]);
          expect(invalidByte(bytes)).toBe(Buffer.byteLength(text.repeat(count)));
        }
  });

  test("is the one that a reader of single characters finds", () => {
    const bytes = noise(3000, [0x61, 0x61, 0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac]);
    for (let at = 0; at < bytes.length; at += 7)
      expect(invalidByte(bytes.subarray(at))).toBe(firstInvalid(bytes.subarray(at)));
  });
});

test.each([
  ["noise", noise(1 << 16, anyByte)],
  ["one wrong byte in sixteen", noise(1 << 16, [...Array<number>(15).fill(0x61), 0xff])],
  ["a wrong byte on each line", Buffer.from("a line of a log, é\xff\n".repeat(3000), "latin1")],
  ["continuations alone", Buffer.alloc(1 << 16, 0x80)],
])("%s is decoded by looking at few bytes for each", (_, bytes) => {
  asked.bytes = 0;
  expect(Buffer.byteLength(textOfLength(bytes))).toBe(bytes.length);
  expect(asked.bytes).toBeLessThan(64 * bytes.length);
});
