import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { jsonPlace } from "../../src/containers/payloads/slice.ts";
import { type BodyEdit, writeBack } from "../../src/containers/write/write-back.ts";
import type { Span } from "../../src/reading/place.ts";
import { memorySource } from "../../src/reading/source.ts";
import { wholeView } from "../../src/reading/view.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";
import { edited, written } from "./edits.ts";
import { answer, ask, call, goesOn, open, question, result, told } from "./stories.ts";

/** A body by itself, edited; what is refused is a sentence. */
async function body(text: string, ...edits: readonly BodyEdit[]): Promise<string> {
  return embeddedBody(text, 0, edits);
}

async function embeddedBody(text: string, level: number, edits: readonly BodyEdit[]): Promise<string> {
  const before = level === 0 ? "" : '{"body":"';
  const inside = escapedTimes(text, level);
  const source = memorySource("run.log", Buffer.from(before + inside));
  const start = Buffer.byteLength(before);
  const span: Span = { view: wholeView(source), start, end: start + Buffer.byteLength(inside), level };
  const { bytes, refused } = writeBack(source, [{ place: jsonPlace(span), edits }]);
  const { why } = refused[0] ?? {};
  if (why !== undefined) {
    expect(bytes).toEqual(source.read(0, source.size));
    return why;
  }
  const out = bytes.toString("utf8");
  expect(out.startsWith(before)).toBe(true);
  return plainTimes(out.slice(before.length), level);
}

function escapedTimes(text: string, level: number): string {
  return level === 0 ? text : escapedTimes(JSON.stringify(text).slice(1, -1), level - 1);
}

function plainTimes(text: string, level: number): string {
  return level === 0 ? text : plainTimes(JSON.parse(`"${text}"`), level - 1);
}

describe("a value in a body", () => {
  it("is replaced where it stands, and nothing else", async () => {
    const text = '{"model":"gpt-5", "n" :1.50,"messages":[ {"role":"user","content":"hi"} ]}';
    expect(await body(text, { op: "replace", pointer: "/messages/0/content", json: '"bye"' })).toBe(
      '{"model":"gpt-5", "n" :1.50,"messages":[ {"role":"user","content":"bye"} ]}',
    );
    expect(await body(text, { op: "replace", pointer: "/n", json: "2.00e1" })).toBe(
      '{"model":"gpt-5", "n" :2.00e1,"messages":[ {"role":"user","content":"hi"} ]}',
    );
  });

  it("stays byte for byte when it is replaced by its own text", async () => {
    const text = '{ "a": [1,\t2],\n"b": {"c" :"\\u00fc"} }';
    expect(await body(text, { op: "replace", pointer: "/a", json: "[1,\t2]" })).toBe(text);
    expect(await body(text, { op: "replace", pointer: "/b", json: '{"c" :"\\u00fc"}' })).toBe(text);
    expect(await body(text, { op: "replace", pointer: "", json: text })).toBe(text);
  });

  it("is the last of its name, as it is for JSON.parse", async () => {
    expect(await body('{"a":1,"a":2}', { op: "replace", pointer: "/a", json: "3" })).toBe('{"a":1,"a":3}');
  });
});

