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

describe("tables between tabs, as clients of databases print them", () => {
  const sse = `data: ${JSON.stringify(wantsTool).replace('"message"', '"delta"').replace("chat.completion", "chat.completion.chunk")}\n\ndata: [DONE]\n\n`;
  const printed = (spell: (body: string) => string, reply: string): string =>
    `${[
      "id\trequest\tresponse",
      `1\t${spell(JSON.stringify(asks))}\t${spell(reply)}`,
      `2\t${spell(JSON.stringify(goesOn))}\t${spell(JSON.stringify(answers))}`,
    ].join("\n")}\n`;
  // `mysql --batch` writes backslashes in place of what separates cells.
  const escaped = (body: string): string =>
    body.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const edit = { op: "replace" as const, pointer: "/messages/2/content", json: '"\\"18\\"\\n\\tok"' };

  test.each([
    ["psql, a reply", printed(String, JSON.stringify(wantsTool))],
    ["psql, a stream in a column of JSON", printed(String, JSON.stringify(sse))],
    ["mysql, a reply", printed(escaped, JSON.stringify(wantsTool))],
    ["mysql, a stream", printed(escaped, sse)],
    ["mysql, a stream with line ends of HTTP", printed(escaped, sse.replaceAll("\n", "\r\n"))],
    [
      "mysql, a stream of lines",
      printed(escaped, `${JSON.stringify(wantsTool)}\n${JSON.stringify(wantsTool)}\n`),
    ],
  ])("%s", async (name, log) => {
    expect((await open(log)).container).toBe("csv");
    expect(await told(log)).toEqual(run);
    const [, edited = ""] = await told(await written(log, { 2: [edit] }));
    expect(edited, name).toContain(`result "18"\n\tok`);
  });

  test("a cell in quotes that holds a stream leaves the quotes of the others", async () => {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    expect(await told(printed(quoted, sse))).toEqual(run);
  });
});

test("a text with commas is no table", async () => {
  expect((await open(`first, second\n{"a": 1}\n`)).container).not.toBe("csv");
});

describe("a log that a service exported as a table is read like the log, a line a row", () => {
  const doubled = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.flatMap(([request, reply]) => [
    "a step begins",
    `request ${JSON.stringify(request)}`,
    `reply ${JSON.stringify(reply)}`,
  ]);
  const pretty = rows.flatMap((halves) =>
    halves.flatMap((half) => ["DEBUG", ...JSON.stringify(half, null, 2).split("\n")]),
  );
  const printed = rows.flatMap((halves) => halves.map((body) => JSON.stringify({ level: "debug", body })));
  const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const forms: [string, (lines: readonly string[]) => string[]][] = [
    [
      "of CloudWatch, the oldest first",
      (own) => ["timestamp,message", ...own.map((line, n) => `${1767225600000 + n},${doubled(`${line}\n`)}`)],
    ],
    [
      "of CloudWatch Insights, the newest first",
      (own) => ["@timestamp,@message", ...own.map((line, n) => `${at(n)},${doubled(line)}`).reverse()],
    ],
    [
      "of Datadog",
      (own) => ["Date,Host,Content", ...own.map((line, n) => `"${at(n)}","h",${doubled(line)}`).reverse()],
    ],
    [
      "of Splunk",
      (own) => ["_raw,_time,host", ...own.map((line, n) => `${doubled(line)},${at(n)},h`).reverse()],
    ],
    [
      "of Loki, with labels in JSON",
      (own) => [
        "labels,Time,Line",
        ...own.map((line, n) => `"{""app"":""agent""}",${1767225600000 + n},${doubled(line)}`).reverse(),
      ],
    ],
    ["without times", (own) => ["id,message", ...own.map((line, n) => `${n},${doubled(line)}`)]],
  ];
  const contents = [
    ["JSON behind words", lines],
    ["a value over many rows", pretty],
    ["records in JSON", printed],
  ] as const;
  test.each(forms.flatMap(([name, form]) => contents.map(([what, own]) => [name, what, form(own)] as const)))(
    "%s: %s",
    async (_name, _what, own) => {
      const log = `${own.join("\n")}\n`;
      expect((await open(log)).container).toBe("csv");
      expect(await told(log)).toEqual(run);
    },
  );

  test("an edit reaches the cell, whichever line comes first", async () => {
    const log = ["Date,Content", ...lines.map((line, n) => `${at(n)},${doubled(line)}`).reverse()].join("\n");
    const edit = { op: "replace" as const, pointer: "/messages/2/tool_call_id", json: '"call_\\"9"' };
    expect(await written(log, { 2: [edit] })).toBe(
      log.replace('""tool_call_id"":""call_1""', '""tool_call_id"":""call_\\""9""'),
    );
  });

  test("a row that is not closed is told", async () => {
    const log = `time,message\n${at(0)},${doubled(lines[1] ?? "")}\n${at(1)},"more`;
    const { defects } = await open(log);
    expect(defects.map(({ message }) => message)).toEqual(["the cell lacks its closing quote"]);
  });

  test("bodies in columns of their own are read from there", async () => {
    const log = table.replace("id,note,", "id,message,").replaceAll('"a, b"', '"sends {""model"": 1}"');
    expect(await told(log)).toEqual(run);
  });

  test("JSON behind words in any other column is read, too", async () => {
    const own = rows.flatMap((halves) => halves.map((half) => doubled(`got ${JSON.stringify(half)}`)));
    expect(await told(["id,comment", ...own.map((cell_, n) => `${n},${cell_}`)].join("\n"))).toEqual(run);
  });
});
