import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { fileSource } from "../../src/reading/source.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toollint-changing-"));
const file = path.join(folder, "run.jsonl");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (number: number): string =>
  `${JSON.stringify({
    request: { model: "gpt-5", messages: [{ role: "user", content: `Question ${number}` }] },
    response: {
      choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
    },
    note: "x".repeat(1 << 20),
  })}\n`;

/** Ten exchanges, too large to be kept whole. */
beforeEach(() => writeFileSync(file, Array.from({ length: 10 }, (_, index) => line(index)).join("")));

/** Checks the file, which changes after it was opened. */
async function checkedWhile(change: () => void) {
  const source = fileSource(file, "run.jsonl");
  change();
  const { report } = await checkFiles([{ path: "run.jsonl", source }]);
  source.close();
  return {
    exchanges: report.files[0]?.exchanges,
    findings: report.findings.map(({ rule, severity, location }) => [rule, severity, location.line]),
  };
}

test("a file that grows is read as far as it went at the start", async () => {
  expect(await checkedWhile(() => appendFileSync(file, line(11)))).toEqual({ exchanges: 10, findings: [] });
});

test("a file that is cut is read to its new end, and the record there is named", async () => {
  const { exchanges, findings } = await checkedWhile(() => truncateSync(file, 3.5 * (1 << 20)));
  expect(exchanges).toBe(4);
  expect(findings).toEqual([["unreadable-record", "warning", 4]]);
});

test("a log that is rotated is read to its end", async () => {
  const rotated = await checkedWhile(() => {
    renameSync(file, `${file}.1`);
    writeFileSync(file, line(1));
  });
  expect(rotated).toEqual({ exchanges: 10, findings: [] });
});

test.skipIf(process.platform === "win32")("a file that is deleted is read to its end", async () => {
  expect(await checkedWhile(() => unlinkSync(file))).toEqual({ exchanges: 10, findings: [] });
});