describe("a list", () => {
  const line = '{"input": [{"id": 1}, {"id": 2}, {"id": 3}]}';
  const lines = `{
  "input": [
    {
      "id": 1
    },
    {
      "id": 2
    },
    {
      "id": 3
    }
  ]
}
`;

  it("loses an element with its separator", async () => {
    expect(await body(line, { op: "remove", pointer: "/input/0" })).toBe('{"input": [{"id": 2}, {"id": 3}]}');
    expect(await body(line, { op: "remove", pointer: "/input/1" })).toBe('{"input": [{"id": 1}, {"id": 3}]}');
    expect(await body(line, { op: "remove", pointer: "/input/2" })).toBe('{"input": [{"id": 1}, {"id": 2}]}');
  });

  it("loses an element with its lines", async () => {
    const [first, last] = ["0", "2"].map((index) => ({ op: "remove", pointer: `/input/${index}` }) as const);
    expect(await body(lines, first as BodyEdit, last as BodyEdit)).toBe(
      '{\n  "input": [\n    {\n      "id": 2\n    }\n  ]\n}\n',
    );
  });

  it("is empty when it lost all", async () => {
    const all = [0, 1, 2].map((index) => ({ op: "remove", pointer: `/input/${index}` }) as const);
    expect(await body(line, ...all)).toBe('{"input": []}');
    expect(await body(lines, ...all)).toBe('{\n  "input": []\n}\n');
  });

  it("takes new elements, which look as their neighbours", async () => {
    expect(
      await body(
        line,
        { op: "insert", pointer: "/input/0", json: '{"id":-1}' },
        { op: "insert", pointer: "/input/0", json: '{"id":0}' },
        { op: "insert", pointer: "/input/2", json: '{"id":2.5,"of":["a","b"]}' },
        { op: "insert", pointer: "/input/-", json: '{"id":4}' },
        { op: "insert", pointer: "/input/3", json: '{"id":5}' },
      ),
    ).toBe(
      '{"input": [{"id": -1}, {"id": 0}, {"id": 1}, {"id": 2}, {"id": 2.5, "of": ["a", "b"]}, {"id": 3}, {"id": 4}, {"id": 5}]}',
    );
    expect(
      await body(lines, { op: "insert", pointer: "/input/1", json: '{"id":1.5,"of":[{"a":[]},2]}' }),
    ).toBe(
      lines.replace(
        '    {\n      "id": 2',
        '    {\n      "id": 1.5,\n      "of": [\n        {\n          "a": []\n        },\n        2\n      ]\n    },\n    {\n      "id": 2',
      ),
    );
  });

  it("changes one element for another where one goes and one comes", async () => {
    expect(
      await body(
        line,
        { op: "remove", pointer: "/input/1" },
        { op: "insert", pointer: "/input/1", json: '{"id":9}' },
      ),
    ).toBe('{"input": [{"id": 1}, {"id": 9}, {"id": 3}]}');
    const all = [0, 1, 2].map((index) => ({ op: "remove", pointer: `/input/${index}` }) as const);
    expect(await body(line, ...all, { op: "insert", pointer: "/input/3", json: '{"id":9}' })).toBe(
      '{"input": [{"id": 9}]}',
    );
  });

  it("gets its first element in the manner of the body", async () => {
    const first: BodyEdit = { op: "insert", pointer: "/a/0", json: '{"b":[1]}' };
    expect(await body('{"a":[],"c":1}', first)).toBe('{"a":[{"b":[1]}],"c":1}');
    expect(await body('{"a": [], "c": 1}', first)).toBe('{"a": [{"b": [1]}], "c": 1}');
    expect(await body('{\r\n\t"a": []\r\n}', first)).toBe(
      '{\r\n\t"a": [\r\n\t\t{\r\n\t\t\t"b": [\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t]\r\n}',
    );
  });

  it("keeps the manner of writers that begin objects on the line of their list", async () => {
    const text = '{\n  "a" : [ {\n    "b" : 1\n  }, {\n    "b" : 2\n  } ]\n}';
    expect(await body(text, { op: "insert", pointer: "/a/2", json: '{"b":3,"c":[1,2]}' })).toBe(
      '{\n  "a" : [ {\n    "b" : 1\n  }, {\n    "b" : 2\n  }, {\n    "b" : 3,\n    "c" : [ 1, 2 ]\n  } ]\n}',
    );
  });

  it("on lines of short objects gets one more line", async () => {
    const text = '{"a":[\n  {"b": 1},\n  {"b": 2}\n]}';
    expect(await body(text, { op: "insert", pointer: "/a/2", json: '{"b":3}' })).toBe(
      '{"a":[\n  {"b": 1},\n  {"b": 2},\n  {"b": 3}\n]}',
    );
  });
});

describe("an object", () => {
  it("takes a new member where it is wanted", async () => {
    const text = '{"role":"tool","content":"18 °C"}';
    expect(
      await body(text, { op: "insert", pointer: "/tool_call_id", json: '"call_1"', after: "role" }),
    ).toBe('{"role":"tool","tool_call_id":"call_1","content":"18 °C"}');
    expect(await body(text, { op: "insert", pointer: "/tool_call_id", json: '"call_1"' })).toBe(
      '{"role":"tool","content":"18 °C","tool_call_id":"call_1"}',
    );
    expect(await body("{}", { op: "insert", pointer: "/a~1b", json: "{}" })).toBe('{"a/b":{}}');
  });

  it("takes a new member on a line of its own", async () => {
    expect(
      await body('{\n    "call_id": "call_1"\n}', {
        op: "insert",
        pointer: "/type",
        json: '"function_call_output"',
      }),
    ).toBe('{\n    "call_id": "call_1",\n    "type": "function_call_output"\n}');
  });

  it("loses a member", async () => {
    const text = '{ "a": 1, "b": 2, "c": 3 }';
    expect(await body(text, { op: "remove", pointer: "/a" })).toBe('{ "b": 2, "c": 3 }');
    expect(await body(text, { op: "remove", pointer: "/b" })).toBe('{ "a": 1, "c": 3 }');
    expect(await body(text, { op: "remove", pointer: "/c" })).toBe('{ "a": 1, "b": 2 }');
  });

  it("may have a member renamed in its place", async () => {
    expect(
      await body(
        '{"a":1,"b":2}',
        { op: "remove", pointer: "/a" },
        { op: "insert", pointer: "/c", json: "1", after: "a" },
      ),
    ).toBe('{"c":1,"b":2}');
  });
});

