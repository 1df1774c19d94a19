import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { BodyEdit } from "../../src/containers/write/write-back.ts";
import { edited, written } from "./edits.ts";
import { answers, asks, call, goesOn, open, result, run, spot, stream, told, wantsTool } from "./stories.ts";

const text = (value: unknown): string => JSON.stringify(value);
const request = (body: string): Buffer =>
  Buffer.from(`POST /v1/chat/completions HTTP/2\r\nHost: api.openai.com\r\n\r\n${body}`);
const response = (body: string | Buffer, more = ""): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/2 200 OK\r\n${more}\r\n`), Buffer.from(body)]);

interface Options {
  readonly isPlain?: boolean;
}

function saved(
  pairs: readonly (readonly [Buffer, Buffer | undefined])[],
  { isPlain = false }: Options = {},
): string {
  const held = (name: string, message: Buffer | undefined): string =>
    message === undefined
      ? `    <${name} base64="true"></${name}>`
      : `    <${name} base64="${!isPlain}"><![CDATA[${message.toString(isPlain ? "utf8" : "base64")}]]></${name}>`;
  const items = pairs.map(
    ([asked, answered]) => `  <item>
    <time>Sun Sep 14 12:00:00 UTC 2025</time>
    <url><![CDATA[https://api.openai.com/v1/chat/completions]]></url>
    <host ip="162.159.140.245">api.openai.com</host>
${held("request", asked)}
    <status>200</status>
${held("response", answered)}
    <comment></comment>
  </item>`,
  );
  return `<?xml version="1.0"?>
<!DOCTYPE items [
<!ELEMENT items (item*)>
]>
<items burpVersion="2025.8" exportTime="Sun Sep 14 12:05:00 UTC 2025">
${items.join("\n")}
</items>
`;
}

describe("items saved from Burp", () => {
  test.each([false, true])("hold raw messages (as they are: %s)", async (isPlain) => {
    const log = saved(
      [
        [request(text(asks)), response(stream("chatcmpl-1"))],
        [request(text(goesOn)), response(text(answers))],
      ],
      { isPlain },
    );
    expect(await told(log)).toEqual(run);
    expect((await open(log)).exchanges[0]).toMatchObject({
      url: "https://api.openai.com/v1/chat/completions",
      status: 200,
    });
  });

  test("may hold a compressed reply, or none", async () => {
    const packed = response(gzipSync(text(wantsTool)), "Content-Encoding: gzip\r\n");
    const log = saved([
      [request(text(asks)), packed],
      [request(text(goesOn)), undefined],
    ]);
    expect(await told(log)).toEqual([run[0], `${run[1]?.split(" →")[0]} → ?`]);
  });

  test("are skipped where they are not understood, and said to be cut where the file ends in one", async () => {
    const log = saved([
      [request(text({ q: 1 })), response("<html>")],
      [request(text(asks)), response(text(wantsTool))],
    ]);
    const { skipped, defects } = await open(
      log.slice(0, log.indexOf("<comment>", log.lastIndexOf("<item>"))),
    );
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "POST https://api.openai.com/v1/chat/completions was not understood",
    ]);
    expect(defects).toMatchObject([
      { kind: "unknown", message: "no known API accepts this request" },
      { kind: "foreign", message: "an HTML page stands in place of the model's reply" },
      { kind: "unfinished", message: "the item ends in the middle" },
    ]);
  });

  const broken = text({ ...goesOn, messages: [goesOn.messages[0], result] });
  const restore: BodyEdit = { op: "insert", pointer: "/messages/1", json: text(call) };

  test("are placed and written where they stand as they are", async () => {
    const log = saved([[request(broken), response(text(answers))]], { isPlain: true });
    const place = (await open(log)).exchanges[0]?.request?.place;
    expect(place && spot(place.locate("/messages/1/tool_call_id"))).toContain('"call_1"');
    expect(await written(log, { 1: [restore] })).toBe(
      saved([[request(text(goesOn)), response(text(answers))]], { isPlain: true }),
    );
  });

  test("are encoded again where they are in base64, and the report says so", async () => {
    const log = saved([[request(broken), response(text(answers))]]);
    const { bytes, notes } = await edited(log, { 1: [restore] });
    expect(`${bytes}`).toBe(saved([[request(text(goesOn)), response(text(answers))]]));
    expect(notes).toEqual(["line 10: the body is encoded or compressed; it was re-encoded as a whole"]);
  });
});
