import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { storedZstd } from "../../src/reading/zstd.ts";
import { toollint } from "../cli/program.ts";
import { answer, asks, call, goesOn, question, result, run, told } from "./stories.ts";

type Columns = Parameters<typeof parquetWriteBuffer>[0]["columnData"];
type Codec = NonNullable<Parameters<typeof parquetWriteBuffer>[0]["codec"]>;

const text = (value: unknown): string => JSON.stringify(value);
const times = [new Date("2026-01-01T10:00:00Z"), new Date("2026-01-01T10:00:05Z")];

const compressors = { GZIP: gzipSync, ZSTD: (bytes: Uint8Array) => storedZstd(Buffer.from(bytes)) };

function table(columnData: Columns, codec: Codec = "SNAPPY"): Buffer {
  return Buffer.from(parquetWriteBuffer({ columnData, codec, compressors }));
}

/**
 * Observations as Langfuse exports them.
 * @see https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields
 */
function langfuse(requests: readonly object[], replies: readonly object[]): Columns {
  return [
    { name: "id", data: ["o1", "o2"], type: "STRING" },
    { name: "trace_id", data: ["t1", "t1"], type: "STRING" },
    { name: "project_id", data: [123456789012345678n, 123456789012345678n], type: "INT64" },
    { name: "type", data: ["GENERATION", "GENERATION"], type: "STRING" },
    { name: "parent_observation_id", data: [null, null], type: "STRING" },
    { name: "start_time", data: times, type: "TIMESTAMP" },
    { name: "level", data: ["DEFAULT", "DEFAULT"], type: "STRING" },
    { name: "input", data: requests.map(text), type: "STRING" },
    { name: "output", data: replies.map(text), type: "STRING" },
    { name: "provided_model_name", data: ["gpt-5", "gpt-5"], type: "STRING" },
  ];
}

/**
 * Runs as LangSmith exports them.
 * @see https://docs.langchain.com/langsmith/run-data-format
 */
function langsmith(requests: readonly object[], replies: readonly object[]): Columns {
  const outputs = replies.map((message) => ({ choices: [{ index: 0, message }] }));
  return [
    { name: "id", data: ["r1", "r2"], type: "STRING" },
    { name: "trace_id", data: ["t1", "t2"], type: "STRING" },
    { name: "dotted_order", data: ["20260101T100000Zr1", "20260101T100005Zr2"], type: "STRING" },
    { name: "run_type", data: ["llm", "llm"], type: "STRING" },
    { name: "start_time", data: times, type: "TIMESTAMP" },
    { name: "inputs", data: requests.map(text), type: "STRING" },
    { name: "outputs", data: outputs.map(text), type: "STRING" },
  ];
}

const steps = run.map((step) => step.replace(/ \(\w+\)$/, " ()"));

async function read(bytes: Buffer) {
  const [shown] = [await told(bytes)];
  return shown.map((step) => step.replace(/ \(\w+\)$/, " ()"));
}

