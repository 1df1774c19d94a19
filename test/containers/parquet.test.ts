import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { storedZstd } from "../../src/reading/zstd.ts";
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
      report.findings.map(({ rule, location }) => [rule, location.entry, location.line, location.pointer]),
    ).toEqual([
      ["dropped-tool-call", "rows", 2, "/messages/1"],
      ["orphaned-tool-result", "rows", 2, "/messages/1"],
    ]);
    expect(report.files[0]?.container).toBe("parquet");
  });

  test("that is damaged, or has no requests, says so", async () => {
    const whole = table(langsmith([asks, goesOn], [call, answer]));
    const scores = table([{ name: "score", data: [1, 2], type: "INT32" }]);
    const wrong = Buffer.from(whole);
    wrong.fill(0xff, 40, 400);
    const advice = async (bytes: Buffer) => {
      const { unreadFiles } = await checkFiles([
        { path: "x.parquet", source: bytesSource("x.parquet", bytes) },
      ]);
      return unreadFiles[0]?.advice;
    };
    expect(await advice(whole.subarray(0, whole.length - 100))).toMatch(
      /^a Parquet file that cannot be read \(/,
    );
    expect(await advice(wrong)).toMatch(/^a Parquet file that cannot be read \(/);
    expect(await advice(scores)).toContain("no request was recognised (columns: score)");
  });
});
