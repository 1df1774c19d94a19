import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import { readLog } from "../../src/log/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { bytesSource, fileSource } from "../../src/reading/source.ts";
import { sqliteLines } from "../../src/reading/sqlite.ts";
import { storedZstd } from "../../src/reading/zstd.ts";
import { toldOf } from "../containers/stories.ts";

const file = path.join(import.meta.dirname, "../fixtures/weather.db");
const bytes = readFileSync(file);
const log = readFileSync(`${file}-wal`);
const rows = (data: Buffer, wal?: Buffer): { table?: string; [column: string]: unknown }[] =>
  (sqliteLines(data, wal) ?? Buffer.alloc(0))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a database of SQLite is read as lines of JSON", () => {
  test("first which tables there are, with their columns; those without row ids are left out", () => {
    expect(rows(bytes)[0]).toEqual({
      sqlite: {
        tables: {
          message: ["id", "session_id", "time_created", "data"],
          part: ["id", "message_id", "session_id", "data"],
          notes: ["number", "weight", "extra", "word"],
        },
      },
    });
  });

  test("then a row a line: the row's id where it is a column, JSON as JSON, nothing for bytes that are no text", () => {
    expect(rows(bytes).filter(({ table }) => table === "notes")).toEqual([
      { table: "notes", number: -3, weight: null, extra: null, word: "[broken" },
      { table: "notes", number: 7, weight: 1.5, extra: null, word: "Zürich" },
    ]);
    expect(rows(bytes)[1]).toEqual({
      table: "message",
      id: "msg_1",
      session_id: "ses_1",
      time_created: 1001,
      data: { role: "user", time: { created: 1001 } },
    });
  });

  test("a value that is longer than a page is put together from its pages", () => {
    const part = rows(bytes).find(({ id }) => id === "prt_2") as { data: { state: { output: string } } };
    expect(part.data.state.output).toBe(`17 °C. ${"Sun and clouds. ".repeat(120)}`);
  });

  test("what stands in the log beside the file is newer than the file", () => {
    const count = (wal?: Buffer) => rows(bytes, wal).filter(({ table }) => table === "message").length;
    expect([count(), count(log)]).toEqual([2, 39]);
  });

  test("and what was not committed is not there", () => {
    const cut = log.subarray(0, log.length - 600);
    expect(rows(bytes, cut).filter(({ table }) => table === "message").length).toBe(2);
  });
});

test("a file on disk is read with its log, and a session in it is recognised", async () => {
  const source = fileSource(file, "opencode.db");
  const { container, exchanges } = await readLog(source, containers, protocols);
  expect(container).toBe("opencode");
  expect(exchanges.slice(0, 2).map(toldOf)[1]).toMatch(
    /result 17 °C\. Sun.* → assistant "It is 17 °C\." \(stop\)$/,
  );
});

test("damaged bytes never throw, and never cost more than they are long", () => {
  for (let at = 16; at < bytes.length; at += 61) {
    const damaged = Buffer.from(bytes);
    damaged.fill(255, at, at + 7);
    expect(() => bytesSource("opencode.db", damaged)).not.toThrow();
  }
  for (let length = 0; length < bytes.length; length += 487)
    expect(() => bytesSource("opencode.db", bytes.subarray(0, length))).not.toThrow();
});

