import { describe, expect, test } from "vitest";
import { check, fix, read } from "../../src/index.ts";
import { written } from "../containers/edits.ts";
import { stories } from "../containers/sessions.ts";
import { answers, asks, chunks, goesOn, stream, wantsTool } from "../containers/stories.ts";
import { keepings } from "./kept-logs.ts";
import { chat, messages } from "./runs.ts";
import { hasLost, isTold, yieldOf } from "./told.ts";

const kept = (name: string): string => Buffer.from(keepings[name]?.keep(chat) ?? "", "latin1").toString();
const session = (name: string): string => stories[name]?.log ?? "";
const linesOf = (log: string): string[] => log.trimEnd().split("\n");

/** What is said of a log, and how much it holds. */
async function told(name: string, log: string) {
  const { counts, statements } = await yieldOf(name, Buffer.from(log));
  return { ...counts, statements };
}

describe("a log whose lines end with CR alone", () => {
  const names = ["text on lines", "kubernetes", "printed by Python", "jsonl", "docker"];

  test.each(names)("is read like one with line feeds: %s", async (name) => {
    const file = keepings[name]?.file ?? "";
    const whole = await told(file, kept(name));
    expect(await told(file, kept(name).replaceAll("\n", "\r"))).toEqual(whole);
  });

  test("is read where it is a session, in UTF-16, too", async () => {
    const log = session("codex").replaceAll("\n", "\r");
    const wide = Buffer.from(`\ufeff${log}`, "utf16le");
    for (const bytes of [Buffer.from(log), wide])
      expect((await yieldOf("run.log", bytes)).counts).toMatchObject({ exchanges: 2, replies: 2 });
  });

  test("keeps its line ends when it is repaired", async () => {
    const dropped = { ...goesOn, messages: [goesOn.messages[0], goesOn.messages[2]] };
    const log = [asks, wantsTool, dropped, answers].map((body) => `INFO ${JSON.stringify(body)}\r`).join("");
    for (const encoding of ["utf8", "utf16le"] as const) {
      const bytes = Buffer.from(encoding === "utf8" ? log : `\ufeff${log}`, encoding);
      const fixed = await fix(bytes, { name: "run.log" });
      const text = Buffer.from(fixed.bytes).toString(encoding);
      expect(fixed.report.edits).not.toEqual([]);
      expect([text.split("\r").length, text.includes("\n")]).toEqual([5, false]);
    }
  });

  test("has its place in lines", async () => {
    const log = [asks, wantsTool, goesOn, answers].map((body) => `INFO ${JSON.stringify(body)}\r`);
    const broken = log.with(2, log[2]?.replace('"messages":', '"messages" ') ?? "").join("");
    const { statements } = await told("run.log", broken);
    expect(new Set(statements.map((each) => each.slice(0, 2)))).toEqual(new Set(["3:"]));
  });
});

describe("a log in which some lines end with CR alone", () => {
  const events = stream("r1").replaceAll("\n", "\r");
  const said = [
    `POST /v1/chat/completions\r${JSON.stringify(asks, null, 2).replaceAll("\n", "\r")}\r`,
    `HTTP 200\r${events}`,
    `POST /v1/chat/completions\r${JSON.stringify(goesOn)}\r`,
    `HTTP 200\r${JSON.stringify(answers)}\r`,
  ].join("");

  test.each<[string, string]>([
    ["a line feed at the end", `${said}\n`],
    ["lines before and after", `2026-01-05 INFO begin\n${said}2026-01-05 INFO end\n`],
    ["the bar of a download before", `  0%\r 50%\r100%\r${said.replaceAll("\r", "\n")}`],
    ["CR and LF, doubled", `${said.replaceAll("\r", "\r\r\n")}`],
    ["a record of Docker", `${JSON.stringify({ log: said, stream: "stdout" })}\n`],
    ["a line of Kubernetes", `2026-01-05T12:00:00.000000000Z stdout F ${said}\n`],
  ])("is read like one with line feeds: %s", async (_, log) => {
    const whole = await told("run.log", said.replaceAll("\r", "\n"));
    expect(whole).toMatchObject({ exchanges: 2, requests: 2, replies: 2, statements: [] });
    expect(await told("run.log", log)).toEqual(whole);
  });

  test("keeps its line ends when it is repaired", async () => {
    const log = `INFO begin\n${said}`;
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"How cold is it?"' }],
    });
    expect(after).toBe(log.replace('"How warm is it in Zürich?"', '"How cold is it?"'));
  });
});

