import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import type { LogSource } from "../src/log/log-file.ts";
import { openLog, openLogs } from "../src/log/open.ts";
import { protocols } from "../src/protocols/index.ts";
import type { Protocol } from "../src/protocols/protocol.ts";
import { bytesSource } from "../src/reading/source.ts";
import {
  answers,
  asks,
  call,
  completion,
  goesOn,
  question,
  result,
  run,
  stream,
  toldOf,
  url,
  wantsTool,
} from "./containers/stories.ts";

const chatCompletions = protocols.find(({ name }) => name === "openai-chat") as Protocol;
const said = { role: "assistant", content: "18 °C." };

const text = (value: unknown): string => JSON.stringify(value, null, 2);

function inputs(files: Readonly<Record<string, unknown>>): LogSource[] {
  const all: LogSource[] = Object.entries(files).map(([path, content]) => ({
    path,
    source: bytesSource(path, Buffer.from(typeof content === "string" ? content : text(content))),
    beside: (other) => all.find((input) => input.path === other),
  }));
  return all;
}

/** What was found in the files, and the runs that they made. */
async function checked(files: Readonly<Record<string, unknown>>, options = {}) {
  const { report, runs, unread } = await checkFiles(inputs(files), options);
  return {
    found: report.findings.map(
      ({ rule, location }) => `${rule} ${location.file}:${location.line} ${location.part}`,
    ),
    runs: runs.map((each) => each.files.map(({ path }) => path)),
    told: runs.flatMap(({ files: own }) => own.flatMap(({ exchanges }) => exchanges.map(toldOf))),
    files: report.files,
    unread,
  };
}

const mapping = (request: object, bodyFileName: string) => ({
  id: bodyFileName,
  request: { url: "/v1/chat/completions", method: "POST", bodyPatterns: [{ equalToJson: text(request) }] },
  response: { status: 200, bodyFileName, headers: { "Content-Type": "application/json" } },
});