describe("a Parquet table", () => {
  test("may be observations of Langfuse", async () => {
    expect(await read(table(langfuse([asks, goesOn], [call, answer])))).toEqual(steps);
  });

  test("may be runs of LangSmith", async () => {
    expect(await read(table(langsmith([asks, goesOn], [call, answer])))).toEqual(steps);
  });

  test.each(["UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"] as const)("may be %s", async (codec) => {
    expect(await read(table(langsmith([asks, goesOn], [call, answer]), codec))).toEqual(steps);
  });

  test("may have nested columns", async () => {
    const columns: Columns = [
      { name: "id", data: ["r1", "r2"], type: "STRING" },
      { name: "run_type", data: ["llm", "llm"], type: "STRING" },
      { name: "inputs", data: [asks, goesOn], type: "JSON" },
      {
        name: "outputs",
        data: [call, answer].map((message) => ({ choices: [{ index: 0, message }] })),
        type: "JSON",
      },
    ];
    expect(await read(table(columns))).toEqual(steps);
  });

  test("has findings in its rows and columns", async () => {
    const dropped = { ...asks, messages: [question, result] };
    const source = bytesSource("export.parquet", table(langsmith([asks, dropped], [call, answer])));
    const { report } = await checkFiles([{ path: "export.parquet", source }]);
    expect(
      report.findings.map(({ rule, location: { entry, line, tableColumn, pointer } }) => [
        ...[rule, entry, line, tableColumn, pointer],
      ]),
    ).toEqual([
      ["dropped-tool-call", "rows", 2, "inputs", "/messages/1"],
      ["orphaned-tool-result", "rows", 2, "inputs", "/messages/1"],
    ]);
    expect(report.findings[0]?.related[0]?.location).toMatchObject({ line: 1, tableColumn: "outputs" });
    expect(report.files[0]?.container).toBe("parquet");
  });

  test("may have several row groups, lists, long ids and columns without a value", async () => {
    const columns: Columns = [
      ...langfuse([asks, goesOn], [call, answer]),
      { name: "tags", data: [["prod", "eu"], null], type: "JSON" },
      { name: "usage_details", data: [{ input: 9007199254740993n.toString(), output: 3 }, {}], type: "JSON" },
      { name: "completion_start_time", data: [null, null], type: "TIMESTAMP", nullable: true },
    ];
    const bytes = parquetWriteBuffer({ columnData: columns, codec: "SNAPPY", rowGroupSize: 1 });
    expect(await read(Buffer.from(bytes))).toEqual(steps);
  });

  test("of which a column is broken, is read without it, and says which and where", async () => {
    const columns: Columns = [
      ...langsmith([asks, goesOn], [call, answer]),
      { name: "feedback_stats", data: ["once upon a time", "there was a page"], type: "STRING" },
    ];
    const bytes = Buffer.from(parquetWriteBuffer({ columnData: columns, codec: "UNCOMPRESSED" }));
    const at = bytes.indexOf("once upon a time");
    bytes.writeUInt32LE(0x7fffffff, at - 4);
    const { report } = await checkFiles([
      { path: "export.parquet", source: bytesSource("export.parquet", bytes) },
    ]);
    expect(report.files[0]).toMatchObject({ exchanges: 2, calls: 1 });
    expect(report.findings).toMatchObject([
      {
        rule: "unreadable-record",
        location: { entry: "rows", line: 1 },
        message: expect.stringMatching(
          /^the column `feedback_stats` cannot be read in rows 1 to 2 \(.+\); this part was not checked$/,
        ),
      },
    ]);
  });

  test("is not written by `fix` or `redact`, which say what to do", async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), "toollint-parquet-"));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const dropped = { ...asks, messages: [question, result] };
    writeFileSync(path.join(cwd, "runs.parquet"), table(langsmith([asks, dropped], [call, answer])));
    const fixed = await toollint(["fix", "runs.parquet", "-o", "fixed.parquet"], { cwd });
    expect(fixed.exit).toBe(1);
    expect(fixed.stdout).toContain("toollint cannot write Parquet: copy the rows with DuckDB");
    expect(await toollint(["redact", "runs.parquet", "-o", "redacted.parquet"], { cwd })).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "toollint: runs.parquet is a Parquet file: toollint can read it, but not write it; copy its rows with DuckDB, and redact these: `duckdb -c \"COPY (FROM 'runs.parquet') TO 'rows.jsonl' (FORMAT json)\"`\n",
    });
    // An unrepaired log comes back as it was.
    expect(readdirSync(cwd)).toEqual(["fixed.parquet", "runs.parquet"]);
  });

  test("that is damaged, or has no requests, says so", async () => {
    const whole = table(langsmith([asks, goesOn], [call, answer]));
    const scores = table([{ name: "score", data: [1, 2], type: "INT32" }]);
    const wrong = Buffer.from(whole);
    wrong.fill(0xff, 4, whole.length - 8 - whole.readUInt32LE(whole.length - 8));
    const withoutBoth = table(langsmith([asks, goesOn], [call, answer]), "UNCOMPRESSED");
    for (const cell of [text(asks), '{"choices"'])
      withoutBoth.writeUInt32LE(0x7fffffff, withoutBoth.indexOf(cell) - 4);
    const advice = async (bytes: Buffer) => {
      const { unreadFiles } = await checkFiles([
        { path: "x.parquet", source: bytesSource("x.parquet", bytes) },
      ]);
      return unreadFiles[0]?.advice;
    };
    expect(await advice(whole.subarray(0, whole.length - 100))).toMatch(
      /^a Parquet file that cannot be read \(its end is missing\): get it again/,
    );
    expect(await advice(wrong)).toMatch(/^a Parquet file that cannot be read \(/);
    expect(await advice(withoutBoth)).toMatch(
      /^a Parquet file that cannot be read in full \(the column `inputs` cannot be read in rows 1 to 2 \(/,
    );
    expect(await advice(scores)).toContain("no request was recognised (columns: score)");
  });
});
