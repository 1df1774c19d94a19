import { describe, expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { redact } from "../../src/redact/redact.ts";
import { keepings } from "../damage/kept-logs.ts";
import { messages } from "../damage/runs.ts";

const key = Buffer.from("a key for tests");

/** Logs in files of another form, which may cut words in two or write them in their own way. */
const names = [
  "asciicast",
  "asciicast of version 1",
  "docker, in parts",
  "kubernetes, in parts",
  "dump of PostgreSQL",
  "dump of MySQL",
  "dump of sqlite3",
  "text with forms",
  "text with base64",
  "jsonl of forms",
];

describe("a log that a file keeps in its own form", () => {
  test.each(names)("is redacted in that form or as what it is: %s", async (name) => {
    const { file = "", keep } = keepings[name] ?? {};
    const bytes = Buffer.from(keep?.(messages) ?? "", "latin1");
    const { files, differences } = await redact([{ path: file, source: bytesSource(file, bytes) }], { key });
    expect(differences).toEqual([]);
    expect(files[0]).toMatchObject({ sizeBefore: bytes.length });
    expect(files[0]?.content.toString()).not.toMatch(/Zürich|warm/i);
  });

  test("loses only the form of the file", async () => {
    const bytes = Buffer.from(keepings["asciicast"]?.keep(messages) ?? "", "latin1");
    const { files } = await redact([{ path: "run.cast", source: bytesSource("run.cast", bytes) }], { key });
    expect(files[0]).toMatchObject({ container: "text", isKept: true });
    expect(files[0]?.content.toString()).toMatch(/^POST /);
  });
});
