import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { plainText, unescapeBytes } from "../../src/reading/escapes.ts";
import type { Origin } from "../../src/reading/origin.ts";
import { locateJson, locateText, originOf, plainSpan, type Span } from "../../src/reading/place.ts";
import { pointerToken } from "../../src/reading/pointer.ts";
import { memorySource } from "../../src/reading/source.ts";
import { packedView, segmentedView, wholeView } from "../../src/reading/view.ts";

const before = '2025-09-14 ü {"body":"';
const after = '","status":200}\n';

/** A payload in the middle of a file, kept as a string inside a string `level` times. */
function span(payload: string, level: number): Span {
  const text = embedded(payload, level);
  const source = memorySource("run.log", Buffer.from(before + text + after));
  const start = Buffer.byteLength(before);
  return { view: wholeView(source), start, end: start + Buffer.byteLength(text), level };
}

function embedded(text: string, level: number): string {
  return level === 0 ? text : embedded(JSON.stringify(text).slice(1, -1), level - 1);
}

function bytesAt({ source, start, end }: Origin): string {
  return source.read(start, end).toString("utf8");
}

const payload =
  '{"messages":[{"role":"user","content":"Say \\"grüezi\\" 👋\\n"},{"role":"tool","content":"-3 °C"}]}';

describe("the place of a value", () => {
  it.each([
    [0, '"Say \\"grüezi\\" 👋\\n"'],
    [1, '\\"Say \\\\\\"grüezi\\\\\\" 👋\\\\n\\"'],
    [2, '\\\\\\"Say \\\\\\\\\\\\\\"grüezi\\\\\\\\\\\\\\" 👋\\\\\\\\n\\\\\\"'],
  ])("is its bytes as the file has them, %i strings deep", (level, written) => {
    expect(bytesAt(locateJson(span(payload, level), "/messages/0/content"))).toBe(written);
    expect(bytesAt(locateJson(span(payload, level), "/messages/1/content"))).toBe(embedded('"-3 °C"', level));
    expect(bytesAt(locateJson(span(payload, level), "/messages/9"))).toBe(
      bytesAt(locateJson(span(payload, level), "/messages")),
    );
    expect(bytesAt(originOf(span(payload, level)))).toBe(embedded(payload, level));
  });

  it.each([0, 1, 2, 3])("is exact for any JSON, %i strings deep", (level) => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        for (const [pointer, value] of pointers(JSON.parse(text))) {
          const found = bytesAt(locateJson(span(text, level), pointer));
          expect(JSON.parse(plainText(Buffer.from(found), 0, Buffer.byteLength(found), level))).toEqual(
            value,
          );
        }
      }),
    );
  });

  it("is found without a second look at the bytes by spans that are made anew", () => {
    const { view, ...range } = span(payload, 1);
    let reads = 0;
    const counting = {
      ...view,
      read: (start: number, end: number) => {
        reads++;
        return view.read(start, end);
      },
    };
    const found = () => bytesAt(locateJson({ view: counting, ...range }, "/messages/1/content"));
    expect(found()).toBe(embedded('"-3 °C"', 1));
    const once = reads;
    expect(found()).toBe(embedded('"-3 °C"', 1));
    expect(reads).toBe(once);
  });

  it("is exact also where every quote is written as \\u0022", () => {
    const text = payload.replaceAll("\\", "\\u005c").replaceAll('"', "\\u0022");
    const source = memorySource("run.log", Buffer.from(before + text + after));
    const start = Buffer.byteLength(before);
    const escaped: Span = { view: wholeView(source), start, end: start + Buffer.byteLength(text), level: 1 };
    expect(bytesAt(locateJson(escaped, "/messages/0/role"))).toBe("\\u0022user\\u0022");
    expect(bytesAt(locateJson(escaped, "/messages/1/content"))).toBe("\\u0022-3 °C\\u0022");
    expect(bytesAt(locateJson(escaped, "/messages/0/content"))).toBe(
      "\\u0022Say \\u005c\\u0022grüezi\\u005c\\u0022 👋\\u005cn\\u0022",
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

describe("the place of a stretch of text", () => {
  const events = 'data: {"text":"Grüezi 👋"}\n\ndata: {"text":"wohl"}\n\n';

  it.each([0, 1, 2])("is counted in UTF-16 units of the plain text, %i strings deep", (level) => {
    for (const wanted of ['{"text":"Grüezi 👋"}', '{"text":"wohl"}', "👋", "\n\ndata"]) {
      const start = events.indexOf(wanted);
      const origin = locateText(span(events, level), start, start + wanted.length);
      expect(bytesAt(origin)).toBe(embedded(wanted, level));
    }
  });

  it("is found again and again, in any order", () => {
    const whole = span(events, 1);
    for (const wanted of ["wohl", "Grüezi", "👋", "wohl", "data"]) {
      const start = events.indexOf(wanted);
      expect(bytesAt(locateText(whole, start, start + wanted.length))).toBe(wanted);
    }
  });

  it("is right behind bytes that are no UTF-8", () => {
    const bytes = Buffer.concat([
      Buffer.from("data: "),
      Buffer.from([0xff, 0xe2, 0x82, 0xc3]),
      Buffer.from(" ü {} 👋 end"),
    ]);
    const broken: Span = {
      view: wholeView(memorySource("run.log", bytes)),
      start: 0,
      end: bytes.length,
      level: 0,
    };
    const text = bytes.toString("utf8");
    for (const wanted of ["{}", "👋", "end"]) {
      const start = text.indexOf(wanted);
      expect(bytesAt(locateText(broken, start, start + wanted.length))).toBe(wanted);
    }
  });

  it("is exact for any text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }),
        fc.nat({ max: 2 }),
        (words, level) => {
          const whole = span(words.join(""), level);
          let start = 0;
          for (const word of words) {
            expect(bytesAt(locateText(whole, start, start + word.length))).toBe(embedded(word, level));
            start += word.length;
          }
        },
      ),
    );
  });
});

