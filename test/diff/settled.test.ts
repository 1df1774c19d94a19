import { describe, expect, test } from "vitest";
import { normalizeVolatile } from "../../src/conversation/normalize-volatile.ts";

describe("what differs from run to run", () => {
  test.each([
    ["a time stamp", "run at 2026-01-05T12:00:00.123Z", "run at ⟨time⟩"],
    ["a date", "as of 2026-01-05", "as of ⟨date⟩"],
    ["a date in words", "Today is Monday, 5 January 2026.", "Today is ⟨date⟩."],
    ["a clock", "took from 12:01:07 to 12:01:09", "took from ⟨time⟩ to ⟨time⟩"],
    ["seconds since 1970", '{"created":1767600000}', '{"created":⟨time⟩}'],
    ["milliseconds since 1970", "at 1767600000123", "at ⟨time⟩"],
    ["a UUID", "job 0b5c2a44-93f1-4d2e-8a57-1c0b5d3e7f60 ended", "job ⟨id⟩ ended"],
    ["a UUID behind a word", "at_0b5c2a44-93f1-4d2e-8a57-1c0b5d3e7f60", "at_⟨id⟩"],
    ["an id of a server", "see call_Nbk38aXq01 and chatcmpl-9xY2bQ77f", "see ⟨id⟩ and ⟨id⟩"],
  ])("is %s", (_, text, expected) => {
    expect(normalizeVolatile(text, "machine")).toBe(expected);
  });

  test.each([
    ["an amount", "2480 pieces at 17.5"],
    ["an article's number", "order A-4410 and 1234567890123456"],
    ["words with an underscore", "call_function and run_the_tests_now"],
    ["a version", "version 20.11.1"],
    ["a phone number", "0316 123456"],
  ])("is not %s", (_, text) => {
    expect(normalizeVolatile(text, "machine")).toBe(text);
  });

  test("a date that a person or a model writes means something", () => {
    expect(normalizeVolatile("Book a table for 2026-01-05.", "person")).toBe("Book a table for 2026-01-05.");
    expect(normalizeVolatile('{"day":"2026-01-05"}', "model")).toBe('{"day":"2026-01-05"}');
  });

  test("what day it is, put between a person's words by the client, does not", () => {
    expect(normalizeVolatile("Help me.\nToday's date: 2026-01-05", "person")).toBe(
      "Help me.\nToday's date: ⟨date⟩",
    );
  });

  test("long lines of digits and words are read in one go", () => {
    const text = "today ".repeat(50_000) + "1".repeat(50_000);
    expect(normalizeVolatile(text, "person")).toBe(text);
  });
});
