import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { shrunken, zipped } from "./logs.ts";

const url = "https://api.openai.com/v1/chat/completions";
const tools = [
  { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
];

interface Kept {
  readonly request: object;
  readonly response: object;
}

/** Six rounds of reading files; the fifth request lacks the call whose result it sends. */
const exchanges: readonly Kept[] = (() => {
  const messages: object[] = [{ role: "user", content: "Read the files." }];
  return Array.from({ length: 6 }, (_, index) => {
    const call = {
      id: `call_${index}`,
      type: "function",
      function: { name: "read", arguments: `{"n":${index}}` },
    };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const kept: Kept = {
      request: { model: "gpt-4.1", messages: [...messages], tools },
      response: {
        id: `chatcmpl-${index}`,
        object: "chat.completion",
        model: "gpt-4.1",
        choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      },
    };
    const result = { role: "tool", tool_call_id: call.id, content: `file ${index}: ${"words ".repeat(40)}` };
    messages.push(...(index === 3 ? [result] : [message, result]));
    return kept;
  });
})();

const lines = exchanges.map((each) => `${JSON.stringify(each)}\n`).join("");

const har = (): string => {
  const message = (value: object): object => ({
    headers: [],
    headersSize: -1,
    bodySize: -1,
    cookies: [],
    httpVersion: "HTTP/1.1",
    ...value,
  });
  const entries = exchanges.map(({ request, response }, index) => ({
    startedDateTime: `2026-01-01T00:00:0${index}Z`,
    time: 1,
    request: message({
      method: "POST",
      url,
      queryString: [],
      postData: { mimeType: "application/json", text: JSON.stringify(request) },
    }),
    response: message({
      status: 200,
      statusText: "OK",
      redirectURL: "",
      content: { size: 1, mimeType: "application/json", text: JSON.stringify(response) },
    }),
    cache: {},
    timings: { send: 1, wait: 1, receive: 1 },
  }));
  return JSON.stringify(
    { log: { version: "1.2", creator: { name: "test", version: "1" }, entries } },
    null,
    2,
  );
};

const yaml = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const cassette = (): string =>
  [
    "interactions:",
    ...exchanges.map(
      ({ request, response }) =>
        `- request:\n    body: ${yaml(JSON.stringify(request))}\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: ${yaml(JSON.stringify(response))}\n    status:\n      code: 200\n      message: OK`,
    ),
    "version: 1",
    "",
  ].join("\n");

const text = (): string =>
  exchanges
    .map(
      ({ request, response }, index) =>
        `12:00:0${index} DEBUG sending request\n${JSON.stringify(request, null, 2)}\n12:00:0${index} DEBUG got response\n${JSON.stringify(response)}\n`,
    )
    .join("");

/** A way to keep the exchanges, the name of its container, and that of what is left. */
const ways: readonly (readonly [file: string, bytes: Buffer, container: string, left: string])[] = [
  ["run.jsonl", Buffer.from(lines), "jsonl", "jsonl"],
  ["run.har", Buffer.from(har()), "har", "har"],
  ["run.yaml", Buffer.from(cassette()), "vcr", "vcr"],
  ["run.log", Buffer.from(text()), "text", "text"],
  ["run.json", Buffer.from(JSON.stringify(exchanges, null, 1)), "json", "json"],
  ["run.zip", zipped("run.jsonl", Buffer.from(lines)), "zip", "jsonl"],
];

describe.each(ways)("%s", (file, bytes, container, left) => {
  test(`is shrunk to two exchanges, kept as ${left}`, async () => {
    const shrunk = await shrunken(file, bytes, { rules: ["dropped-tool-call"] });
    if (!shrunk) throw new Error("the fault was not found");
    expect(shrunk.before.file).toMatchObject({ container });
    expect(shrunk.after.file).toMatchObject({ container: left });
    const source = bytesSource(file, shrunk.written.bytes);
    const { report } = await checkFiles([{ path: file, source }]);
    expect(report.files).toMatchObject([{ container: left, exchanges: 2 }]);
    const errors = report.findings.filter(({ severity, cause }) => severity === "error" && cause === null);
    expect(errors).toMatchObject([{ rule: "dropped-tool-call", data: { callIds: ["call_3"] } }]);
    const again = await shrunken(file, shrunk.written.bytes, { rules: ["dropped-tool-call"] });
    expect(again?.written.bytes.toString()).toBe(shrunk.written.bytes.toString());
  });

  test("is written as JSON lines when asked", async () => {
    const shrunk = await shrunken(file, bytes, { rules: ["dropped-tool-call"] }, { asLines: true });
    const records = String(shrunk?.written.bytes)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.map((record) => Object.keys(record))).toEqual([["request", "response"], ["request"]]);
  });
});

