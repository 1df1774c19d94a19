import { expect, test } from "vitest";
import { allTexts } from "../../src/protocols/refusal-texts.ts";
import { matchErrorText } from "../../src/rules/match-error-text.ts";

/** What a model server puts in braces; everything else is a word. */
const values: Readonly<Record<string, string>> = {
  ids: "call_1a, call_2b",
  id: "call_1a",
  callId: "call_1a",
  path: "messages[3].content",
  index: "3",
  nth: "4",
  at: "3",
  earlier: "2",
  message: "3",
};

const filled = (template: string): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "something");

/** Texts that are all braces: other tests see what stands there. */
const letters = (text: string): number => text.replace(/\{\w+\}/g, "").replace(/[^a-z]/gi, "").length;

test("explain --error knows every text that a model server refuses with", () => {
  const texts = [...new Set(allTexts().map(({ text }) => text))].filter((text) => letters(text) > 0);
  expect(texts.length).toBeGreaterThan(150);
  const unknown = texts.filter((text) => {
    const about = matchErrorText(filled(text))?.about;
    return about !== "history" && about !== "request" && about !== "size" && about !== "reply";
  });
  expect(unknown).toEqual([]);
});
