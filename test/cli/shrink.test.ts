import fs from "node:fs";
import path from "node:path";
import validate from "schema:shrink";
import { describe, expect, test } from "vitest";
import { logFolder, run } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8");
const shrinking = (...args: string[]) => toollint(["shrink", ...args], { cwd: folder, columns: 100 });

/** A day of work with one mistake in it: the result of the last call is sent without the call. */
function longLog(rounds: number): string {
  const history: object[] = [
    { role: "system", content: `You look up the weather. ${"Be polite. ".repeat(50)}` },
    { role: "user", content: "How warm is it in Paris?" },
  ];
  const tools = ["get_weather", "list_cities", "send_mail"].map((name) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: { city: { type: "string" } } } },
  }));
  const lines: object[] = [];
  for (let round = 1; round <= rounds; round++) {
    const id = `call_${round}`;
    const call = {
      id,
      type: "function",
      function: { name: "get_weather", arguments: `{"city":"city ${round}"}` },
    };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    lines.push({
      time: round,
      request: { model: "gpt-4.1", temperature: 0.5, messages: [...history], tools },
      response: {
        id: `chatcmpl-${round}`,
        object: "chat.completion",
        model: "gpt-4.1",
        choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      },
    });
    const result = { role: "tool", tool_call_id: id, content: `${round} degrees. ${"Sunny. ".repeat(40)}` };
    history.push(...(round === rounds ? [result] : [message, result]));
  }
  lines.push({ time: rounds + 1, request: { model: "gpt-4.1", messages: history, tools } });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

fs.writeFileSync(path.join(folder, "long.jsonl"), longLog(12));

