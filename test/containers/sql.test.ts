import { describe, expect, test } from "vitest";
import { sqlRows } from "../../src/reading/sql-rows.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, told, wantsTool } from "./stories.ts";

const json = (value: unknown): string => JSON.stringify(value);
const calls = [
  [asks, wantsTool],
  [goesOn, answers],
].map((bodies) => bodies.map(json) as [string, string]);

const copied = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
const twice = (text: string): string => text.replaceAll("'", "''");
const slashed = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll('"', '\\"').replaceAll("\n", "\\n");
const pretty = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

const postgres = `--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);

CREATE TABLE public.calls (
    id integer NOT NULL
);

`;
const inserts = (value: (text: string) => string, table = "calls", names = " (request, response)"): string =>
  calls.map(([a, b]) => `INSERT INTO ${table}${names} VALUES (${value(a)}, ${value(b)});\n`).join("");

/** How collectors keep a line. */
const collected: Readonly<Record<string, (line: string) => string>> = {
  JSON: (line) => json({ log: `${line}\n`, stream: "stdout" }),
  logfmt: (line) => `time="12:00:00" level=info msg=${json(line)}`,
  Kubernetes: (line) => `2026-01-05T12:00:00.123456789Z stdout F ${line}`,
};

/** Each dump, and how it writes a quote. */
const dumps: Readonly<Record<string, string>> = {
  "copied rows": `${postgres}COPY public.calls (id, request, error, response) FROM stdin;\n${calls
    .map(([a, b], id) => `${id}\t${copied(a)}\t\\N\t${copied(b)}\n`)
    .join("")}\\.\n\n`,
  "statements with names": postgres + inserts((text) => `'${twice(text)}'`, 'public."calls"'),
  "statements with escapes": inserts((text) => `E'${slashed(text)}'`),
  "statements with casts": inserts((text) => `CAST('${twice(text)}' AS jsonb)`),
  "statements with types": inserts((text) => `'${twice(text)}'::jsonb`),
  "statements with dollars": inserts((text) => `$body$${text}$body$`),
  "statements over lines": inserts((text) => `\n  N'${twice(pretty(text))}'`, "[dbo].[calls]"),
  "one statement of MySQL": `-- MySQL dump 10.13\n\nCREATE TABLE \`calls\` (\n  \`request\` json,\n  \`response\` json,\n  KEY \`a\` (\`request\`)\n);\nLOCK TABLES \`calls\` WRITE;\nINSERT INTO \`calls\` VALUES ${calls
    .map(([a, b]) => `(_utf8mb4'${slashed(a)}','${slashed(pretty(b))}')`)
    .join(",\n")};\nUNLOCK TABLES;\n`,
  "statements of sqlite3": `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE calls(request TEXT, response TEXT);\n${inserts((text) => `'${twice(text)}'`, "calls", "")}COMMIT;\n`,
};

describe("a dump of a database", () => {
  test.each(Object.entries(dumps))("with %s is read row by row", async (_, log) => {
    expect(await open(log)).toMatchObject({ container: "sql", defects: [], skipped: [] });
    expect(await told(log)).toEqual(run);
  });

  test("with definitions that never end is read, and its columns are known", async () => {
    const cut = "CREATE TABLE a (b\n".repeat(40_000);
    expect(await told(cut + dumps["statements of sqlite3"])).toEqual(run);
  });

  test.each(Object.entries(dumps))("with %s is repaired in place", async (_, log) => {
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: json(`„How's "that"?\\`) }],
    });
    expect((await told(after))[0]).toContain(json(`„How's "that"?\\`));
    expect((await told(after)).slice(1)).toEqual(run.slice(1));
  });

  test("may hold a message in each row", async () => {
    const rows = [
      ["user", "Where's order 4711?\nAnd 4712?", null, null],
      [
        "assistant",
        null,
        json([{ id: "call_1", type: "function", function: { name: "find", arguments: '{"n":"4711"}' } }]),
        null,
      ],
      ["tool", 'shipped\tno "note"', null, "call_1"],
      ["assistant", "Shipped.", null, null],
    ];
    const table = "messages (id, session_id, role, content, tool_calls, tool_call_id)";
    const cells = rows.map((row) => row.map((cell) => (cell === null ? "\\N" : copied(cell))).join("\t"));
    const copy = `${postgres}COPY public.${table} FROM stdin;\n${cells.map((row, id) => `${id}\ts1\t${row}\n`).join("")}\\.\n`;
    const values = rows.map((row) =>
      row.map((cell) => (cell === null ? "NULL" : `'${twice(cell)}'`)).join(","),
    );
    const insert = values.map((row, id) => `INSERT INTO ${table} VALUES (${id},'s1',${row});\n`).join("");
    for (const log of [copy, insert]) {
      expect((await open(log)).container).toBe("message-rows");
      expect(await told(log)).toEqual([
        'user "Where\'s order 4711?\\nAnd 4712?" → call find {"n":"4711"} ()',
        'user "Where\'s order 4711?\\nAnd 4712?", call find {"n":"4711"}, result shipped\tno "note" → assistant "Shipped." ()',
      ]);
    }
  });

  test("names a row whose values are not those of its table", async () => {
    const log = dumps["copied rows"]?.replace("\n1\t", "\n1\tmore\t") ?? "";
    const { defects } = await open(log);
    expect(defects.map(({ message }) => message)).toEqual(["the row has 5 values, and its table 4 columns"]);
  });

  test.each(Object.entries(collected))("names a row within another line: %s", async (_, keep) => {
    const log = inserts((text) => `'${twice(text)}'`).split("\n");
    for (const put of [keep, (line: string) => [line.slice(0, 300), line.slice(300)].map(keep).join("\n")]) {
      const { defects } = await open(`${postgres}${log.with(0, put(log[0] ?? "")).join("\n")}\n`);
      expect(defects.map(({ message }) => message)).toContain(
        "a row stands within another line, so it was not read",
      );
    }
  });

  test("names no statement of a definition", async () => {
    const trigger =
      "CREATE TRIGGER kept AFTER INSERT ON calls BEGIN\n  INSERT INTO audit VALUES (new.id, 'x');\nEND;\n";
    expect((await open(trigger + inserts((text) => `'${twice(text)}'`))).defects).toEqual([]);
  });

  test("that ends in a row says so", async () => {
    const log = dumps["statements of sqlite3"] ?? "";
    const { defects } = await open(log.slice(0, log.lastIndexOf("18 °C")));
    expect(defects.map(({ message }) => message)).toContain("the dump ends in the middle of a row");
  });

  test("is no log that mentions a statement", async () => {
    const log = `INFO INSERT INTO calls VALUES (1)\n${calls.flat().join("\n")}\n`;
    expect((await open(log)).container).not.toBe("sql");
  });
});

test.each([
  `INSERT INTO t VALUES (1, '{"model":"g"`,
  `INSERT INTO t VALUES (1, '{' || (`,
  `INSERT INTO t VALUES (1, $a$`,
  "INSERT INTO t (a",
  "COPY t (a) FROM stdin;",
])("many statements that never end are read in time: %s", (line) => {
  const text = `${line}\n`.repeat(480_000 / (line.length + 1));
  const start = process.cpuUsage();
  for (const row of sqlRows(text)) expect(row.end).toBeGreaterThan(row.start);
  expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
});