describe("the log of a container", () => {
  test.each([
    ["a byte order mark before", (line: string) => `\ufeff${line}`],
    ["the comma of a list behind", (line: string) => `${line},`],
  ])("is read where a record has %s it", async (_, change) => {
    const lines = linesOf(kept("docker"));
    const log = lines.map((line, index) => (index === 1 ? change(line) : line)).join("\n");
    expect(await told("run.log", `${log}\n`)).toMatchObject({ exchanges: 2, requests: 2, replies: 2 });
  });

  test("is read where one record stands in another", async () => {
    const [first = "", second = "", ...rest] = linesOf(kept("docker"));
    const log = [`${first.slice(0, -1)},"next":${second}}`, ...rest].join("\n");
    expect(await told("run.log", `${log}\n`)).toEqual(await told("run.log", kept("docker")));
  });

  test.each(["docker", "docker, in parts", "kubernetes, in parts"])(
    "names a line that is no record: %s",
    async (name) => {
      const lines = linesOf(kept(name)).toSpliced(-2, 2, "==> other.log <==");
      expect((await told("run.log", `${lines.join("\n")}\n`)).statements).toContain(
        `${lines.length}: a line that is no record: it was taken for one that the program wrote`,
      );
    },
  );

  test("says nothing of a blank line", async () => {
    const log = linesOf(kept("docker")).join("\n\n");
    expect((await told("run.log", `${log}\n`)).statements).toEqual([]);
  });
});

describe("a line that stands for others", () => {
  const log = [asks, wantsTool, goesOn, answers].map((body) => `INFO ${JSON.stringify(body)}`);
  const reason = "a line that stands for others, which somebody left out";

  test.each(["...", "…", "[...]", "<snip>", "  (…)", "... 1,204 more characters", "# [truncated]", "[ … ]"])(
    "is named in a text log: %s",
    async (line) => {
      const { statements } = await told("run.log", `${log.with(1, line).join("\n")}\n`);
      expect(statements).toContain(`2: ${reason}`);
    },
  );

  test.each<[string, (line: string) => string]>([
    ["a service", (line) => `api-1  | ${line}`],
    ["a time", (line) => `2026-01-05 12:00:00 INFO ${line}`],
    ["a record of Docker", (line) => JSON.stringify({ log: `[web] ${line}\n`, stream: "stdout" })],
    ["a line of Kubernetes", (line) => `2026-01-05T12:00:00.000000000Z stdout F [web] ${line}`],
    ["the name of a field", (line) => (line === "..." ? "data: ..." : line)],
    ["their number", (line) => (line === "..." ? "[2 more events]" : line)],
  ])("is named among the events of a stream behind %s", async (_, keep) => {
    const [asked, first, last] = [JSON.stringify(asks), ...stream("r1", "It is 18 °C.").split("\n\n")];
    const lines = [asked, first, "...", last, "data: [DONE]"].flatMap((line = "") => [line, ""]);
    const { statements } = await told("run.log", `${lines.map(keep).join("\n")}\n`);
    expect(statements.join()).toContain(`5: ${reason}`);
    const whole = lines.toSpliced(4, 2);
    expect((await told("run.log", `${whole.map(keep).join("\n")}\n`)).statements.join()).not.toContain(
      reason,
    );
  });

  test.each(["..", "waiting...", "see ... below", "...and so on", "x = [...]", "truncated 3 messages"])(
    "is no other line: %s",
    async (line) => {
      const { statements } = await told("run.log", `${log.toSpliced(2, 0, line).join("\n")}\n`);
      expect(statements).toEqual([]);
    },
  );
});

describe("items of Burp", () => {
  const whole = Buffer.from(keepings["burp"]?.keep(messages) ?? "", "latin1").toString();

  test("are both read where the end tag of the first is damaged", async () => {
    expect(await told("run.xml", whole.replace("</item>", "</item12:00:00 WARNING>"))).toMatchObject({
      exchanges: 2,
      statements: ["3: the item has no end tag before the next one begins; this part was not checked"],
    });
  });

  test("name an item from which the request is gone", async () => {
    const log = whole.replace(/ {4}<request .*<\/request>\n/, "<snip>\n");
    expect((await told("run.xml", log)).statements).toEqual(["3: an item without its request"]);
  });

  test("may quote items in a message", async () => {
    const item = (body: string): string =>
      `<item><request base64="false"><![CDATA[POST / HTTP/1.1\r\nHost: a.example\r\n\r\n${body}]]></request><response></response></item>`;
    const log = `<items burpVersion="1">${item("<rss><item>one</rss>")}${item("x")}</items>`;
    expect((await told("run.xml", log)).statements.join()).not.toContain("no end tag");
  });
});