describe("letters beyond ASCII", () => {
  it("are escaped where the body escapes them", async () => {
    const edit: BodyEdit = { op: "replace", pointer: "/b", json: '"ö👋"' };
    expect(await body('{"a":"\\u00fc","b":""}', edit)).toBe('{"a":"\\u00fc","b":"\\u00f6\\ud83d\\udc4b"}');
    expect(await body('{"a":"ü","b":""}', edit)).toBe('{"a":"ü","b":"ö👋"}');
    expect(await body('{"a":"u","b":""}', edit)).toBe('{"a":"u","b":"ö👋"}');
  });

  it("are escaped where the string around the body escapes them", async () => {
    const log = `{"body":"{\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"Z\\u00fcrich\\"}],\\"model\\":\\"gpt-5\\"}"}\n`;
    expect(
      await written(log, { 1: [{ op: "replace", pointer: "/messages/0/content", json: '"Köln"' }] }),
    ).toBe(
      `{"body":"{\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"K\\u00f6ln\\"}],\\"model\\":\\"gpt-5\\"}"}\n`,
    );
  });

  it("are escaped where only another line of the log shows that they are", async () => {
    const line = (content: string): string =>
      `{"model": "gpt-5", "messages": [{"role": "user", "content": "${content}"}]}\n`;
    const edit: BodyEdit = { op: "replace", pointer: "/messages/0/content", json: '"Köln"' };
    expect(await written(line("Bern") + line("Z\\u00fcrich"), { 1: [edit] })).toBe(
      line("K\\u00f6ln") + line("Z\\u00fcrich"),
    );
  });

  it("never become half a character", async () => {
    expect(await body('{"a":"ü"}', { op: "replace", pointer: "/a", json: '"\ud83d!"' })).toBe(
      '{"a":"\\ud83d!"}',
    );
  });
});

describe("what cannot be written", () => {
  const text = '{"a":[1,2],"b":{"c":3}}';
  test.each<[string, readonly BodyEdit[]]>([
    ["there is nothing at `/x`", [{ op: "replace", pointer: "/x", json: "1" }]],
    ["there is nothing at `/a/2`", [{ op: "remove", pointer: "/a/2" }]],
    ["there is no place `/a/3` to insert at", [{ op: "insert", pointer: "/a/3", json: "1" }]],
    ["there is already a member at `/b/c`", [{ op: "insert", pointer: "/b/c", json: "1" }]],
    ["`/b/c/d` does not lead into an object or array", [{ op: "insert", pointer: "/b/c/d", json: "1" }]],
    ["the new value for `/a` is not JSON", [{ op: "replace", pointer: "/a", json: "[1" }]],
    [
      "the changes overlap",
      [
        { op: "replace", pointer: "/b", json: "1" },
        { op: "replace", pointer: "/b/c", json: "2" },
      ],
    ],
    [
      "the changes overlap",
      [
        { op: "remove", pointer: "/a" },
        { op: "insert", pointer: "/a/-", json: "3" },
      ],
    ],
  ])("is refused: %s", async (why, edits) => {
    expect(await body(text, ...edits)).toBe(why);
  });

  it("is refused where a whole body is to go that shares its line", async () => {
    const why = "only a record on its own line can be removed or inserted as a whole";
    expect(await embeddedBody(text, 1, [{ op: "remove", pointer: "" }])).toBe(why);
    expect(
      await body(JSON.stringify(JSON.parse(text), null, 2), { op: "insert", pointer: "", json: "{}" }),
    ).toBe(why);
  });

  it("is refused in a body whose end the log has lost", async () => {
    expect(await body('{"a":[1,2', { op: "insert", pointer: "/a/-", json: "3" })).toBe(
      "its end is not in the log",
    );
  });

  it("does not keep the other changes from being written", async () => {
    const log = `${JSON.stringify(goesOn)}\n${JSON.stringify(ask("Hi"))}\n`;
    const { bytes, refused } = await edited(log, {
      1: [
        { op: "remove", pointer: "/messages/0" },
        { op: "remove", pointer: "/messages/7" },
      ],
      2: [{ op: "replace", pointer: "/messages/0/content", json: '"Ho"' }],
    });
    expect(bytes.toString()).toBe(`${JSON.stringify(goesOn)}\n${JSON.stringify(ask("Ho"))}\n`);
    expect(refused.map(({ why }) => why)).toEqual(["there is nothing at `/messages/7`"]);
  });
});

