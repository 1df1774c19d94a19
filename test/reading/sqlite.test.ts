import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { readLog } from "../../src/read.ts";
import { bytesSource, fileSource } from "../../src/reading/source.ts";
import { sqliteLines } from "../../src/reading/sqlite.ts";
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
