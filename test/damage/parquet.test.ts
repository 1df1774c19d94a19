import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { answer, asks, call, goesOn, question } from "../containers/stories.ts";
import { hasLost, isTold, type Yield, yieldOf } from "./told.ts";

type Columns = Parameters<typeof parquetWriteBuffer>[0]["columnData"];
type Codec = NonNullable<Parameters<typeof parquetWriteBuffer>[0]["codec"]>;

/** One byte of so many is damaged, in one way, so that the test stays short; `EVERY=1` damages each. */
const every = Number(process.env["EVERY"] ?? 4);

const text = (value: unknown): string => JSON.stringify(value);
const requests = [asks, goesOn, { ...goesOn, messages: [...goesOn.messages, answer, question] }].map(text);
const replies = [call, answer, answer].map((message) => text({ choices: [{ index: 0, message }] }));
const columns: Columns = [
  { name: "id", data: ["r1", "r2", "r3"], type: "STRING" },
  { name: "run_type", data: ["llm", "llm", "llm"], type: "STRING" },
  {
    name: "start_time",
    data: [1, 2, 3].map((second) => new Date(Date.UTC(2026, 0, 1, 10, 0, second))),
    type: "TIMESTAMP",
  },
  { name: "inputs", data: requests, type: "STRING" },
  { name: "outputs", data: replies, type: "STRING" },
];

function table(codec: Codec = "UNCOMPRESSED", own: Columns = columns): Buffer {
  return Buffer.from(parquetWriteBuffer({ columnData: own, codec }));
}

const read = (bytes: Buffer): Promise<Yield> => yieldOf("run.parquet", bytes);

/** The offsets of what is no text of a cell: a text with another letter is not damaged. */
function structure(bytes: Buffer): number[] {
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const isText = new Uint8Array(bytes.length);
  for (const cell of [...requests, ...replies, "r1", "r2", "r3", "llm"].map((each) => Buffer.from(each)))
    for (let at = bytes.indexOf(cell); at >= 0 && at < footer; at = bytes.indexOf(cell, at + 1))
      isText.fill(1, at, at + cell.length);
  return [...bytes.keys()].filter((at) => isText[at] === 0);
}

function changed(change: (byte: number) => number): (bytes: Buffer, at: number) => Buffer {
  return (bytes, at) => {
    const damaged = Buffer.from(bytes);
    damaged[at] = change(damaged[at] ?? 0);
    return damaged;
  };
}

const faults: Readonly<Record<string, (bytes: Buffer, at: number) => Buffer>> = {
  "a zero": changed(() => 0),
  "all bits": changed(() => 255),
  "the lowest bit": changed((byte) => byte ^ 1),
  "another bit": changed((byte) => byte ^ 2),
  "a bit of the upper half": changed((byte) => byte ^ 16),
  "the highest bit": changed((byte) => byte ^ 128),
  "a byte that is missing": (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
  "a byte too many": (bytes, at) => Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]),
};

async function silent(bytes: Buffer, damaged: Iterable<readonly [string, Buffer]>): Promise<string[]> {
  const whole = await read(bytes);
  const names: string[] = [];
  for (const [name, own] of damaged) {
    if (own.equals(bytes)) continue;
    const left = await read(own);
    if (hasLost(whole, left) && !isTold(whole, left)) names.push(name);
  }
  return names;
}

