import { describe, expect, test } from "vitest";
import { stories } from "./sessions.ts";
import { open, told } from "./stories.ts";

const json = (value: unknown): string => JSON.stringify(value);

/** What keeps the lines that a program printed. */
const keepers: Readonly<Record<string, (line: string) => string>> = {
  "Docker's log": (line) => `${json({ log: `${line}\n`, stream: "stdout", time: "2026-01-05T12:00:00Z" })}\n`,
  "a log of Kubernetes": (line) => `2026-01-05T12:00:00.123456789Z stdout F ${line}\n`,
  "a recording of a terminal": (line) => `${json([0.02, "o", `${line}\n`])}\n`,
  "a table of log lines": (line) => `2026-01-05T12:00:00Z,"${line.replaceAll('"', '""')}"\n`,
};

const heads: Readonly<Record<string, string>> = {
  "a recording of a terminal": `${json({ version: 2, width: 80, height: 24 })}\n`,
  "a table of log lines": "@timestamp,@message\n",
};

describe("a session that a program printed", () => {
  const all = Object.keys(keepers).flatMap((keeper) =>
    ["claude-stream", "codex-exec", "events"].map((name) => [name, keeper] as const),
  );

  test.each(all)("is read as one: %s in %s", async (name, keeper) => {
    const log = stories[name]?.log ?? "";
    const kept = log
      .trimEnd()
      .split("\n")
      .map((line) => keepers[keeper]?.(line))
      .join("");
    const read = await open((heads[keeper] ?? "") + kept);
    expect([read.container, read.kind]).toEqual([name, "transcript"]);
    expect(await told((heads[keeper] ?? "") + kept)).toEqual(await told(log));
  });
});
