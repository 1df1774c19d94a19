import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faultDocs } from "./fault-docs.ts";
import { refusalDocs } from "./refusal-docs.ts";

describe("what the tables say now (UPDATE=1 writes it) is", () => {
  test.each([
    ["refusals.md", refusalDocs],
    ["faults.md", faultDocs],
  ])("docs/%s", async (name, docs) => {
    const file = join(import.meta.dirname, "../docs", name);
    const expected = await docs();
    if (process.env["UPDATE"]) writeFileSync(file, expected);
    expect(readFileSync(file, "utf8")).toBe(expected);
  });
});
