import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import type { CheckReport, Location } from "../src/findings/report.ts";
import { linesOf } from "../src/reading/origin.ts";
import { bytesSource } from "../src/reading/source.ts";

/** A run in which the client forgets the call that it answers, so that there is something to find. */
const user = { role: "user", content: "How warm is it in Zürich? 🌡" };
const call = {
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Zürich"}' },
};
const asked = { model: "gpt-5", stream: true, messages: [user] };
const forgetful = {
  ...asked,
  messages: [user, { role: "tool", tool_call_id: "call_1", content: '{"celsius":18,"note":"\\"mild\\""}' }],
};
const wantsTool = {
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, tool_calls: [call] },
      finish_reason: "tool_calls",
    },
  ],
};
const answers = {
  id: "chatcmpl-2",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "18 °C." }, finish_reason: "stop" }],
};
const chunks = [
  {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [
      {
        index: 0,
        delta: {
          role: "assistant",
          tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }],
        },
      },
    ],
  },
  {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Zürich"}' } }] } },
    ],
  },
  {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }],
  },
];
const stream = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
const url = "https://api.openai.com/v1/chat/completions";

const json = (value: unknown): string => JSON.stringify(value);
const entry = (request: object, text: string): object => ({
  startedDateTime: "2025-09-14T12:00:00.000Z",
  request: {
    method: "POST",
    url,
    headers: [],
    postData: { mimeType: "application/json", text: json(request) },
  },
  response: { status: 200, content: { mimeType: "application/json", text } },
});

const logs: Readonly<Record<string, string>> = {
  jsonl: `${json({ request_id: "r1", request: asked, response: wantsTool })}\n${json({ request_id: "r2", body: json(forgetful) })}\n${json({ request_id: "r2", body: json(answers) })}\n`,
  json: json([
    { request: asked, response: stream },
    { request: forgetful, response: answers },
  ]),
  "pretty JSON": JSON.stringify({ messages: [...forgetful.messages, answers.choices[0]?.message] }, null, 2),
  har: json({
    log: {
      version: "1.2",
      creator: { name: "proxy" },
      entries: [entry(asked, stream), entry(forgetful, json(answers))],
    },
  }),
  sse: stream + stream.replaceAll("chatcmpl-1", "chatcmpl-3"),
  ndjson: `${json({ model: "qwen3:8b", message: { role: "assistant", content: "18" }, done: false })}\n${json({ model: "qwen3:8b", message: { role: "assistant", content: " °C." }, done: true, done_reason: "stop" })}\n`,
  text: `--- REQUEST 1 ---\n2025-09-14 12:00:00 POST ${url}\n${JSON.stringify(asked, null, 1)}\n--- RESPONSE 1 (200) ---\n${stream}--- REQUEST 2 ---\nINFO body=${json(forgetful)}\nINFO done {not json}\n${json(answers)}\n`,
  vcr: `interactions:\n- request:\n    body: '${json(asked)}'\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: |\n        ${stream.replaceAll("\n", "\n        ").trim()}\n    status: {code: 200, message: OK}\nversion: 1\n`,
};

/** Reads a log as `toollint check` does; whatever its bytes are, findings have a place in it. */
async function check(log: string | Buffer): Promise<CheckReport> {
  const source = bytesSource("run.log", Buffer.from(log));
  const { report } = await checkFiles([{ path: "run.log", source }]);
  const lines = linesOf(source).count;
  const places = report.findings.flatMap(({ location, related }) => [
    location,
    ...related.map((note) => note.location),
  ]);
  const isInside = ({ file, line, column, endLine }: Location): boolean =>
    file === "run.log" && line >= 1 && line <= lines && column >= 1 && endLine >= line;
  expect(places.filter((place) => !isInside(place))).toEqual([]);
  return report;
}

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

describe.each(Object.entries(logs))("a damaged %s log", (name, log) => {
  const bytes = Buffer.from(log);

  test("is whole to begin with", async () => {
    const { files } = await check(log);
    expect(files.map(({ container }) => container)).toEqual([
      name === "pretty JSON" ? "json" : name === "ndjson" ? "jsonl" : name,
    ]);
  });

  test("may end at any byte", async () => {
    for (let end = 0; end < bytes.length; end++) await check(bytes.subarray(0, end));
  }, 60_000);

  test("may begin at any byte", async () => {
    for (let start = 1; start < bytes.length; start += 5) await check(bytes.subarray(start));
  });

  test("may be there twice, whole or by lines", async () => {
    await check(log + log);
    await check(log.replace(/.*\n/g, "$&$&"));
  });

  test("may have its lines in any order", async () => {
    const roll = dice(7);
    const lines = log.split("\n");
    for (let round = 0; round < 40; round++) {
      for (let place = lines.length - 1; place > 0; place--) {
        const other = roll(place + 1);
        [lines[place], lines[other]] = [lines[other] as string, lines[place] as string];
      }
      await check(lines.join("\n"));
    }
  });

  test("may have wrong bytes anywhere", async () => {
    const roll = dice(11);
    for (let round = 0; round < 100; round++) {
      const broken = Buffer.from(bytes);
      for (let flips = 1 + roll(6); flips > 0; flips--)
        broken[roll(broken.length)] =
          roll(3) === 0 ? roll(256) : (Buffer.from('{}[]":,\\\n 0')[roll(11)] as number);
      await check(broken);
    }
  });

  test("may lack or repeat stretches", async () => {
    const roll = dice(13);
    for (let round = 0; round < 50; round++) {
      const [a, b] = [roll(bytes.length), roll(bytes.length)];
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      await check(Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));
      await check(Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]));
    }
  });
});

