import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { withDecodedBodies } from "../../src/containers/files/text/encoded-bodies.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, told, wantsTool } from "./stories.ts";

const bodies = [asks, wantsTool, goesOn, answers].map((body) => JSON.stringify(body));
const pairs = [
  [bodies[0], bodies[1]],
  [bodies[2], bodies[3]],
] as [string, string][];

const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString("base64"),
  "the base64 of addresses": (text) => Buffer.from(text).toString("base64url"),
  "base64, compressed": (text) => gzipSync(text).toString("base64"),
  "percent-encoding": encodeURIComponent,
  "the encoding of forms": (text) => new URLSearchParams({ a: text }).toString().slice(2),
};

const record = (request: string, response: string): string => `${JSON.stringify({ request, response })}\n`;

const logs: Readonly<Record<string, (encode: (text: string) => string) => string>> = {
  "lines of a log": (encode) => bodies.map((body) => `12:00:00 INFO body=${encode(body)} n=1\n`).join(""),
  "lines behind words in brackets": (encode) =>
    bodies.map((body) => `[12:00:00] {thread 1} INFO it's "sent": body=${encode(body)} n=1\n`).join(""),
  "lines behind a bracket that stays open": (encode) =>
    bodies
      .map(
        (body, index) =>
          `${["<![CDATA[", "x[", "{", "log=["][index]}2026-01-05 12:00:00 INFO body=${encode(body)} n=1\n`,
      )
      .join(""),
  "fields in quotes": (encode) =>
    bodies.map((body) => `time="12:00:00" level=info body="${encode(body)}" n=1\n`).join(""),
  "HTTP messages": (encode) =>
    pairs
      .map(
        ([request, response]) =>
          `POST /v1/chat/completions HTTP/1.1\nHost: api.example.com\n\n${encode(request)}\n\nHTTP/1.1 200 OK\n\n${encode(response)}\n\n`,
      )
      .join(""),
  "cells of a table": (encode) =>
    `id,request,response\n${pairs.map(([request, response], id) => `${id},${encode(request)},"${encode(response)}"\n`).join("")}`,
  "strings of JSON lines": (encode) =>
    pairs.map(([request, response]) => record(encode(request), encode(response))).join(""),
  "a document": (encode) =>
    JSON.stringify(
      pairs.map(([request, response]) => ({
        request: { body: encode(request) },
        response: { payload: encode(response) },
      })),
    ),
};

const all = Object.entries(logs).flatMap(([where, keep]) =>
  Object.entries(encodings).map(([how, encode]) => [how, where, keep(encode)] as const),
);

describe("a body", () => {
  test.each(all)("in %s is read in %s", async (_, __, log) => {
    expect(await told(log)).toEqual(run);
  });

  test.each(all.filter(([how]) => !how.includes("compressed")))(
    "in %s is repaired in %s",
    async (_, __, log) => {
      const after = await written(log, {
        1: [{ op: "replace", pointer: "/messages/0/content", json: '"„Wie \\"kühl\\" & nass?"' }],
      });
      const [first, ...rest] = await told(after);
      expect(first).toContain(JSON.stringify('„Wie "kühl" & nass?'));
      expect(rest).toEqual(run.slice(1));
    },
  );

  test("of a form may stand among other fields", async () => {
    const form = (text: string): string =>
      new URLSearchParams({ user: "7", payload: text, n: "1" }).toString();
    const log = pairs.map(([request, response]) => record(form(request), response)).join("");
    expect(await told(log)).toEqual(run);
  });

  test("is not looked for in a token or an address", async () => {
    const token = `${encodings["base64"]?.(bodies[0] ?? "")}.${"A".repeat(43)}`;
    const filter = encodeURIComponent(
      JSON.stringify({ where: { name: "a name that is long enough to decode" } }),
    );
    const log = `INFO auth=${token}\nGET /items?filter=${filter} HTTP/1.1\n${bodies.join("\n")}\n`;
    const { exchanges, skipped, defects } = await open(log);
    expect([exchanges.length, skipped, defects]).toEqual([2, [], []]);
  });

  test("ends behind its filling, whatever a damaged line goes on with", async () => {
    const filled = (text: string): string =>
      Buffer.from(text.padEnd(text.length + 3 - ((Buffer.byteLength(text) + 1) % 3))).toString("base64");
    const log = logs["lines of a log"]?.(filled) ?? "";
    for (const rest of ["equest,response", "2026-01-05 INFO", "/v1"]) {
      const damaged = log.replaceAll("= n=1", `=${rest}`);
      expect(damaged).toContain(`=${rest}`);
      expect(await told(damaged)).toEqual(run);
    }
  });

  test("that cannot be decoded is named", async () => {
    const log = logs["lines of a log"]?.(encodings["base64"] as (text: string) => string) ?? "";
    const { skipped } = await open(log.replace("body=eyJ", "body=*"));
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "an encoded body, or a part of one, that cannot be decoded",
    ]);
  });

  test.each(["base64", "percent-encoding", "the encoding of forms"])(
    "in %s is named in quotes between the lines of a log, but not in JSON",
    async (how) => {
      const lines = (logs["lines of a log"]?.(encodings[how] as (text: string) => string) ?? "").split("\n");
      const beside = async (write: (line: string) => string): Promise<number> =>
        (await open(lines.map((line, at) => (at < 2 ? write(line) : line)).join("\n"))).skipped.length;
      expect(await beside((line) => `web-1,"${line}"`)).toBe(2);
      expect(await beside((line) => JSON.stringify({ note: `as a form, it is ${line}` }))).toBe(0);
      expect(await beside((line) => `{\n  "note": "as a form, it is ${line}"\n}`)).toBe(0);
      const halves = (line: string): string =>
        `${JSON.stringify({ msg: line.slice(0, 150) })}\n${JSON.stringify({ msg: line.slice(150) })}`;
      if (how !== "base64") expect(await beside(halves)).toBe(2);
      expect(await beside((line) => `note: {'text': 'as a form, it is ${line}'}`)).toBe(0);
    },
  );
});

test.each([
  ["members of forms", "%22a%22%3A "],
  ["base64", `${"A1b/".repeat(52)} `],
])("a long line of %s in a string takes time in proportion to its length", (_, part) => {
  const body = `body=${encodings["base64"]?.(bodies[0] as string)}`;
  const log = `${body}\n{"a":"${part.repeat(4_000_000 / part.length)}"}\n`;
  const start = process.cpuUsage();
  withDecodedBodies(bytesSource("run.log", Buffer.from(log)));
  expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
});