describe("undoing escapes", () => {
  const undone = (text: string): string => unescapeBytes(Buffer.from(text)).bytes.toString("utf8");

  test.each([
    ["short escapes", 'a\\n\\t\\"\\\\\\/b', 'a\n\t"\\/b'],
    ["code units", "\\u0022Z\\u00fcrich\\u0022", '"Zürich"'],
    ["surrogate pairs", "\\ud83d\\udc4b", "👋"],
    ["half a pair, which UTF-8 cannot hold", "\\ud83d!", "\ufffd!"],
    ["what is no escape stays", "C:\\Users \\u12 \\", "C:\\Users \\u12 \\"],
    ["nothing", "", ""],
  ])("%s", (_, text, plain) => {
    expect(undone(text)).toBe(plain);
  });

  test("gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(undone(JSON.stringify(text).slice(1, -1))).toBe(text);
      }),
    );
  });

  test("every character leads back to what stands for it", () => {
    const written = "Z\\u00fc\\nrich \\ud83d\\udc4b\\\\";
    const source = memorySource("run.log", Buffer.from(`>>${written}<<`));
    const { bytes, segments } = unescapeBytes(Buffer.from(written));
    const view = segmentedView(
      wholeView(source),
      bytes,
      segments.map((segment) => ({ ...segment, from: segment.from + 2 })),
    );
    const back: string[] = [];
    let at = 0;
    for (const character of bytes.toString("utf8")) {
      const end = at + Buffer.byteLength(character);
      back.push(bytesAt(view.origin(at, end)));
      at = end;
    }
    expect(back).toEqual(["Z", "\\u00fc", "\\n", "r", "i", "c", "h", " ", "\\ud83d\\udc4b", "\\\\"]);
    expect(bytesAt(view.origin(0, bytes.length))).toBe(written);
  });

  test("a text two strings deep becomes plain in a view of a view", () => {
    const { view, start, end, level } = plainSpan(span(payload, 2));
    expect({ text: view.read(start, end).toString("utf8"), level, isFile: view.isFile }).toEqual({
      text: payload,
      level: 0,
      isFile: undefined,
    });
    expect(bytesAt(view.origin(start, end))).toBe(embedded(payload, 2));
  });
});

describe("views", () => {
  const source = memorySource("run.log", Buffer.from("> {\n> }\n"));

  test("lines behind prefixes are put together, and a stretch over two of them holds the prefix between", () => {
    const segments = [
      { at: 0, from: 2, length: 2 },
      { at: 2, from: 6, length: 2 },
    ];
    const view = segmentedView(wholeView(source), Buffer.from("{\n}\n"), segments);
    expect(view.read(0, 4).toString()).toBe("{\n}\n");
    expect(bytesAt(view.origin(0, 1))).toBe("{");
    expect(bytesAt(view.origin(2, 3))).toBe("}");
    expect(bytesAt(view.origin(0, 3))).toBe("{\n> }");
    expect(view.origin(2, 2)).toEqual({ source, start: 6, end: 6 });
  });

  test("in bytes that were unpacked every place is the scalar that holds them", () => {
    const view = packedView(source, Buffer.from('{"a":1}'), { start: 2, end: 7 });
    expect(view.origin(5, 6)).toEqual({ source, start: 2, end: 7 });
    expect(view.isFile).toBe(undefined);
  });
});
