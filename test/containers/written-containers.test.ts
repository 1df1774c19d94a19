import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parse, stringify } from "yaml";
import type { BodyEdit } from "../../src/containers/write/write-back.ts";
import { edited, written } from "./edits.ts";
import { answers, ask, asks, call, goesOn, question, result, run, told, url, wantsTool } from "./stories.ts";

/** What a client lost and a repair puts back: the call that the result answers. */
const broken = { ...goesOn, messages: [goesOn.messages[0], result] };
const restored = JSON.stringify(goesOn);
const restore: BodyEdit = { op: "insert", pointer: "/messages/1", json: JSON.stringify(call) };

describe("a HAR", () => {
  const har = (text: string, body: { stated: number; size: number }): string =>
    JSON.stringify(
      {
        log: {
          version: "1.2",
          creator: { name: "proxy", version: "1" },
          entries: [
            {
              request: {
                method: "POST",
                url,
                headers: [
                  { name: "content-type", value: "application/json" },
                  { name: "Content-Length", value: `${body.stated}` },
                ],
                bodySize: body.size,
                postData: { mimeType: "application/json", text },
              },
              response: {
                status: 200,
                headers: [{ name: "content-length", value: "17" }],
                content: { mimeType: "application/json", text: JSON.stringify(answers) },
              },
            },
          ],
        },
      },
      null,
      2,
    );

  it("has the text of its body changed, and the lengths that state it", async () => {
    const text = JSON.stringify(broken);
    const size = Buffer.byteLength(text);
    const grown = Buffer.byteLength(restored);
    const out = await written(har(text, { stated: size, size }), { 1: [restore] });
    expect(out).toBe(har(restored, { stated: grown, size: grown }));
    expect(await told(out)).toEqual([run[1]]);
  });

  it("keeps lengths that never were those of its body", async () => {
    const out = await written(har(JSON.stringify(broken), { stated: 3, size: -1 }), { 1: [restore] });
    expect(out).toBe(har(restored, { stated: 3, size: -1 }));
  });
});

describe("headers beside a body in JSON lines", () => {
  test.each<[string, (length: number) => object]>([
    ["an object", (length) => ({ headers: { "Content-Length": `${length}` } })],
    ["lists of values", (length) => ({ request_headers: { "content-length": [`${length}`] } })],
    ["pairs", (length) => ({ headers: [["content-length", `${length}`]] })],
    ["a flat list", (length) => ({ rawHeaders: ["Host", "api.openai.com", "Content-Length", `${length}`] })],
  ])("state its length as before: %s", async (_, around) => {
    const line = (body: string): string =>
      `${JSON.stringify({ request: { ...around(Buffer.byteLength(body)), body }, response_headers: { "content-length": "9" } })}\n`;
    expect(await written(line(JSON.stringify(broken)), { 1: [restore] })).toBe(line(restored));
  });
});

