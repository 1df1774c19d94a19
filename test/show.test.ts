import { describe, expect, test } from "vitest";
import { openLog as open } from "../src/log/open.ts";
import { bytesSource } from "../src/reading/source.ts";
import { describe as described, type Selection } from "../src/show/describe.ts";
import { brokenLog, healthyLog, loopLog } from "./cli/logs.ts";
import { toollint, type World } from "./cli/program.ts";

async function show(log: string, args: readonly string[] = [], world: World = {}): Promise<string> {
  const { stdout, stderr, exit } = await toollint(["show", "-", ...args], { stdin: log, ...world });
  expect({ stderr, exit }).toEqual({ stderr: "", exit: 0 });
  return stdout;
}

async function data(log: string, selection?: Selection) {
  const { conversations } = await open({ path: "run.log", source: bytesSource("run.log", Buffer.from(log)) });
  return described(conversations, selection);
}

const chat = { id: "chatcmpl-1", object: "chat.completion", model: "gpt-4.1" };

function record(messages: readonly object[], content: string, extra: object = {}): string {
  const request = { model: "gpt-4.1", messages, ...extra };
  const message = { role: "assistant", content };
  const response = { ...chat, choices: [{ index: 0, message, finish_reason: "stop" }] };
  return `${JSON.stringify({ request, response })}\n`;
}

const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });

