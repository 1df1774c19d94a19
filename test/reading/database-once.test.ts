import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { jsonl } from "../../src/containers/files/jsonl.ts";
import { readLog } from "../../src/log/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { sqliteLines } from "../../src/reading/sqlite.ts";
import type { Container } from "../../src/traffic/container.ts";

/** A database in which nothing is a message: the texts of its rows have other words. */
const database = Buffer.from(
  readFileSync(path.join(import.meta.dirname, "../fixtures/weather.db"))
    .toString("latin1")
    .replace(/role|type|text|state/g, (word) => "x".repeat(word.length)),
  "latin1",
);

/** Records as JSON lines, and as a text if they are no traffic: how often they are read as a text. */
async function readsAsText(bytes: Buffer): Promise<number> {
  let count = 0;
  const text: Container = {
    ...jsonl,
    name: "text",
    isFallback: true,
    recognize: () => 0,
    read(source, recognizer) {
      count++;
      return jsonl.read(source, recognizer);
    },
  };
  await readLog(bytesSource("rows.db", bytes), [jsonl, text], protocols, {});
  return count;
}

test("the rows of a database are not read once more as a text", async () => {
  expect(await readsAsText(database)).toBe(0);
});

test("lines of JSON are, as other lines may stand between them", async () => {
  const lines = sqliteLines(database);
  expect(lines && (await readsAsText(lines))).toBeGreaterThan(0);
});
