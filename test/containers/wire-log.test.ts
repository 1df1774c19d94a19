import { describe, expect, test } from "vitest";
import { written } from "./edits.ts";
import { answers, asks, chunks, goesOn, open, run, told, wantsTool } from "./stories.ts";

/** What Apache's HTTP client logs of bytes that go over a connection: line by line, `size` bytes at most. */
function wire(direction: ">>" | "<<", text: string, size = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let line = "";
  const end = (): void => {
    if (line !== "") lines.push(`10:00:00.001 DEBUG o.a.http.wire - http-outgoing-0 ${direction} "${line}"`);
    line = "";
  };
  let count = 0;
  for (const byte of Buffer.from(text)) {
    line +=
      byte === 10
        ? "[\\n]"
        : byte === 13
          ? "[\\r]"
          : byte < 127
            ? String.fromCharCode(byte)
            : `[0x${byte.toString(16)}]`;
    count++;
    if (byte === 10 || count % size === 0) end();
  }
  end();
  return lines;
}

const head = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const post = (body: object): string =>
  head("POST /v1/chat/completions HTTP/1.1", "Host: api.openai.com") + JSON.stringify(body);
const ok = (body: object): string =>
  head("HTTP/1.1 200 OK", "Content-Type: application/json") + JSON.stringify(body, null, 2);

const other = "10:00:00.002 INFO c.e.Agent - still working on {it}";
const headers = "o.a.http.headers - http-outgoing-0 >> POST /v1/chat/completions HTTP/1.1";

describe("the wire log of Apache's HTTP client", () => {
  const log = [
    ...wire(">>", post(asks)),
    headers,
    ...wire("<<", ok(wantsTool)),
    other,
    ...wire(">>", post(goesOn)),
    ...wire("<<", ok(answers)),
    "",
  ].join("\n");

  test("holds requests and replies, whose JSON it lays out over lines", async () => {
    expect(await told(log)).toEqual(run);
    const { exchanges } = await open(log);
    expect(exchanges.map(({ status, url }) => [status, url])).toEqual([
      [200, "https://api.openai.com/v1/chat/completions"],
      [200, "https://api.openai.com/v1/chat/completions"],
    ]);
  });

  test("may log a body in parts, with lines of other loggers between them", async () => {
    const parts = [
      ...wire(">>", post(asks), 40),
      ...wire("<<", ok(wantsTool), 16),
      ...wire(">>", post(goesOn), 100),
      ...wire("<<", ok(answers), 7),
    ].flatMap((line, place) =>
      place % 3 === 0 ? [line, headers] : line.endsWith('[\\n]"') ? [line, other] : [line],
    );
    expect(await told(parts.join("\n"))).toEqual(run);
  });

  test("that ends in or behind the head of a reply says so", async () => {
    const begun = [
      ...wire(">>", post(asks)),
      ...wire("<<", ok(wantsTool)),
      other,
      ...wire(">>", post(goesOn)),
    ];
    const last = wire("<<", ok(answers));
    for (const count of [1, 2, 3]) {
      const { exchanges, skipped } = await open([...begun, ...last.slice(0, count), other, ""].join("\n"));
      expect(exchanges).toHaveLength(2);
      expect(skipped.map(({ reason }) => reason)).toEqual(["the log ends after the head of this reply"]);
    }
    expect((await open([...begun, ...last, ""].join("\n"))).skipped).toEqual([]);
    const events = chunks("chatcmpl-1", "It is 18 °C.").map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const streamed = wire("<<", head("HTTP/1.1 200 OK") + events.join(""));
    const behind = [
      ...wire(">>", post(asks)),
      ...streamed,
      ...wire(">>", post(goesOn)),
      ...last.slice(0, 2),
      "",
    ];
    expect((await open(behind.join("\n"))).skipped).toHaveLength(1);
    const empty = wire("<<", head("HTTP/1.1 200 OK", "Content-Length: 0"));
    expect((await open([...begun, ...empty, ""].join("\n"))).skipped).toEqual([]);
  });

  test("holds streams in chunks of HTTP/1.1", async () => {
    const events = chunks("chatcmpl-1", "It is 18 °C.").map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const body = [...events, "data: [DONE]\n\n"]
      .map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
      .join("");
    const answer = `${head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")}${body}0\r\n\r\n`;
    expect(await told([...wire(">>", post(asks)), ...wire("<<", answer)].join("\n"))).toEqual([
      'user "How warm is it in Zürich?" → assistant "It is 18 °C." (stop)',
    ]);
  });

  describe("whose lines another logger keeps in a string", () => {
    const keepers: Readonly<Record<string, (line: string) => string>> = {
      logrus: (line) => `time=12:00:00 level=info msg=${JSON.stringify(line)}`,
      docker: (line) => JSON.stringify({ log: `${line}\n`, stream: "stdout" }),
    };
    const lines = log.trimEnd().split("\n");
    const edit = { op: "replace" as const, pointer: "/messages/0/content", json: '"Wie \\"kühl\\"?"' };
    test.each(Object.entries(keepers))("%s, all or from one on", async (_, kept) => {
      for (const from of [0, 8]) {
        const mixed = lines.map((line, at) => (at < from ? line : kept(line))).join("\n");
        expect(await told(`${mixed}\n`)).toEqual(run);
        const after = await written(`${mixed}\n`, { 1: [edit], 2: [edit] });
        expect((await told(after))[1]).toContain('Wie \\"kühl\\"?');
      }
    });
  });

  test("is repaired in its own spelling", async () => {
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"Wie kühl ist es?"' }],
    });
    expect(after).toBe(
      log.replace('"How warm is it in Z[0xc3][0xbc]rich?"', '"Wie k[0xc3][0xbc]hl ist es?"'),
    );
  });
});
