import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { linesOf } from "../../src/reading/origin.ts";
import { recordLines } from "../../src/reading/record-lines.ts";
import { type ByteSource, bytesSource, fileSource, memorySource } from "../../src/reading/source.ts";
import { storedZstd } from "../../src/reading/zstd.ts";

describe("the lines of a log", () => {
  const log =
    '\ufeff{"a":1}\r\n\n{"text":"Grüezi 👋"}\n{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}\n \r\nlast';

  function lines(text: string, chunkSize: number): string[] {
    const file = Buffer.from(text);
    const lines: string[] = [];
    // A line's bytes are there until the next one is asked for.
    for (const { bytes, start, end, offset, isLast, isEnded } of recordLines(
      memorySource("run.log", file),
      chunkSize,
    )) {
      const line = bytes.toString("utf8", start, end);
      expect(file.toString("utf8", offset, offset + end - start)).toBe(line);
      lines.push(`${line}${isEnded ? "" : " (open)"}${isLast ? " (last)" : ""}`);
    }
    return lines;
  }

  test("are the same however few bytes are read at once", () => {
    for (let chunkSize = 1; chunkSize <= 64; chunkSize++) {
      expect(lines(log, chunkSize)).toEqual([
        '\ufeff{"a":1}',
        "",
        '{"text":"Grüezi 👋"}',
        '{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
        " ",
        "last (open) (last)",
      ]);
    }
  });

  test.each([
    ["", []],
    ["\n", [" (last)"]],
    ["one", ["one (open) (last)"]],
    ["one\n", ["one (last)"]],
    ["one\r\n", ["one (last)"]],
    ["one\n\n", ["one", " (last)"]],
    ["one\rtwo\n", ["one\rtwo (last)"]],
    ["\r", [" (open) (last)"]],
  ])("of %j are %j", (text, expected) => {
    for (const chunkSize of [1, 2, 3, 64]) expect(lines(text, chunkSize)).toEqual(expected);
  });

  test("are counted once: who has read a log needs not count again", () => {
    for (const text of [log, "", "\n", "one\n", "one"]) {
      const read = memorySource("run.log", Buffer.from(text));
      for (const _ of recordLines(read, 7));
      const fresh = linesOf(memorySource("run.log", Buffer.from(text)));
      expect(linesOf(read).count).toBe(fresh.count);
      for (let number = 1; number <= fresh.count; number++)
        expect(linesOf(read).start(number)).toBe(fresh.start(number));
    }
  });
});

describe("a place in a log", () => {
  test("is the same in whatever order places are asked for, also from within a character", () => {
    const bytes = Buffer.from('{"a":"Grüezi 👋 wohl","b":"日本"}');
    const orders = [
      [...bytes.keys()],
      [...bytes.keys()].reverse(),
      [...bytes.keys()].map((offset) => (offset * 7) % bytes.length),
    ];
    for (const order of orders) {
      const lines = linesOf(memorySource("run.log", bytes));
      for (const offset of order)
        expect(lines.at(offset).column).toBe(bytes.subarray(0, offset).toString("utf8").length + 1);
    }
  });

  test("is the same far into long lines, whichever of them was asked for before", () => {
    const line = `${"Grüezi 👋 日本 ".repeat(5000)}!\n`;
    const bytes = Buffer.from(line.repeat(12));
    const size = Buffer.byteLength(line);
    const lines = linesOf(memorySource("run.log", bytes));
    for (let turn = 0; turn < 200; turn++) {
      const offset = (turn * 104_729) % bytes.length;
      const row = Math.floor(offset / size);
      const column = bytes.subarray(row * size, offset).toString("utf8").length + 1;
      expect(lines.at(offset)).toEqual({ line: row + 1, column });
    }
  });

  const source = memorySource("run.log", Buffer.from('{"a":1}\r\nGrüezi 👋 wohl\n\nend'));
  const at = (offset: number): string => {
    const { line, column } = linesOf(source).at(offset);
    return `${line}:${column}`;
  };
  const offsetOf = (text: string): number => source.read(0, source.size).indexOf(text);

  it("has a line and a column, both from 1, columns in UTF-16 units", () => {
    expect(at(0)).toBe("1:1");
    expect(at(offsetOf("1}"))).toBe("1:6");
    expect(at(offsetOf("Grü"))).toBe("2:1");
    expect(at(offsetOf("ezi"))).toBe("2:4");
    expect(at(offsetOf("wohl"))).toBe("2:11");
    expect(at(offsetOf("end"))).toBe("4:1");
    expect(at(source.size)).toBe("4:4");
  });

  it("can be asked for its line", () => {
    const lines = linesOf(source);
    expect([1, 2, 3, 4].map((line) => lines.text(line))).toEqual(['{"a":1}', "Grüezi 👋 wohl", "", "end"]);
    expect({ count: lines.count, start: lines.start(2), end: lines.end(1) }).toEqual({
      count: 4,
      start: 9,
      end: 7,
    });
    expect(lines.text(2, 7, 5)).toBe(" 👋");
    expect({ start: lines.start(9), text: lines.text(9) }).toEqual({ start: source.size, text: "" });
  });

  it("does not count a byte order mark as a column", () => {
    const marked = linesOf(memorySource("run.log", Buffer.from('\ufeff{"a":1}\n{"b":2}')));
    expect([0, 3, 8, 11].map((offset) => marked.at(offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 1 },
      { line: 1, column: 6 },
      { line: 2, column: 1 },
    ]);
  });

  it("is found in long lines and in many lines", () => {
    const long = linesOf(memorySource("run.log", Buffer.from(`${"ü".repeat(1_000_000)}!\nnext`)));
    expect(long.at(2_000_000)).toEqual({ line: 1, column: 1_000_001 });
    expect(long.at(2_000_002)).toEqual({ line: 2, column: 1 });
    const many = linesOf(memorySource("run.log", Buffer.from("ab\n".repeat(2_000_000))));
    expect(many.at(4_194_306)).toEqual({ line: 1_398_103, column: 1 });
    expect(many.count).toBe(2_000_001);
  });

  it("is found among lines of any length, and each line by its number", () => {
    const lengths = [0, 1, 4094, 4095, 4096, 4097, 0, 0, 9000, 7, 4088, 2, 30_000, 0];
    const rows = lengths.flatMap((length) => ["x".repeat(length), "", "ab"]);
    const lines = linesOf(memorySource("run.log", Buffer.from(rows.join("\n"))));
    let start = 0;
    for (const [index, { length }] of rows.entries()) {
      expect({ start: lines.start(index + 1), end: lines.end(index + 1) }).toEqual({
        start,
        end: start + length,
      });
      expect(lines.at(start)).toEqual({ line: index + 1, column: 1 });
      expect(lines.at(start + length)).toEqual({ line: index + 1, column: length + 1 });
      start += length + 1;
    }
    expect(lines.count).toBe(rows.length);
  });

  it("is the same for the same source, and counted once", () => {
    expect(linesOf(source)).toBe(linesOf(source));
  });
});

