import http from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { profiles } from "../../src/protocols/profiles/index.ts";
import { startModelServer } from "../../src/serve/serve.ts";

const server = await startModelServer({ port: 0 });
afterAll(() => server.close());

/** Hundreds of requests share a machine with other tests. */
const patience = 120_000;

/** The same requests in each run; another number finds others. */
const seed = 1;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const agent = new http.Agent({ keepAlive: true });
afterAll(() => agent.destroy());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: Uint8Array | string | undefined;
}

function send({ method = "POST", path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(server.url, { agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers["content-type"] ?? "",
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** A provider's answer is JSON, or a stream of it, and never the mistake of the server itself. */
function expectWellFormed({ status, type, text }: Answer): void {
  expect(status, text).toBeGreaterThanOrEqual(200);
  expect(status, text).toBeLessThan(500);
  if (type.startsWith("text/event-stream")) {
    expect(text).toMatch(/^(?::.*\n\n|(?:event: .+\n)?data: .+\n\n)+$/);
    return;
  }
  const values = type === "application/x-ndjson" ? text.trim().split("\n") : [text];
  for (const value of values) expect(typeof JSON.parse(value)).toBe("object");
  if (status >= 400) expect(text.length).toBeGreaterThan("{}\n".length);
}

const call = { name: "get_weather", arguments: { city: "Lima" } };
const functionCall = { type: "function", function: { ...call, arguments: '{"city":"Lima"}' } };
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** For each address a request that its provider takes, with a call and its result. */
const requests: readonly { readonly path: string; readonly body: Record<string, unknown> }[] = [
  {
    path: "/v1/chat/completions",
    body: {
      model: "gpt-5",
      messages: [
        { role: "user", content: "Is it warm in Lima?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", ...functionCall }],
        },
        { role: "tool", tool_call_id: "call_1", content: "18 degrees" },
      ],
      tools: [{ type: "function", function: { name: "get_weather", parameters } }],
      store: true,
      metadata: { trip: "peru" },
    },
  },
  {
    path: "/v1/responses",
    body: {
      model: "gpt-5",
      previous_response_id: "resp_0123456789abcdef0123456789abcdef0123456789abcdef",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Is it warm in Lima?" }] },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Lima"}' },
        { type: "function_call_output", call_id: "call_1", output: "18 degrees" },
        { type: "item_reference", id: "msg_0123456789abcdef0123456789abcdef0123456789abcdef" },
      ],
      tools: [{ type: "function", name: "get_weather", parameters, strict: false }],
    },
  },
  {
    path: "/v1/messages",
    body: {
      model: "claude-sonnet-4-5",
      max_tokens: 2048,
      thinking: { type: "enabled", budget_tokens: 1024 },
      thread: { type: "create" },
      messages: [
        { role: "user", content: "Is it warm in Lima?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "The tool knows.", signature: "EtoollintX1vQ==" },
            { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Lima" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "18 degrees" }],
        },
      ],
      tools: [{ name: "get_weather", input_schema: parameters }],
      stop_sequences: ["done"],
    },
  },
  ...["generateContent", "streamGenerateContent", "countTokens"].map((verb) => ({
    path: `/v1beta/models/gemini-2.5-flash:${verb}`,
    body: {
      contents: [
        { role: "user", parts: [{ text: "Is it warm in Lima?" }] },
        {
          role: "model",
          parts: [
            { functionCall: { name: "get_weather", args: { city: "Lima" } }, thoughtSignature: "aGk=" },
          ],
        },
        {
          role: "user",
          parts: [{ functionResponse: { name: "get_weather", response: { degrees: 18 } } }],
        },
      ],
      tools: [{ functionDeclarations: [{ name: "get_weather", parameters }] }],
    },
  })),
  {
    path: "/api/chat",
    body: {
      model: "llama3.2",
      messages: [
        { role: "user", content: "Is it warm in Lima?" },
        { role: "assistant", content: "", tool_calls: [{ function: call }] },
        { role: "tool", tool_name: "get_weather", content: "18 degrees" },
      ],
      tools: [{ type: "function", function: { name: "get_weather", parameters } }],
    },
  },
  { path: "/api/generate", body: { model: "llama3.2", prompt: "Is it warm?", system: "Be brief." } },
  { path: "/mistral/v1/chat/completions", body: { model: "mistral-large-latest", messages: [] } },
  { path: "/v1/conversations", body: { items: [{ role: "user", content: "Hello" }], metadata: {} } },
  { path: "/v1/messages/count_tokens", body: { model: "claude-sonnet-4-5", messages: [] } },
  { path: "/v1/responses/input_tokens", body: { model: "gpt-5", input: "Hello" } },
  { path: "/v1/responses/compact", body: { model: "gpt-5", input: "Hello" } },
];

/** Each request to its own provider, and to the profiles that speak its protocol. */
const anyRequest = fc
  .tuple(fc.constantFrom(...requests), fc.option(fc.constantFrom(...profiles)))
  .map(([{ path, body }, profile]) => ({ path: profile ? `/${profile.name}${path}` : path, body }));

/** A value from outside, with what breaks careless readers. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    "",
    [],
    {},
    -1,
    1e308,
    "__proto__",
    "constructor",
    "toString",
    "\u0000\ud800",
    [[[[]]]],
    { toString: 1 },
  ),
);

/** The body with members anywhere in it replaced, removed or repeated. */
function changed(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step = 0, ...others] = steps;
  if (typeof value !== "object" || value === null || steps.length === 0) return replacement;
  const keys = Object.keys(value);
  if (keys.length === 0) return replacement;
  const key = keys[step % keys.length] ?? "";
  const next = changed((value as Record<string, unknown>)[key], others, replacement);
  if (Array.isArray(value))
    return step % 7 === 0 ? [...value, next] : value.map((each, at) => (String(at) === key ? next : each));
  return { ...value, [key]: next };
}