describe("a reply in a file of its own", () => {
  const mock = {
    "mock/__files/chat-1.txt": stream("chatcmpl-1"),
    "mock/__files/chat-2.json": answers,
    "mock/mappings/chat-1.json": mapping(asks, "chat-1.txt"),
    "mock/mappings/chat-2.json": mapping(goesOn, "chat-2.json"),
  };

  test("is the one that WireMock's mapping names", async () => {
    const { told, runs, files, unread, found } = await checked(mock);
    expect(told).toEqual(run);
    expect(found).toEqual([]);
    expect(runs).toEqual([["mock/mappings/chat-1.json", "mock/mappings/chat-2.json"]]);
    expect(files.map(({ path, exchanges, conversations }) => [path, exchanges, conversations])).toEqual([
      ["mock/mappings/chat-1.json", 1, 1],
      ["mock/mappings/chat-2.json", 1, 1],
      ["mock/__files/chat-1.txt", 0, 1],
      ["mock/__files/chat-2.json", 0, 1],
    ]);
    expect(unread).toEqual([]);
  });

  test("is found although only the mapping is given, and never outside of its folders", async () => {
    const [, , first] = inputs(mock);
    const { exchanges } = await openLog(first as LogSource);
    expect(exchanges.map(toldOf)).toEqual(run.slice(0, 1));
    const asked: string[] = [];
    const source = bytesSource("a/b.json", Buffer.from(text(mapping(asks, "../../etc/passwd"))));
    const beside = (path: string): undefined => void asked.push(path);
    expect((await openLog({ path: "a/b.json", source, beside })).exchanges).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  test("is the one that Playwright's archive names in its content", async () => {
    const entry = (request: object, _file: string) => ({
      request: { method: "POST", url, postData: { mimeType: "application/json", text: text(request) } },
      response: { status: 200, content: { mimeType: "application/json", _file } },
    });
    const { told } = await checked({
      "trace.har": {
        log: {
          version: "1.2",
          creator: { name: "Playwright" },
          entries: [entry(asks, "a1.dat"), entry(goesOn, "b2.json")],
        },
      },
      "a1.dat": stream("chatcmpl-1"),
      "b2.json": answers,
    });
    expect(told).toEqual(run);
  });

  test.each([
    ["log/001_request.json", "log/001_response.sse", "log/002_request.json", "log/002_response.json"],
    ["requests/1.json", "responses/1.txt", "requests/2.json", "responses/2.json"],
    ["1/chatRequest.json", "1/chatResponse.txt", "2/chatRequest.json", "2/chatResponse.json"],
    ["req-1.json", "res-1.txt", "req-2.json", "res-2.json"],
  ])("has the name of its request, but for one word: %s", async (first, reply, second, last) => {
    const { told } = await checked({
      [first]: asks,
      [reply]: stream("chatcmpl-1"),
      [second]: goesOn,
      [last]: answers,
    });
    expect(told).toEqual(run);
  });

  test("says whose words a vague request is in", async () => {
    const { told, files } = await checked({
      "1-request.json": { model: "qwen3", messages: [question], stream: false },
      "1-response.json": {
        model: "qwen3",
        created_at: "2026-05-05T20:08:42Z",
        message: { role: "assistant", content: "18 °C." },
        done: true,
        done_reason: "stop",
      },
    });
    expect(told).toEqual(['user "How warm is it in Zürich?" → assistant "18 °C." (stop)']);
    expect(files[0]?.protocols).toEqual(["ollama"]);
  });

  test.each([
    ["all files", { protocol: chatCompletions }],
    [
      "one file",
      { settingsOf: (path: string) => (path.includes("request") ? { protocol: chatCompletions } : {}) },
    ],
  ])("does not overrule the protocol that was named for %s", async (_, options) => {
    const runs = await openLogs(
      inputs({
        "1-request.json": { model: "qwen3", messages: [question], stream: false },
        "1-response.json": { model: "qwen3", created_at: "2026-05-05T20:08:42Z", message: said, done: true },
      }),
      { ...options, isComplete: true },
    );
    const [run] = runs;
    expect(run?.exchanges.map(({ protocol, reply }) => [protocol, reply])).toEqual([
      ["openai-chat", undefined],
    ]);
    expect(run?.sidecars).toEqual([]);
    expect(run?.conversations.map(({ log }) => log.isComplete)).toEqual([true]);
  });

  test("is where what it says is found", async () => {
    const cut = stream("chatcmpl-1").split("\n\n").slice(0, 2).join("\n\n");
    const { found } = await checked({ "1-request.json": asks, "1-response.txt": `${cut}\n\n` });
    expect(found).toEqual(["truncated-stream 1-response.txt:3 response"]);
  });

  test("stays by itself with `--separate`", async () => {
    const { told } = await checked(mock, { separate: true });
    expect(told.filter((line) => line.startsWith("?") || line.endsWith("?"))).toHaveLength(4);
  });
});

describe("files of one run", () => {
  const id = "call_9fK2xQ7Lm";
  const made = { ...call, tool_calls: call.tool_calls.map((each) => ({ ...each, id })) };
  const wants = completion("chatcmpl-1", made, "tool_calls");
  const back = { ...result, tool_call_id: id };
  const pair = (request: object, response: object) => ({ request, response });
  const before = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello, ask me." },
  ];

  test("go on although the call was lost on the way", async () => {
    const { found } = await checked({
      "a.json": pair({ ...asks, messages: [question] }, wants),
      "b.json": pair({ ...asks, messages: [question, back] }, answers),
    });
    expect(found).toEqual(["dropped-tool-call b.json:9 request", "orphaned-tool-result b.json:9 request"]);
  });

  test("go on although the beginning was cut off", async () => {
    const { found } = await checked({
      "x/7f.json": pair({ ...asks, messages: [...before, question] }, wants),
      "x/a3.json": pair({ ...asks, messages: [question, made, back] }, answers),
    });
    expect(found).toEqual(["dropped-turns x/a3.json:5 request"]);
  });

  test("go on where numbers count on and the first words are the same", async () => {
    const later = [
      question,
      { role: "assistant", content: "Do you mean the city?" },
      { role: "user", content: "Yes." },
    ];
    const files = (names: readonly [string, string]) => ({
      [names[0]]: { model: "gpt-5", messages: later },
      [names[1]]: {
        model: "gpt-5",
        messages: [question, { role: "assistant", content: "Now?" }, { role: "user", content: "Now." }],
      },
    });
    expect((await checked(files(["run-9.json", "run-10.json"]))).runs).toEqual([
      ["run-9.json", "run-10.json"],
    ]);
    expect((await checked(files(["run-9.json", "run-12.json"]))).runs).toHaveLength(2);
  });

  describe("that a logger has put aside", () => {
    const line = (value: object): string => `${JSON.stringify(value)}\n`;
    const oldest = `12:00 the agent starts\n${line(pair({ ...asks, messages: [question] }, wants))}`;
    const next = line(
      pair(
        { ...asks, messages: [question, made, back] },
        completion("chatcmpl-2", { role: "assistant", content: "It is 17 °C." }, "stop"),
      ),
    );
    const newest = line(
      pair(
        {
          ...asks,
          messages: [
            question,
            made,
            back,
            { role: "assistant", content: "It is 17 °C." },
            { role: "user", content: "And now?" },
          ],
        },
        answers,
      ),
    );

    test.each([
      ["by a count", ["app.log.2", "app.log.1", "app.log"]],
      ["by a date", ["app.log.2026-01-30", "app.log.2026-01-31", "app.log"]],
      ["by a date without dots", ["app.log-20260130", "app.log-20260131", "app.log"]],
      ["by a number before the ending", ["app.9.log", "app.10.log", "app.11.log"]],
    ])("%s are read from the oldest on, whatever they are read as", async (_, names) => {
      const [a = "", b = "", c = ""] = names;
      const { runs, found } = await checked({ [c]: newest, [b]: next, [a]: oldest });
      expect(runs).toEqual([names]);
      expect(found).toEqual([]);
    });

    test("are one run also where a side request stands at the cut", async () => {
      const title = line(
        pair(
          { model: "gpt-5", messages: [{ role: "user", content: "A title for this chat?" }] },
          completion("chatcmpl-9", { role: "assistant", content: "Weather" }, "stop"),
        ),
      );
      const { runs } = await checked({ "app.log": title + next, "app.log.1": oldest + title });
      expect(runs).toEqual([["app.log.1", "app.log"]]);
    });
  });

  test("are put in order by their time stamps where all have them, not by their names", async () => {
    const at = (timestamp: string, value: object): object => ({ timestamp, ...value });
    const { runs } = await checked({
      "llm/0f.json": at("2026-01-01T10:00:02Z", pair({ ...asks, messages: [question, made, back] }, answers)),
      "llm/c4.json": at("2026-01-01T10:00:00Z", pair({ ...asks, messages: [question] }, wants)),
    });
    expect(runs).toEqual([["llm/c4.json", "llm/0f.json"]]);
  });

  test("are two runs where two conversations were logged at once", async () => {
    const asked = { role: "user", content: "How warm is it in Oslo?" };
    const other = { ...made, tool_calls: made.tool_calls.map((each) => ({ ...each, id: "call_7yB4mW2Rz" })) };
    const { runs } = await checked({
      "1.json": pair({ ...asks, messages: [question] }, wants),
      "2.json": pair({ ...asks, messages: [asked] }, completion("chatcmpl-5", other, "tool_calls")),
      "3.json": pair({ ...asks, messages: [question, made, back] }, answers),
      "4.json": pair(
        { ...asks, messages: [asked, other, { ...back, tool_call_id: "call_7yB4mW2Rz" }] },
        answers,
      ),
    });
    expect(runs).toEqual([
      ["1.json", "3.json"],
      ["2.json", "4.json"],
    ]);
  });

  test("are others where ids were only counted", async () => {
    const { runs } = await checked({
      "one.json": pair({ ...asks, messages: [question] }, wantsTool),
      "two.json": pair(
        { ...goesOn, messages: [{ role: "user", content: "And in Oslo?" }, call, result] },
        answers,
      ),
    });
    expect(runs).toHaveLength(2);
  });
});

describe("the parts of a rotated log", () => {
  const record = (contents: readonly object[], parts: readonly object[]): string =>
    `${JSON.stringify({
      url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
      request: { contents },
      response: { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] },
    })}\n`;
  const asked = { role: "user", parts: [{ text: "How warm is it in Bern?" }] };
  const answer = { functionResponse: { name: "weather", response: { degrees: 17 } } };
  const first = record([asked], [{ functionCall: { name: "weather", args: { city: "Bern" } } }]);
  // The call is lost, and has no id by which the result could name it.
  const second = record([asked, { role: "user", parts: [answer] }], [{ text: "It is 17 °C." }]);

  test.each([
    ["app.jsonl.1", "app.jsonl"],
    ["app.jsonl.2", "app.jsonl.1"],
    ["app.jsonl-20260104", "app.jsonl"],
    ["app.log.2026-01-04", "app.log.2026-01-05"],
  ])("are one run, whatever they hold: %s, %s", async (older, newer) => {
    const { found, runs } = await checked({ [older]: first, [newer]: second });
    expect(runs).toEqual([[older, newer]]);
    expect(found[0]).toBe(`dropped-tool-call ${newer}:1 request`);
  });

  test.each([
    ["app.jsonl", "web.jsonl.1"],
    ["app.jsonl", "old/app.jsonl.1"],
    ["run-1.jsonl", "run-2.jsonl"],
  ])("and other files are not: %s, %s", async (one, other) => {
    expect((await checked({ [one]: first, [other]: second })).runs).toHaveLength(2);
  });
});
