import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Engine } from "../../src/redact/engine.ts";
import { Permutation } from "../../src/redact/permutation.ts";
import { joinedPatches, patchedText, type TextPatch } from "../../src/redact/spelling.ts";
import { publicNames } from "../../src/redact/vocabulary.ts";
import { Pseudonyms } from "../../src/redact/words.ts";

const key = Buffer.from("a key of the tests");
const pseudonyms = new Pseudonyms(new Permutation(key), { has: (word) => word === "bye" || word === "tool" });

const classes = (word: string): string =>
  word
    .replace(/\p{Lu}/gu, "A")
    .replace(/\p{Ll}/gu, "a")
    .replace(/\p{Lo}/gu, "字")
    .replace(/\d/g, "9");

const letters = fc.stringMatching(/^[a-z]{2,12}$/);
const runs = fc.oneof(
  letters,
  fc.stringMatching(/^[A-Z][a-z]{1,10}$/),
  fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
  fc.stringMatching(/^[0-9]{1,20}$/),
  fc.stringMatching(/^[a-f0-9]{7,64}$/),
  fc.stringMatching(/^[à-öa-z]{2,9}$/),
  fc.stringMatching(/^[а-яА-Я]{2,9}$/),
  fc.stringMatching(/^[一-龥]{1,9}$/),
);

describe("the vocabulary", () => {
  test.each(["u2028", "u001f", "x7f", "bbase64", "uFEFF"])("has no escapes of patterns: %s", (name) =>
    expect(publicNames.has(name)).toBe(false),
  );

  test.each(["base64", "restrict", "response", "tool_use"])("has %s", (name) =>
    expect(publicNames.has(name)).toBe(true),
  );
});

describe("a pseudonym", () => {
  test("has the length, the case and the figures of its word, also in bytes", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const pseudonym = pseudonyms.of(run);
        expect(pseudonym).toHaveLength(run.length);
        expect(Buffer.byteLength(pseudonym)).toBe(Buffer.byteLength(run));
        expect(classes(pseudonym)).toBe(classes(run));
      }),
      { numRuns: 3000 },
    );
  });

  test("is the same for the same word, and with the same key elsewhere", () => {
    const elsewhere = new Pseudonyms(new Permutation(Buffer.from(key)), {
      has: (word) => word === "bye" || word === "tool",
    });
    const other = new Pseudonyms(new Permutation(Buffer.from("another key")), { has: () => false });
    for (const word of ["invoice", "Hamburg", "acme_corp", "4711", "Straße"]) {
      expect(elsewhere.of(word)).toBe(pseudonyms.of(word));
      expect(other.of(word)).not.toBe(pseudonyms.of(word));
    }
  });

  test("is different for different words, and never the word", () => {
    const words = [..."abcdefghijklmnopqrstuvwxyz"].flatMap((a) =>
      [..."abcdefghijklmnopqrstuvwxyz"].flatMap((b) => [`${a}${b}`, `${a}${b}e`]),
    );
    const made = words.map((word) => pseudonyms.of(word));
    expect(new Set(made).size).toBe(words.length);
    expect(words.filter((word, at) => word === made[at] && word !== "bye")).toEqual([]);
    expect(made.filter((word) => word === "bye" || word === "tool")).toEqual(["bye"]);
    fc.assert(
      fc.property(letters, (word) => word === "tool" || word === "bye" || pseudonyms.of(word) !== word),
    );
  });

  test("of a word in another case, or within a name, is the same in that case", () => {
    const [paris, path] = [pseudonyms.of("paris"), pseudonyms.of("route")];
    expect(pseudonyms.of("PARIS")).toBe(paris.toUpperCase());
    expect(pseudonyms.of("parisRoute2")).toBe(`${paris}${path.charAt(0).toUpperCase()}${path.slice(1)}2`);
  });

  test("of an id begins like that of an id that begins alike", () => {
    const id = "2qvq0UAzvzlfNuzfFE44093R";
    expect(pseudonyms.of(`${id.slice(0, -3)}xyz`).slice(0, -3)).toBe(pseudonyms.of(id).slice(0, -3));
    expect(pseudonyms.of(id)).not.toContain("qvq");
  });

  test.each(["bye", "Bye", "TOOL", "7", "42", "100", "5000", "1757514131", "1757514131000", "a"])(
    "%s stays",
    (word) => {
      expect(pseudonyms.of(word)).toBe(word);
    },
  );

  test.each([
    ["007", /^0\d\d$/],
    ["4711", /^[1-9]\d{3}$/],
    ["1987", /^19\d\d$/],
    ["deadbeef01", /^[a-f]{8}\d\d$/],
  ])("%s keeps its form", (word, form) => {
    expect(pseudonyms.of(word)).toMatch(form);
    expect(pseudonyms.of(word)).not.toBe(word);
  });
});

test.each(["-", "\\", '"', "{", "[{", " ", "\n", "a.", "\\u0041", "%41", "a: ", "QUJD", '{"delta":"a"}'])(
  "a log full of %j takes no longer than its length asks for",
  (unit) => {
    const engine = new Engine({ key, tools: new Set(), keptRoles: new Set(), keepsReadWords: true });
    const text = unit.repeat(60_000 / unit.length);
    const start = process.cpuUsage();
    expect(engine.redacted(text)).toHaveLength(text.length);
    expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
  },
);

test("the patches of a long text are joined, and a short text keeps one for each word", () => {
  const text = "one two ".repeat(3000);
  const words = [...text.matchAll(/\w+/g)].map(({ index }) => ({
    start: index,
    end: index + 3,
    text: "xyz",
  }));
  const joined: TextPatch[] = [];
  let apart = 0;
  for (const patch of words) {
    joined.push(patch);
    apart = joinedPatches(text, joined, apart);
  }
  expect(joined.length).toBeLessThan(10);
  expect(patchedText(text, joined)).toBe("xyz xyz ".repeat(3000));
  const few = words.slice(0, 20);
  expect([joinedPatches(text, few, 0), few.length]).toEqual([0, 20]);
});

test("patches that are longer than what they replace are not joined", () => {
  const text = "ab ".repeat(2000);
  const patches = Array.from({ length: 2000 }, (_, at) => ({ start: at * 3, end: at * 3 + 2, text: "abc" }));
  expect(joinedPatches(text, patches, 0)).toBe(2000);
  expect(patchedText(text, patches)).toBe("abc ".repeat(2000));
});