describe("what is shown of a log", () => {
  test("a healthy conversation: what each request added, and what came back", async () => {
    expect(await show(healthyLog)).toBe(`- · jsonl · openai-chat · 2 exchanges · 1 conversation

openai-chat · 2 steps · 1 turn · 1 call · 100 + 20 tokens
1  request → reply   gpt-4.1 · 1 item sent · calls tools (tool_calls) · 50 + 10 tokens       :1 → :1
     tools     list_cities, get_weather
     user      How warm is it in Paris?                                                           :1
   ▸ call      get_weather {"city":"Paris"}                                           call_paris  :1
2  request → reply   + 1 item · answers (stop) · 50 + 10 tokens                              :2 → :2
   ◂ result    {"celsius":18}                                                         call_paris  :2
     assistant It is 18 degrees in Paris.                                                         :2
`);
  });

  test("what vanished between two requests", async () => {
    const text = await show(brokenLog);
    expect(text).toMatch(/− gone {6}call get_weather \{"city":"Paris"\} +call_paris {2}:1/);
    expect(text).toMatch(/◂ result {4}\{"celsius":18\} +its call \(reply 1\) is gone {2}call_paris {2}:2/);
  });

  test("repeated rounds and what they cost", async () => {
    expect(await show(loopLog(4))).toContain(`
Repeated
   ▸ call      get_weather {"city":"Paris"}
               4 times · replies 1–4 · always the same result
               the repeats cost 3 requests, 180 tokens
`);
  });

  test("repeated rounds of calls without ids, as `check` reports them", async () => {
    const message = {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "get_weather", arguments: { city: "Paris" } } }],
    };
    const result = { role: "tool", tool_name: "get_weather", content: '{"celsius":18}' };
    const history: object[] = [user("How warm is it in Paris?")];
    const records = [1, 2, 3].map((second) => {
      const request = { model: "llama3.2", messages: [...history], stream: false };
      const response = { model: "llama3.2", created_at: `2026-01-05T10:00:0${second}Z`, message, done: true };
      history.push(message, result);
      return JSON.stringify({ url: "http://127.0.0.1:11434/api/chat", request, response });
    });
    const last = { request: { model: "llama3.2", messages: history, stream: false }, response: null };
    const log = [...records, JSON.stringify({ url: "http://127.0.0.1:11434/api/chat", ...last }), ""].join(
      "\n",
    );
    expect(await show(log)).toContain(`
Repeated
   ▸ call      get_weather {"city":"Paris"}
               3 times · replies 1–3 · always the same result · the repeats cost 2 requests
`);
    const { stdout } = await toollint(["check", "-", "--format", "lines"], { stdin: log });
    expect(stdout).toContain("`get_weather` is called 3 times in one turn");
  });

  test("a table of conversations where there are several", async () => {
    const log =
      record([user("How warm is it in Paris?")], "18 degrees.") +
      record([user("Write a haiku about rain.")], "Rain falls on the roof.");
    const text = await show(log);
    expect(text).toContain("c1              1      1      0  How warm is it in Paris?");
    expect(text).toContain("c2              2      1      0  Write a haiku about rain.");
    expect(await show(log, ["--conversation", "c2"])).not.toContain("Paris");
    expect(await show(log, ["--exchange", "1"])).not.toContain("haiku");
  });

  test("a question beside the conversation, and that tokens were only counted", async () => {
    const tools = [{ type: "function", function: { name: "get_weather", parameters: {} } }];
    const first = [user("How warm is it in Paris?")];
    const second = [...first, said("18 degrees."), user("And in Oslo?")];
    const title = [{ role: "system", content: "You name conversations." }, ...first, said("18 degrees.")];
    const count = { request: { model: "gpt-4.1", messages: first }, url: "http://localhost:8000/tokenize" };
    const log =
      `${JSON.stringify({ ...count, response: { count: 9, max_model_len: 100, tokens: [1] } })}\n` +
      record(first, "18 degrees.", { tools }) +
      record([...title, user("A title?")], "Warmth", { model: "gpt-4.1-nano" }) +
      record(second, "9 degrees.", { tools });
    const text = await show(log);
    expect(text).toContain("4 exchanges · 1 of them not turns");
    expect(text).toContain("side request after 2");
    expect(text).not.toContain("−");
  });

  test("a system prompt and tools that come, change and go", async () => {
    const tool = (name: string) => ({ type: "function", function: { name, parameters: {} } });
    const first = [user("How warm is it in Paris?")];
    const second = [...first, said("18 degrees."), user("And in Oslo?")];
    const third = [...second, said("9 degrees."), user("Thanks!")];
    const log =
      record(first, "18 degrees.", { tools: [tool("get_weather")] }) +
      record(second, "9 degrees.", { tools: [tool("get_weather"), tool("get_time")] }) +
      record(third, "Bye.");
    const text = await show(log);
    expect(text).toMatch(/^ {5}tools {5}get_weather$/m);
    expect(text).toMatch(/^ {5}tools {5}get_weather, get_time$/m);
    expect(text).toMatch(/^ {3}− tools {5}the tools are gone$/m);
  });

  describe("the line of a step", () => {
    const tool = { type: "function", function: { name: "list_directory", arguments: "" } };
    const wants = (model: string, reason: string, calls: readonly object[] = [{ id: "call_1", ...tool }]) => {
      const message = { role: "assistant", content: null, tool_calls: calls };
      const response = {
        id: "chatcmpl-1",
        object: "chat.completion",
        model,
        choices: [{ index: 0, message, finish_reason: reason }],
        usage: { prompt_tokens: 1234, completion_tokens: 56, total_tokens: 1290 },
      };
      return `${JSON.stringify({ request: { model, messages: [user("List my files")] }, response })}\n`;
    };

    test("says what the reply wants by its calls, not by its stop reason", async () => {
      expect(await show(wants("gpt-4.1", "stop"))).toContain("calls tools (stop)");
      expect(await show(wants("gpt-4.1", "length"))).toContain(
        "calls tools · cut at the token limit · 1,234 + 56 tokens",
      );
      expect(await show(wants("gpt-4.1", "tool_calls", []))).toContain(
        "gpt-4.1 · 1 item sent · announces calls, has none · 1,234 + 56 tokens",
      );
    });

    test("shortens the model's name in its middle, and keeps the numbers", async () => {
      const text = await show(wants("accounts/fireworks/models/llama-v3p1-405b-instruct-long", "tool_calls"));
      expect(text).toMatch(
        / accounts\/\S*…\S*-long · 1 item sent · calls tools · 1,234 \+ 56 tokens +:1 → :1\n/,
      );
      const narrow = await show(wants("claude-sonnet-4-20250514", "tool_calls"), [], { columns: 80 });
      expect(narrow).toMatch(/reply {3}1 item sent · calls tools · 1,234 \+ 56 tokens +:1 → :1\n/);
    });

    test("and the call's own line says that it has no arguments", async () => {
      expect(await show(wants("gpt-4.1", "tool_calls"))).toMatch(
        /▸ call {6}list_directory \(no arguments\) +call_1 {2}:1\n/,
      );
    });
  });

  test("what is peculiar about an item is seen to its end, whatever has to give way", async () => {
    const narrow = await show(brokenLog, [], { columns: 60 });
    expect(narrow).toMatch(/◂ result {4}\S.* +its call \(reply 1\) is gone {2}:2\n/);
    const id = "toolu_01A09q90qw90lq917835lq9";
    const long = brokenLog.replaceAll("call_paris", id);
    expect(await show(long)).toMatch(/its call \(reply 1\) is gone {2}toolu_01A09q90…lq9 {2}:2\n/);
  });

  test("calls that came back with other arguments, in the order of the history", async () => {
    const call = (id: string, text: string) => ({
      id,
      type: "function",
      function: { name: "get_weather", arguments: text },
    });
    const ask = { role: "assistant", content: null };
    const made = {
      ...ask,
      tool_calls: [call("call_1", '{"city":"Paris"}'), call("call_2", '{"city":"Oslo"}')],
    };
    const sent = { ...ask, tool_calls: [call("call_1", ""), call("call_2", "{}")] };
    const results = ["call_1", "call_2"].map((id) => ({
      role: "tool",
      tool_call_id: id,
      content: "no city",
    }));
    const response = { ...chat, choices: [{ index: 0, message: made, finish_reason: "tool_calls" }] };
    const log = `${JSON.stringify({ request: { model: "gpt-4.1", messages: [user("How warm?")] }, response })}\n`;
    const text = await show(log + record([user("How warm?"), sent, ...results], "Which city?"));
    expect(text.match(/^ {3}~.*$/gm)?.map((line) => line.replace(/ {2,}/g, " ").trim())).toEqual([
      '~ changed get_weather arguments {"city":"Paris"} call_1 :1',
      "~ into (empty) :2",
      '~ changed get_weather arguments {"city":"Oslo"} call_2 :1',
      "~ into {} :2",
    ]);
  });

  test("long texts end in their size, and --full shows them whole", async () => {
    const long = `Once upon a time. ${"The rain fell. ".repeat(200)}The end.`;
    const log = record([user("Tell me a story.")], long);
    expect(await show(log)).toMatch(/assistant Once upon .*… 3\.0 kB +:1\n/);
    const full = await show(log, ["--full"]);
    expect(full).toContain("The end.");
    expect(full.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("the terminal is safe", () => {
  test("no line is wider than the terminal, whatever script it holds", async () => {
    const log =
      record([user("東京の天気はどうですか".repeat(30))], `${"ab ".repeat(100)}🌧️`.repeat(3)) + loopLog(3);
    for (const columns of [40, 60, 80, 133]) {
      const text = await show(log, [], { columns });
      const width = (line: string) =>
        [...line].reduce((sum, one) => sum + (/[\u3000-\u9fff\u{1f300}-\u{1faff}]/u.test(one) ? 2 : 1), 0);
      expect(text.split("\n").filter((line) => width(line) > columns)).toEqual([]);
    }
  });

  test("what a terminal would obey is made visible", async () => {
    const log = record([user("\u001b[2Jhello\u202e\u0007")], "a\r\nb\u200b", { model: "gpt\u001b[31m" });
    for (const args of [[], ["--full"], ["--format", "json"]]) {
      const text = await show(log, args);
      for (const hidden of ["\u001b", "\u202e", "\u0007", "\r", "\u200b"]) expect(text).not.toContain(hidden);
    }
  });

  test("credentials are masked, also in data; --show-values shows them on the terminal", async () => {
    const key = "sk-proj-abcdefghijklmnopqrstuvwx";
    const log = record([user(`my key is ${key}`)], "Thanks.");
    expect(await show(log)).not.toContain(key);
    expect(await show(log, ["--full"])).not.toContain(key);
    expect(await show(log, ["--format", "json"])).not.toContain(key);
    expect(await show(log, ["--show-values"], { isTTY: true })).toContain(key);
  });

  test("colours only where they are wanted", async () => {
    expect(await show(healthyLog)).not.toContain("\u001b[");
    expect(await show(healthyLog, ["--color"])).toContain("\u001b[");
  });
});

describe("the same as data", () => {
  test("steps, items and their places", async () => {
    expect((await data(brokenLog))[0]?.steps[1]).toMatchObject({
      step: 2,
      exchange: 2,
      after: 1,
      relation: "continuation",
      request: {
        line: 2,
        length: 2,
        added: [
          {
            kind: "result",
            text: '{"celsius":18}',
            callId: "call_paris",
            line: 2,
            pointer: "/messages/1",
            part: "request",
          },
        ],
        gone: [{ kind: "call", tool: "get_weather", text: '{"city":"Paris"}', exchange: 1, line: 1 }],
      },
      reply: {
        wantsTools: false,
        stop: { reason: "stop", meaning: "answer" },
        tokens: { input: 50, output: 10, cached: 0 },
        error: null,
      },
    });
  });

  test("totals are those of the whole conversation, steps those that were asked for", async () => {
    const [conversation] = await data(healthyLog, { exchanges: { from: 2, to: 9 } });
    expect(conversation?.totals).toEqual({
      steps: 2,
      turns: 1,
      calls: 1,
      tokens: { input: 100, output: 20, cached: 0 },
      durationMs: null,
    });
    expect(conversation?.steps.map(({ exchange }) => exchange)).toEqual([2]);
  });

  test("the repeats of a loop", async () => {
    expect((await data(loopLog(3)))[0]?.repeats).toEqual([
      {
        calls: [{ tool: "get_weather", arguments: '{"city":"Paris"}' }],
        exchanges: [1, 2, 3],
        results: 1,
        cost: { tokens: 120, durationMs: null },
      },
    ]);
  });

  test("an item is found in a log that is written over many lines", async () => {
    const log = JSON.stringify(
      { model: "gpt-4.1", messages: [user("How warm is it?"), said("Where?"), user("Paris")] },
      null,
      2,
    );
    const added = (await data(log))[0]?.steps[0]?.request?.added ?? [];
    expect(added.map(({ line, text }) => [text, log.split("\n")[line - 1]?.trim()])).toEqual([
      ["How warm is it?", '"content": "How warm is it?"'],
      ["Where?", '"content": "Where?"'],
      ["Paris", '"content": "Paris"'],
    ]);
  });

  test("JSON is one document, a line a step, the same for the same bytes", async () => {
    const json = await show(loopLog(3), ["--format", "json"]);
    expect(JSON.parse(json)).toMatchObject({
      schemaVersion: "1.0",
      file: { path: "-", exchanges: 4 },
      conversations: [{ name: "c1", steps: [{}, {}, {}, {}] }],
    });
    expect(json.split("\n")).toHaveLength(7);
    expect(await show(loopLog(3), ["--format", "json"])).toBe(json);
  });
});
