import { describe, expect, test } from "vitest";
import { toollint } from "../cli/program.ts";
import { yieldOf } from "../damage/told.ts";
import { whole } from "../fix/log.ts";
import { stories } from "./sessions.ts";

const read = (log: string) => yieldOf("run.log", Buffer.from(log));

describe("a session behind words", () => {
  const { amp, cline, langgraph, strands } = stories as Record<string, { readonly log: string }>;

  test.each([
    ["the command that printed it", "$ cat session.json\n"],
    ["a line of a separator", "--- 8< ---\n"],
    ["a word on its own line end", "OK "],
    ["what a server puts before JSON", ")]}',\n"],
  ])("is read: %s", async (_, words) => {
    for (const log of [amp?.log ?? "", langgraph?.log ?? ""]) {
      const plain = await read(log);
      const left = await read(words + log);
      expect(left.container).toBe(plain.container);
      expect(left.counts).toEqual(plain.counts);
      expect(left.statements).toContain("1: without the words before the session");
    }
  });

  test("is said to be read without them", async () => {
    const { stdout } = await toollint(["check", "-"], { stdin: `$ cat session.json\n${amp?.log ?? ""}` });
    expect(stdout).toMatch(/^read as it was before: - \(without the words before the session\)$/m);
  });

  test("of which only the model's part is left is read, too, and is no text that a model wrote", async () => {
    const damaged = `undefined${strands?.log.split("\n{").at(-1) ?? ""}`;
    expect((await read(damaged)).statements).not.toEqual([]);
  });

  test("is a log of a program where more words follow", async () => {
    const { container } = await read(`first\n${langgraph?.log ?? ""}done\n`);
    expect(container).toBe("text");
  });

  test("is repaired behind them", async () => {
    const records: unknown[] = JSON.parse(cline?.log ?? "");
    const fixed = await whole(`words\n${JSON.stringify(records.toSpliced(2, 1), undefined, 2)}`);
    expect(fixed).toMatch(/^words\n\[/);
    expect(JSON.parse(fixed.slice("words\n".length))).toHaveLength(records.length);
  });
});