describe("a cassette", () => {
  const text = JSON.stringify({
    model: "gpt-5",
    messages: [{ role: "user", content: "It's warm, isn't it?" }],
  });
  const bye: BodyEdit = { op: "replace", pointer: "/messages/0/content", json: '"It\'s cold: 3 °C #1"' };
  const changed = text.replace("It's warm, isn't it?", "It's cold: 3 °C #1");
  const cassette = (body: string, length: number): string =>
    `interactions:
- request:
    body: ${body}
    headers:
      Content-Length:
      - '${length}'
    method: POST
    uri: ${url}
  response:
    body: {string: ok}
    status: {code: 200}
version: 1
`;
  const single = (own: string): string => `'${own.replaceAll("'", "''")}'`;
  const double = (own: string): string => JSON.stringify(own).replaceAll("°", "\\xB0");
  const [before, after] = [text, changed].map((own) => Buffer.byteLength(own)) as [number, number];

  test.each<[string, string, string]>([
    ["single quotes stay", single(text), single(changed)],
    ["double quotes stay, with what is beyond ASCII escaped", double(text), double(changed)],
    ["a literal block stays", `|-\n      ${text}`, `|-\n      ${changed}`],
    ["a folded block stays", `>-\n      ${text}`, `>-\n      ${changed}`],
    [
      "lines that were folded stay folded, where nothing changes",
      single(text).replace("[{", "[{\n        ").replaceAll('"role"', '"role"'),
      single(changed).replace("[{", "[{\n        "),
    ],
  ])("%s", async (_, body, expected) => {
    const log = cassette(body, before);
    if (body.includes("\n        ")) {
      // Folding puts a space where the line was broken.
      const out = await written(cassette(body, before + 1), { 1: [bye] });
      expect(out).toBe(cassette(expected, after + 1));
      return;
    }
    const out = await written(log, { 1: [bye] });
    expect(out).toBe(cassette(expected, after));
    expect(parse(out).interactions[0].request.body).toBe(changed);
  });

  it("keeps the lines of a pretty-printed body in a block", async () => {
    const pretty = (messages: readonly object[]): string =>
      JSON.stringify({ model: "gpt-5", messages }, null, 2).replaceAll("\n", "\n      ");
    const hi = { role: "user", content: "Hi" };
    const ho = { role: "assistant", content: "Ho" };
    const out = await written(cassette(`|\n      ${pretty([hi])}`, 1), {
      1: [{ op: "insert", pointer: "/messages/-", json: JSON.stringify(ho) }],
    });
    expect(out).toBe(cassette(`|\n      ${pretty([hi, ho])}`, 1));
  });

  it("puts a body into double quotes when its block cannot hold the new text", async () => {
    const edit: BodyEdit = { op: "replace", pointer: "/messages/0/content", json: '"a\u2028b"' };
    const out = await written(cassette(`|-\n      ${text}`, before), { 1: [edit] });
    const own = text.replace("It's warm, isn't it?", "a\u2028b");
    expect(out).toBe(cassette(JSON.stringify(own).replace("\u2028", "\\L"), Buffer.byteLength(own)));
    expect(parse(out).interactions[0].request.body).toBe(own);
  });

  it("encodes a binary body again, in lines as long", async () => {
    const long = JSON.stringify(ask("Why ".repeat(40)));
    const lines = (own: string): string =>
      `!!binary |\n      ${(
        Buffer.from(own)
          .toString("base64")
          .match(/.{1,76}/g) ?? []
      ).join("\n      ")}`;
    const edit: BodyEdit = { op: "replace", pointer: "/messages/0/content", json: '"Because"' };
    const { bytes, notes, refused } = await edited(cassette(lines(long), 1), { 1: [edit] });
    expect(refused).toEqual([]);
    expect(bytes.toString()).toBe(cassette(lines(JSON.stringify(ask("Because"))), 1));
    expect(notes).toEqual(["line 4: the body is encoded or compressed; it was re-encoded as a whole"]);
  });
});