describe("sources", () => {
  const log = '{"text":"Grüezi 👋"}\n{"text":"wohl"}\n';
  const utf16 = (text: string, isBig = false): Buffer => {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    return isBig ? bytes.swap16() : bytes;
  };
  const text = (source: ByteSource): string => source.read(0, source.size).toString("utf8");

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "toollint-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(bytes: Buffer): ByteSource {
    const path = join(folder, "run.log");
    writeFileSync(path, bytes);
    return fileSource(path, "run.log");
  }

  test.each([
    ["plain", Buffer.from(log), false],
    ["gzip", gzipSync(log), true],
    ["UTF-16, low bytes first", utf16(log), true],
    ["UTF-16, high bytes first", utf16(log, true), true],
    ["Zstandard", storedZstd(Buffer.from(log)), true],
    ["UTF-16 in gzip", gzipSync(utf16(log)), true],
  ])("%s: the text, from a file and from memory", (_, bytes, isUnpacked) => {
    for (const source of [file(bytes), bytesSource("run.log", bytes)]) {
      expect(text(source)).toBe(log);
      expect({ name: source.name, size: source.size, isUnpacked: source.isUnpacked ?? false }).toEqual({
        name: "run.log",
        size: 40,
        isUnpacked,
      });
      source.close();
    }
  });

  test("a cut gzip file holds what was written before the cut", () => {
    const packed = gzipSync(log.repeat(50));
    expect(text(bytesSource("run.log.gz", packed.subarray(0, packed.length - 9)))).toBe(log.repeat(50));
  });

  test("what only begins like gzip is left as it is", () => {
    const bytes = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
    expect(bytesSource("data.bin", bytes)).toMatchObject({ size: 5, isUnpacked: false });
  });

  test("half a character at the end of UTF-16 does no harm", () => {
    expect(text(bytesSource("run.log", utf16(log).subarray(0, -1)))).toBe(`${log.slice(0, -1)}\ufffd`);
    expect(text(bytesSource("run.log", Buffer.from([0xff, 0xfe])))).toBe("");
  });

  test("an empty file is empty", () => {
    const source = file(Buffer.alloc(0));
    expect({ size: source.size, text: text(source), lines: linesOf(source).count }).toEqual({
      size: 0,
      text: "",
      lines: 1,
    });
    expect([...recordLines(source)]).toEqual([]);
  });

  test("a big file is read in pieces, and a piece beyond its end is short", () => {
    const big = file(Buffer.from("0123456789".repeat(900_000)));
    expect(big.read(8_999_998, 9_000_010).toString()).toBe("89");
    const target = Buffer.alloc(4);
    expect(big.copy(target, 1, 11)).toBe(3);
    expect(target.toString()).toBe("\0" + "123");
    expect(linesOf(big).at(20)).toEqual({ line: 1, column: 21 });
    big.close();
  });
});
