import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, onTestFinished, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { diffLogs } from "../src/diff/diff.ts";
import { bytesSource, memorySource } from "../src/reading/source.ts";

function input(path: string, lines: readonly string[]) {
  return { path, source: memorySource(path, Buffer.from(`${lines.join("\n")}\n`)) };
}

/** Requests that say nothing. */
const empty = (count: number) =>
  Array.from({ length: count }, (_, at) => `{"model":"a","messages":[],"n":${at}}`);
/** The shortest requests that say something. */
const short = (count: number) =>
  Array.from({ length: count }, () => '{"model":"gpt-5","messages":[{"role":"user","content":"go"}]}');

/** A log as long as 1 MiB is no small one. */
const padded = (lines: readonly string[], size: number) => {
  const [first = "", ...others] = lines;
  const length = lines.join("\n").length;
  return [first.replace('"model":"', `"model":"${"a".repeat(Math.max(0, size - length))}`), ...others];
};

test.each([
  { of: "small", lines: empty(7_000), bound: 5_000, words: "read up to 5,000 requests and replies" },
  {
    of: "small, in words",
    lines: short(7_000),
    bound: 5_000,
    words: "read up to 5,000 requests and replies",
  },
  { of: "long", lines: padded(empty(24_000), 1 << 20), bound: 18_000, words: "less than 56 bytes for each" },
])(
  "a $of log with too many requests for its size is read up to a bound, and told from there on",
  async (log) => {
    const { runs, report } = await checkFiles([input("run.jsonl", log.lines)]);
    const exchanges = runs[0]?.exchanges.length ?? 0;
    expect(exchanges).toBeGreaterThanOrEqual(log.bound);
    expect(exchanges).toBeLessThan(log.lines.length);
    const [told, ...others] = report.findings.filter(({ rule }) => rule === "unreadable-record");
    expect(told?.message).toContain(log.words);
    expect(told?.location.line).toBe(exchanges + 1);
    expect(others).toEqual([]);
  },
);

/** Rows as a table keeps them that writes equal values once. */
const table = (name: string, cells: readonly string[]) =>
  Buffer.from(
    parquetWriteBuffer({ columnData: [{ name, data: [...cells], type: "STRING" }], codec: "SNAPPY" }),
  );

test.each([
  { at: "run.jsonl.gz", pack: (lines: readonly string[]) => gzipSync(lines.join("\n")) },
  { at: "run.parquet", pack: (lines: readonly string[]) => table("request", lines) },
])("a log is small also where it is packed: $at", async ({ at, pack }) => {
  const lines = short(20_000).map((line, index) => line.replace("go", `go on with number ${index % 1000}`));
  expect(lines.join("\n").length).toBeGreaterThan(1 << 20);
  const packed = pack(lines);
  expect(packed.length).toBeLessThan(1 << 20);
  const { runs, report } = await checkFiles([{ path: at, source: bytesSource(at, packed) }]);
  expect(runs[0]?.exchanges.length).toBe(5_000);
  const messages = report.findings.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringContaining("unpack or split the log"));
});

test.each([
  { of: "bytes", cell: "a".repeat(1_000), words: "more than 32 MiB" },
  { of: "values", cell: `${"[".repeat(500)}${"]".repeat(500)}`, words: "more records and values" },
])("a small table whose rows hold too many $of is refused", async ({ cell, words }) => {
  const packed = table(
    "messages",
    Array.from({ length: 100_000 }, () => cell),
  );
  expect(packed.length).toBeLessThan(10_000);
  const source = bytesSource("run.parquet", packed);
  const { runs } = await checkFiles([{ path: "run.parquet", source }]);
  expect(runs[0]?.files[0].advice).toContain(words);
});

test("a small database whose rows are long only by the names of their columns is refused", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toollint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "run.db");
  const code = `import sqlite3,sys
db = sqlite3.connect(sys.argv[1])
db.execute('create table t("%s")' % ("a" * 2000))
db.executemany("insert into t values(?)", [(1,)] * 20000)
db.commit()`;
  const made = spawnSync("python3", ["-c", code, file]);
  if (made.error) return;
  const bytes = readFileSync(file);
  expect(bytes.length).toBeLessThan(1 << 20);
  expect(() => bytesSource("run.db", bytes)).toThrow("more than 32 MiB");
});

test("no bound applies to a long log of short requests that say something, nor to a few empty ones", async () => {
  for (const lines of [padded(short(10_500), 1 << 20), empty(2_000)]) {
    const { runs, report } = await checkFiles([input("run.jsonl", lines)]);
    expect(runs[0]?.exchanges.length).toBe(lines.length);
    expect(report.findings.filter(({ rule }) => rule === "unreadable-record")).toEqual([]);
  }
});

test("a comparison says what it could not read of either log", async () => {
  const [left, right] = [empty(2), empty(2)];
  left.push('{"model":"a","messages":[{"role":"user","content":"first');
  right.push('{"model":"a","messages":[{"role":"user","content":"other', '{"request":{"model"');
  const { report } = await diffLogs(input("failing.jsonl", left), input("passing.jsonl", right));
  expect(report?.notCompared).toEqual(
    expect.arrayContaining([
      "what could not be read of the failing log (1 place)",
      "what could not be read of the passing log (2 places)",
    ]),
  );
});

test("a text log of hardly anything but broken records is read up to a bound, and told from there on", async () => {
  const [request = ""] = short(1);
  const broken = (count: number) =>
    Array.from({ length: count }, (_, at) => `INFO ${at} {"role":"user","content":`);
  const notRead = async (count: number) => {
    const { report } = await checkFiles([input("run.log", [`INFO ${request}`, ...broken(count)])]);
    return report.files.flatMap(({ skipped = [] }) => skipped.map(({ reason }) => reason));
  };
  const reason = expect.stringContaining("too many values are cut off before it");
  expect(await notRead(9000)).toContainEqual(reason);
  expect(await notRead(1000)).not.toContainEqual(reason);
});

test.each(['%{role: "user", content: [%{', "{role: user, content: a {b: [c", "ToolCall(content='a', x=["])(
  "a text log of hardly anything but short values that are cut off is read up to a bound: %s",
  async (value) => {
    const lines = Array.from({ length: 18_000 }, () => value);
    const { report } = await checkFiles([input("run.log", [...short(1), ...lines])]);
    expect(report.files.flatMap(({ skipped = [] }) => skipped.map(({ reason }) => reason))).toContainEqual(
      expect.stringContaining("too many values are cut off before it"),
    );
  },
);

test("messages alone that a program prints are read up to the bound, each once", async () => {
  const lines = Array.from(
    { length: 10_200 },
    (_, at) => `ChatCompletionMessage(role='assistant', content='a${at}', tool_calls=None)`,
  );
  const { runs } = await checkFiles([input("run.log", lines)]);
  expect(runs[0]?.exchanges.length).toBe(5000);
});

test("values that are cut off and hold traffic do not count against the bound", async () => {
  const lines = Array.from(
    { length: 9000 },
    (_, at) => `PHP Fatal error: {"error": {"message": "a${at}", "type": "invalid_request_error"`,
  );
  const { runs } = await checkFiles([input("run.log", lines)]);
  expect(runs[0]?.exchanges.length).toBeGreaterThan(0);
});
