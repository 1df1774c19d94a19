import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { har } from "../../src/containers/files/json.ts";
import { answers, asks, goesOn, open, run, spot, stream, told, url, wantsTool } from "./stories.ts";

const json = (value: unknown): string => JSON.stringify(value);

function entry(request: object | undefined, content: object, more: object = {}): object {
  return {
    startedDateTime: "2025-09-14T12:00:00.000Z",
    time: 812,
    request: {
      method: request ? "POST" : "GET",
      url,
      httpVersion: "HTTP/2",
      headers: [
        { name: "Authorization", value: "Bearer sk-proj-abcdefghijklmnop" },
        { name: "X-Title", value: "Weather" },
      ],
      ...(request && { postData: { mimeType: "application/json", text: json(request) } }),
      ...more,
    },
    response: {
      status: 200,
      statusText: "OK",
      headers: [],
      content: { mimeType: "application/json", ...content },
    },
    cache: {},
    timings: {},
  };
}

function archive(...entries: readonly object[]): string {
  return JSON.stringify(
    { log: { version: "1.2", creator: { name: "WebInspector", version: "1" }, pages: [], entries } },
    null,
    2,
  );
}

const first = entry(asks, { text: json(wantsTool) });

describe("an archive's response may be", () => {
  test.each([
    ["text", { text: json(answers) }],
    ["base64", { encoding: "base64", text: Buffer.from(json(answers)).toString("base64") }],
    ["gzip in base64", { encoding: "base64", text: gzipSync(json(answers)).toString("base64") }],
    ["server-sent events", { mimeType: "text/event-stream", text: stream("chatcmpl-2", "It is 18 °C.") }],
    [
      "server-sent events in base64",
      {
        mimeType: "text/event-stream",
        encoding: "base64",
        text: Buffer.from(stream("chatcmpl-2", "It is 18 °C.")).toString("base64"),
      },
    ],
  ])("%s", async (_, content) => {
    const log = archive(first, entry(goesOn, content));
    expect(await told(log)).toEqual(run);
    expect(await open(log)).toMatchObject({ container: "har", defects: [], skipped: [] });
  });

  test("missing, as browsers leave streams out", async () => {
    expect(await told(archive(first, entry(goesOn, { size: 900 })))).toEqual([
      run[0],
      `${run[1]?.split(" → ")[0]} → ?`,
    ]);
  });
});

test("what is no model traffic is named and left out", async () => {
  const page = entry(
    undefined,
    { mimeType: "text/html", text: "<!doctype html>" },
    { url: "https://example.com/" },
  );
  const metrics = entry(
    { event: "click" },
    { text: '{"ok":true}' },
    { url: "https://example.com/api/metrics" },
  );
  const refused = entry(
    { name: "x" },
    { text: '{"error":"not found"}' },
    { url: "https://example.com/api/users" },
  );
  const log = archive(page, first, metrics, entry(goesOn, { text: json(answers) }), refused);
  expect(await told(log)).toEqual(run);
  expect((await open(log)).skipped.map(({ reason }) => reason)).toEqual([
    "GET https://example.com/ is not model traffic",
    "POST https://example.com/api/metrics is not model traffic",
    "POST https://example.com/api/users is not model traffic",
  ]);
});

test("an exchange knows when and where it was sent, and its secrets are masked", async () => {
  const { exchanges } = await open(archive(first));
  expect(exchanges[0]).toMatchObject({
    url,
    status: 200,
    time: Date.UTC(2025, 8, 14, 12),
    durationMs: 812,
    headers: { authorization: "***", "x-title": "Weather" },
  });
});

test("the place of a value is its bytes inside the text; in base64 it is the text", async () => {
  const packed = Buffer.from(json(answers)).toString("base64");
  const { exchanges } = await open(archive(entry(goesOn, { encoding: "base64", text: packed })));
  const { request, reply } = exchanges[0] ?? {};
  expect(request && spot(request.place.locate("/messages/2"))).toBe(
    String.raw`29:304 {\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"{\\\"celsius\\\":18}\"}`,
  );
  expect(reply && spot(reply.place.locate("/choices/0/message"))).toBe(`39:22 ${packed}`);
});

test("an archive that ends early gives what it holds", async () => {
  const log = archive(first, entry(goesOn, { text: json(answers) }));
  const { exchanges, defects } = await open(log.slice(0, log.lastIndexOf('"content"')));
  expect(exchanges).toHaveLength(2);
  expect(defects.map(({ kind }) => kind)).toEqual(["unfinished"]);
});

test("archives are told by their first keys", () => {
  expect(har.recognize(Buffer.from(archive()), true)).toBe(0.95);
  expect(har.recognize(Buffer.from('{"log":{"_recordingName":"weather","creator":{}'), false)).toBe(0.95);
  expect(har.recognize(Buffer.from('{"log":"started"}'), true)).toBe(0);
  expect(har.recognize(Buffer.from('{"entries":[]}'), true)).toBe(0);
});
