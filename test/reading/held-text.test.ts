import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOfText, LazyString } from "../../src/reading/lazy-string.ts";
import { memorySource } from "../../src/reading/source.ts";

const endIn = (text: string): number => endOfText(Buffer.from(text), 1, Buffer.byteLength(text));

describe("the end of a text that is left where it stands", () => {
  test.each([
    ["plain words", '"one two" rest', 8],
    ["nothing at all", '"" rest', 1],
    ["quotes and backslashes in it", String.raw`"a \"b\" c\\" rest "`, 12],
    ["every escape that there is", String.raw`"\" \\ \/ \b \f \n \r \t \u00Fc"`, 31],
    ["letters beyond ASCII", '"Zürich 🌍" rest', 13],
  ])("is found behind %s", (_, written, end) => {
    expect(endIn(written)).toBe(end);
  });

  test.each([
    ["has no end", '"one two'],
    ["ends within an escape", '"one\\'],
    ["holds a line feed", '"one\ntwo"'],
    ["holds an escape that JSON does not know", String.raw`"C:\dir"`],
    ["holds half of an escape", String.raw`"\u12"`],
  ])("is not found where the text %s", (_, written) => {
    expect(endIn(written)).toBe(-1);
  });

  test("is found however many escapes there are", () => {
    const written = `"${"\\n".repeat(100_000)}"`;
    expect(endIn(written)).toBe(written.length - 1);
  });
});

describe("a held text", () => {
  test("is what the string says, wherever it stands among others", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 8 }), (texts) => {
        const bytes = Buffer.from(JSON.stringify(texts));
        const source = memorySource("log", bytes);
        let at = 1;
        const held = texts.map(() => {
          const end = endOfText(bytes, at + 1, bytes.length);
          const text = new LazyString(source, at + 1, end);
          at = end + 2;
          return text;
        });
        expect(held.map(({ text }) => text)).toEqual(JSON.parse(bytes.toString()));
      }),
    );
  });

  test("is read again from a source that is longer than what is kept of it", () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ${"words ".repeat(60_000)}`);
    const lines = texts.map((text) => `${JSON.stringify(text)}\n`);
    const bytes = Buffer.from(lines.join(""));
    const source = memorySource("log", bytes);
    let at = 0;
    const held = lines.map((line) => {
      const text = new LazyString(source, at + 1, at + line.length - 2);
      at += line.length;
      return text;
    });
    for (const order of [held, [...held].reverse()])
      for (const each of order) expect(each.text).toBe(texts[held.indexOf(each)]);
  });
});
