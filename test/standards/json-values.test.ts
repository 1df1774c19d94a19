import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import type { CheckReport } from "../../src/findings/report.ts";
import { linesOf } from "../../src/reading/origin.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { legal, open, readable, wrong } from "./json-values.ts";

const url = "https://api.openai.com/v1/chat/completions";
const user = '{"role":"user","content":"How warm is it in Bern?"}';
const call = (text: string): string =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":${text}}}]}`;
const request = (value: string): string => `{"model":"gpt-5","messages":[${user}],"metadata":${value}}`;
const reply =
  '{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"17 degrees."},"finish_reason":"stop"}]}';
const inString = (text: string): string =>
  text.replace(/["\\]/g, "\\$&").replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON demands that they are escaped
    /[\u0000-\u001f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const chunk = (delta: string, finish: string, more = ""): string =>
  `data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}\n\n`;

/** Where a JSON text may stand in a log. Bytes as latin1. */
const places: Readonly<Record<string, (value: string) => string>> = {
  "a body in JSON lines": (value) =>
    `{"url":"${url}","request":${request(value)},"status":200,"response":${reply}}\n`,
  "an escaped body in JSON lines": (value) =>
    `{"url":"${url}","request":"${inString(request(value))}","status":200,"response":${reply}}\n`,
  "the text of a HAR": (value) =>
    `{"log":{"version":"1.2","creator":{"name":"a"},"entries":[{"request":{"method":"POST","url":"${url}","postData":{"mimeType":"application/json","text":"${inString(request(value))}"}},"response":{"status":200,"content":{"mimeType":"application/json","text":"${inString(reply)}"}}}]}}`,
  "a scalar of a cassette": (value) =>
    `interactions:\n- request:\n    body: "${inString(request(value))}"\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: '${reply}'\n    status: {code: 200, message: OK}\nversion: 1\n`,
  "the data of an event": (value) =>
    `{"url":"${url}","request":${request("{}")},"status":200,"response":"${inString(
      `${chunk('{"role":"assistant","content":"17 degrees."}', "null", `,"usage":${value}`)}${chunk("{}", '"stop"')}data: [DONE]\n\n`,
    )}"}\n`,
};

async function check(log: string): Promise<CheckReport> {
  const source = bytesSource("run.log", Buffer.from(log, "latin1"));
  const { report } = await checkFiles([{ path: "run.log", source }]);
  const lines = linesOf(source).count;
  for (const { location } of report.findings) {
    expect(location.line).toBeGreaterThanOrEqual(1);
    expect(location.line).toBeLessThanOrEqual(lines);
  }
  return report;
}

/** What is said about reading. */
const told = ({ files, findings }: CheckReport): boolean =>
  files.length === 0 ||
  files.some(({ skipped }) => skipped.length > 0) ||
  findings.some(({ rule }) => /^(?:unreadable-record|malformed-stream|truncated-stream)$/.test(rule));

/** The line of a log with a value that would end it, or begin another one, cannot be told from two lines. */
const isOneLine = (value: string): boolean => !/[\n\r]/.test(value);

describe.each(Object.entries(places))("in %s", (name, log) => {
  const isRaw = name === "a body in JSON lines" || name === "the data of an event";
  const fitting = (values: readonly string[]): string[] =>
    values.filter((value) => !isRaw || isOneLine(value));

  test("each JSON value is taken", async () => {
    const refused: string[] = [];
    for (const value of fitting(legal)) if (told(await check(log(value)))) refused.push(value);
    expect(refused).toEqual([]);
  });

  test("what is no JSON is told", async () => {
    const silent: string[] = [];
    for (const value of fitting(wrong)) if (!told(await check(log(value)))) silent.push(value);
    expect(silent).toEqual([]);
  });

  test("a string that breaks the rules within is read, or told", async () => {
    for (const value of fitting(readable)) {
      const report = await check(log(value));
      expect([
        value,
        told(report) || (report.files[0]?.exchanges === 1 && report.summary.error === 0),
      ]).toEqual([value, true]);
    }
  });

  test("what readers may do as they like does no harm", async () => {
    for (const value of fitting(open)) await check(log(value));
  });
});

describe("as the arguments of a call", () => {
  const log = (value: string): string =>
    `{"model":"gpt-5","messages":[${user},${call(`"${inString(value)}"`)},{"role":"tool","tool_call_id":"call_1","content":"17"}]}\n`;
  const isBlamed = async (value: string): Promise<boolean> =>
    (await check(log(value))).findings.some(({ rule }) => /arguments|unreadable/.test(rule));

  test("each JSON object is taken", async () => {
    const blamed: string[] = [];
    for (const value of legal.filter((text) => /^\s*\{/.test(text)))
      if (await isBlamed(value)) blamed.push(value);
    expect(blamed).toEqual([]);
  });

  test("what is no JSON is told", async () => {
    const silent: string[] = [];
    // Blank arguments are none, and dots stand for arguments that somebody left out.
    for (const value of [...wrong, ...readable].filter((text) => !/^\s*(?:\[\.\.\.\])?\s*$/.test(text)))
      if (!(await isBlamed(value))) silent.push(value);
    expect(silent).toEqual([]);
  });

  test("what readers may do as they like does no harm", async () => {
    for (const value of open) await check(log(value));
  });
});

test("as a whole file, none of them is a conversation", async () => {
  for (const value of [...legal, ...wrong, ...readable, ...open])
    expect((await check(value)).files).toEqual([]);
});
