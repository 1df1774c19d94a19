import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { splitEvents } from "../../src/reading/sse.ts";

/** `name: data` of each event, with its flaw behind it. */
function events(text: string): string[] {
  return splitEvents(text).map(
    ({ event, data, flaw }) => `${event === undefined ? "" : `${event}: `}${data}${flaw ? ` (${flaw})` : ""}`,
  );
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
describe("the HTML standard's rules", () => {
  test.each([
    ["a blank line ends an event", "data: one\n\ndata: two\n\n", ["one", "two"]],
    ["lines may end in CR LF", "data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]],
    ["lines may end in CR", "data: one\r\rdata: two\r\r", ["one", "two"]],
    ["line ends may be mixed", "data: a\rdata: b\ndata: c\r\n\n", ["a\nb\nc"]],
    ["a byte order mark is stepped over", "\ufeffdata: one\n\n", ["one"]],
    ["a second mark is part of the field's name", "\ufeff\ufeffdata: one\n\n", []],
    ["a comment says nothing", ": ping\ndata: one\n: ping\n\n:\n\n", ["one"]],
    ["the space behind the colon may be missing", "data:one\n\n", ["one"]],
    ["only one space behind the colon is taken away", "data:  one\n\n", [" one"]],
    ["several data lines are one text", "data: two\ndata:\ndata: lines\n\n", ["two\n\nlines"]],
    ["a colon in the data is data", "data: at: 12:30\n\n", ["at: 12:30"]],
    ["empty data is an event", "data:\n\ndata\n\n", ["", ""]],
    ["a name without data is none", "event: ping\n\ndata: one\n\n", ["one"]],
    ["a name holds for one event", "event: delta\ndata: one\n\ndata: two\n\n", ["delta: one", "two"]],
    ["a name may stand behind the data", "data: one\nevent: delta\n\n", ["delta: one"]],
    ["the last of several names holds", "event: a\nevent: b\ndata: one\n\n", ["b: one"]],
    ["ids and reconnection times are no part of events", "id: 7\nretry: 100\ndata: one\nid: 8\n\n", ["one"]],
    ["unknown fields are stepped over", "datum: x\ndata : y\nDATA: z\ndata: one\n\n", ["one"]],
    ["nothing gives nothing", "", []],
    ["blank lines give nothing", "\n\n\r\n", []],
  ])("%s", (_, text, expected) => {
    expect(events(text)).toEqual(expected);
  });
});

describe("damaged streams", () => {
  test.each([
    ["the last event is kept without its blank line", "data: one\n\ndata: two\n", ["one", "two (open)"]],
    [
      "the last event is kept without its line end",
      'event: delta\ndata: {"text":"Gr',
      ['delta: {"text":"Gr (open)'],
    ],
    ["a name at the very end says nothing", "data: one\n\nevent: stop\n", ["one"]],
    [
      "JSON over several lines is one event",
      'data: {\n  "a": [\n    1\n  ]\n}\n\ndata: {"b":2}\n\n',
      ['{\n  "a": [\n    1\n  ]\n}', '{"b":2}'],
    ],
    ["other lines behind JSON are left out", 'data: {\n  "a": 1\nat: 1\n\n', ["{"]],
    ["JSON behind JSON is another event", 'data: {"a":1}\ndata: {"b":2}\n\n', ['{"a":1}', '{"b":2} (glued)']],
    ["the end mark is taken off as well", 'data: {"a":1}\ndata: [DONE]\n\n', ['{"a":1}', "[DONE] (glued)"]],
    [
      "each has its name",
      'event: start\ndata: {"a":1}\nevent: stop\ndata: {"b":2}\n\n',
      ['start: {"a":1}', 'stop: {"b":2} (glued)'],
    ],
    [
      "a name goes on until the next one",
      'event: delta\ndata: {"a":1}\ndata: {"b":2}\n\n',
      ['delta: {"a":1}', 'delta: {"b":2} (glued)'],
    ],
    [
      "a new name also ends JSON that was cut",
      'event: start\ndata: {"a":\nevent: stop\ndata: {"b":2}\n\n',
      ['start: {"a":', 'stop: {"b":2} (glued)'],
    ],
    ["one JSON value over several lines stays one", 'data: {\ndata: "a": 1\ndata: }\n\n', ['{\n"a": 1\n}']],
    ["text over several lines stays one", "data: first {\ndata: second\n\n", ["first {\nsecond"]],
  ])("%s", (_, text, expected) => {
    expect(events(text)).toEqual(expected);
  });
});

test("an event knows where its data stands, in UTF-16 units", () => {
  const text = "event: delta\r\ndata: Grüezi 👋\r\ndata: wohl\r\n\r\ndata:\n\ndata:x";
  expect(splitEvents(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "Grüezi 👋\r\ndata: wohl",
    "",
    "x",
  ]);
});

describe("a well-formed stream", () => {
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const word = fc.string({ unit: fc.constantFrom(...'aZ: \t{}[]"ü👋0') });
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant("data"), fc.constantFrom(":", ": "), word) },
    fc.tuple(
      fc.constantFrom("event", "id", "retry", "", "data ", "unknown"),
      fc.constantFrom(":", ": "),
      word,
    ),
    fc.tuple(fc.constantFrom("data", "event"), fc.constant(""), fc.constant("")),
  );
  const block = fc.array(line, { minLength: 1, maxLength: 4 });

  it("splits as eventsource-parser splits it", () => {
    fc.assert(
      fc.property(fc.array(block), lineEnd, fc.boolean(), (blocks, end, hasMark) => {
        const text = `${hasMark ? "\ufeff" : ""}${blocks.map((lines) => `${lines.map((parts) => parts.join("")).join(end)}${end}${end}`).join("")}`;
        const expected: { event: string | undefined; data: string }[] = [];
        const parser = createParser({ onEvent: ({ event, data }) => expected.push({ event, data }) });
        // It takes marks for bytes, and keeps a lone CR at the end back: a line feed might follow.
        parser.feed(`${text.replace("\ufeff", "")}\n`);
        const own = splitEvents(text);
        // Glued events are taken apart on purpose.
        fc.pre(own.every(({ flaw }) => flaw === undefined));
        expect(own.map(({ event, data }) => ({ event: event || undefined, data }))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("has its data where it says", () => {
    fc.assert(
      fc.property(fc.array(block), lineEnd, (blocks, end) => {
        const text = blocks
          .map((lines) => `${lines.map((parts) => parts.join("")).join(end)}${end}${end}`)
          .join("");
        for (const { data, start, end: stop } of splitEvents(text)) {
          expect(text.slice(start, stop).startsWith(data.split("\n")[0] as string)).toBe(true);
          expect(text.slice(start, stop).endsWith(data.split("\n").at(-1) as string)).toBe(true);
        }
      }),
    );
  });
});

test.each([
  ["lone braces", "data: {\n".repeat(100_000)],
  ["glued events", "data: {}\n".repeat(100_000)],
  ["glued events behind a lone brace", `data: {\n${"data: {}\n".repeat(100_000)}`],
  ["lines without colons", `${"no colon\n".repeat(100_000)}data: x\n`],
  ["lines without line feeds", "data: x\r".repeat(100_000)],
  ["names", `${"event: a\n".repeat(100_000)}data: x\n`],
])("a stream of nothing but %s costs its length, not its square", (_, text) => {
  expect(splitEvents(text)[0]?.data).toMatch(/^[{x]/);
});
