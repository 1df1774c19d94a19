import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { copyFaults } from "../../fuzz/copy-faults.ts";
import { bodyFaults, fileFaults, type Roll, valueFaults } from "../../fuzz/faults.ts";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { stories } from "../containers/sessions.ts";
import { hasLost, isTold, yieldOf } from "./told.ts";

/** Chooses the places of the faults, and which of them are tried; other seeds try others. */
const seed = Number(process.env["SEED"] ?? 1);
/** One fault of so many is tried in each record, so that the test stays short; `EVERY=1` tries all. */
const every = Number(process.env["EVERY"] ?? 16);

/** Numbers that look random and are the same in every run. */
function dice(from: number): Roll {
  let state = from >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const faults = [...bodyFaults, ...valueFaults, ...fileFaults];

const latin = (text: string): string => Buffer.from(text).toString("latin1");

describe.each(Object.entries(stories))("a damaged session: %s", (name, { log }) => {
  const whole = yieldOf("run.log", Buffer.from(log));
  const isInLines = /^\{.*\}\n\{/.test(log);
  const records = isInLines ? log.trimEnd().split("\n") : [log];

  test("tells what it lost of each record, at its line", async () => {
    const silent: string[] = [];
    for (const [index, record] of records.entries())
      for (const [number, fault] of faults.entries()) {
        if ((number + index + seed + name.length) % every !== 0) continue;
        const damaged = fault.apply(latin(record), dice(seed * 100_000 + index * 1000 + number));
        if (damaged === undefined || damaged === latin(record) || isOther(damaged, record)) continue;
        const lines = [
          ...records.slice(0, index).map(latin),
          damaged,
          ...records.slice(index + 1).map(latin),
        ];
        const left = await yieldOf("run.log", Buffer.from(`${lines.join("\n")}\n`, "latin1"));
        if (!hasLost(await whole, left)) continue;
        const isHere = left.isUnread || left.statements.some((each) => lineOf(each) >= index + 1);
        if (!isTold(await whole, left) || !isHere) silent.push(`${index + 1}: ${fault.name}`);
      }
    expect(silent).toEqual([]);
  });

  // Updates of a graph that are no session any more are read as requests, which count otherwise.
  test.skipIf(name === "langgraph")("tells what it lost of a copy", async () => {
    const silent: string[] = [];
    for (const [number, fault] of copyFaults.entries()) {
      if ((number + seed + name.length) % Math.ceil(every / 4) !== 0) continue;
      const damaged = fault.apply(latin(log), dice(seed * 1000 + number));
      // Dots that stand in a text leave another legal record.
      if (damaged === undefined || (/dots/.test(fault.name) && isLegal(damaged))) continue;
      const left = await yieldOf("run.log", Buffer.from(damaged, "latin1"));
      // A list of messages is the history of one request, in which each stands once.
      if (name === "messages" && left.container === "text" && left.counts.items === records.length) continue;
      if (hasLost(await whole, left) && !isTold(await whole, left)) silent.push(fault.name);
    }
    expect(silent).toEqual([]);
  });

  test("blames no call and no result where the other may stand in a record that cannot be read", async () => {
    const blamed = async (lines: readonly string[]): Promise<string[]> => {
      const source = bytesSource("run.log", Buffer.from(`${lines.join("\n")}\n`));
      const { report } = await checkFiles([{ path: "run.log", source }]);
      return report.findings
        .filter(({ rule, severity }) => severity !== "info" && /^(?:unanswered|orphaned)-/.test(rule))
        .map(({ rule, location }) => `${location.line}: ${rule}`);
    };
    const before = await blamed(records);
    for (const [index, record] of records.entries()) {
      if (records.length === 1) break;
      const half = record.slice(0, record.length >> 1);
      const after = await blamed(records.with(index, half));
      expect(
        after.filter((each) => !before.includes(each)),
        `line ${index + 1} is broken`,
      ).toEqual([]);
    }
  });

  test("tells a byte that is no UTF-8 in any text", async () => {
    for (const [index, record] of records.entries()) {
      const bytes = Buffer.from(record);
      const at = bytes.lastIndexOf('"') - 1;
      const start = Buffer.byteLength(records.slice(0, index).join("\n")) + (index === 0 ? 0 : 1);
      const damaged = Buffer.from(`${records.join("\n")}\n`);
      damaged[start + at] = 0xff;
      const left = await yieldOf("run.log", damaged);
      if (!left.isUnread) expect(left.statements.join("\n"), record).toContain("0xFF is not UTF-8");
    }
  });
});

/** Whether a fault left another legal value of a record, or nothing at all: nobody could notice that. */
function isOther(damaged: string, record: string): boolean {
  if (damaged.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(Buffer.from(damaged, "latin1").toString());
    return !isDeepStrictEqual(value, JSON.parse(record));
  } catch {
    return false;
  }
}

/** Whether a file is a document or lines of JSON. */
function isLegal(log: string): boolean {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(Buffer.from(text, "latin1").toString());
      return true;
    } catch {
      return text.trim() === "";
    }
  };
  return isJson(log) || log.split("\n").every(isJson);
}

const lineOf = (statement: string): number => Number(/^\d+/.exec(statement)?.[0]);

const rows = (message: (index: number) => object): string =>
  [
    { sqlite: { tables: { messages: ["id", "session_id", "role", "parts", "created_at"] } } },
    ...Array.from({ length: 4 }, (_, index) => message(index)),
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");

const row = (index: number, more: object = {}): object => ({
  table: "messages",
  id: `m${index}`,
  session_id: "s1",
  role: index % 2 === 0 ? "user" : "assistant",
  parts: [{ type: "text", data: { text: `Sentence number ${index} of the talk.` } }],
  created_at: index,
  ...more,
});

describe("a record of a session in legal JSON that nobody understands", () => {
  const said = [{ type: "text", data: { text: "How warm is it in Bern?" } }];

  test.each([
    ["of no table", { table: null }, 4],
    ["whose parts are in a list of their own", { parts: [said] }, 4],
    ["whose parts are JSON in a string", { parts: JSON.stringify(said) }, 4],
    ["whose part has no type", { parts: [{ data: said[0]?.data }] }, 4],
    ["whose part has an unknown type", { parts: [{ ...said[0], type: "zzz" }] }, 4],
  ])("is named with its line: %s", async (_, more, line) => {
    const log = rows((index) =>
      row(index, index === 2 ? { ...more, ...("parts" in more ? {} : { parts: said }) } : {}),
    );
    const { statements } = await yieldOf("run.log", Buffer.from(log));
    expect(statements.map(lineOf)).toContain(line);
  });

  test("is not named where nothing is wrong, nor in a table that holds other things", async () => {
    const log = rows((index) => row(index, index === 3 ? { table: "drafts" } : {}));
    const { statements } = await yieldOf("run.log", Buffer.from(log));
    // The first line is the list of the tables.
    expect(statements).toEqual(["1: a row of another table"]);
  });
});

describe.each(Object.entries(stories))("a session with a text that stands twice: %s", (_, { log }) => {
  const twice = log.replace(/"(content|text)": ?"(?=\w)/, '"$1":"This text does not count.",$&');

  test.skipIf(twice === log)("is read with the last one, and both are named", async () => {
    const { report } = await checkFiles([
      { path: "run.log", source: bytesSource("run.log", Buffer.from(twice)) },
    ]);
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        rule: "unreadable-record",
        kind: "lax",
        message: expect.stringMatching(
          /occurs twice in this (?:record|message|response), and only one counts/,
        ),
        related: [expect.objectContaining({ message: "this one counts" })],
      }),
    );
  });
});