describe("a body that a cassette keeps as YAML", () => {
  const cassette = (messages: string): string => `interactions:
- request:
    headers:
      content-type:
      - application/json
    method: POST
    parsed_body:
      max_tokens: 4096
      messages:
${messages}      model: gpt-5
      stream: false
    uri: ${url}
  response:
    parsed_body:
      choices: []
    status: {code: 200}
version: 1
`;
  const user = `      - content: |-
          How warm is it
          in Zürich?
        role: user
`;
  const asked = `      - role: assistant
        content: null
        tool_calls:
        - id: call_1
          type: function
          function:
            name: weather
            arguments: "{\\"city\\":\\"Zürich\\"}"
`;
  const told18 = `      - content: '{"celsius":18}'
        role: tool
        tool_call_id: call_1
`;

  it("gets the lines of what is put in", async () => {
    expect(await written(cassette(user + told18), { 1: [restore] })).toBe(cassette(user + asked + told18));
    const last: BodyEdit = {
      op: "insert",
      pointer: "/messages/-",
      json: '{"role":"user","content":"And\\nnow?"}',
    };
    expect(await written(cassette(user), { 1: [last] })).toBe(
      cassette(`${user}      - role: user\n        content: |-\n          And\n          now?\n`),
    );
  });

  it("loses the lines of what is taken out", async () => {
    const gone: BodyEdit = { op: "remove", pointer: "/messages/1" };
    expect(await written(cassette(user + asked + told18), { 1: [gone] })).toBe(cassette(user + told18));
    expect(await written(cassette(user + told18), { 1: [gone] })).toBe(cassette(user));
  });

  it("has single values replaced and members put in", async () => {
    const edits: BodyEdit[] = [
      { op: "replace", pointer: "/messages/1/tool_call_id", json: '"call_2: #2"' },
      { op: "insert", pointer: "/messages/1/name", json: '"weather"', after: "role" },
      { op: "remove", pointer: "/messages/1/content" },
      { op: "replace", pointer: "/stream", json: "true" },
      { op: "insert", pointer: "/tools", json: '[{"a":{"b":[1,"2"]}}]' },
    ];
    expect(await written(cassette(user + told18), { 1: edits })).toBe(
      cassette(
        `${user}      - role: tool\n        name: weather\n        tool_call_id: "call_2: #2"\n`,
      ).replace("stream: false\n", 'stream: true\n      tools:\n      - a:\n          b: [1, "2"]\n'),
    );
  });

  it("is the same bytes when a value is replaced by itself", async () => {
    const log = cassette(user + asked + told18);
    expect(
      await written(log, { 1: [{ op: "replace", pointer: "/messages/1", json: JSON.stringify(call) }] }),
    ).toBe(log);
  });

  it("reads as the edits say, however the YAML is laid out", async () => {
    const word = fc.oneof(
      fc.constantFrom(
        "true",
        "12",
        "",
        " a",
        "a: b",
        "- x",
        "#",
        "two\nlines",
        "two\n\n lines \n",
        "Zürich 👋",
        "null",
        '"',
        "'",
      ),
      fc.string(),
    );
    const turn = fc.record({
      role: fc.constantFrom("user", "assistant"),
      content: fc.oneof(
        word,
        fc.array(fc.record({ type: fc.constant("text"), text: word }), { maxLength: 2 }),
      ),
    });
    const contentOf = (own: object): unknown => ("content" in own ? own.content : "none");
    const message = fc.oneof(turn, fc.record({ type: word, call_id: word }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 2, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(3), fc.constantFrom("replace", "insert", "remove", "content"), message), {
          maxLength: 3,
        }),
        fc.record({ indentSeq: fc.boolean(), lineWidth: fc.constantFrom(0, 40) }),
        async (messages, wanted, style) => {
          const log = stringify(
            {
              interactions: [
                { request: { method: "POST", uri: url, parsed_body: { messages, model: "gpt-5" } } },
              ],
              version: 1,
            },
            style,
          );
          const edits: BodyEdit[] = [];
          const inserted = messages.map((): unknown[] => []).concat([[]]);
          const kept: unknown[][] = messages.map((own) => [own]);
          const touched = new Set([0]);
          for (const [index, op, fresh] of wanted) {
            const pointer = `/messages/${index}`;
            if (op === "insert" && index <= messages.length) {
              edits.push({ op, pointer, json: JSON.stringify(fresh) });
              inserted[index]?.push(fresh);
            } else if (op !== "insert" && index < messages.length && !touched.has(index)) {
              touched.add(index);
              if (op === "remove") edits.push({ op, pointer });
              else if (op === "replace") edits.push({ op, pointer, json: JSON.stringify(fresh) });
              else
                edits.push({
                  op: "replace",
                  pointer: `${pointer}/content`,
                  json: JSON.stringify(contentOf(fresh)),
                });
              kept[index] =
                op === "remove"
                  ? []
                  : [op === "replace" ? fresh : { ...messages[index], content: contentOf(fresh) }];
            }
          }
          const out = await written(log, { 1: edits });
          const expected = inserted.flatMap((fresh, index) => [...fresh, ...(kept[index] ?? [])]);
          expect(parse(out).interactions[0].request.parsed_body).toEqual({
            messages: expected,
            model: "gpt-5",
          });
          if (edits.length === 0) expect(out).toBe(log);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is left alone where its lines are not what they usually are", async () => {
    const log = cassette("      - {role: user, content: Hi}\n")
      .replace("messages:\n", "messages: &m\n")
      .replace("stream: false", "again: *m");
    const gone: BodyEdit = { op: "remove", pointer: "/again/0" };
    const { bytes, refused } = await edited(log, { 1: [gone] });
    expect(bytes.toString()).toBe(log);
    expect(refused.map(({ why }) => why)).toEqual(["the change does not fit the YAML style of the body"]);
  });
});

describe("a trace of httprr", () => {
  const entry = (head: string, body: string): string => {
    const request = `POST ${url} HTTP/1.1\r\nHost: api.openai.com\r\n${head}\r\n\r\n${body}`;
    const reply = `HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(answers)}`;
    return `${Buffer.byteLength(request)} ${Buffer.byteLength(reply)}\n${request}${reply}`;
  };
  const trace = (...entries: readonly string[]): string => `httprr trace v1\n${entries.join("")}`;
  const plain = (body: string): string => entry(`Content-Length: ${Buffer.byteLength(body)}`, body);
  const chunk = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;

  it("states the new lengths", async () => {
    const out = await written(trace(plain(JSON.stringify(asks)), plain(JSON.stringify(broken))), {
      2: [restore],
    });
    expect(out).toBe(trace(plain(JSON.stringify(asks)), plain(restored)));
  });

  it("keeps the chunks that nothing changes in", async () => {
    const text = JSON.stringify(broken);
    const cut = Buffer.from(text).indexOf("]");
    const chunked = (...parts: readonly string[]): string =>
      entry("Transfer-Encoding: chunked", `${parts.map(chunk).join("")}0\r\n\r\n`);
    const out = await written(trace(chunked(text.slice(0, 12), text.slice(12, 130), text.slice(130))), {
      1: [restore],
    });
    expect(cut).toBeGreaterThan(0);
    expect(out).toBe(
      trace(
        chunked(text.slice(0, 12), restored.slice(12, restored.length - text.length + 130), text.slice(130)),
      ),
    );
  });

  it("compresses a body again that was compressed", async () => {
    const packed = gzipSync(JSON.stringify(broken));
    const head = `POST ${url} HTTP/1.1\r\nContent-Encoding: gzip\r\n\r\n`;
    const reply = `HTTP/2.0 200 OK\r\n\r\n${JSON.stringify(answers)}`;
    const log = Buffer.concat([
      Buffer.from(`httprr trace v1\n${head.length + packed.length} ${Buffer.byteLength(reply)}\n${head}`),
      packed,
      Buffer.from(reply),
    ]);
    const { bytes, notes } = await edited(log, { 1: [restore] });
    expect(await told(bytes)).toEqual([run[1]]);
    expect(notes).toHaveLength(1);
  });
});

describe("a recording of nock", () => {
  const recording = (body: unknown, response: unknown): string =>
    JSON.stringify(
      [
        {
          scope: "https://api.openai.com:443",
          method: "POST",
          path: "/v1/chat/completions",
          body,
          status: 200,
          response,
        },
      ],
      null,
      2,
    );

  it("has an object for its body changed in its own layout", async () => {
    expect(await written(recording(broken, answers), { 1: [restore] })).toBe(recording(goesOn, answers));
  });

  it("has a body in hex encoded again", async () => {
    const hex = (body: unknown): string => gzipSync(JSON.stringify(body)).toString("hex");
    const { bytes, notes } = await edited(recording(hex(broken), answers), { 1: [restore] });
    expect(bytes.toString()).toBe(recording(hex(goesOn), answers));
    expect(notes).toHaveLength(1);
    const chunks = await edited(recording([hex(broken).slice(0, 20), hex(broken).slice(20)], answers), {
      1: [restore],
    });
    expect(JSON.parse(chunks.bytes.toString())[0].body).toEqual([hex(goesOn)]);
  });
});

describe("a body that is packed in a string", () => {
  test.each<[string, (text: string) => string]>([
    ["base64", (text) => Buffer.from(text).toString("base64")],
    ["base64 behind its name", (text) => `base64:${Buffer.from(text).toString("base64")}`],
    ["base64 of gzip", (text) => gzipSync(text).toString("base64")],
    ["base64 of deflate", (text) => deflateSync(text).toString("base64")],
    ["hex of brotli", (text) => brotliCompressSync(text).toString("hex")],
    ["hex in capitals", (text) => Buffer.from(text).toString("hex").toUpperCase()],
    [
      "base64 in lines",
      (text) =>
        `${(
          Buffer.from(text)
            .toString("base64")
            .match(/.{1,60}/g) ?? []
        ).join("\n")}\n`,
    ],
  ])("is packed again as it was: %s", async (_, pack) => {
    const line = (text: string): string => `${JSON.stringify({ n: 1, body: pack(text) })}\n`;
    const { bytes, notes, refused } = await edited(line(JSON.stringify(broken)), { 1: [restore] });
    expect(refused).toEqual([]);
    expect(bytes.toString()).toBe(line(restored));
    expect(notes).toEqual(["line 1: the body is encoded or compressed; it was re-encoded as a whole"]);
  });

  it("may hold two requests, which are written together", async () => {
    const line = (bodies: readonly object[]): string =>
      `${JSON.stringify({ log: Buffer.from(JSON.stringify(bodies.map((request) => ({ request, response: wantsTool })))).toString("base64") })}\n`;
    const edit = (json: string): BodyEdit => ({ op: "replace", pointer: "/messages/0/content", json });
    const out = await written(line([ask("One"), ask("Two")]), { 1: [edit('"Eins"')], 2: [edit('"Zwei"')] });
    expect(out).toBe(line([ask("Eins"), ask("Zwei")]));
  });
});

describe("a file in another writing", () => {
  const log = (body: object): string => `${JSON.stringify(asks)}\r\n${JSON.stringify(body)}\r\n`;

  it("is compressed again when it was compressed, with its header", async () => {
    const packed = gzipSync(log(broken));
    packed.writeUInt32LE(1_757_844_000, 4);
    const { bytes } = await edited(packed, { 2: [restore] });
    expect(gunzipSync(bytes).toString()).toBe(log(goesOn));
    expect(bytes.readUInt32LE(4)).toBe(1_757_844_000);
    expect((await edited(packed, {})).bytes).toEqual(packed);
  });

  test.each([false, true])(
    "is in UTF-16 again, with its byte order mark (big end first: %s)",
    async (isBig) => {
      const file = (text: string): Buffer => {
        const units = Buffer.from(`\ufeff${text}`, "utf16le");
        return isBig ? units.swap16() : units;
      };
      expect((await edited(file(log(broken)), { 2: [restore] })).bytes).toEqual(file(log(goesOn)));
      expect((await edited(file(log(broken)), {})).bytes).toEqual(file(log(broken)));
    },
  );

  it("is left alone when its UTF-16 is broken", async () => {
    const units = Buffer.concat([
      Buffer.from(`\ufeff${log(broken)}`, "utf16le"),
      Buffer.from([0, 0xd8, 10, 0]),
    ]);
    const { bytes, refused } = await edited(units, { 2: [restore] });
    expect(bytes).toEqual(units);
    expect(refused.map(({ why }) => why)).toEqual(["the file is not valid UTF-16"]);
  });
});

describe("a text log", () => {
  it("has pretty-printed JSON changed between its lines", async () => {
    const log = (body: object): string =>
      `2025-09-14 10:00:00 POST ${url}\n>> body:\n${JSON.stringify(body, null, 4)}\n<< 200\n${JSON.stringify(answers)}\n`;
    expect(await written(log(broken), { 1: [restore] })).toBe(log(goesOn));
  });

  it("gets new lines behind the prefix that its lines have", async () => {
    const log = (body: object): string =>
      `${JSON.stringify(body, null, 2).replaceAll(/^/gm, "2025-09-14 10:00:00 DEBUG | ")}\n2025-09-14 10:00:01 INFO | done\n`;
    expect(await written(log(broken), { 1: [restore] })).toBe(log(goesOn));
    const gone: BodyEdit = { op: "remove", pointer: "/messages/1" };
    expect(await written(log(goesOn), { 1: [gone] })).toBe(log(broken));
  });

  it("states the length of a body anew that it stated before it", async () => {
    const log = (body: string): string =>
      `POST /v1/chat/completions HTTP/1.1\nhost: api.openai.com\ncontent-length: ${Buffer.byteLength(body)}\n\n${body}\n`;
    expect(await written(log(JSON.stringify(broken)), { 1: [restore] })).toBe(log(restored));
  });

  it("has what Python printed changed as Python prints it", async () => {
    const log = (messages: string): string =>
      `2025-09-14 10:00:00 DEBUG openai: Request options: {'method': 'post', 'url': '/chat/completions', 'json_data': {'messages': [${messages}], 'model': 'gpt-5', 'stream': False}}\n`;
    const user = `{'role': 'user', 'content': "It's warm"}`;
    const tool = `{'role': 'tool', 'tool_call_id': 'call_1', 'content': '{"celsius":18}'}`;
    const asked = `{'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'call_1', 'type': 'function', 'function': {'name': 'weather', 'arguments': '{"city":"Zürich"}'}}]}`;
    expect(await written(log(`${user}, ${tool}`), { 1: [restore] })).toBe(log(`${user}, ${asked}, ${tool}`));
    const gone: BodyEdit = { op: "remove", pointer: "/messages/1" };
    expect(await written(log(`${user}, ${asked}, ${tool}`), { 1: [gone] })).toBe(log(`${user}, ${tool}`));
    expect(await written(log(`${user}, ${tool}`), { 1: [gone] })).toBe(log(user));
    const edits: BodyEdit[] = [
      { op: "replace", pointer: "/messages/0/content", json: JSON.stringify('it\'s "so"\n\u0007 ü') },
      { op: "insert", pointer: "/messages/0/name", json: "true", after: "role" },
      { op: "insert", pointer: "/messages/0", json: '{"role":"system","content":"a: b, [c]"}' },
    ];
    expect(await written(log(user), { 1: edits })).toBe(
      log(
        `{'role': 'system', 'content': 'a: b, [c]'}, {'role': 'user', 'name': True, 'content': 'it\\'s "so"\\n\\x07 ü'}`,
      ),
    );
  });

  it("has JSON in what Python printed changed", async () => {
    const log = (body: object): string =>
      `10:00:00 DEBUG sent {'url': '${url}', 'body': '${JSON.stringify(body).replaceAll("\\", "\\\\")}'}\n`;
    expect(await written(log(broken), { 1: [restore] })).toBe(log(goesOn));
  });

  it("keeps the writing of quotes as numbers", async () => {
    const quoted = (body: object): string =>
      JSON.stringify(body).replaceAll("\\", "\\u005c").replaceAll('"', "\\u0022");
    const log = (body: object): string => `10:00 sent {"body":"${quoted(body)}"} to ${url}\n`;
    expect(await written(log(broken), { 1: [restore] })).toBe(log(goesOn));
  });
});

describe("a request that its record holds twice", () => {
  it("is changed in both places, so that it is still one request", async () => {
    const record = (messages: readonly object[]): string =>
      `${JSON.stringify({
        id: "r1",
        input: { model: "gpt-5", messages },
        additional_args: {
          complete_input_dict: JSON.stringify({ model: "gpt-5", messages, tools: asks.tools }),
        },
        logged: messages,
        response: answers,
      })}\n`;
    const out = await written(record(broken.messages as object[]), { 1: [restore] });
    expect(out).toBe(record(goesOn.messages));
    expect(await told(out)).toEqual(await told(record(goesOn.messages)));
  });

  it("is changed in the copy that a logger laid inside it", async () => {
    const record = (messages: readonly object[], seen: readonly object[]): string =>
      `${JSON.stringify({
        id: "r1",
        model: "gpt-5",
        messages,
        additional_args: { complete_input_dict: { model: "gpt-5", messages, tools: asks.tools } },
        metadata: { first: { messages: seen } },
        response: answers,
      })}\n`;
    const out = await written(record(broken.messages as object[], [question]), { 1: [restore] });
    expect(out).toBe(record(goesOn.messages, [question]));
  });

  it("is changed where a tracing tool tells of it a second time", async () => {
    const batch = (messages: readonly object[]): string =>
      JSON.stringify({
        post: [{ id: "run-1", run_type: "llm", inputs: { model: "gpt-5", messages } }],
        patch: [{ id: "run-1", inputs: { model: "gpt-5", messages }, outputs: answers }],
      });
    const out = await written(batch(broken.messages as object[]), { 1: [restore] });
    expect(out).toBe(batch(goesOn.messages));
    expect(await told(out)).toHaveLength(1);
  });

  it("has what stands beside the history changed in each copy that has it", async () => {
    const record = (model: string): string =>
      `${JSON.stringify({ input: { model, messages: asks.messages }, sent: { model, messages: asks.messages, user: "u1" }, logged: asks.messages })}\n`;
    const edits: BodyEdit[] = [{ op: "replace", pointer: "/model", json: '"gpt-6"' }];
    expect(await written(record("gpt-5"), { 1: edits })).toBe(record("gpt-6"));
  });

  it("is left alone when one of the places cannot be written", async () => {
    const odd = { model: "gpt-5", messages: broken.messages.map((message) => ({ ...message, x: 1 })) };
    const even = { model: "gpt-5", messages: [odd.messages[0], odd.messages[0], odd.messages[1]] };
    const log = `${JSON.stringify({ a: even, b: { ...even, messages: [odd.messages[0], "…", odd.messages[1]] } })}\n`;
    const edits: BodyEdit[] = [{ op: "replace", pointer: "/messages/1/x", json: "2" }];
    const { bytes, refused } = await edited(log, { 1: edits });
    expect(bytes.toString()).toBe(log);
    expect(refused).toHaveLength(1);
  });
});
