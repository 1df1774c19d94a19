import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseXml } from "../reporters/xml.ts";
import { toollint } from "./program.ts";

/** One log that tries to get out of every format at once, and what comes of it in every output. */
const payloads = [
  "a\u001b[31m\u009b2J\u0000\b",
  "\u202eb\u200b\u2028\ufeff",
  "</script><script>alert(1)</script><img src=x onerror=alert(1)><!--",
  "]]></failure><!--&lt;&#0;",
  "\n::error::c\n##[group]d\r::warning::e%0A::notice::f",
  "[g](javascript:alert(1)) ![h](https://evil.example/i.png) `` ``` |",
  "\n=cmd|' /C calc'!A0\n+1\n@SUM(1)",
  "\n\n# heading\n---\n",
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-injection-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** A run that forgets its call, in which names, ids, texts and arguments are hostile, and one name very long. */
function run(text: string): string {
  const call = {
    id: `c${text}`,
    type: "function",
    function: { name: `n${text}`, arguments: JSON.stringify({ [text]: text }) },
  };
  const tools = [
    { type: "function", function: { name: `o${text}${"x".repeat(20_000)}`, description: text } },
  ];
  const asked = [{ role: "user", content: text }];
  const exchange = (messages: object[], status: number, response: object): string =>
    JSON.stringify({
      url: "https://api.openai.com/v1/chat/completions",
      request: { model: `m${text}`, tools, messages },
      status,
      response,
    });
  const choices = [
    {
      index: 0,
      message: { role: "assistant", content: text, tool_calls: [call] },
      finish_reason: "tool_calls",
    },
  ];
  const result = { role: "tool", tool_call_id: call.id, content: text };
  const refusal = { error: { message: `No tool call found for ${text}`, type: text } };
  return [exchange(asked, 200, { id: text, choices }), exchange([...asked, result], 400, refusal)]
    .map((line) => `${line}\n`)
    .join("");
}

const log = "run.jsonl";
fs.writeFileSync(path.join(folder, log), run(payloads.join(" ")));
fs.writeFileSync(path.join(folder, "plain.jsonl"), run("plain"));

/** What a terminal would obey, or what would hide something; line feeds are ours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
/** What a runner of CI would obey. */
const annotation = /^\s*::|^##\[/m;
/** A longer line than any sentence with a shortened name has. */
const longest = 12_000;

async function output(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exit } = await toollint(args, { cwd: folder, columns: 100 });
  expect(stderr).not.toContain("internal error");
  expect([0, 1, 2]).toContain(exit);
  expect(acting.exec(stderr)?.[0]).toBeUndefined();
  return stdout;
}

const target = ["--base-url", "http://127.0.0.1:9/v1", "--dry-run"];

describe("for a person", () => {
  test.each(
    [
      ["check", log],
      ["check", log, "--all"],
      ["check", log, "--statistics"],
      ["check", log, "--explain-input"],
      ["check", log, "--format", "lines"],
      ["show", log],
      ["show", log, "--full"],
      ["diff", log, "plain.jsonl"],
      ["diff", log, "--steps"],
      ["fix", log, "--dry-run", "--unsafe"],
      ["explain", "--error", payloads.join(" "), log],
      ["replay", log, ...target],
      ["shrink", log, "-o", "small.jsonl", "--overwrite"],
      ["completion", payloads.join(" ")],
      ["formats", payloads.join(" ")],
    ].map((args) => [args.slice(0, 4).join(" ").slice(0, 60), args] as const),
  )("nothing acts in a terminal or a runner: %s", async (_, args) => {
    const text = await output(...args);
    expect(acting.exec(text)?.[0]).toBeUndefined();
    expect(annotation.exec(text)?.[0]).toBeUndefined();
  });

  test("a very long name is shortened in the report", async () => {
    const text = await output("check", log, "--all");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(200);
    expect(text.length).toBeLessThan(longest * 4);
  });
});

