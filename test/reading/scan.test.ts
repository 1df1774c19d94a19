import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { JsonNode } from "../../src/reading/json-node.ts";
import { nodeAt, readValue } from "../../src/reading/json-values.ts";
import { pointerToken, pointerTokens } from "../../src/reading/pointer.ts";
import { endOfString, scanJson, skipValue } from "../../src/reading/scan.ts";

/** JSON as it stands when it is kept as a string inside a string, `level` times. */
function embedded(text: string, level: number): string {
  return level === 0 ? text : embedded(JSON.stringify(text).slice(1, -1), level - 1);
}

function scan(text: string, level = 0): { node: JsonNode | undefined; value: unknown; rest: string } {
  const bytes = Buffer.from(text);
  const node = scanJson(bytes, 0, bytes.length, level);
  return {
    node,
    value: node && readValue(bytes, node, level),
    rest: node ? bytes.toString("utf8", node.end) : text,
  };
}

const order =
  '{ "city": "Zürich", "days": [1, 2.5e3], "note": "a \\"quoted\\"\\nline \\\\", "ok": true, "until": null }';

describe.each([0, 1, 2, 3])("JSON inside %i strings", (level) => {
  it("is read to its end, and no further", () => {
    const { node, value, rest } = scan(`${embedded(order, level)}, and more`, level);
    expect(value).toEqual({
      city: "Zürich",
      days: [1, 2500],
      note: 'a "quoted"\nline \\',
      ok: true,
      until: null,
    });
    expect({ state: node?.state, rest }).toEqual({ state: "complete", rest: ", and more" });
  });

  it("may be spread over lines, whose ends are escaped, too", () => {
    const pretty = JSON.stringify({ tool: "weather", days: [1] }, null, 2);
    expect(scan(embedded(pretty, level), level).value).toEqual({ tool: "weather", days: [1] });
    expect(scan(embedded(pretty.replaceAll("\n", "\r\n\t"), level), level).value).toEqual({
      tool: "weather",
      days: [1],
    });
  });

  it("keeps what was read when its end is missing", () => {
    const text = embedded('{"tool":"weather","arguments":{"city":"Zür', level);
    const { node, value } = scan(text, level);
    expect(node?.state).toBe("open");
    expect(value).toEqual({ tool: "weather", arguments: { city: "Zür" } });
  });

  it("reads any value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        const { node, value, rest } = scan(`${embedded(text, level)} `, level);
        expect(value).toEqual(JSON.parse(text));
        expect({ state: node?.state, rest }).toEqual({ state: "complete", rest: " " });
      }),
    );
  });

  it("gives every value its exact bytes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (json) => {
        const text = JSON.stringify(json);
        const bytes = Buffer.from(embedded(text, level));
        const root = scanJson(bytes, 0, bytes.length, level);
        for (const [pointer, value] of pointers(JSON.parse(text))) {
          const node = nodeAt(root as JsonNode, pointer);
          expect(bytes.toString("utf8", node.start, node.end)).toBe(embedded(JSON.stringify(value), level));
        }
      }),
    );
  });

  it("can be stepped over without being read", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (json) => {
        const text = embedded(JSON.stringify(json), level);
        const bytes = Buffer.from(`${text},${embedded('"next"', level)}`);
        expect(skipValue(bytes, 0, bytes.length, level)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

/** Every value below `value`, with its RFC 6901 pointer. */
function* pointers(value: unknown, pointer = ""): Generator<[string, unknown]> {
  yield [pointer, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* pointers(member, `${pointer}/${pointerToken(key)}`);
}

describe("sloppy writers are understood", () => {
  test.each([
    ["a trailing comma in an object", '{"city":"Oslo",}', { city: "Oslo" }],
    ["a trailing comma in an array", "[1,2,]", [1, 2]],
    ["JavaScript's NaN", '{"score":NaN}', { score: null }],
    ["JavaScript's Infinity", '{"score":-Infinity}', { score: null }],
    ["JavaScript's undefined", '{"score":undefined}', { score: null }],
    ["the name of a variable", '{"content":query}', { content: "query" }],
    ["Python's words", '{"a":None,"b":True,"c":False}', { a: null, b: true, c: false }],
    ["a raw line feed in a string", '{"text":"two\nlines"}', { text: "two\nlines" }],
    ["an invalid escape", '{"path":"C:\\Users"}', { path: "C:\\Users" }],
    ["half a surrogate pair", '{"text":"\\ud83d"}', { text: "\ud83d" }],
    ["the same key twice: the last one counts", '{"id":1,"id":2}', { id: 2 }],
  ])("%s", (_, text, value) => {
    expect(scan(text).value).toEqual(value);
  });

  test("a key that JavaScript treats specially is a key like any other", () => {
    for (const text of ['{"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":true},}']) {
      const { value } = scan(text);
      expect(Object.keys(value as object)).toEqual(["__proto__"]);
      expect((value as { polluted?: boolean }).polluted).toBeUndefined();
    }
  });

  test.each([
    ["in a key", '{"tool":"weather","argu', { tool: "weather" }],
    ["behind a key", '{"tool":"weather","arguments"', { tool: "weather" }],
    ["behind a colon", '{"tool":"weather","arguments":', { tool: "weather" }],
    ["in a string", '{"tool":"wea', { tool: "wea" }],
    ["in an escape", '{"tool":"wea\\u00', { tool: "wea\\u00" }],
    ["in a number", '{"days":[1,23', { days: [1, 23] }],
    ["in a word", '{"days":3,"metric":tru', { days: 3, metric: null }],
    ["behind a comma", '[{"day":1},', [{ day: 1 }]],
  ])("a value cut %s keeps what came before", (_, text, value) => {
    const { node, value: read } = scan(text);
    expect(node?.state).toBe("open");
    expect(read).toEqual(value);
  });

  test("values nested deeper than any real log are stepped over, not looked into", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { node, rest } = scan(`{"deep":${deep}},`);
    expect({ state: node?.state, rest }).toEqual({ state: "complete", rest: "," });
  });
});

describe("prose does not pass for JSON", () => {
  test.each([
    "{ not json }",
    "{city: 'Oslo'}",
    '{"city"}',
    '{"city" "Oslo"}',
    '{"city":}',
    '{"city":"Oslo" "days":3}',
    "[see below]",
    "[2025-09-14 14:20:23 - openai]",
    "[log_f04941] sending request {",
    "",
    "   ",
  ])("%j", (text) => {
    expect(scan(text).node).toBeUndefined();
  });

  test("a string ends where the string around it ends", () => {
    expect(scan('{\\"city\\":\\"Os", "next": 1', 1).node).toBeUndefined();
  });
});

test.each([
  // A structural quote at level n stands behind 2ⁿ − 1 backslashes; content adds multiples of 2ⁿ⁺¹ to that.
  [0, 'Oslo" …', 5],
  [0, 'a\\"b" …', 5],
  [0, 'a\\\\" …', 4],
  [0, 'a\\\\\\"b" …', 7],
  [0, "Oslo", -1],
  [1, 'Oslo\\" …', 6],
  [1, 'a\\\\\\"b\\" …', 8],
  [1, 'a\\\\\\\\\\" …', 7],
  [1, 'Oslo" …', -2],
  [1, "Oslo", -1],
  [2, 'Oslo\\\\\\" …', 8],
  [2, `a${"\\".repeat(7)}"b\\\\\\" …`, 14],
  [2, `a${"\\".repeat(11)}" …`, 13],
  [2, 'Oslo\\" …', -2],
  [3, `Oslo${"\\".repeat(7)}" …`, 12],
])("at level %i the string %j ends at %i", (level, text, end) => {
  const bytes = Buffer.from(text);
  expect(endOfString(bytes, 0, bytes.length, level)).toBe(end);
});

describe("a pointer", () => {
  const bytes = Buffer.from(
    '{"messages":[{"role":"user"},{"a/b":{"~m":[10,11]},"":5,"role":"tool"}],"messages":[{"role":"last"}],"tools":[7,8]}',
  );
  const root = scanJson(bytes, 0, bytes.length) as JsonNode;
  const at = (pointer: string): string => {
    const node = nodeAt(root, pointer);
    return bytes.toString("utf8", node.start, node.end);
  };

  test("leads to the value, keys with slashes and tildes included", () => {
    const text = '{"a/b":{"~m":[10,11]},"":5}';
    const other = scanJson(Buffer.from(text), 0, text.length) as JsonNode;
    const of = (pointer: string): string =>
      text.slice(nodeAt(other, pointer).start, nodeAt(other, pointer).end);
    expect(of("/a~1b/~0m/1")).toBe("11");
    expect(of("/")).toBe("5");
    expect(of("")).toBe(text);
  });

  test("follows the last of equal keys, as JSON.parse does", () => {
    expect(at("/messages/0/role")).toBe('"last"');
  });

  test("that leads nowhere ends at the nearest value above", () => {
    expect(at("/messages/0/content/3")).toBe('{"role":"last"}');
    expect(at("/tools/2")).toBe("[7,8]");
    expect(at("/tools/1/deeper")).toBe("8");
  });

  test.each(["/tools/", "/tools/-", "/tools/01", "/tools/1.0", "/tools/1e0", "/tools/length"])(
    "%s names no element",
    (pointer) => {
      expect(at(pointer)).toBe("[7,8]");
    },
  );

  test("is made of escaped tokens", () => {
    expect(pointerTokens("/a~1b/~01/")).toEqual(["a/b", "~1", ""]);
    expect(pointerTokens("")).toEqual([]);
    fc.assert(
      fc.property(fc.string(), (key) => {
        expect(pointerTokens(`/${pointerToken(key)}`)).toEqual([key]);
      }),
    );
  });
});