describe("any body, however it is laid out and however deep it is embedded", () => {
  const layouts = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(value, null, 2),
    (value) => JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n"),
    (value) => JSON.stringify(value, null, 1).replaceAll(/\n */g, " "),
    (value) =>
      JSON.stringify(value).replaceAll(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  );
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", '\\\\"', "\u2028", "</script>", "\n", "ü", "👋", "\\u0022"),
  );
  const value: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.constantFrom(0, -1.5, true, null),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(word, tie("any"), { maxKeys: 4 }),
    ),
  })).any;

  it("reads as the edits say, and is the same bytes without any", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(5), fc.constantFrom("replace", "insert", "remove"), value), {
          maxLength: 4,
        }),
        layouts,
        fc.nat(3),
        async (list, wanted, layout, level) => {
          const text = layout({ list, end: 1 });
          const edits: BodyEdit[] = [];
          const touched = new Set<number>();
          const inserted = list.map((): unknown[] => []).concat([[]]);
          const kept = list.map((item): unknown[] => [item]);
          for (const [index, op, fresh] of wanted) {
            const pointer = `/list/${index}`;
            if (op === "insert" && index <= list.length) {
              edits.push({ op, pointer, json: JSON.stringify(fresh) });
              inserted[index]?.push(JSON.parse(JSON.stringify(fresh)));
            } else if (op !== "insert" && index < list.length && !touched.has(index)) {
              touched.add(index);
              edits.push(
                op === "replace"
                  ? { op: "replace", pointer, json: JSON.stringify(fresh) }
                  : { op: "remove", pointer },
              );
              kept[index] = op === "replace" ? [JSON.parse(JSON.stringify(fresh))] : [];
            }
          }
          const out = await embeddedBody(text, level, edits);
          const expected = inserted.flatMap((fresh, index) => [...fresh, ...(kept[index] ?? [])]);
          expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify({ list: expected, end: 1 })));
          if (edits.length === 0) expect(out).toBe(text);
        },
      ),
    );
  });

  /** What layouts agree on how to write. */
  const plain = fc.string({
    unit: fc.constantFrom("a", "Z", " ", '"', "\\", "/", ",", "[", "{", ":", "\n", "<"),
  });

  it("looks as if its own writer had written it, where a whole element is put in", async () => {
    const item = fc.record({
      role: fc.constantFrom("user", "tool"),
      content: plain,
      parts: fc.array(fc.record({ type: plain }), { minLength: 2, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 3, maxLength: 5 }),
        fc.nat(2),
        layouts,
        fc.nat(3),
        async (list, index, layout, level) => {
          const rest = list.filter((_, place) => place !== index);
          const edit: BodyEdit = {
            op: "insert",
            pointer: `/list/${index}`,
            json: JSON.stringify(list[index]),
          };
          expect(await embeddedBody(layout({ list: rest, n: 0 }), level, [edit])).toBe(
            layout({ list, n: 0 }),
          );
          const gone: BodyEdit = { op: "remove", pointer: `/list/${index}` };
          expect(await embeddedBody(layout({ list, n: 0 }), level, [gone])).toBe(
            layout({ list: rest, n: 0 }),
          );
        },
      ),
    );
  });
});

describe("JSON lines", () => {
  it("have one line changed, and read as what was asked for", async () => {
    const lines = [
      JSON.stringify({
        ts: "2025-09-14T10:00:00Z",
        request: { model: "gpt-5", messages: [question, result] },
      }),
      "not JSON",
      JSON.stringify({ ts: "2025-09-14T10:00:05Z", request: JSON.stringify(goesOn) }),
    ];
    const log = `\ufeff${lines.join("\r\n")}\r\n`;
    const out = await written(log, {
      1: [{ op: "insert", pointer: "/messages/1", json: JSON.stringify(call) }],
      2: [{ op: "insert", pointer: "/messages/-", json: JSON.stringify(answer) }],
    });
    expect(out).toBe(
      `\ufeff${[
        JSON.stringify({
          ts: "2025-09-14T10:00:00Z",
          request: { model: "gpt-5", messages: [question, call, result] },
        }),
        "not JSON",
        JSON.stringify({
          ts: "2025-09-14T10:00:05Z",
          request: JSON.stringify({ ...goesOn, messages: [question, call, result, answer] }),
        }),
      ].join("\r\n")}\r\n`,
    );
    expect(await told(out)).toEqual([
      'user "How warm is it in Zürich?", call weather {"city":"Zürich"}, result {"celsius":18} → ?',
      'user "How warm is it in Zürich?", call weather {"city":"Zürich"}, result {"celsius":18}, assistant "It is 18 °C." → ?',
    ]);
  });

  it("are the same bytes when nothing is to be changed", async () => {
    const log = Buffer.from(`${JSON.stringify(goesOn)}\n\xff\n`, "latin1");
    const { source, exchanges } = await open(log);
    const place = exchanges[0]?.request?.place as PayloadPlace;
    expect(writeBack(source, [{ place, edits: [] }]).bytes).toEqual(log);
  });
});