describe("shrink writes", () => {
  test("the exchange that shows the finding and the one that explains it, cut to a story", async () => {
    const { exit, stdout } = await shrinking("long.jsonl", "-o", "small.jsonl");
    expect(stdout).toBe(
      [
        "dropped-tool-call · long.jsonl:13:6209 · the assistant message with the call to `get_weather`",
        "(`call_12`) was dropped; only the result is sent",
        "",
        "long.jsonl → small.jsonl",
        "  2 of 13 exchanges · 3 of 14 parts · 1.0 kB of 56.8 kB · 13 checks",
        "  written as jsonl, like the log",
        "",
        "What is left, and why:",
        "  needed, or the finding is gone:",
        "    exchange 1",
        "    exchange 2",
        "    the result of call_12",
        "",
      ].join("\n"),
    );
    expect(exit).toBe(0);
    const system = { role: "system", content: "You look up the weather. Be polite. Be p…" };
    const user = { role: "user", content: "How warm is it in Paris?" };
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
    const result = {
      role: "tool",
      tool_call_id: "call_12",
      content: "12 degrees. Sunny. Sunny. Sunny. Sunny. …",
    };
    const [first, last] = read("small.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first.request).toEqual({ model: "gpt-4.1", messages: [system, user], tools });
    expect(first.response.choices[0].message.tool_calls[0].id).toBe("call_12");
    expect(last).toEqual({ request: { model: "gpt-4.1", messages: [system, user, result], tools } });
  });

  test("a log that check reads, with the finding and no other error", async () => {
    await shrinking("long.jsonl", "-o", "small.jsonl");
    const { stdout } = await toollint(["check", "small.jsonl", "--format", "json"], { cwd: folder });
    const { findings } = JSON.parse(stdout);
    expect(findings.filter((finding: { cause: null }) => finding.cause === null)).toMatchObject([
      { rule: "dropped-tool-call", data: { callIds: ["call_12"] } },
    ]);
  });

  test("the log to standard output, and the report aside", async () => {
    const { exit, stdout, stderr } = await shrinking("long.jsonl", "-o", "-");
    expect(stdout).toBe(read("small.jsonl"));
    expect(stderr).toContain("long.jsonl → standard output\n");
    expect(exit).toBe(0);
  });

  test("the same finding by its name, its rule, its fingerprint or the provider's text", async () => {
    const report = await toollint(["check", "long.jsonl", "--format", "json"], { cwd: folder });
    const { findings } = JSON.parse(report.stdout);
    const [{ id, fingerprint }] = findings;
    const text = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    for (const options of [
      ["--finding", id],
      ["--finding", fingerprint],
      ["--rule", "dropped-tool-call"],
      ["--error", `400: Invalid parameter: ${text}`],
    ]) {
      await shrinking("long.jsonl", ...options, "-o", "named.jsonl");
      expect(read("named.jsonl")).toBe(read("small.jsonl"));
    }
  });

  test("a log that is as small as it gets as it was, and says so", async () => {
    const { exit, stdout } = await shrinking("small.jsonl", "-o", "smaller.jsonl");
    expect(stdout).toContain("The log cannot get any smaller; it was written unchanged.\n");
    expect(exit).toBe(0);
    expect(read("smaller.jsonl")).toBe(read("small.jsonl"));
  });

  test("a report that its schema describes", async () => {
    for (const [log, isSmaller] of [
      ["long.jsonl", true],
      ["small.jsonl", false],
    ] as const) {
      const { stdout } = await shrinking(log, "-o", "x.jsonl", "--format", "json");
      const report = JSON.parse(stdout);
      validate(report);
      expect(validate.errors).toBe(null);
      expect(report).toMatchObject({ isSmaller, isMinimal: true, output: { path: "x.jsonl" } });
    }
  });

  test("a packed log packed, as it was", async () => {
    const { exit } = await shrinking("packed.jsonl.gz", "-o", "small.jsonl.gz");
    expect(exit).toBe(0);
    expect(fs.readFileSync(path.join(folder, "small.jsonl.gz")).subarray(0, 2)).toEqual(
      Buffer.from([0x1f, 0x8b]),
    );
    const { stdout } = await toollint(["check", "small.jsonl.gz", "--format", "json"], { cwd: folder });
    expect(JSON.parse(stdout).findings).toMatchObject([
      { rule: "dropped-tool-call" },
      { rule: "orphaned-tool-result" },
    ]);
  });

  test("auth headers masked always, credentials in bodies when asked", async () => {
    const key = `sk-proj-${"Ab3dE6gH".repeat(5)}`;
    const lines = longLog(3)
      .trim()
      .split("\n")
      .map((line) => {
        const { request, response } = JSON.parse(line);
        request.messages[1].content = `How warm is it in Paris? My key is ${key}.`;
        const headers = { authorization: `Bearer ${key}` };
        return JSON.stringify({
          request: { url: "https://api.openai.com/v1/chat/completions", headers, body: request },
          response,
        });
      });
    fs.writeFileSync(path.join(folder, "keys.jsonl"), `${lines.join("\n")}\n`);
    await shrinking("keys.jsonl", "--rule", "dropped-tool-call", "-o", "open.out");
    expect(read("open.out")).not.toContain(`Bearer ${key}`);
    await shrinking("keys.jsonl", "--rule", "dropped-tool-call", "-o", "masked.out", "--redact");
    expect(read("masked.out")).not.toContain(key);
    const { findings } = JSON.parse(
      (await toollint(["check", "masked.out", "--format", "json"], { cwd: folder })).stdout,
    );
    expect(findings.map(({ rule }: { rule: string }) => rule)).toContain("dropped-tool-call");
  });
});

describe("shrink refuses", () => {
  run(folder, [
    {
      name: "to write over the log that it reads",
      args: ["shrink", "long.jsonl", "-o", "long.jsonl"],
      err: "toollint: `-o` would overwrite the log long.jsonl: name another file\n",
      exit: 2,
    },
    {
      name: "to guess where the log goes",
      args: ["shrink", "long.jsonl"],
      err: "toollint: say where the small log goes: `-o small.jsonl`, or `-o -` for standard output\n",
      exit: 2,
    },
    {
      name: "to print the log and a report for programs in one place",
      args: ["shrink", "long.jsonl", "-o", "-", "--format", "json"],
      err: "toollint: the log and the report would both go to standard output: `-o FILE --format json`\n",
      exit: 2,
    },
    {
      name: "a finding that the log does not have",
      args: ["shrink", "long.jsonl", "--finding", "f9", "-o", "x.jsonl"],
      err: /^toollint: long\.jsonl has no finding `f9`: there are f1 to f\d+, which `toollint check --format json` lists\n$/,
      exit: 2,
    },
    {
      name: "a rule that finds nothing in the log",
      args: ["shrink", "long.jsonl", "--rule", "call-after-farewell", "-o", "x.jsonl"],
      err: /^toollint: long\.jsonl has no finding of `call-after-farewell`; it has findings of `[a-z-]+`/,
      exit: 2,
    },
    {
      name: "a rule that there is not",
      args: ["shrink", "long.jsonl", "--rule", "droped-turns", "-o", "x.jsonl"],
      err: /^toollint: there is no rule `droped-turns`; did you mean/,
      exit: 2,
    },
    {
      name: "two names of a finding at once",
      args: ["shrink", "long.jsonl", "--rule", "dropped-turns", "--finding", "f1", "-o", "x.jsonl"],
      err: "toollint: `--finding`, `--rule` and `--error` each name a finding: give one of them\n",
      exit: 2,
    },
    {
      name: "a healthy log",
      args: ["shrink", "healthy.jsonl", "-o", "x.jsonl"],
      err: "toollint: healthy.jsonl has no findings, and shrink needs one to keep\n",
      exit: 2,
    },
    {
      name: "what is no log",
      args: ["shrink", "notes.txt", "-o", "x.jsonl"],
      err: /^toollint: /,
      exit: 2,
    },
  ]);
});
