import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { splitEvents } from "../../src/reading/sse.ts";

/** Each event as `name|data`, without a name as `message`. */
const events = (text: string): string[] =>
  splitEvents(text).map(({ event, data }) => `${event || "message"}|${data}`);

/**
 * What the HTML standard says of each form of a line, with what a browser would dispatch. The last event of a
 * stream is kept without its blank line, where the standard drops it: a log may be cut there.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
describe("the format of an event stream", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "a mark at the very beginning is stepped over",
      "\ufeffdata:1\n\ndata:2\n\n",
      ["message|1", "message|2"],
    ],
    [
      "of two marks the second belongs to the field's name",
      "\ufeff\ufeffdata:1\n\ndata:2\n\n",
      ["message|2"],
    ],
    [
      "a mark later on belongs to the field's name",
      "data:1\n\n\ufeffdata:2\n\ndata:3\n\n",
      ["message|1", "message|3"],
    ],
    ["lines end with a line feed", "data:a\ndata:b\n\n", ["message|a\nb"]],
    ["lines end with a carriage return", "data:a\rdata:b\r\r", ["message|a\nb"]],
    ["lines end with both", "data:a\r\ndata:b\r\n\r\n", ["message|a\nb"]],
    ["all three in one stream", "data:a\r\ndata:b\ndata:c\rdata:d\n\r\n", ["message|a\nb\nc\nd"]],
    ["a line feed and a carriage return are two ends", "data:a\n\rdata:b\n\r", ["message|a", "message|b"]],
    [
      "no other character ends a line",
      "data:a\u2028b\u0085c\u000bd\u000ce\n\n",
      ["message|a\u2028b\u0085c\u000bd\u000ce"],
    ],
    ["a comment says nothing", ":\n:a\n: data:b\ndata:c\n:data:d\n\n", ["message|c"]],
    ["a comment as long as a buffer", `:${"x".repeat(70_000)}\ndata:a\n\n`, ["message|a"]],
    ["comments alone make no event", ":a\n\n:b\n\n", []],
    [
      "a field without a colon has no value",
      "data\n\ndata\ndata\n\ndata:test\n\n",
      ["message|", "message|\n", "message|test"],
    ],
    [
      "a field that only begins like one is unknown",
      "datas:1\ndat:2\ndata :3\n data:4\ndata:5\n\n",
      ["message|5"],
    ],
    ["field names are of lower case", "Data:1\nDATA:2\nEvent:x\ndata:3\n\n", ["message|3"]],
    ["a NUL in a field's name makes it another one", "da\0ta:1\ndata\0:2\ndata:3\n\n", ["message|3"]],
    ["a NUL in the data is data", "data:a\0b\n\n", ["message|a\0b"]],
    [
      "one space behind the colon is dropped",
      "data: a\n\ndata:  b\n\ndata:c \n\n",
      ["message|a", "message| b", "message|c "],
    ],
    ["a tab behind the colon is data", "data:\ta\n\n", ["message|\ta"]],
    ["a line of a space is an unknown field", "data:a\n \ndata:b\n\n", ["message|a\nb"]],
    ["data of several lines keeps empty ones", "data:\ndata:\ndata:a\ndata:\n\n", ["message|\n\na\n"]],
    ["a colon in the data is data", "data::a:b\n\n", ["message|:a:b"]],
    ["an event without data is none", "event:a\n\ndata:b\n\n", ["message|b"]],
    ["an id without data makes no event", "id:1\n\nid\n\ndata:a\n\n", ["message|a"]],
    ["an id with a NUL is no more than an id", "id:1\0\ndata:a\n\n", ["message|a"]],
    ["a time to wait says nothing of the event", "retry:1000\ndata:a\nretry:x1\nretry\n\n", ["message|a"]],
    ["the last name of an event counts", "event:a\nevent:b\ndata:c\n\n", ["b|c"]],
    ["an empty name is none", "event:a\nevent:\ndata:c\n\nevent\ndata:d\n\n", ["message|c", "message|d"]],
    ["a name holds for one event", "event:a\ndata:1\n\ndata:2\n\n", ["a|1", "message|2"]],
    ["a space in a name is part of it", "event:  a \ndata:1\n\n", [" a |1"]],
    ["unknown fields say nothing", "foo:1\nbar\ndata:a\n\n", ["message|a"]],
    ["many blank lines end one event", "\n\n\ndata:a\n\n\n\n\ndata:b\n\n", ["message|a", "message|b"]],
    ["letters of several bytes", "data:ok…🌡\n\n", ["message|ok…🌡"]],
    ["the last event is kept without its blank line", "data:a\n\ndata:b\n", ["message|a", "message|b"]],
    ["and without its line end", "data:a\n\nevent:x\ndata:b", ["message|a", "x|b"]],
    ["but a name or a comment alone at the end is none", "data:a\n\nevent:x", ["message|a"]],
    ["an empty stream", "", []],
    ["a mark alone", "\ufeff", []],
  ])("%s", (_, text, expected) => {
    expect(events(text)).toEqual(expected);
  });

  test("is the same wherever lines end with another mark", () => {
    const text = "event: a\ndata: 1\ndata: 2\n\n: ping\n\nid: 7\ndata: 3\n\n";
    for (const end of ["\r", "\r\n"]) expect(events(text.replaceAll("\n", end))).toEqual(events(text));
  });
});

describe("a reply in each form of a stream", () => {
  const chunk = (delta: object, finish: string | null): string =>
    JSON.stringify({
      id: "c1",
      object: "chat.completion.chunk",
      model: "gpt-5",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const chunks = [
    chunk({ role: "assistant", content: "17 " }, null),
    chunk({ content: "°C." }, null),
    chunk({}, "stop"),
    "[DONE]",
  ];
  const usual = chunks.map((data) => `data: ${data}\n\n`).join("");
  const record = (response: string): string =>
    `${JSON.stringify({
      url: "https://api.openai.com/v1/chat/completions",
      request: { model: "gpt-5", stream: true, messages: [{ role: "user", content: "How warm is it?" }] },
      status: 200,
      response,
    })}\n`;

  test.each<[string, string]>([
    ["as servers send it", usual],
    ["with CR LF", usual.replaceAll("\n", "\r\n")],
    ["with CR", usual.replaceAll("\n", "\r")],
    ["with line ends of all kinds", usual.replace("\n\n", "\r\n\r\n").replace(/\n\n$/, "\r\r")],
    ["behind a byte order mark", `\ufeff${usual}`],
    ["without spaces behind the colons", usual.replaceAll("data: ", "data:")],
    ["with two spaces behind the colons", usual.replaceAll("data: ", "data:  ")],
    ["with comments between", usual.replaceAll("data: ", ": ping\n\n: OPENROUTER PROCESSING\ndata: ")],
    [
      "with ids, names and times to wait",
      usual.replaceAll("data: ", "id: 1\nretry: 10\nevent: message\ndata: "),
    ],
    ["with unknown fields", usual.replaceAll("\n\n", "\nx-trace: 7\nfoo\n\n")],
    ["with data on several lines", usual.replaceAll(',"choices"', ',\ndata: "choices"')],
    ["with many blank lines", usual.replaceAll("\n\n", "\n\n\n\n")],
    ["without its last blank line", usual.slice(0, -1)],
    ["without its last line end", usual.slice(0, -2)],
  ])("is whole %s", async (_, stream) => {
    const source = bytesSource("run.jsonl", Buffer.from(record(stream)));
    const { report } = await checkFiles([{ path: "run.jsonl", source }]);
    expect(report.findings).toEqual([]);
    expect(report.files).toMatchObject([{ exchanges: 1 }]);
  });
});
