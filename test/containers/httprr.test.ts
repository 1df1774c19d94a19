import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { httprr } from "../../src/containers/files/httprr.ts";
import { recognizerOf } from "../../src/log/recognizer.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { linesOf, type Origin } from "../../src/reading/origin.ts";
import { memorySource } from "../../src/reading/source.ts";
import type { PayloadCandidate } from "../../src/traffic/candidate.ts";
import type { Recording } from "../../src/traffic/container.ts";

function read(trace: Buffer): Omit<Recording, "candidates"> & { candidates: readonly PayloadCandidate[] } {
  const recording = httprr.read(memorySource("weather.httprr", trace), recognizerOf([openaiChat]));
  return { ...recording, candidates: [...recording.candidates] };
}

function parts(trace: Buffer): string[] {
  return read(trace).candidates.map(({ record, part }) => `${record.index} ${part}`);
}

function spot({ source, start, end }: Origin): string {
  const { line, column } = linesOf(source).at(start);
  return `${line}:${column} ${source.read(start, end)}`;
}

const request = `POST https://api.openai.com/v1/chat/completions HTTP/1.1\r
Host: api.openai.com\r
Content-Type: application/json\r
\r
{"model":"gpt-5","messages":[{"role":"user","content":"Zürich?"}]}`;

const reply =
  '{"id":"r1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Sunny"},"finish_reason":"stop"}]}';

function response(body: string | Buffer, headers = ""): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/2.0 200 OK\r\nX-Request-Id: req_1\r\n${headers}\r\n`),
    Buffer.from(body),
  ]);
}

function trace(...exchanges: readonly (readonly [string, Buffer])[]): Buffer {
  const entries = exchanges.flatMap(([asked, answered]) => [
    Buffer.from(`${Buffer.byteLength(asked)} ${answered.length}\n${asked}`),
    answered,
  ]);
  return Buffer.concat([Buffer.from("httprr trace v1\n"), ...entries]);
}

describe("httprr", () => {
  it("reads raw requests and responses, with exact places", () => {
    const { candidates, defects } = read(trace([request, response(reply)], [request, response(reply)]));
    expect(candidates.map(({ part, record }) => `${record.index} ${part}`)).toEqual([
      "0 request",
      "0 reply",
      "1 request",
      "1 reply",
    ]);
    expect(candidates[0]?.record).toMatchObject({
      url: "https://api.openai.com/v1/chat/completions",
      method: "POST",
      status: 200,
      headers: { "content-type": "application/json" },
    });
    expect(candidates[1]?.record.headers).toEqual({ "x-request-id": "req_1" });
    expect(spot(candidates[0]?.place.locate("/messages/0/content") as Origin)).toBe('7:55 "Zürich?"');
    expect(candidates[0]?.place.span.view.isFile).toBe(true);
    expect(defects).toEqual([]);
  });

  it("puts chunked responses together and still knows where their values stand", () => {
    const bytes = Buffer.from(reply);
    const chunked = `${(40).toString(16)}\r\n${bytes.subarray(0, 40)}\r\n${(bytes.length - 40).toString(16)}\r\n${bytes.subarray(40)}\r\n0\r\n\r\n`;
    const [, answer] = read(trace([request, response(chunked, "Transfer-Encoding: chunked\r\n")])).candidates;
    expect(answer?.part === "reply" && answer.value).toEqual(JSON.parse(reply));
    expect(spot(answer?.place.locate("/choices/0/message/content") as Origin)).toBe('14:61 "Sunny"');
  });

  it("takes a body for chunked only when it is", () => {
    expect(parts(trace([request, response(reply, "Transfer-Encoding: chunked\r\n")]))).toEqual([
      "0 request",
      "0 reply",
    ]);
  });

  it("unpacks compressed responses, chunked or not", () => {
    const packed = gzipSync(reply);
    const chunked = Buffer.concat([
      Buffer.from(`${packed.length.toString(16)}\r\n`),
      packed,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
    expect(parts(trace([request, response(packed, "Content-Encoding: gzip\r\n")]))).toEqual([
      "0 request",
      "0 reply",
    ]);
    expect(parts(trace([request, response(chunked, "Transfer-Encoding: chunked\r\n")]))).toEqual([
      "0 request",
      "0 reply",
    ]);
  });

  it("finds the messages again when the stated lengths are wrong, as after an edit by hand, and says so", () => {
    const edited = trace([request, response(reply)], [request, response(reply)])
      .toString()
      .replace("Zürich?", "Weather in Zürich?");
    expect(parts(Buffer.from(edited))).toEqual(["0 request", "0 reply", "1 request", "1 reply"]);
    const { defects } = read(Buffer.from(edited));
    expect(defects.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      "broken: the lengths stated here are not those of the messages",
    ]);
    expect(spot(defects[0]?.origin as Origin)).toMatch(/^2:1 \d+ \d+\n$/);
  });

  it.each([3500, 3700, 3900, 50_000])("finds them also behind a message of more than %i bytes", (more) => {
    const edited = trace([request, response(reply)], [request, response(reply)])
      .toString()
      .replace("Zürich?", "Zürich? ".padEnd(more, "?"));
    expect(parts(Buffer.from(edited))).toEqual(["0 request", "0 reply", "1 request", "1 reply"]);
  });

  it("never throws on a trace that ends early, and says that it does", () => {
    const bytes = trace([request, response(reply)], [request, response(gzipSync(reply))]);
    for (let end = 16; end < bytes.length; end += 3)
      expect(read(bytes.subarray(0, end)).candidates.length).toBeLessThanOrEqual(4);
    const cut = read(bytes.subarray(0, bytes.length - 5));
    expect(cut.defects.map(({ kind }) => kind)).toEqual(["cut"]);
  });

  it("names what is no model traffic", () => {
    const { skipped } = read(
      trace(["GET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\n\r\n", response('{"data":[]}')]),
    );
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "GET https://api.openai.com/v1/models is not model traffic",
    ]);
  });

  it("recognises its first line", () => {
    expect(httprr.recognize(trace(), true)).toBe(1);
    expect(httprr.recognize(Buffer.from("httprr is a Go package\n"), true)).toBe(0);
  });
});
