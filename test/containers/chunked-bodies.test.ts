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

  describe("is named once where it is cut anywhere", () => {
    const sent = text(asks);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n`;
    const back = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const keepings: Readonly<Record<string, (body: string) => string>> = {
      "run.jsonl": (response) => lines({ url, request: asks, status: 200, response }),
      "run.log": (body) => `${head}${sent}\r\n${back}${body}`,
      "run.httprr": (body) => {
        const [request, reply] = [head + sent, back + body];
        return `httprr trace v1\n${Buffer.byteLength(request)} ${Buffer.byteLength(reply)}\n${request}${reply}`;
      },
    };
    const bodies: Readonly<Record<string, string>> = { JSON: text(answers), events: stream("c1") };
    const all = Object.keys(keepings).flatMap((name) => Object.keys(bodies).map((kind) => [kind, name]));

    test.each(all)("%s in %s", async (kind, name) => {
      const whole = chunked(bodies[kind as string] as string);
      const told: string[] = [];
      // What is cut before the eleventh byte is no body yet, and the end only marks the end.
      for (let cut = 11; cut < whole.length - "0\r\n\r\n".length - 24; cut += 5) {
        const log = (keepings[name as string] as (body: string) => string)(whole.slice(0, cut));
        const { findings, files } = await check(Buffer.from(log), { name: name as string });
        const about = findings.filter(({ rule }) => /unreadable-record|-stream/.test(rule));
        const skipped = files.flatMap((file) => file.skipped);
        if (about.length + skipped.length !== 1)
          told.push(
            `${cut}: ${[...about.map(({ message }) => message), ...skipped.map(({ reason }) => reason)]}`,
          );
      }
      expect(told).toEqual([]);
    });
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
