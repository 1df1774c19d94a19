import { describe, expect, test } from "vitest";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, told, wantsTool } from "./stories.ts";

/** What the terminal showed, cut into parts as they came. */
const shown = [asks, wantsTool, goesOn, answers]
  .map((body) => `\u001b[2mDEBUG\u001b[0m ${JSON.stringify(body)}\r\n`)
  .join("");
const parts = shown.match(/[\s\S]{1,80}/g) ?? [];
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const events = (head: object, ...more: readonly unknown[]): string =>
  line(head) + [...more, ...parts.map((part) => [0.02, "o", part])].map(line).join("");

const recordings: Readonly<Record<string, string>> = {
  "version 1": JSON.stringify({
    version: 1,
    width: 80,
    height: 24,
    stdout: parts.map((part) => [0.1, part]),
  }),
  "version 1, laid out": JSON.stringify(
    { version: 1, width: 80, height: 24, env: {}, stdout: parts.map((part) => [0.1, part]) },
    null,
    2,
  ),
  "version 2": events({ version: 2, width: 80, height: 24 }, [0.1, "i", "\r"], [0.2, "r", "100x50"]),
  "version 3": `${events({ version: 3, term: { cols: 80, rows: 24 } })}# a comment\n${line([0.1, "x", "0"])}`,
};

describe("a recording of a terminal", () => {
  test.each(Object.entries(recordings))("of %s is read like a log", async (_, log) => {
    expect((await open(log)).container).toBe("asciicast");
    expect(await told(log)).toEqual(run);
  });

  test.each(Object.entries(recordings))("of %s is repaired where it stands", async (_, log) => {
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"„Wie \\"kühl\\"?"' }],
    });
    expect((await told(after))[0]).toContain(JSON.stringify('„Wie "kühl"?'));
  });

  test("names a line that is no event", async () => {
    const lines = (recordings["version 2"] ?? "").split("\n");
    const log = lines.toSpliced(-2, 0, "Connection closed.").join("\n");
    const { defects } = await open(log);
    expect(defects.map(({ message }) => message)).toContain("this is no event of the recording");
  });
});