describe("a hostile log is read in the time that its size asks for", () => {
  const big = 5 << 20;
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const nestedObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const request = (content: string): string =>
    `{"model":"gpt-5","messages":[{"role":"user","content":${content}}]}\n`;
  const args = (value: string): string =>
    `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"t","input":${value}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${value}}]}]}\n`;

  /** A session file: user and model in turns, each record the child of the one that `parent` says. */
  const session = (
    count: number,
    parent: (index: number) => number,
    block: (index: number) => object,
  ): string =>
    Array.from({ length: count }, (_, index) => {
      const isOwn = index % 2 === 1;
      const message = isOwn
        ? { id: `msg_${index}`, role: "assistant", content: [block(index)] }
        : { role: "user", content: `Question ${index}` };
      const parentUuid = index === 0 ? null : `u${parent(index)}`;
      return `${JSON.stringify({ uuid: `u${index}`, parentUuid, sessionId: "s", type: message.role, message })}\n`;
    }).join("");

  test.each([
    [
      "a session of 6,000 calls that keeps no results",
      session(
        12_000,
        (index) => index - 1,
        (index) => ({ type: "tool_use", id: `toolu_${index}`, name: "t", input: {} }),
      ),
    ],
    [
      "a session that forks at every record",
      session(
        12_000,
        (index) => index >> 1,
        () => ({ type: "text", text: "Yes." }),
      ),
    ],
    ["an array 100,000 deep", nested(100_000)],
    ["100,000 brackets that are never closed", "[".repeat(100_000)],
    ["objects 100,000 deep", nestedObjects(100_000)],
    ["100,000 braces that are never closed", '{"a":'.repeat(100_000)],
    ["a message 100,000 deep", request(nested(100_000)).repeat(2)],
    ["a message of objects 100,000 deep", request(nestedObjects(100_000))],
    ["arguments 100,000 deep", args(nested(100_000)) + args(nestedObjects(100_000))],
    [
      "a request and a reply 100,000 deep",
      `{"request":${request(nested(100_000)).trim()},"response":{"choices":[{"message":{"role":"assistant","content":${nested(100_000)}}}]},"again":{"choices":[{"message":{"content":${nested(100_000)}}}]}}\n`,
    ],
    [
      "a streamed chunk 100,000 deep",
      `data: {"choices":[{"index":0,"delta":{"content":${nested(100_000)}}}]}\n\n`,
    ],
    [
      "streamed arguments 100,000 deep",
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":${json(nestedObjects(100_000))}}}]}}]}\n\n`,
    ],
    [
      "tools 100,000 deep",
      `{"model":"gpt-5","tools":[{"type":"function","function":{"name":"t","parameters":${nestedObjects(100_000)}}}],"messages":[{"role":"user","content":"hi"}]}\n`,
    ],
    [
      "a string in a string in a string …",
      Array.from({ length: 16 }).reduce<string>((inner) => json({ body: inner }), request('"hi"')),
    ],
    ["a line of 5 MB", request(json("x".repeat(big)))],
    ["a line of 5 MB that is no JSON", `INFO ${"x".repeat(big)}\n${request('"hi"')}`],
    ["5 MB of braces on a line", "{".repeat(big)],
    ["5 MB of quoted braces on a line", 'x {"'.repeat(big / 4)],
    ["1 MB of small objects on a line", `x ${'{"a":1} '.repeat(1 << 17)}`],
    ["5 MB of backslashes in a string", request(`"${"\\".repeat(big)}"`)],
    ["5 MB of white space", " \n".repeat(big / 2)],
    ["NUL bytes", "\0".repeat(100_000) + request('"a\0b"')],
    ["lone surrogates", request('"\\ud83d"') + request('"\\udc4b\\ud83d"')],
    ["10,000 lone braces", "x {\n".repeat(10_000)],
    ["10,000 lone objects", 'x {"a"\n'.repeat(10_000)],
    ["100,000 objects that are never closed", '{"a":1,\n'.repeat(100_000)],
    ["100,000 indented objects that are never closed", ' {"a":1,\n'.repeat(100_000)],
    ["100,000 arrays that are never closed", '[{"a":1},\n'.repeat(100_000)],
    ["30,000 open braces behind a prefix", '2025-09-14 12:00:00 x {"a":\n'.repeat(30_000)],
    ["100,000 event lines that are never whole", "data: {\n".repeat(100_000)],
    ["100,000 event lines behind a prefix", `<< data: {"a"\n`.repeat(100_000)],
    ["100,000 names of events", "event: delta\n".repeat(100_000)],
    ["100,000 comments", `${"\n: ping\n".repeat(100_000)}no data\n`],
    ["30,000 whole events of nobody", 'data: {"a":1}\n\n'.repeat(30_000)],
    ["1,000 streams in a file", stream.repeat(1_000)],
    ["1,000 streams between lines", `INFO stream\n${stream}`.repeat(1_000)],
  ])("%s", async (_, log) => {
    await check(log);
  });

  test("keys that JavaScript treats specially are keys", async () => {
    const log = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"request":{"__proto__":{"polluted":true},"model":"gpt-5","messages":[{"role":"__proto__","content":"hi"},{"role":"constructor","content":"hi"}]}}\n`;
    const { files } = await check(log);
    expect(files[0]?.exchanges).toBe(1);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
