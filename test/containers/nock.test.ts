import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { nock } from "../../src/containers/files/nock.ts";
import { recognizerOf } from "../../src/log/recognizer.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { linesOf, type Origin } from "../../src/reading/origin.ts";
import { memorySource } from "../../src/reading/source.ts";
import type { PayloadCandidate } from "../../src/traffic/candidate.ts";
import type { Recording } from "../../src/traffic/container.ts";

function read(text: string): Omit<Recording, "candidates"> & { candidates: readonly PayloadCandidate[] } {
  const recording = nock.read(memorySource("weather.json", Buffer.from(text)), recognizerOf([openaiChat]));
  return { ...recording, candidates: [...recording.candidates] };
}

function spot({ source, start, end }: Origin): string {
  const { line, column } = linesOf(source).at(start);
  return `${line}:${column} ${source.read(start, end)}`;
}

const reply = {
  id: "r1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Sunny" }, finish_reason: "stop" }],
};

function recorded(response: unknown): string {
  const body = { model: "gpt-5", messages: [{ role: "user", content: "Weather?" }] };
  const exchange = {
    scope: "https://api.openai.com:443",
    method: "POST",
    path: "/v1/chat/completions",
    body,
    status: 200,
    response,
    rawHeaders: ["Content-Type", "application/json", "X-Request-Id", "req_1"],
    responseIsBinary: false,
  };
  return JSON.stringify(
    [
      exchange,
      {
        scope: "https://api.openai.com:443",
        method: "GET",
        path: "/v1/models",
        body: "",
        status: 200,
        response: { data: [] },
      },
    ],
    null,
    2,
  );
}

describe("nock", () => {
  it("takes a path that is no text for none", () => {
    const log = recorded(reply).replace('"/v1/models"', '{ "matcher": "/v1/models" }');
    expect(read(log).skipped).toMatchObject([{ reason: "GET https://api.openai.com is not model traffic" }]);
  });

  it("gives request and reply of an exchange one record, and names what is no model traffic", () => {
    const { candidates, skipped } = read(recorded(reply));
    expect(candidates.map(({ part, record }) => `${record.index} ${part}`)).toEqual(["0 request", "0 reply"]);
    expect(candidates[1]?.record).toMatchObject({
      url: "https://api.openai.com/v1/chat/completions",
      method: "POST",
      status: 200,
      headers: { "content-type": "application/json", "x-request-id": "req_1" },
    });
    expect(spot(candidates[0]?.place.locate("/messages/0/content") as Origin)).toBe('11:22 "Weather?"');
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "GET https://api.openai.com/v1/models is not model traffic",
    ]);
  });

  it("joins and unpacks the pieces of compressed responses", () => {
    const text = Buffer.from(JSON.stringify(reply));
    for (const packed of [gzipSync(text), brotliCompressSync(text)]) {
      const hex = packed.toString("hex");
      for (const response of [hex, [hex], [hex.slice(0, 20), hex.slice(20)]]) {
        const [, answer] = read(recorded(response)).candidates;
        expect(answer?.part === "reply" && answer.value).toEqual(reply);
        expect(spot(answer?.place.locate("/choices/0") as Origin)).toContain(hex.slice(20));
      }
    }
  });

  it("reads streams that were kept as text", () => {
    const [, stream] = read(
      recorded(
        'data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Sunny"}}]}\n\ndata: [DONE]\n\n',
      ),
    ).candidates;
    expect(stream?.part === "stream" && stream.frames.map(({ data }) => data.slice(0, 10))).toEqual([
      '{"id":"r1"',
      "[DONE]",
    ]);
  });

  it("never throws on a file that ends early", () => {
    const text = recorded([gzipSync(JSON.stringify(reply)).toString("hex")]);
    for (let end = 0; end < text.length; end += 5) {
      const { candidates, defects } = read(text.slice(0, end));
      expect(candidates.length).toBeLessThanOrEqual(2);
      expect(defects.map(({ kind }) => kind)).toEqual(end === 0 ? [] : ["unfinished"]);
    }
  });

  it("is sure of nock's own lists only", () => {
    expect(nock.recognize(Buffer.from(recorded(reply)), true)).toBe(0.95);
    expect(nock.recognize(Buffer.from('[{"scope":"all","path":"/"}]'), true)).toBe(0);
    expect(nock.recognize(Buffer.from('{"scope":"https://a"}'), true)).toBe(0);
  });
});
