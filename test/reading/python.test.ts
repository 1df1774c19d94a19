import { describe, expect, test } from "vitest";
import { looksLikePython, pythonLiteral } from "../../src/reading/python.ts";

const read = (text: string, start = 0) => {
  const bytes = Buffer.from(text);
  const literal = pythonLiteral(bytes, start, bytes.length);
  return literal && { json: literal.bytes.toString(), end: literal.end };
};
const json = (text: string): unknown => JSON.parse(read(text)?.json ?? "null");

describe("a literal of Python is read as JSON", () => {
  test.each([
    ["a dict with words", "{'a': None, 'b': True, 'c': False}", { a: null, b: true, c: false }],
    ["a list, a tuple and trailing commas", "[1, -2.5, 1e3, (3,), ['x',],]", [1, -2.5, 1000, [3], ["x"]]],
    [
      "strings in either quotes",
      `{'it': "it's", 'say': 'a "word"', 'both': 'it\\'s "so"'}`,
      { it: "it's", say: 'a "word"', both: 'it\'s "so"' },
    ],
    [
      "escapes of every length",
      String.raw`['\n\t\\', '\x41', '\u00fc', '\U0001f600', '\d']`,
      ["\n\t\\", "A", "ü", "😀", "\\d"],
    ],
    ["text beyond ASCII", "['Zürich 😀']", ["Zürich 😀"]],
    [
      "an object with named arguments",
      "Message(role='user', content=[Text(text='hi', type='text')], usage=None)",
      { role: "user", content: [{ text: "hi", type: "text" }], usage: null },
    ],
    [
      "an enumeration",
      "{'reason': <Finish.STOP: 'STOP'>, 'code': <Code.OK: 1>}",
      { reason: "STOP", code: 1 },
    ],
    [
      "an object that nobody can read",
      "{'client': <httpx.Client object at 0x7f1c>, 'timeout': NOT_GIVEN}",
      { client: null, timeout: null },
    ],
    ["bytes", "{'body': b'ok'}", { body: "ok" }],
    ["other arguments", "{'when': datetime.datetime(2025, 9, 14)}", { when: [2025, 9, 14] }],
    ["a value over several lines", "{'a': 1,\n 'b': [2,\n       3]}", { a: 1, b: [2, 3] }],
    ["not a number", "[nan, -inf]", [null, null]],
  ])("%s", (_, text, value) => {
    expect(json(text)).toEqual(value);
  });
});

test("it ends where the literal ends", () => {
  expect(read("log {'a': 'b'} more", 4)).toEqual({ json: '{"a":"b"}', end: 14 });
});

test("what is cut is JSON that is cut", () => {
  expect(read("{'a': 'Zür")?.json).toBe('{"a":"Zür');
  expect(read("{'a': [1, 2")?.json).toBe('{"a":[1,');
});

test("what is no literal is none", () => {
  expect(read("{'a' 1}")).toBeUndefined();
  expect(read("{'a': 'b\nc'}")).toBeUndefined();
  expect(read("{1: 2}")).toBeUndefined();
  expect(read("[".repeat(500))).toBeUndefined();
});

test("every byte of the JSON leads back to the literal", () => {
  const text = `{'it': "it's \\'so\\'", 'n': [True]}`;
  const bytes = Buffer.from(text);
  const literal = pythonLiteral(bytes, 0, bytes.length);
  const at = (word: string) => literal?.bytes.indexOf(word) ?? -1;
  const from = (offset: number) => literal?.pieces.findLast((piece) => piece.at <= offset);
  expect(from(at("true"))).toMatchObject({ from: text.indexOf("True"), width: 4 });
  expect(from(at("it's"))).toMatchObject({ from: text.indexOf("it's"), length: 5 });
});

test("Python's way is told by its quotes and its names", () => {
  const looks = (text: string) => looksLikePython(Buffer.from(text), 0, text.length);
  expect(looks("{'model': 1}")).toBe(true);
  expect(looks("[{'role': 1}]")).toBe(true);
  expect(looks("ChatCompletion(id='1')")).toBe(true);
  expect(looks('{"model": 1}')).toBe(false);
  expect(looks("[1, 2]")).toBe(false);
});