describe("a database that was made as a trap is read as far as it is sound", () => {
  const size = 512;
  /** A leaf with cells at the given places, and the bytes of cells. */
  const leaf = (places: readonly number[], cells: Readonly<Record<number, readonly number[]>>): Buffer => {
    const page = Buffer.alloc(size);
    page[0] = 13;
    page.writeUInt16BE(places.length, 3);
    for (const [index, place] of places.entries()) page.writeUInt16BE(place, 8 + index * 2);
    for (const [place, cell] of Object.entries(cells)) page.set(cell, Number(place));
    return page;
  };
  const interior = (left: number, right: number): Buffer => {
    const page = Buffer.alloc(size);
    page[0] = 5;
    page.writeUInt16BE(1, 3);
    page.writeUInt32BE(right, 8);
    page.writeUInt16BE(400, 12);
    page.writeUInt32BE(left, 400);
    return page;
  };
  /** A database with tables whose rows stand in page 2, and what else there is from page 2 on. */
  const database = (pages: readonly Buffer[], tables = ["t"], columns = "word"): Buffer => {
    const head = Buffer.alloc(size);
    head.write("SQLite format 3\0");
    head.writeUInt16BE(size, 16);
    head[100] = 13;
    head.writeUInt16BE(tables.length, 103);
    let at = size;
    for (const [index, table] of tables.entries()) {
      const sql = `CREATE TABLE ${table}(${columns})`;
      const header = [6, 23, 13 + table.length * 2, 13, 1, 13 + sql.length * 2];
      const texts = Buffer.from(`table${table}\x02${sql}`);
      at -= header.length + texts.length + 2;
      head.set([header.length + texts.length, index + 1, ...header, ...texts], at);
      head.writeUInt16BE(at, 108 + index * 2);
    }
    return Buffer.concat([head, ...pages]);
  };
  /** A row with one text of two letters. */
  const row = (id: number, word: string): number[] => [4, id, 2, 17, ...Buffer.from(word)];
  const wordsOf = (data: Buffer) => rows(data).flatMap(({ table, word }) => (table ? [word] : []));
  /** 2^48 in seven bytes of seven bits. */
  const huge = [0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0];

  test("rows that are sound", () => {
    expect(wordsOf(database([leaf([500, 490], { 500: row(1, "ab"), 490: row(2, "cd") })]))).toEqual([
      "ab",
      "cd",
    ]);
  });

  test("JSON that is compressed", () => {
    const packed = storedZstd(Buffer.from('{"a":1}'));
    const cell = [2 + packed.length, 1, 2, 12 + packed.length * 2, ...packed];
    expect(wordsOf(database([leaf([400], { 400: cell })]))).toEqual([{ a: 1 }]);
  });

  test("an object of Python that is packed, where the row says so", () => {
    const packed = [0xc7, 10, 5, 0x94, 0xa1, 109, 0xa1, 67, 0x81, 0xa1, 97, 1, 0xa0];
    const cell = (type: string): number[] => {
      const values = [...Buffer.from(type), ...packed];
      return [3 + values.length, 1, 3, 13 + type.length * 2, 12 + packed.length * 2, ...values];
    };
    const read = (type: string) => wordsOf(database([leaf([400], { 400: cell(type) })], ["t"], "type, word"));
    expect(read("msgpack")).toEqual([{ a: 1 }]);
    expect(read("other")).toEqual([null]);
  });

  test("a value without end, whose pages lead in a circle", () => {
    const circle = Buffer.alloc(size, 65);
    circle.writeUInt32BE(3, 0);
    const long = leaf([100, 500], { 100: [...huge, 1, 2, 17], 500: row(2, "cd") });
    // Behind the two numbers, 64 bytes of such a row stand in its page, and then where it goes on.
    long.writeUInt32BE(3, 100 + 8 + 64);
    expect(wordsOf(database([long, circle]))).toEqual(["cd"]);
  });

  test("a row whose header is longer than the row, and values of no type", () => {
    const header = leaf([300, 500], { 300: [10, 1, ...huge, 0, 0], 500: row(2, "cd") });
    expect(wordsOf(database([header]))).toEqual(["cd"]);
    const negative = [12, 1, 10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 65, 65];
    expect(wordsOf(database([leaf([300, 500], { 300: negative, 500: row(2, "cd") })]))).toEqual(["cd"]);
  });

  test("many rows at the same bytes, and many tables in the same pages", () => {
    const same = leaf(Array(200).fill(500), { 500: row(1, "ab") });
    expect(wordsOf(database([same])).length).toBeLessThanOrEqual(size / 6);
    expect(wordsOf(database([leaf([500], { 500: row(1, "ab") })], ["t", "u", "v"]))).toEqual(["ab"]);
  });

  test("a tree that is deeper than the stack", () => {
    const levels = 20_000;
    const pages = Array.from({ length: levels }, (_, index) => interior(index + 3, levels + 5));
    expect(wordsOf(database([...pages, leaf([500], { 500: row(1, "ab") })]))).toEqual([]);
  });
});
