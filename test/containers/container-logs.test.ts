import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { linesOf } from "../../src/reading/origin.ts";
import { written } from "./edits.ts";
import { answers, asks, chunks, goesOn, open, run, told, wantsTool } from "./stories.ts";

const time = "2026-01-05T12:00:00.123456789Z";

/** The longest text of a record: the runtimes take 16 KiB. */
const maxPart = 64;

/** A line in parts, each but the last without its end. */
function partsOf(line: string): string[] {
  const characters = [...line];
  const parts: string[] = [];
  while (characters.length > maxPart) parts.push(characters.splice(0, maxPart).join(""));
  return [...parts, characters.join("")];
}

const runtimes: Readonly<Record<string, (text: string, stream?: string) => string[]>> = {
  Docker: (text, stream = "stdout") =>
    text
      .split("\n")
      .flatMap((line) =>
        partsOf(line).map((part, place, all) =>
          JSON.stringify({ log: place === all.length - 1 ? `${part}\n` : part, stream, time }),
        ),
      ),
  Kubernetes: (text, stream = "stdout") =>
    text
      .split("\n")
      .flatMap((line) =>
        partsOf(line).map(
          (part, place, all) => `${time} ${stream} ${place === all.length - 1 ? "F" : "P"} ${part}`,
        ),
      ),
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const story = [asks, wantsTool, goesOn, answers];

describe.each(Object.entries(runtimes))("a log of %s", (name, records) => {
  const container = name.toLowerCase();
  const kept = (text: string): string => `${records(text).join("\n")}\n`;

  test.each([
    ["JSON, a body a line", story.map((value) => JSON.stringify(value)).join("\n")],
    ["JSON over lines", story.map(pretty).join("\n")],
    ["text with JSON in it", story.map((value) => `INFO body: ${JSON.stringify(value)}`).join("\n")],
    [
      "printed requests",
      [
        inspect(asks, { depth: null }),
        pretty(wantsTool),
        inspect(goesOn, { depth: null }),
        pretty(answers),
      ].join("\n"),
    ],
  ])("that holds %s", async (_, text) => {
    expect((await open(kept(text))).container).toBe(container);
    expect(await told(kept(text))).toEqual(run);
  });

  test("that holds a stream", async () => {
    const events = chunks("chatcmpl-1", "It is 18 °C.").map((event) => `data: ${JSON.stringify(event)}\n`);
    expect(await told(kept([JSON.stringify(asks), ...events, "data: [DONE]"].join("\n")))).toEqual([
      'user "How warm is it in Zürich?" → assistant "It is 18 °C." (stop)',
    ]);
  });

  test("that holds a refusal in words", async () => {
    const error =
      "{'error': {'message': 'No result for call_1', 'type': 'invalid_request_error', 'code': None}}";
    const text = `POST ${JSON.stringify(goesOn)}\nopenai.BadRequestError: Error code: 400 - ${error}`;
    const { exchanges } = await open(kept(text));
    expect(exchanges.map(({ reply }) => reply?.error?.message)).toEqual(["No result for call_1"]);
  });

  test("with lines of the other stream between the parts of a line", async () => {
    const other = records("still working {", "stderr");
    const log = story.flatMap((value) => {
      const [first = "", ...rest] = records(JSON.stringify(value));
      return [first, ...other, ...rest, ...other];
    });
    expect(await told(log.join("\n"))).toEqual(run);
  });

  test("with parts of lines of both streams among each other", async () => {
    const [asking, other] = [records(JSON.stringify(asks)), records("still working ".repeat(12), "stderr")];
    const mixed = asking.flatMap((record, place) => [record, ...other.slice(place, place + 1)]);
    const rest = other.slice(asking.length);
    const log = [...mixed, ...records(JSON.stringify(wantsTool)), ...rest].join("\n");
    expect(await told(log)).toEqual(run.slice(0, 1));
  });

  test("is repaired in its records", async () => {
    const log = kept(story.map((value) => JSON.stringify(value)).join("\n"));
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"„Wie \\"kühl\\"?"' }],
    });
    expect(after.split("\n").length).toBeLessThanOrEqual(log.split("\n").length);
    expect((await told(after))[0]).toContain(JSON.stringify('„Wie "kühl"?'));
  });

  test("is repaired over lines, each of which keeps its head", async () => {
    const log = kept(story.map(pretty).join("\n"));
    const message = `{\n  "role": "user",\n  "content": "And\\nnow?"\n}`;
    const after = await written(log, { 1: [{ op: "insert", pointer: "/messages/1", json: message }] });
    expect((await open(after)).container).toBe(container);
    const [first = "", second] = await told(after);
    expect(first).toContain('user "How warm is it in Zürich?", user "And\\nnow?"');
    expect(second).toBe(run[1]);
  });

  test("that somebody coloured is read, and repaired between the codes", async () => {
    const coloured = (text: string): string =>
      records(text)
        .map((record) => `\u001b[32m${record}\u001b[0m\n`)
        .join("");
    const log = coloured(story.map((value) => JSON.stringify(value)).join("\n"));
    expect((await open(log)).container).toBe(container);
    expect(await told(log)).toEqual(run);
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"Hm?"' }],
    });
    expect((await told(after))[0]).toContain("Hm?");
    const isColoured = (line: string): boolean => line.startsWith("\u001b[32m") && line.endsWith("\u001b[0m");
    expect(after.trimEnd().split("\n").every(isColoured)).toBe(true);
  });

  test("that begins in the middle of a record is read from the next one on", async () => {
    const lines = records(["", ...story.map((value) => JSON.stringify(value))].join("\n"));
    const log = lines.with(0, lines[0]?.slice(20) ?? "").join("\n");
    const { container: found, skipped } = await open(log);
    expect(found).toBe(container);
    expect(skipped.map(({ reason }) => reason)).toContain("the log begins in the middle of a record");
    expect(await told(log)).toEqual(run);
  });

  test("with a damaged record tells it", async () => {
    const lines = records(story.map((value) => JSON.stringify(value)).join("\n"));
    const log = lines.with(2, lines[2]?.slice(0, 60) ?? "").join("\n");
    const { defects, skipped } = await open(log);
    expect([...defects, ...skipped].length).toBeGreaterThan(0);
  });

  test("tells of broken JSON where it stands in the file", async () => {
    const lines = [asks, wantsTool].map((value) => JSON.stringify(value));
    const log = kept([...lines, "{}", "{}", `{"a" 1, ${JSON.stringify("…".repeat(40))}: 2}`].join("\n"));
    const { defects, source } = await open(log);
    const first = log.split("\n").findIndex((line) => /"?a\\?" 1/.test(line)) + 1;
    expect(defects.map(({ origin }) => [origin.source, linesOf(source).lineAt(origin.start)])).toEqual([
      [source, first],
    ]);
  });
});

test("records of another logger with these names are JSON lines", async () => {
  const record = (log: unknown): string => JSON.stringify({ log, stream: true, time });
  expect((await open([record(asks), record(wantsTool)].join("\n"))).container).toBe("jsonl");
});