describe("for a program", () => {
  test.each([
    ["check", log, "--format", "json"],
    ["check", log, "--format", "sarif"],
    ["check", log, "--format", "gitlab"],
    ["show", log, "--format", "json"],
    ["diff", log, "plain.jsonl", "--format", "json"],
    ["diff", log, "--steps", "--format", "json"],
    ["fix", log, "--format", "json"],
    ["explain", "--error", payloads.join(" "), "--format", "json"],
  ])("JSON stays JSON, and nothing in it is raw: %s", async (...args) => {
    const text = await output(...args);
    expect(() => JSON.parse(text)).not.toThrow();
    expect(acting.exec(text)?.[0]).toBeUndefined();
  });

  test("each line of JSON lines is one object", async () => {
    const lines = (await output("check", log, "--format", "jsonl")).trimEnd().split("\n");
    for (const line of lines) expect(typeof JSON.parse(line)).toBe("object");
  });

  test("JUnit's XML is well formed and has no other elements", async () => {
    const names = new Set<string>();
    const walk = ({ name, children }: ReturnType<typeof parseXml>): void => {
      names.add(name);
      for (const child of children) walk(child);
    };
    walk(parseXml(await output("check", log, "--format", "junit")));
    for (const name of names)
      expect([
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "system-out",
        "properties",
        "property",
      ]).toContain(name);
  });

  test("each line for GitHub is one annotation of ours", async () => {
    const lines = (await output("check", log, "--format", "github")).trimEnd().split("\n");
    for (const line of lines.filter((each) => each.startsWith("::")))
      expect(line).toMatch(/^::(?:error|warning|notice) file=run\.jsonl,/);
    expect(lines.join("\n")).not.toMatch(/^(?:::c|::stop|##\[)/m);
  });
});

describe("for a page", () => {
  /** How often a page opens or closes a script or a comment: each time is a way out of it. */
  function partsOf(html: string): Readonly<Record<string, number>> {
    const parts = ["<script", "</script", "<!--", "<img", "<iframe", "<style"];
    return Object.fromEntries(parts.map((part) => [part, html.toLowerCase().split(part).length - 1]));
  }

  test.each([
    ["check", "LOG", "--format", "html"],
    ["show", "LOG", "--format", "html"],
    ["diff", "LOG", "plain.jsonl", "--format", "html"],
  ])("HTML has the elements that it has for a harmless log, and loads nothing: %s", async (...args) => {
    const page = async (name: string): Promise<string> =>
      output(...args.map((word) => (word === "LOG" ? name : word)));
    const hostile = await page(log);
    expect(hostile).toMatch(/^<!doctype html>/i);
    expect(partsOf(hostile)).toEqual(partsOf(await page("plain.jsonl")));
    expect(hostile).not.toMatch(/<[a-z][^<>]*\son\w+\s*=|(?:href|src)="?(?:javascript:|https?:\/\/evil)/i);
  });

  test.each([
    ["check", log, "--format", "markdown"],
    ["diff", log, "plain.jsonl", "--format", "markdown"],
  ])("Markdown has no markup of the log: %s", async (...args) => {
    const text = await output(...args);
    expect(acting.exec(text)?.[0]).toBeUndefined();
    // What stands between backticks is no markup.
    const prose = text
      .replace(/^(`{3,}).*\n[\s\S]*?^\1\s*$/gm, "")
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
    expect(prose).not.toMatch(/<(?:script|img|!--)|\]\(javascript:|!\[h\]|^# heading|^=cmd/m);
  });
});

test("a journal of the model server quotes what clients send", async () => {
  const { serve } = await import("../../src/library/testing.ts");
  const journal = path.join(folder, "journal.jsonl");
  const server = await serve({ script: { replies: [{ text: "Yes." }] }, journal });
  await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: payloads.join(" ") }] }),
  });
  await server.close();
  const lines = fs.readFileSync(journal, "utf8").trimEnd().split("\n");
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(lines.length).toBeGreaterThan(0);
});
