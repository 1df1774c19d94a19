import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { type Redacted, redact } from "../../src/redact/redact.ts";
import { zipped } from "../shrink/logs.ts";

const key = Buffer.from("a key of the tests");
const url = "https://gateway.brinkmann-logistik.example/v1/chat/completions";

/** Words that nobody but this test has; none may be left in any form. */
const secretWords = [
  ..."Brinkmann zebraquartz Quorvex ptarmilune nordwestbank Kestrelheim vulpinotes Oberwaldt".split(" "),
  ..."lindqvistova kr_umplewick Überschlagen 北京杜鹃花 Щербаковский 8675309 DE44500105175407324931".split(
    " ",
  ),
];

const [customer = "", product = "", , city = "", , , note = "", person = "", , tag = ""] = secretWords;

const tools = [
  {
    type: "function",
    function: {
      name: "find_customer",
      description: `Finds customers of ${customer}.`,
      parameters: {
        type: "object",
        properties: {
          vulpinotes_id: { type: "string", description: `The id at ${product}` },
          region: { type: "string", enum: ["nordwestbank", "ptarmilune"] },
        },
        required: ["vulpinotes_id"],
      },
    },
  },
];

interface Kept {
  readonly request: object;
  readonly response: object;
}

/** Three requests of one conversation; the second sends a result without its call. */
function exchangesOf(): readonly Kept[] {
  const system = { role: "system", content: `Work for ${secretWords.join(", ")}.` };
  const user = {
    role: "user",
    content: `Find ${person} of ${customer} in ${city}\\new, phone +49 30 8675309, IBAN DE44500105175407324931. Überschlagen 北京杜鹃花 Щербаковский!`,
  };
  const args = JSON.stringify({ vulpinotes_id: `${product}-17`, region: "nordwestbank" });
  const call = {
    id: "call_Nbk9aQ2Lw7",
    type: "function",
    function: { name: "find_customer", arguments: args },
  };
  const message = { role: "assistant", content: `Looking for ${note}`, tool_calls: [call] };
  const result = {
    role: "tool",
    tool_call_id: call.id,
    content: JSON.stringify({
      found: [{ name: `${person} ${tag}`, path: `/home/${person}/${product}.pdf` }],
    }),
  };
  const reply = (at: number, said: object, finish: string): object => ({
    id: `chatcmpl-${at}`,
    object: "chat.completion",
    model: "gpt-4.1",
    choices: [{ index: 0, message: said, finish_reason: finish }],
    usage: { prompt_tokens: 4711, completion_tokens: 17, total_tokens: 4728 },
  });
  const answer = { role: "assistant", content: `${person} lives in ${city}.` };
  const request = (messages: object[]): object => ({
    model: "gpt-4.1",
    messages,
    tools,
    user: `${person}@${customer}.example`,
  });
  return [
    { request: request([system, user]), response: reply(1, message, "tool_calls") },
    { request: request([system, user, result]), response: reply(2, answer, "stop") },
    {
      request: request([system, user, message, result, answer, { role: "user", content: `And ${note}?` }]),
      response: reply(3, { role: "assistant", content: `No ${note}.` }, "stop"),
    },
  ];
}

const exchanges = exchangesOf();
const lines = exchanges.map((each) => `${JSON.stringify(each)}\n`).join("");