const changes = fc.array(
  fc.record({ steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), replacement: odd }),
  { minLength: 1, maxLength: 3 },
);

test(
  "a request with anything changed in it gets an answer of its provider",
  async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, changes, fc.boolean(), async ({ path, body }, all, isStreaming) => {
        let value: unknown = { ...body, ...(isStreaming && { stream: true }) };
        for (const { steps, replacement } of all) value = changed(value, steps, replacement);
        expectWellFormed(await send({ path, body: JSON.stringify(value) }));
      }),
      { numRuns: 600, seed },
    );
  },
  patience,
);

test(
  "bytes that are no request are refused, whatever their encoding",
  async () => {
    const encodings = {
      identity: (bytes: Uint8Array) => bytes,
      gzip: gzipSync,
      br: brotliCompressSync,
      deflate: (bytes: Uint8Array) => bytes,
      zstd: (bytes: Uint8Array) => bytes,
    };
    const texts = fc.constantFrom(
      "",
      "\ufeff{}",
      "[]",
      "null",
      "1e999",
      '{"model":"gpt-5","model":1}',
      '{"__proto__":{"messages":[]},"constructor":0}',
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      `{"model":"gpt-5","messages":${'[{"content":'.repeat(3_000)}`,
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(Buffer.from),
      texts.map(Buffer.from),
    );
    const names = fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[]));
    await fc.assert(
      fc.asyncProperty(anyRequest, bytes, names, async ({ path }, body, name) => {
        const headers = { "content-encoding": name };
        expectWellFormed(await send({ path, headers, body: encodings[name](body) }));
      }),
      { numRuns: 300, seed },
    );
  },
  patience,
);

test(
  "an address with odd ids, escapes and queries is answered",
  async () => {
    const id = fc.constantFrom(
      "%",
      "%ff",
      "%00",
      "__proto__",
      "constructor",
      "..",
      "a%2Fb",
      "%F0%9F%98",
      "x".repeat(900),
    );
    const address = fc.constantFrom(
      "/v1/models/ID",
      "/v1beta/models/ID",
      "/v1beta/models/ID:generateContent",
      "/v1beta/models/ID:countTokens",
      "/openai/deployments/ID/chat/completions",
      "/publishers/anthropic/models/ID:rawPredict",
      "/model/anthropic.claude-ID/invoke",
      "/v1/responses/ID",
      "/v1/responses/ID/cancel",
      "/v1/responses/ID/input_items?limit=ID&after=ID&order=ID",
      "/v1/conversations/ID",
      "/v1/conversations/ID/items?limit=-1",
      "/v1/conversations/ID/items/ID",
      "/v1/chat/completions/ID",
      "/v1/chat/completions/ID/messages",
      "/v1/messages?beta=ID",
      "/api/ID",
      "/ID/v1/messages",
      "//ID",
    );
    const method = fc.constantFrom("GET", "POST", "DELETE", "PUT", "OPTIONS");
    await fc.assert(
      fc.asyncProperty(method, address, id, async (verb, pattern, name) => {
        const path = pattern.replaceAll("ID", name);
        const body = verb === "POST" ? JSON.stringify({ model: "gpt-5", messages: [] }) : undefined;
        expectWellFormed(await send({ method: verb, path, body }));
      }),
      { numRuns: 300, seed },
    );
  },
  patience,
);

test(
  "a request with thousands of mistakes is refused in time",
  async () => {
    const calls = Array.from({ length: 6000 }, (_, at) => ({ ...functionCall, id: `call_${at}` }));
    const messages = [
      { role: "user", content: "Is it warm in Lima?" },
      { role: "assistant", content: null, tool_calls: calls },
      { role: "user", content: "And in Quito?" },
    ];
    const began = performance.now();
    const { status } = await send({
      path: "/v1/chat/completions",
      body: JSON.stringify({ model: "gpt-5", messages }),
    });
    expect(status).toBe(400);
    // Comparing each mistake with each took half a minute.
    expect(performance.now() - began).toBeLessThan(10_000);
  },
  patience,
);
