import { describe, expect, test } from "vitest";
import { check, fix } from "../../src/index.ts";
import { lines } from "./sessions.ts";
import { answers, asks, goesOn, stream, url, wantsTool } from "./stories.ts";

/** A body as it came over the wire, in two chunks. */
function chunked(body: string): string {
  const half = body.length >> 1;
  const chunk = (part: string): string => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;
  return `${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\n\r\n`;
}

const text = (value: unknown): string => JSON.stringify(value);

describe("a body with the lengths of its chunks", () => {
  test.each([
    ["of a request", { url, request: chunked(text(asks)), status: 200, response: answers }],
    ["of a reply", { url, request: asks, status: 200, response: chunked(text(answers)) }],
    [
      "of a stream",
      { url, request: { ...asks, stream: true }, status: 200, response: chunked(stream("c1")) },
    ],
  ])("is read: %s", async (_, record) => {
    const { files, findings } = await check(Buffer.from(lines(record)));
    expect(files).toMatchObject([{ exchanges: 1, skipped: [] }]);
    expect(findings.filter(({ rule }) => rule === "unreadable-record")).toEqual([]);
  });

  test("is named where it is cut", async () => {
    const response = chunked(text(answers)).slice(0, 90);
    const { findings } = await check(Buffer.from(lines({ url, request: asks, status: 200, response })));
    expect(findings.map(({ location, message }) => `${location.line}: ${message}`)).toContain(
      "1: the JSON of this body is cut off; what came after is not checked",
    );
  });

  test("is repaired in place, with the lengths corrected", async () => {
    const [question, , result] = goesOn.messages;
    const broken = { ...goesOn, messages: [question, result] };
    const log = lines(
      { url, request: asks, status: 200, response: wantsTool },
      { url, request: chunked(text(broken)), status: 200, response: answers },
    );
    const { bytes, report } = await fix(Buffer.from(log));
    expect(report.summary.applied).toBe(1);
    const [, second = ""] = Buffer.from(bytes).toString("utf8").trim().split("\n");
    const { request } = JSON.parse(second) as { request: string };
    const size = Number.parseInt(request, 16);
    const after = Buffer.from(request.slice(request.indexOf("\r\n") + 2));
    expect(after.subarray(size, size + 2).toString()).toBe("\r\n");
  });
});