/** The reply as the events of a stream, in fragments of three characters. */
function streamOf({ response }: Kept): string {
  const { id, model, choices } = response as {
    id: string;
    model: string;
    choices: {
      message: {
        content: string;
        tool_calls?: { id: string; function: { name: string; arguments: string } }[];
      };
      finish_reason: string;
    }[];
  };
  const [{ message, finish_reason: finish } = { message: { content: "" }, finish_reason: "stop" }] = choices;
  const chunk = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1757514131, model, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const parts = (text: string): string[] => text.match(/[\s\S]{1,3}/g) ?? [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...parts(message.content).map((content) => chunk({ content })),
    ...(message.tool_calls ?? []).flatMap(({ id: call, function: { name, arguments: args } }, index) => [
      chunk({ tool_calls: [{ index, id: call, type: "function", function: { name, arguments: "" } }] }),
      ...parts(args).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    chunk({}, finish),
    "data: [DONE]\n\n",
  ].join("");
}

const withBodies = (bodies: (kept: Kept) => readonly [string, string]): string =>
  exchanges
    .map((kept) => {
      const [request, response] = bodies(kept);
      return `${JSON.stringify({ url, request, response })}\n`;
    })
    .join("");

const yaml = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const escaped = (text: string): string =>
  text.replace(
    /[^\n\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const har = (encoding?: "base64"): string => {
  const message = { headers: [], headersSize: -1, bodySize: -1, cookies: [], httpVersion: "HTTP/1.1" };
  const entries = exchanges.map(({ request, response }, index) => ({
    startedDateTime: `2026-01-01T00:00:0${index}Z`,
    time: 1,
    request: {
      ...message,
      method: "POST",
      url,
      queryString: [],
      postData: { mimeType: "application/json", text: JSON.stringify(request) },
    },
    response: {
      ...message,
      status: 200,
      statusText: "OK",
      redirectURL: "",
      content: {
        size: 1,
        mimeType: "application/json",
        ...(encoding
          ? { text: base64(JSON.stringify(response)), encoding }
          : { text: JSON.stringify(response) }),
      },
    },
    cache: {},
    timings: { send: 1, wait: 1, receive: 1 },
  }));
  return JSON.stringify(
    { log: { version: "1.2", creator: { name: "test", version: "1" }, entries } },
    null,
    2,
  );
};

const cassette = (): string =>
  [
    "interactions:",
    ...exchanges.map(
      ({ request, response }) =>
        `- request:\n    body: ${yaml(JSON.stringify(request))}\n    method: POST\n    uri: ${url}\n  response:\n    body:\n      string: ${JSON.stringify(JSON.stringify(response))}\n    status:\n      code: 200\n      message: OK`,
    ),
    "version: 1",
    "",
  ].join("\n");

const text = (): string =>
  exchanges
    .map(
      ({ request, response }, index) =>
        `2026-01-01 12:00:0${index} DEBUG sending request for ${person}\n${JSON.stringify(request, null, 2)}\n2026-01-01 12:00:0${index} DEBUG got response\n${JSON.stringify(response)}\n`,
    )
    .join("");

/** The same lines as a node of Kubernetes keeps them: whole, or in parts that `cut` ends. */
const onNode = (cut?: RegExp): string =>
  lines
    .trimEnd()
    .split("\n")
    .flatMap((line, index) => {
      const head = `2026-01-05T12:00:0${index}.123456789Z ${index % 2 ? "stderr" : "stdout"}`;
      const parts = cut ? line.split(cut) : [line];
      return parts.map((part, at) => `${head} ${at < parts.length - 1 ? "P" : "F"} ${part}\n`);
    })
    .join("");

const byDocker = (): string =>
  lines
    .split(/(?<=\n)/)
    .map((log) => `${JSON.stringify({ log, stream: "stdout", time: "2026-01-05T12:00:00.123456789Z" })}\n`)
    .join("");

/** Ways to keep the exchanges. */
const ways: Readonly<Record<string, Buffer>> = {
  "run.jsonl": Buffer.from(lines),
  "escaped.jsonl": Buffer.from(escaped(lines)),
  "strings.jsonl": Buffer.from(
    withBodies(({ request, response }) => [JSON.stringify(request), JSON.stringify(response)]),
  ),
  "streams.jsonl": Buffer.from(withBodies((kept) => [JSON.stringify(kept.request), streamOf(kept)])),
  "base64.jsonl": Buffer.from(
    withBodies(({ request, response }) => [
      base64(JSON.stringify(request)),
      base64(JSON.stringify(response)),
    ]),
  ),
  "run.har": Buffer.from(har()),
  "base64.har": Buffer.from(har("base64")),
  "run.yaml": Buffer.from(cassette()),
  "run.log": Buffer.from(text()),
  "node.log": Buffer.from(onNode()),
  "parts.log": Buffer.from(onNode(/(?<=\},)/)),
  "docker.log": Buffer.from(byDocker()),
  "run.json": Buffer.from(JSON.stringify(exchanges, null, 1)),
  "run.jsonl.gz": gzipSync(lines),
  "run.zip": zipped("run.jsonl", Buffer.from(lines)),
};

const redacted = (file: string, bytes: Buffer, settings = {}): Promise<Redacted> =>
  redact([{ path: file, source: bytesSource(file, bytes) }], { key, ...settings });

/** All texts that a reader of a file could find in it: unpacked, unescaped, decoded, put together. */
function readings(bytes: Buffer): string[] {
  const plain = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  const unescaped = plain
    .replace(/\\+u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\", "");
  const decoded = [...plain.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([run]) =>
    Buffer.from(run, "base64").toString("utf8"),
  );
  const deltas = [...unescaped.matchAll(/"(?:content|arguments)":"((?:[^"]|"(?=[^,}]))*)"/g)]
    .map(([, part]) => part)
    .join("");
  return [plain, unescaped, deltas, ...decoded];
}

describe.each(Object.entries(ways))("%s", (file, bytes) => {
  test("has other words, the same size and the same findings", async () => {
    const { differences, files, report } = await redacted(file, bytes);
    expect(differences).toEqual([]);
    const [made] = files;
    if (!made) throw new Error("nothing was made");
    expect(report.findings.map(({ rule }) => rule)).toContain("dropped-tool-call");
    expect(Math.abs(made.bytes.length - bytes.length)).toBeLessThanOrEqual(
      bytes.length / (file.endsWith("gz") ? 5 : 100),
    );
    const left = readings(made.bytes).flatMap((reading) =>
      secretWords.filter((word) => reading.toLowerCase().includes(word.toLowerCase())),
    );
    expect(left).toEqual([]);
    // The test looks where the words are: it finds them in the log itself.
    const there = readings(bytes).flatMap((reading) => secretWords.filter((word) => reading.includes(word)));
    expect(new Set(there).size).toBe(secretWords.length);
  });

  test("is the same in every run with the same key, and another with another key", async () => {
    const [one, again, other] = [
      await redacted(file, bytes),
      await redacted(file, bytes),
      await redacted(file, bytes, { key: Buffer.from("another") }),
    ];
    expect(one.files[0]?.content.equals(again.files[0]?.content ?? Buffer.alloc(0))).toBe(true);
    expect(one.files[0]?.content.equals(other.files[0]?.content ?? Buffer.alloc(0))).toBe(false);
  });
});

test("what a maintainer needs stays: roles, tools, models, counts, ids' prefixes", async () => {
  const { files, tally } = await redacted("run.jsonl", Buffer.from(lines));
  const [first] = (files[0]?.content.toString() ?? "").split("\n").map((line) => JSON.parse(line || "{}"));
  expect(first.request.tools[0].function).toMatchObject({
    name: "find_customer",
    parameters: { type: "object" },
  });
  expect(first.request.messages[1].role).toBe("user");
  expect(first.response.usage).toEqual({ prompt_tokens: 4711, completion_tokens: 17, total_tokens: 4728 });
  expect(first.response.choices[0].message.tool_calls[0].id).toMatch(/^call_[A-Za-z0-9]{10}$/);
  const [required] = first.request.tools[0].function.parameters.required;
  expect(
    Object.keys(JSON.parse(first.response.choices[0].message.tool_calls[0].function.arguments)),
  ).toContain(required);
  expect(tally.kept.map(({ kind }) => kind)).toContain("names of tools");
});

test("--names hides the names of tools, too", async () => {
  const { files, differences } = await redacted("run.jsonl", Buffer.from(lines), { hidesNames: true });
  expect(differences).toEqual([]);
  expect(files[0]?.content.toString()).not.toContain("find_customer");
});

test("texts of chosen roles stay, others do not", async () => {
  const { files } = await redacted("run.jsonl", Buffer.from(lines), { keptRoles: new Set(["user"]) });
  const shown = files[0]?.content.toString() ?? "";
  expect(shown).toContain(`Find ${person} of ${customer}`);
  expect(shown).not.toContain(`Looking for ${note}`);
});

describe("words that rules look for", () => {
  const redactedSample = async (name: string): Promise<Redacted> => {
    const path = join(import.meta.dirname, "../../samples", name);
    return redact([{ path, source: bytesSource(path, readFileSync(path)) }], { key });
  };

  test("go where no finding depends on what is said", async () => {
    const { files, differences, keepsReadWords } = await redactedSample("rag-read-loop/failing.log");
    expect(differences).toEqual([]);
    expect(keepsReadWords).toBe(false);
    expect(String(files[0]?.content)).not.toMatch(/please summarize|agent in a terminal|Read part of/);
  });

  test("stay where one does: the farewell that a call follows", async () => {
    const { files, differences, keepsReadWords } = await redactedSample("farewell/failing.har");
    expect(differences).toEqual([]);
    expect(keepsReadWords).toBe(true);
    expect(String(files[0]?.content)).toContain("bye!");
  });
});