describe("a damaged Parquet table", () => {
  test.each(Object.keys(faults))("tells what it lost for %s", async (name) => {
    const bytes = table();
    const fault = faults[name] as (bytes: Buffer, at: number) => Buffer;
    const turn = Object.keys(faults).indexOf(name);
    const places = structure(bytes).filter((_, index) => (index + turn) % (every * 2) === 0);
    expect(
      await silent(
        bytes,
        places.map((at) => [`at ${at}`, Buffer.from(fault(bytes, at))] as const),
      ),
    ).toEqual([]);
  });

  test("tells that it is cut, wherever it ends", async () => {
    const bytes = table("SNAPPY");
    const ends = [...bytes.keys()].filter((at) => at % (every * 2) === 0);
    expect(
      await silent(
        bytes,
        ends.map((at) => [`at ${at}`, bytes.subarray(0, at)] as const),
      ),
    ).toEqual([]);
  });

  /** A table with other bytes in place of some, from the first place after a mark on. */
  function patched(bytes: Buffer, mark: string | Buffer, shift: number, own: readonly number[]): Buffer {
    const damaged = Buffer.from(bytes);
    damaged.set(own, damaged.indexOf(mark) + shift);
    return damaged;
  }

  test("is read to the end where a text begins with another number of bytes", async () => {
    const bytes = table();
    const left = await read(patched(bytes, requests[1] ?? "", -4, [100]));
    expect(left.statements.join("\n")).toContain("the column `inputs` cannot be read in rows 1 to 3 (");
    expect(left.counts).toMatchObject({ exchanges: 3, requests: 0, replies: 3 });
  });

  test("ends where a run of levels has no length", async () => {
    const bytes = table();
    // The first page is that of the ids: its levels begin behind its header.
    const at = bytes.indexOf("r1") - 4;
    const left = await Promise.all(
      [0, 1, 2, 3, 4].map((back) => read(patched(bytes, bytes.subarray(at, at + 6), -back - 1, [0]))),
    );
    expect(left.every(({ counts }) => counts.exchanges === 3)).toBe(true);
  });

  test("whose schema ends early names the column that is left over", async () => {
    const bytes = table();
    // The root of the schema says how many columns there are: five, which Thrift writes as ten.
    const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    const damaged = Buffer.from(bytes);
    damaged[bytes.indexOf(Buffer.from([0x15, 10]), footer) + 1] = 8;
    expect((await read(damaged)).statements.join("\n")).toContain(
      "the column `outputs` cannot be read in rows 1 to 3 (the schema does not have it)",
    );
  });

  test("whose rows are fewer than stated says how many", async () => {
    const own = columns.map((column) => ({ ...column, data: Array.from(column.data) }));
    const bytes = Buffer.from(
      parquetWriteBuffer({ columnData: own, codec: "UNCOMPRESSED", rowGroupSize: 2 }),
    );
    const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    const damaged = Buffer.from(bytes);
    // The number of rows follows the schema, whose last element is the column of the replies.
    const at = bytes.indexOf(Buffer.from([0x16, 6]), footer);
    damaged[at + 1] = 8;
    expect((await read(damaged)).statements.join("\n")).toContain(
      "the table states 4 rows, and its row groups 3",
    );
  });

  test("names a cell of traffic that begins as JSON, and is none", async () => {
    const cut = [replies[0], replies[1]?.slice(0, -2), replies[2]];
    const own = columns.map((column) => (column.name === "outputs" ? { ...column, data: cut } : column));
    expect((await read(table("SNAPPY", own as Columns))).statements.join("\n")).toContain(
      "the column `outputs` begins as JSON in row 2, and is not valid JSON",
    );
  });

  test("has places in columns behind a text with quotes", async () => {
    const name = { name: "name", data: ['"so" {', '\\" {"', "}"], type: "STRING" } as const;
    const dropped = [requests[0], text({ ...goesOn, messages: goesOn.messages.slice(0, 1) }), requests[2]];
    const own = columns.map((column) => (column.name === "inputs" ? { ...column, data: dropped } : column));
    expect((await read(table("SNAPPY", [name, ...own] as Columns))).counts.exchanges).toBe(3);
  });

  test("that states more cells than its bytes can hold is not read", async () => {
    const data = Array.from({ length: 1_200_000 }, () => null);
    const own: Columns = [{ name: "inputs", data, type: "STRING", nullable: true }];
    expect((await read(table("SNAPPY", own))).isUnread).toBe(true);
  });
});
