import picocolors from "picocolors";
import { expect, test } from "vitest";
import { type ServedRun, servedReport, verdict } from "../../src/cli/commands/serve-report.ts";
import type { RefusedRequest } from "../../src/serve/outcomes.ts";

const nothing: ServedRun = { requests: 0, refused: [], misses: [], warnings: [], faults: 0, notes: [] };
const refusal = (request: number, change: Partial<RefusedRequest> = {}): RefusedRequest => ({
  request,
  method: "POST",
  target: "/openai/v1/chat/completions",
  profile: "openai",
  error: { status: 400, message: "Missing required parameter: 'messages'.", requestId: "req_1" },
  rule: "invalid-request",
  pointer: "",
  ...change,
});

function report(run: Partial<ServedRun>): string[] {
  const style = { paint: picocolors.createColors(false), width: 100 };
  return [...servedReport({ ...nothing, ...run }, style)];
}

test("a request that is sent again and refused again is one entry", () => {
  expect(report({ refused: [refusal(2), refusal(3), refusal(4), refusal(9)] })).toEqual([
    "rejected[invalid-request]  requests 2–4, 9: POST /openai/v1/chat/completions",
    "  openai, 400: Missing required parameter: 'messages'.",
    "  toollint explain invalid-request",
  ]);
});

test("more entries than anybody reads are counted", () => {
  const refused = Array.from({ length: 23 }, (_, at) => refusal(at + 1, { pointer: `/messages/${at}` }));
  const lines = report({ refused });
  expect(lines.filter((line) => line.startsWith("rejected["))).toHaveLength(20);
  expect(lines.at(-1)).toBe("… and 3 more: rejections");
});

test("what a request brought is cut and cannot drive the terminal", () => {
  const hostile = `\u001b[2J ::error::gone ${"x".repeat(1000)}`;
  const lines = report({
    refused: [
      refusal(1, { target: `/${hostile}`, error: { status: 400, message: hostile, requestId: "r" } }),
    ],
    misses: [{ request: 2, method: "GET", target: "/", why: hostile }],
    notes: [hostile],
  });
  expect(lines.join("\n")).not.toContain("\u001b");
  expect(lines.join("\n")).not.toContain("::error::");
  expect(lines.join("").length).toBeLessThan(3000);
});

test("the verdict counts", () => {
  const miss = { request: 3, method: "POST", target: "/v1/messages", why: "the script is at its end" };
  expect(verdict({ ...nothing, requests: 1 })).toBe("1 request, all answered · passes");
  expect(verdict({ ...nothing, requests: 12, refused: [refusal(1)], misses: [miss] })).toBe(
    "12 requests, 1 history rejected, 1 without an answer · fails",
  );
  expect(verdict({ ...nothing, requests: 2, refused: [refusal(1), refusal(2)] })).toBe(
    "2 requests, 2 histories rejected · fails",
  );
  expect(verdict({ ...nothing, requests: 3, faults: 1 })).toBe(
    "3 requests, 1 planned fault, the others answered · passes",
  );
  expect(verdict({ ...nothing, requests: 1, faults: 1 })).toBe("1 request, 1 planned fault · passes");
  expect(verdict(nothing)).toBe("0 requests · nothing was tested");
});