test("a row of a table with more cells than names is named", async () => {
  const rows = linesOf(kept("csv"));
  const at = rows.findIndex((line) => line.startsWith("1,https"));
  const log = [...rows.slice(0, at - 1), `${rows[at - 1]},${rows[at]}`, ...rows.slice(at + 1)].join("\n");
  expect((await told("run.csv", `${log}\n`)).statements).toContainEqual(
    expect.stringContaining(
      "the row has 10 cells, and the first line names 5: two rows may have run together",
    ),
  );
  expect((await told("run.csv", kept("csv").replaceAll(/"\n(?=\d|$)/g, '",,\n'))).statements).toEqual([]);
});

describe("a record that holds the next one", () => {
  test("gives both exchanges, one of them streamed", async () => {
    const [first = "", second = ""] = linesOf(kept("jsonl"));
    const log = `${first.slice(0, -1)},"next":${second}}\n`;
    expect(await told("run.jsonl", log)).toMatchObject({ requests: 2, replies: 2, items: 8 });
  });

  test("still gives one reply where a record keeps a stream and the whole reply of one request", async () => {
    const body = chunks("chatcmpl-1", undefined).join("");
    const log = JSON.stringify({ request: asks, raw: body, response: wantsTool });
    expect(await told("run.jsonl", `${log}\n`)).toMatchObject({ requests: 1, replies: 1 });
  });

  test.each(["codex", "claude-code", "pi", "droid", "goose", "qwen-code", "grok"])(
    "is named in a session: %s",
    async (name) => {
      const lines = linesOf(session(name));
      const silent: string[] = [];
      const whole = await told("run.log", session(name));
      for (let at = 0; at + 1 < lines.length; at++) {
        const log = lines.toSpliced(at, 2, `${lines[at]?.slice(0, -1)},"next":${lines[at + 1]}}`).join("\n");
        const left = await told("run.log", `${log}\n`);
        if (left.items >= whole.items) continue;
        if (left.statements.every((each) => whole.statements.includes(each)))
          silent.push(`${name} ${at + 1}`);
      }
      expect(silent).toEqual([]);
    },
  );
});

describe("records that somebody copied out of a list, with their commas", () => {
  test.each(["crush", "goose", "codex", "ag-ui", "pi"])("are a session: %s", async (name) => {
    const log = session(name);
    const read = await told("run.log", log.replaceAll(/\}\n/g, "},\n"));
    expect(read).toEqual(await told("run.log", log));
  });
});

describe("a trace whose runs hold their child runs", () => {
  const question = { role: "user", content: "How warm is it in Bern?" };
  const more = { role: "user", content: "And in Oslo?" };
  const run = (id: string, run_type: string, said: readonly object[], answer: string, rest: object = {}) => ({
    id,
    run_type,
    trace_id: "t",
    inputs: { messages: said },
    outputs: { generations: [[{ text: answer, message: { role: "assistant", content: answer } }]] },
    ...rest,
  });
  const calls = [
    run("l1", "llm", [question], "It is 17 °C."),
    run("l2", "llm", [question, { role: "assistant", content: "It is 17 °C." }, more], "It is 9 °C."),
  ];

  test.each([
    ["child_runs", calls],
    ["children", [run("n1", "chain", [question], "It is 17 °C.", { child_runs: calls })]],
  ])("gives the calls of models in %s", async (key, inner) => {
    const outer = run("c1", "chain", [question], "It is 9 °C.", { [key]: inner });
    const { exchanges } = await read(Buffer.from(JSON.stringify(outer)), { name: "trace.json" });
    expect(exchanges.map(({ request, reply }) => [request?.history.length, reply?.items.length])).toEqual([
      [1, 1],
      [3, 1],
    ]);
  });
});

test("nothing is said of a session with its commas that a check would not say without them", async () => {
  const log = session("crush").replaceAll(/\}\n/g, "},\n");
  expect((await check(Buffer.from(log), { name: "run.log" })).findings).toEqual([]);
});

describe("a reply that cannot be read", () => {
  const url = "https://api.anthropic.com/v1/messages";
  const sent = {
    model: "claude-sonnet-4-5",
    max_tokens: 512,
    messages: [{ role: "user", content: "How warm is it in Bern?" }],
  };
  const said = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [17, { type: "text", text: "It is 17 °C." }],
    stop_reason: "end_turn",
  };
  const modelIsUnread = "a model's text that no known reply contains";

  test("is named where its content is odd", async () => {
    const log = `request to ${url}: ${JSON.stringify(sent)}\nresponse: ${JSON.stringify(said)}\n`;
    expect((await told("run.log", log)).statements).toEqual([`2: ${modelIsUnread}`]);
  });

  test("is named where a flaw hides that a program printed it", async () => {
    const printed = `{id:/* gone */ * 'msg_1',role:'assistant',content:[{type:'text',text:'It is 17 °C.'}]}`;
    const log = `request to ${url}: ${JSON.stringify(sent)}\nresponse: ${printed}\n`;
    expect((await told("run.log", log)).statements).toEqual([`2: ${modelIsUnread}`]);
  });

  test("is named where its stream ends in its first event", async () => {
    for (const stream of ["event: message_start\ndata", "event: message_star"]) {
      const log = `request to ${url}: ${JSON.stringify(sent)}\nresponse:\n${stream}`;
      expect((await told("run.log", log)).statements).toEqual([
        "3: the stream is cut off in its first event",
      ]);
    }
  });

  test("is named where an id links the beginning of its stream to a request", async () => {
    const [first = "", second = "", ...rest] = linesOf(kept("jsonl, two lines an exchange"));
    const body = 'data: {"id":"chatcmpl-1","object":"chat.completi';
    const cut = JSON.stringify({ ...JSON.parse(second), body });
    expect((await told("run.jsonl", `${[first, cut, ...rest].join("\n")}\n`)).statements).toEqual([
      "2: a response that no known API sends: its reply was not understood",
    ]);
  });

  test("is named where a cassette ends behind its status", async () => {
    const log = Buffer.from(keepings["vcr of Ruby"]?.keep(messages) ?? "", "latin1").toString();
    const end = log.lastIndexOf("message: OK\n") + "message: OK\n".length;
    expect((await told("run.yml", log.slice(0, end))).statements).toContainEqual(
      expect.stringContaining("the response has no body"),
    );
  });

  test.each([
    ["an apostrophe for a quote", (body: string) => body.replace('"gpt-5"', "'gpt-5\"")],
    ["an apostrophe before a key", (body: string) => body.replace('"model"', "'model\"")],
  ])("is named in a recording of nock with %s", async (_, change) => {
    const calls = JSON.parse(Buffer.from(keepings["nock"]?.keep(chat) ?? "", "latin1").toString());
    calls[1].response = change(calls[1].response);
    expect((await told("nock.json", JSON.stringify(calls))).statements).toContainEqual(
      expect.stringContaining("not valid JSON"),
    );
  });
});

describe("a list of messages that is cut within a key", () => {
  const history = {
    "Pydantic AI": [
      { kind: "request", parts: [{ part_kind: "user-prompt", content: "How warm is it in Bern?" }] },
      { kind: "response", parts: [{ part_kind: "text", content: "It is 17 °C." }] },
      { kind: "request", parts: [] },
    ],
    Gemini: [
      { role: "user", parts: [{ text: "How warm is it in Bern?" }] },
      { role: "model", parts: [{ text: "It is 17 °C." }] },
      { role: "user", parts: [] },
    ],
    OpenAI: [
      { role: "user", content: "How warm is it in Bern?" },
      { role: "assistant", content: "It is 17 °C." },
      { role: "user", content: "" },
    ],
  };

  test.each(Object.entries(history))("keeps what came before: %s", async (_, messages) => {
    const log = JSON.stringify(messages);
    const cut = log.slice(0, log.lastIndexOf('{"') + 4);
    expect(await told("run.json", cut)).toMatchObject({
      requests: 1,
      items: 2,
      statements: ["1: the document ends in the middle; what came after is not checked"],
    });
  });
});

describe("a request that was copied with other quotes than the rest", () => {
  const forms: Readonly<Record<string, (text: string) => string>> = {
    "entities with names": (text) => text.replaceAll('"', "&quot;"),
    "entities with numbers": (text) => text.replaceAll('"', "&#34;"),
    "typographic quotes": (text) => text.replace(/"([^"\n]*)"/g, "“$1”"),
  };
  const printed = (body: unknown, prefix: string, indent: string): string =>
    `POST ${JSON.stringify(body, null, indent)}`.replace(/^/gm, prefix);
  const cases = Object.keys(forms).flatMap((name) =>
    [
      ["[agent] ", "  "],
      ["2026-01-05 12:00:00,123 - root - INFO - ", "    "],
      ["I0105 12:00:00 ", "\t"],
      ["", "  "],
    ].map(([prefix = "", indent = ""]) => [name, prefix, indent] as const),
  );

  test.each(cases)(
    "is named, though the next one repeats its words: %s behind %j",
    async (name, prefix, indent) => {
      const [first = "", ...rest] = [asks, wantsTool, goesOn, answers].map((body) =>
        printed(body, prefix, indent),
      );
      const log = [forms[name]?.(first) ?? "", ...rest].join("\n");
      const { requests, statements } = await told("run.log", `${log}\n`);
      expect([requests, statements.length > 0]).not.toEqual([1, false]);
    },
  );

  test("is no line of prose with a word in such quotes", async () => {
    const prose = ["The “role”: it says who speaks.", "So is “model”: its name.", "And “tools”: a list."];
    const log = [asks, wantsTool, goesOn, answers].map((body) => printed(body, "[agent] ", "  "));
    expect((await told("run.log", `${[...prose, ...log].join("\n")}\n`)).statements).toEqual([]);
  });
});

