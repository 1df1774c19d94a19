import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { HeaderList } from "../../src/http/client.ts";
import { KeepAliveFilter } from "../../src/http/keep-alive.ts";
import { storedZstd } from "../../src/reading/zstd.ts";
import { recordingLine } from "../../src/record/line.ts";
import { KeptBytes, Tap } from "../../src/record/tap.ts";
import { answeringReply } from "./model-server.ts";

function bodyOf(body: Buffer, headers: HeaderList): unknown {
  const line = recordingLine(
    {
      number: 1,
      time: 0,
      durationMs: 1,
      request: { method: "POST", url: "http://127.0.0.1/v1", headers: [], body: Buffer.alloc(0) },
      response: { status: 200, headers, body },
    },
    false,
  );
  return JSON.parse(line).response.body;
}

describe("a packed body is recorded as what it says", () => {
  const plain = Buffer.from(answeringReply("Rain."));
  const reply = JSON.parse(plain.toString());
  test.each([
    ["gzip", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["zstd", storedZstd(plain)],
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
    ["identity", plain],
    ["gzip, br", brotliCompressSync(gzipSync(plain))],
  ])("%s", (coding, packed) => {
    expect(bodyOf(packed, [["Content-Encoding", coding]])).toEqual(reply);
  });

  test("up to where it was cut", () => {
    const cut = gzipSync(Buffer.from("data: {}\n\n".repeat(20_000) + Math.random())).subarray(0, -20);
    expect(bodyOf(cut, [["Content-Encoding", "gzip"]])).toMatch(/^(?:data: \{\}\n\n){1000}/);
  });

  test.each([
    ["what is not packed as the header says", "gzip", plain],
    ["a coding that nobody knows", "compress", plain],
    ["a bomb", "gzip", gzipSync(Buffer.alloc(65 << 20))],
  ])("%s stays as it came, in base64", (_, coding, body) => {
    expect(bodyOf(body, [["Content-Encoding", coding]])).toBe(body.toString("base64"));
  });
});

describe("long bodies are kept in part", () => {
  test("up to a limit that several share, without holes, and with a count of the rest", () => {
    const kept = new KeptBytes(10);
    const [first, second] = [new Tap(kept), new Tap(kept)];
    first.add(Buffer.from("12345678"));
    second.add(Buffer.from("abcd"));
    expect(second.take()).toEqual({ body: Buffer.from("ab"), omitted: 2 });
    first.add(Buffer.from("9012"));
    first.add(Buffer.from("34"));
    expect(first.take()).toEqual({ body: Buffer.from("1234567890"), omitted: 4 });
    const third = new Tap(kept);
    third.add(Buffer.from("whole"));
    expect(third.take()).toEqual({ body: Buffer.from("whole") });
  });
});

describe("what only keeps a connection open says nothing", () => {
  const idle = [
    ": ping\n\n",
    ":\r\n\r\n",
    "event: ping\ndata: {}\n\n",
    'event: ping\r\ndata: {"type": "ping"}\r\n\r\n',
    'data: {"type":"ping"}\n\n',
    "event: keepalive\ndata: 1\n\n",
    "   \n",
  ];
  test.each(idle)("%j, however it is cut", (bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      const filter = new KeepAliveFilter(undefined);
      // A cut within `data: {"type":"ping"}` cannot be known for one.
      if (bytes.slice(0, at).split("\n").at(-1)?.startsWith("d") && !bytes.startsWith("event")) continue;
      expect([
        filter.says(Buffer.from(bytes.slice(0, at))),
        filter.says(Buffer.from(bytes.slice(at))),
      ]).toEqual([false, false]);
    }
  });

  test.each([
    "data: {}\n\n",
    "data: [DONE]\n\n",
    '{"done":true}\n',
    '  {"id"',
    "event: ping\n\ndata: x\n\n",
    "a".repeat(500),
  ])("%j does", (bytes) => {
    expect(new KeepAliveFilter(undefined).says(Buffer.from(bytes))).toBe(true);
  });

  test("and so does each packed byte", () => {
    expect(new KeepAliveFilter("gzip").says(Buffer.from(": ping\n\n"))).toBe(true);
  });
});
