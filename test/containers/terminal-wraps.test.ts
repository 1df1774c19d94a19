import { describe, expect, test } from "vitest";
import type { Origin } from "../../src/reading/origin.ts";
import { memorySource } from "../../src/reading/source.ts";
import { unwrapped } from "../../src/reading/terminal-wraps.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, spot, told, wantsTool } from "./stories.ts";

/** A text as a terminal of this width shows it. */
function shown(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) =>
      [...line].flatMap((_, at, all) => (at % width === 0 ? [all.slice(at, at + width).join("")] : [])),
    )
    .join("\n");
}

/** As {@link shown}, and copied without the blanks at the ends of lines. */
function copied(text: string, width: number): string {
  return shown(text, width).replace(/ +$/gm, "");
}

const halves = [
  ["request", asks],
  ["reply", wantsTool],
  ["request", goesOn],
  ["reply", answers],
] as const;
const logged = halves.map(([half, body]) => `2026-01-01 DEBUG ${half} ${JSON.stringify(body)}`).join("\n");
const spaced = logged.replaceAll('","', '", "').replaceAll('":', '": ');
const printed = halves
  .map(([half, body]) => `${half} ${JSON.stringify(body).replaceAll("null", "None").replaceAll('"', "'")}`)
  .join("\n");
const oneBody = JSON.stringify(goesOn);

describe("a log copied from a terminal is read as if the terminal had been wide enough", () => {
  const widths = [60, 79, 80, 99, 120, 132];
  test.each(widths)("lines of a log at %i columns", async (width) => {
    expect(await told(`${shown(logged, width)}\n`)).toEqual(run);
  });
  test.each(widths)("without the blanks at the ends of its lines, at %i", async (width) => {
    expect(await told(`${copied(spaced, width)}\n`)).toEqual(await told(spaced));
  });
  test.each(widths)("values that Python prints, at %i", async (width) => {
    expect(await told(`${shown(printed, width)}\n`)).toEqual(await told(printed));
  });
  test.each(widths)("one body alone, at %i", async (width) => {
    expect((await told(`${shown(oneBody, width)}\n`))[0]).toBe(run[1]?.replace(/ → .*$/, " → ?"));
  });
});

describe("a logger's prefix before each of the lines that it cuts is no part of a value", () => {
  const prefixes: Readonly<Record<string, (line: number) => string>> = {
    "a word in brackets": () => "[agent] ",
    "a container's name": () => "agent-1  | ",
    "a time": (line) => `2026-01-05 12:00:${String(line % 60).padStart(2, "0")},${100 + line} INFO app - `,
  };
  const cases = Object.keys(prefixes).flatMap((name) =>
    [80, 120, 200].map((width) => [name, width] as const),
  );

  test.each(cases)("%s, at %i", async (name, width) => {
    const lines = shown(logged, width).split("\n");
    const log = lines.map((line, at) => `${prefixes[name]?.(at)}${line}\n`).join("");
    expect(await told(log)).toEqual(run);
  });
});

test.each([
  [4, 80],
  [11, 70],
  [2, 79],
])(
  "an indent of %i before all lines of a value but the first is no part of it, at %i",
  async (indent, width) => {
    const log = logged
      .split("\n")
      .map((line) => shown(line, width).replaceAll("\n", `\n${" ".repeat(indent)}`))
      .join("\n");
    expect(await told(`${log}\n`)).toEqual(run);
  },
);

test("values stand where the file has them, and edits reach them", async () => {
  const log = `${shown(logged, 80)}\n`;
  const { exchanges } = await open(log);
  const place = exchanges[1]?.request?.place.locate("/messages/2/tool_call_id") as Origin;
  expect(spot(place).replaceAll("\n", "")).toMatch(/"call_1"$/);
  const edit = { op: "replace" as const, pointer: "/messages/0/content", json: '"How cold?"' };
  const fixed = await written(log, { 2: [edit] });
  expect((await told(fixed))[1]).toBe(run[1]?.replace("How warm is it in Zürich?", "How cold?"));
});

test("a line break that somebody typed into a text stays in it", async () => {
  const text = "What is the best way to get from Zürich to Bern\nwithout a train?";
  const log = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: text }] }, null, 2);
  expect(await told(log.replaceAll("\\n", "\n"))).toEqual([expect.stringContaining("Bern\\nwithout")]);
});

test.each([
  'Object {"role": String("user"), "content": Array [',
  "{'role': 'user', 'content': [{'type': 'text', 'a': ",
  '{"role": "user", "content": [{"type": "text", "a": ',
  "{role=user, content=[{type=text, text=Oslo (north, ",
  "ToolMessage(content=[], artifact=(Blob(a=1, b=[], (",
])("many lines of one width that begin values are not read over and over: %s", (line) => {
  const source = memorySource("run.log", Buffer.from(`${line}\n`.repeat(900_000 / (line.length + 1))));
  const start = process.cpuUsage();
  expect(unwrapped(source)).toBe(source);
  expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
});
