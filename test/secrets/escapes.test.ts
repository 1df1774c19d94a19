import { describe, expect, test } from "vitest";
import { unescaped } from "../../src/secrets/encoded.ts";

describe("a text without its escapes", () => {
  test.each([
    ["\\u0041b", "Ab"],
    ["\\\\\\u0041\\\\u0042", "AB"],
    ["\\x41\\\\x42", "AB"],
    ["a\\/b\\\\/c", "a/b/c"],
    ["%41%2542", "AB"],
    ["&quot;&#x41;&#66;&amp;", '"AB&'],
    [`${"\\".repeat(1_000_000)}u0041`, "A"],
    [`${"\\".repeat(1_000_000)} \\u0041`, `${"\\".repeat(1_000_000)} A`],
  ])("%.20s", (text, plain) => {
    expect(unescaped(text)?.text).toBe(plain);
  });

  test("is none where only backslashes stand", () => {
    expect(unescaped("\\".repeat(1_000_000))).toBeUndefined();
  });
});