describe("a body whose first quote became an apostrophe", () => {
  const kept = Object.entries(keepings).filter(([, { isStreams }]) => !isStreams);
  const runs = { "openai-chat": chat, anthropic: messages };
  const cases = kept.flatMap(([name]) =>
    Object.keys(runs).flatMap((run) =>
      (["request", "reply"] as const).map((half) => [name, run, half] as const),
    ),
  );

  test.each(cases)("is named or read: %s, %s, the %s", async (name, run, half) => {
    const { file, keep } = keepings[name] as (typeof keepings)[string];
    const whole = runs[run as keyof typeof runs];
    const damaged = whole.map((each, index) =>
      index === 1 ? { ...each, [half]: each[half].replace('{"', "{'") } : each,
    );
    const [before, after] = await Promise.all(
      [whole, damaged].map((each) => yieldOf(file, Buffer.from(keep(each), "latin1"))),
    );
    if (!before || !after) throw new Error("both were read");
    expect(hasLost(before, after) && !isTold(before, after)).toBe(false);
  });
});

describe("a stream of which somebody cut out events that no other event lacks", () => {
  const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "17 °C" }] };
  const response = { id: "resp_1", object: "response", model: "gpt-5", output: [message] };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.done", output_index: 0, item: call },
    "...",
    { type: "response.output_item.done", output_index: 0, item: message },
    { type: "response.completed", response: { ...response, status: "completed" } },
  ];
  const latin = (text: string): string => Buffer.from(text).toString("latin1");
  const kept = Object.entries(keepings).filter(([, { isStreams }]) => !isStreams);
  // Between the lines of a log, words behind dots are prose; so are dots behind a prefix.
  const cases = kept
    .filter(([name]) => name !== "text with a prefix")
    .flatMap(([name, { file }]) =>
      ["...", "…", ...(/\.(?:log|cast|json)$/.test(file) ? [] : ["...e"])].map(
        (dots) => [name, dots] as const,
      ),
    );

  test.each(cases)("is named: %s, %s", async (name, dots) => {
    const { file, keep } = keepings[name] as (typeof keepings)[string];
    const reply = events.map((event) =>
      typeof event === "string" ? dots : `event: ${event.type}\ndata: ${JSON.stringify(event)}`,
    );
    const request = JSON.stringify({
      model: "gpt-5",
      stream: true,
      input: [{ role: "user", content: "How warm is it in Bern?" }],
    });
    const url = "https://api.openai.com/v1/responses";
    const [before, after] = await Promise.all(
      [reply.toSpliced(2, 1), reply].map((each) =>
        yieldOf(
          file,
          Buffer.from(keep([{ url, request, reply: latin(`${each.join("\n\n")}\n\n`) }]), "latin1"),
        ),
      ),
    );
    if (!before || !after) throw new Error("both were read");
    expect(before.counts.replies > 0 && !isTold(before, after)).toBe(false);
  });
});
