import { describe, expect, test } from "vitest";
import type { Origin } from "../../src/reading/origin.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, spot, told, wantsTool } from "./stories.ts";

const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
const rows = [
  [asks, wantsTool],
  [goesOn, answers],
] as const;
const table = [
  "id,note,request,response",
  ...rows.map(([request, reply], id) => `${id},"a, b",${cell(request)},${cell(reply)}`),
].join("\n");

describe("a table with JSON in its cells is read, a record a row", () => {
  test.each([
    ["separated by commas", `${table}\n`],
    [
      "by semicolons",
      `${table.replaceAll(/^(\w+),("a, b"|note),/gm, "$1;$2;").replaceAll(/,(?="\{""|response)/g, ";")}\n`,
    ],
    ["with line ends of Windows, and none at its end", table.replaceAll("\n", "\r\n")],
    ["with a byte order mark", `\ufeff${table}\n`],
    [
      "by tabs, without quotes",
      [
        "id\trequest\tresponse",
        ...rows.map(([request, reply], id) =>
          [id, JSON.stringify(request), JSON.stringify(reply)].join("\t"),
        ),
      ].join("\n"),
    ],
  ])("%s", async (_, log) => {
    expect((await open(log)).container).toBe("csv");
    expect(await told(log)).toEqual(run);
  });

  test("values stand where they stand in the file, and new ones get their quotes doubled", async () => {
    const { exchanges } = await open(table);
    const place = exchanges[1]?.request?.place.locate("/messages/2/tool_call_id") as Origin;
    expect(spot(place)).toMatch(/^3:\d+ ""call_1""?$/);
    const edit = { op: "replace" as const, pointer: "/messages/2/tool_call_id", json: '"call_9"' };
    expect(await written(table, { 2: [edit] })).toBe(
      table.replace('""tool_call_id"":""call_1""', '""tool_call_id"":""call_9""'),
    );
  });

  test("rows of something else are counted as skipped", async () => {
    const { skipped } = await open(`${table}\n3,x,${cell({ model: "text-embedding", input: "Hello" })},\n`);
    expect(skipped.map(({ reason }) => reason)).toEqual(["no model traffic in this row"]);
  });
});

test("a text with commas is no table", async () => {
  expect((await open(`first, second\n{"a": 1}\n`)).container).not.toBe("csv");
});
