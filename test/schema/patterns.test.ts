import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matches } from "../../src/rules/schema/patterns.ts";
import { re2Syntax } from "../../src/rules/schema/re2-syntax.ts";
import { Spent, Work } from "../../src/rules/schema/work.ts";

/** Whether a pattern that stands in a schema matches a text. */
function isMatch(pattern: string, text: string): boolean | "not run" {
  const work = new Work();
  work.begin({ values: 1, characters: text.length });
  return matches(pattern, text, work) ?? "not run";
}

const texts = [
  "",
  "a",
  "A_z-9",
  "2024-02-30",
  "tom@example.com",
  "ä",
  "\u00a0",
  "\ufeff x",
  "a\nb",
  "a\r",
  "\u2028",
  "日本語",
  "🎉",
  "\ud83c",
  "a\n",
  "]",
  "\\d",
  "/x/",
  "\u0000",
  "\b",
];

describe("patterns mean what they mean in ECMA-262", () => {
  test.each([
    "^[a-z]+$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
    "^\\S+$",
    "\\s",
    "[\\s]",
    "[^\\s]",
    "[\\S]",
    "[^\\S]",
    "^.$",
    "^.*$",
    "a$",
    "^$",
    "^\\w+$",
    "\\W",
    "[\\W\\d]",
    "\\bz\\b",
    "\\B",
    "[]",
    "[^]",
    "^[^]*$",
    "[\\b]",
    "\\u{1f389}",
    "\\ud83c\\udf89",
    "[\\u{1f000}-\\u{1ffff}]",
    "\\x41",
    "\\cJ",
    "\\0",
    "^\\p{L}+$",
    "\\P{L}",
    "[\\p{Lu}\\p{Nd}]",
    "^(?<year>\\d+)-",
    "(?:a|b|)$",
    "^(?:(?:a|A)_)?[z]*",
    "[a\\-z]",
    "[-a]",
    "[\\]\\\\]",
    "^\\/x\\/$",
    "^a{0}$",
    "^[ -~]*$",
    "^.{0,4000}$",
    "^[^\\n]{2,5000}$",
    "^\\w{1001,}$",
    "a+?",
    "^(a*)*$",
  ])("%s", (pattern) => {
    const native = new RegExp(pattern, "u");
    for (const text of [...texts, "a".repeat(1_500), "🎉".repeat(2_001)])
      expect([text, isMatch(pattern, text)]).toEqual([text, native.test(text)]);
  });

  test("escapes that only patterns without the flag `u` may have stand for themselves", () => {
    expect(isMatch("^[\\w\\-\\.]+\\@x\\_y$", "a-b.c@x_y")).toBe(true);
    expect(isMatch("^[\\w-.]+$", "a-b.c")).toBe(true);
  });

  test("a character of two halves has no position inside", () => {
    expect(isMatch("\\B", "a🎉a")).toBe(false);
    expect(isMatch("\\B", "🎉🎉")).toBe(true);
  });

  test("any pattern that is run gives the same answer", () => {
    const atom = fc.constantFrom(
      ..."a|b|[a-c]|[^a]|.|\\d|\\D|\\w|\\W|\\s|\\S|\\b|\\B|^|$|[\\s-]|[\\S]|\\.|\\n|é|🎉|\\u00e9|[é-🎉]|\\p{L}|-|_|0".split(
        "|",
      ),
    );
    const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?");
    const pattern = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small", maxDepth: 4 },
        fc.tuple(atom, quantifier).map((parts) => parts.join("")),
        fc.tuple(tie("any"), tie("any")).map((parts) => parts.join("")),
        fc.tuple(tie("any"), tie("any")).map((parts) => parts.join("|")),
        fc.tuple(tie("any"), quantifier).map(([inner, often]) => `(${inner})${often}`),
      ),
    })).any as fc.Arbitrary<string>;
    const text = fc
      .array(
        fc.constantFrom(
          "a",
          "b",
          "c",
          "d",
          "0",
          "-",
          "_",
          " ",
          "\n",
          "\r",
          "é",
          "🎉",
          "\u00a0",
          "\ud83c",
          ".",
        ),
        {
          maxLength: 8,
        },
      )
      .map((characters) => characters.join(""));
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        // V8 also looks for `\B` between the halves of a character, where ECMA-262 has no position.
        if (source.includes("\\B") && /[\u{10000}-\u{10ffff}]/u.test(value)) return;
        let native: RegExp;
        try {
          native = new RegExp(source, "u");
        } catch {
          return;
        }
        const found = isMatch(source, value);
        if (found !== "not run") expect(found).toBe(native.test(value));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a pattern is not run", () => {
  test.each([
    ["that looks around", "^(?=.*\\d)"],
    ["that looks back", "(?<!a)b"],
    ["that refers to what it matched", "^(a)\\1$"],
    ["that refers by name", "(?<x>a)\\k<x>"],
    ["of another language", "[[:alpha:]]+"],
    ["of another language", "[[a-z]--[b]]"],
    ["of another language", "(?i)abc"],
    ["of another language", "\\Aabc\\z"],
    ["of another language", "(?P<x>a)"],
    ["that is none", "["],
    ["that is none", "a)"],
    ["that is none", "a**"],
    ["that is none", "*a"],
    ["that is none", "a{2,1}"],
    ["that is none", "[z-a]"],
    ["that is none", "\\"],
    ["with half a character", "\\ud83c"],
    ["whose repetitions are too large together", `^${"a{999}".repeat(28)}$`],
    ["whose repetitions are too large within each other", "((a{30}){30}){30}"],
    ["that is too long", "a".repeat(20_000)],
    ["that is too deep", "(".repeat(500) + ")".repeat(500)],
    ["of a property that RE2 does not know", "\\p{Alphabetic}"],
  ])("%s: %s", (_, pattern) => {
    expect(isMatch(pattern, "abc")).toBe("not run");
  });
});

test.each([
  ["^(a+)+$", "a"],
  ["^a*a*a*a*a*b$", "a"],
  ["^[ab]*a[ab]{400}$", "a"],
  ["^(?:a?){100}a{100}$", "a"],
  ["(x+x+)+y", "x"],
])("the work that %s takes grows with the text", (pattern, character) => {
  const size = re2Syntax(pattern)?.size ?? Number.NaN;
  const [, second = 0, third = 0] = [1_000, 2_000, 4_000].map((length) => {
    const work = new Work();
    work.begin({ values: 1, characters: length });
    matches(pattern, `${character.repeat(length)}!`, work);
    return work.spent;
  });
  expect(size).toBeLessThan(1_000);
  expect(third).toBeLessThan(2.1 * second);
});

test("a pattern that would take too much work is given up before it is run", () => {
  const work = new Work();
  const text = "ab".repeat(500_000);
  work.begin({ values: 1, characters: 0 });
  expect(() => matches("^[ab]*a[ab]{900}$", text, work)).toThrow(Spent);
});
