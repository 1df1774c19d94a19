import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { masked, visible, visibleJson, visibleLines } from "../../src/reporters/visible.ts";
import { cut, cutStart, widthOf, wrap } from "../../src/reporters/width.ts";

describe("visible", () => {
  const hidden: readonly [name: string, text: string, shown: string][] = [
    ["a line feed, a carriage return and a tab", "a\nb\rc\td", "a\\nb\\rc\\td"],
    ["an escape sequence", "\x1b[31mred", "\\u{1b}[31mred"],
    ["NUL, BEL, backspace and DEL", "\0\x07\b\x7f", "\\u{0}\\u{7}\\u{8}\\u{7f}"],
    ["a C1 control", "\x9d0;title\x9c", "\\u{9d}0;title\\u{9c}"],
    ["a bidi override", "user\u202egnp.exe", "user\\u{202e}gnp.exe"],
    ["zero-width characters", "a\u200bb\ufeffc\u2060d", "a\\u{200b}b\\u{feff}c\\u{2060}d"],
    ["tag characters", "\u{e0041}\u{e007f}", "\\u{e0041}\\u{e007f}"],
    ["variation selectors that carry bytes", "a\ufe00\u{e0100}", "a\\u{fe00}\\u{e0100}"],
    ["a lone surrogate", "a\ud83db", "a\\u{d83d}b"],
    ["line separators", "a\u2028b", "a\\u{2028}b"],
  ];
  test.each(hidden)("shows %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("leaves what people write alone", () => {
    const text = "naïve Übung, 東京 ❤️ 🎉, שלום, สวัสดี — “quoted” `code` \\n";
    expect(visible(text)).toBe(text);
  });

  test("does not let marks pile up over other lines", () => {
    const zalgo = visible(`e${"\u0301".repeat(50)}`);
    expect(zalgo.startsWith(`e${"\u0301".repeat(8)}\\u{301}`)).toBe(true);
  });

  test("keeps line feeds where lines are wanted", () => {
    expect(visibleLines("a\tb\nc\x1bd")).toBe("a\\tb\nc\\u{1b}d");
  });

  test("escapes JSON so that it still means the same", () => {
    const value = { text: "a\u202eb\x9bc\u{e0041}\u2028" };
    const json = visibleJson(JSON.stringify(value, null, 2));
    expect(json).toBe('{\n  "text": "a\\u202eb\\u009bc\\udb40\\udc41\\u2028"\n}');
    expect(JSON.parse(json)).toEqual(value);
  });

  test("masks credentials", () => {
    expect(masked("key sk-proj-abcdefghijklmnop1234 in text")).toBe("key sk-p*** in text");
  });

  test.each([
    "sk-ant-api03-Zq8_kk-2Lw0aPfG7x1yQ",
    "sk-or-v1-0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "sk-svcacct-9aZ_3kQpLwXyTnUvRbCdEe-f0",
    "sk-lf-0d9f7a52-6a1e-4b0e-9a39-3f5f7c1d2e4b",
    "sk-0123456789abcdefghij",
    "sk-kQpLwXyTnUvRbCdEeFgH",
    "sk-proj-ab1…",
    "sk-9aZ…",
  ])("masks the key %s", (key) => {
    expect(masked(`key ${key} in text`)).toMatch(/^key sk-.\*\*\*…? in text$/);
  });

  test.each([
    "sk-truncation-reducer-target-3.json",
    "logs/sk-learn-pipeline-2026-v2/run.log",
    "sk-classification-notes-of-monday",
    "sk-ant-colony-optimisation",
    "sk-proj-management-board",
    "pip install sk-learn-contrib-lightning",
    "see sk-learn-pip…",
  ])("leaves the words %s", (words) => {
    expect(masked(words)).toBe(words);
  });
});

describe("width", () => {
  test("counts columns", () => {
    expect(["abc", "東京", "e\u0301", "🎉", "한국어", "a…b", "ﾊﾝ"].map(widthOf)).toEqual([
      3, 4, 1, 2, 6, 3, 2,
    ]);
  });

  test("cuts between characters, never within one", () => {
    expect(cut("東京都", 6)).toBe("東京都");
    expect(cut("東京都", 5)).toBe("東京…");
    expect(cut("東京都", 4)).toBe("東…");
    expect(cut("🎉🎉🎉", 4)).toBe("🎉…");
    expect(cutStart("logs/deep/run.log:12:3", 12)).toBe("…un.log:12:3");
    expect(cutStart("東京都", 4)).toBe("…都");
  });

  const linesOf = (text: string, width: number, first?: number) =>
    wrap(text, width, first).map(({ start, end }) => text.slice(start, end));

  test("wraps at spaces, and in words that are longer than a line", () => {
    expect(linesOf("the model never saw it", 10)).toEqual(["the model", "never saw", "it"]);
    expect(linesOf("see abcdefghijklmnop now", 8)).toEqual(["see", "abcdefgh", "ijklmnop", "now"]);
    expect(linesOf("", 8)).toEqual([""]);
  });

  test("never breaks a path, so that it can be copied", () => {
    expect(linesOf("see logs/deep/run.log:12:3 now", 8)).toEqual(["see", "logs/deep/run.log:12:3", "now"]);
    expect(linesOf("(C:\\logs\\run.log)", 8)).toEqual(["(C:\\logs\\run.log)"]);
    expect(linesOf(`see ${"ab/".repeat(200)}`, 300)).toHaveLength(3);
  });

  test("keeps values between backticks whole where a line has room for them", () => {
    expect(linesOf('it has `"a": 1` here', 14)).toEqual(["it has", '`"a": 1` here']);
    expect(linesOf("it has `a b c d e f` here", 10)).toEqual(["it has `a", "b c d e f`", "here"]);
    expect(linesOf("an odd ` is no value", 11)).toEqual(["an odd ` is", "no value"]);
  });

  test("loses nothing but spaces, and never exceeds the width but for paths", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (raw, width) => {
        const text = visible(raw).replaceAll(/[/\\]/g, "|");
        const lines = linesOf(text, width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

test.each(["x", "e\u0301", "\\u{301}", "漢", "👍"])(
  "a word of `%s` is broken into lines by looking at each character a few times",
  (part) => {
    const text = part.repeat(20_000);
    const spy = vi.spyOn(RegExp.prototype, "test");
    const lines = wrap(text, 80);
    const seen = spy.mock.calls.reduce((sum, [given]) => sum + given.length, 0);
    spy.mockRestore();
    expect(lines.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    expect(lines.every(({ start, end }) => widthOf(text.slice(start, end)) <= 80)).toBe(true);
    expect(seen).toBeLessThan(40 * text.length);
  },
);