describe("a log of several files", () => {
  test("becomes one file of JSON lines", async () => {
    const { shrink } = await import("../../src/shrink/shrink.ts");
    const files = [lines.split("\n").slice(0, 4), lines.split("\n").slice(4)].map((part, index) => {
      const path = `logs/app.${index + 1}.jsonl`;
      return { path, source: bytesSource(path, Buffer.from(part.join("\n"))) };
    });
    const { shrunk } = await shrink(files, { rules: ["dropped-tool-call"] }, {});
    expect(shrunk?.after.run.files).toHaveLength(1);
    expect(shrunk?.after.file).toMatchObject({ container: "jsonl" });
    expect(shrunk?.after.file.exchanges).toHaveLength(2);
  });
});

test("calls made together with the one that fails go alone", async () => {
  const call = (id: string): object => ({
    id,
    type: "function",
    function: { name: "read", arguments: "{}" },
  });
  const result = (id: string): object => ({ role: "tool", tool_call_id: id, content: `what ${id} found` });
  const messages = [
    { role: "user", content: "Read all." },
    { role: "assistant", content: null, tool_calls: ["call_a1", "call_b2", "call_c3"].map(call) },
    ...["call_a1", "call_c3"].map(result),
  ];
  const body = Buffer.from(JSON.stringify({ model: "gpt-4.1", messages, tools }));
  const shrunk = await shrunken("request.json", body, { rules: ["unanswered-tool-call"] });
  const left = JSON.parse(String(shrunk?.written.bytes));
  // With no result at all, it would be another kind of finding.
  expect(left.messages).toEqual([
    messages[0],
    { role: "assistant", content: null, tool_calls: ["call_b2", "call_c3"].map(call) },
    result("call_c3"),
  ]);
});

/** A reply of many events that ends without its end. */
function cutStream(count: number): string {
  const chunk = (delta: object): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-4.1", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  return [
    chunk({ role: "assistant", content: "" }),
    ...Array.from({ length: count }, (_, index) => chunk({ content: `word ${index} ` })),
  ].join("");
}

describe("a reply in events", () => {
  const request = { model: "gpt-4.1", stream: true, messages: [{ role: "user", content: "Go on." }] };
  const kept: Readonly<Record<string, string>> = {
    "stream.jsonl": `${JSON.stringify({ request, response: cutStream(200) })}\n`,
    "stream.yaml": `interactions:\n- request:\n    body: ${yaml(JSON.stringify(request))}\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: ${JSON.stringify(cutStream(200))}\n    status:\n      code: 200\n      message: OK\nversion: 1\n`,
  };

  test.each(Object.entries(kept))("%s is cut to the events that the finding needs", async (file, text) => {
    const shrunk = await shrunken(file, Buffer.from(text), { rules: ["truncated-stream"] });
    const small = shrunk?.written.bytes.toString() ?? "";
    expect(small).toContain("chat.completion.chunk");
    expect(small.length).toBeLessThan(text.length / 20);
    const again = await shrunken(file, Buffer.from(small), { rules: ["truncated-stream"] });
    expect(again?.written.bytes.toString()).toBe(small);
  });
});

test("exchanges that are left in one record become lines at once, not in the next run", async () => {
  const [first, last] = [exchanges[0], exchanges[4]];
  const log = JSON.stringify({ runs: [{ first, last }, { note: "nothing" }] });
  const shrunk = await shrunken("run.json", Buffer.from(log), {});
  const small = shrunk?.written.bytes ?? Buffer.alloc(0);
  const again = await shrunken("run.json", small, {});
  expect(again?.written.bytes.toString()).toBe(small.toString());
});
