import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { hold } from "../../src/record/hold.ts";
import type { Recorded } from "../../src/record/line.ts";
import { startProxy } from "../../src/record/proxy.ts";
import { upstreamsOf } from "../../src/record/upstreams.ts";
import { ProviderGate } from "../../src/serve/provider-gate.ts";
import { answeringReply, modelServer } from "./model-server.ts";

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

async function strictScene() {
  const server = await modelServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(answeringReply("Rain."));
  });
  const recorded: Recorded[] = [];
  const gate = await ProviderGate.create();
  const proxy = await startProxy({
    upstreams: upstreamsOf({}, new Map([["", new URL(server.url)]])),
    port: 0,
    proxyFor: () => undefined,
    judge: (request) => gate.judge(request),
    onExchange: (one) => recorded.push(one),
    onWebSocket: () => {},
  });
  running.push(server, proxy);
  const post = async (
    body: string | Buffer<ArrayBuffer>,
    path = "/openai/v1/chat/completions",
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(proxy.address + path, { method: "POST", body, headers });
    return { status: response.status, mark: response.headers.get("x-toollint"), text: await response.text() };
  };
  return { server, proxy, gate, recorded, post };
}

const question = { role: "user", content: "Weather in Oslo?" };
const result = { role: "tool", tool_call_id: "call_w1", content: "rain" };
const broken = JSON.stringify({ model: "gpt-4o", messages: [question, result] });
const whole = JSON.stringify({ model: "gpt-4o", messages: [question] });

describe("a judged proxy", () => {
  test("answers a broken history itself, and records what it said", async () => {
    const { server, gate, recorded, post } = await strictScene();
    const { status, mark, text } = await post(broken);
    expect([status, mark]).toEqual([400, "refused"]);
    expect(server.asked).toEqual([]);
    expect(gate.refused).toMatchObject([{ request: 1, profile: "openai", rule: "orphaned-tool-result" }]);
    const [{ request, response }] = recorded as [Recorded];
    expect(request.body.toString()).toBe(broken);
    expect(response?.body.toString()).toBe(text);
    expect(response?.headers).toContainEqual(["x-toollint", "refused"]);
  });

  test("judges what comes packed", async () => {
    const { server, post } = await strictScene();
    const { status } = await post(gzipSync(broken), undefined, { "content-encoding": "gzip" });
    expect(status).toBe(400);
    expect(server.asked).toEqual([]);
  });

  test("passes on a whole history byte for byte", async () => {
    const { server, post } = await strictScene();
    const { status, mark } = await post(whole);
    expect([status, mark]).toEqual([200, null]);
    expect(server.asked.map(({ body }) => body)).toEqual([whole]);
    expect(server.asked[0]?.headers["content-length"]).toBe(String(whole.length));
  });

  test("passes on what it cannot judge: no turn, no JSON, an API of its own", async () => {
    const { server, gate, proxy, post } = await strictScene();
    await (await fetch(`${proxy.address}/openai/v1/models`)).text();
    await post("{not json");
    await post(broken, "/openai/v1/embeddings");
    // Groq has no Messages API.
    await post(JSON.stringify({ model: "m", messages: [result] }), "/groq/v1/messages");
    expect(server.asked.map(({ url }) => url)).toEqual([
      "/models",
      "/chat/completions",
      "/embeddings",
      "/v1/messages",
    ]);
    expect(gate.refused).toEqual([]);
  });

  test("is judged by the provider at the upstream's address, whatever it is called", async () => {
    const gate = await ProviderGate.create();
    const request = {
      number: 1,
      method: "POST",
      target: "/openai/v1/chat/completions",
      headers: {},
      body: Buffer.from(broken),
    };
    const url = new URL("https://api.groq.com/openai/v1/chat/completions");
    expect((await gate.judge({ ...request, url, upstream: "openai" }))?.status).toBe(400);
    expect(gate.refused[0]?.profile).toBe("groq");
  });
});

describe("a body is held up to a limit", () => {
  async function* chunks() {
    yield Buffer.from("one ");
    yield Buffer.from("two ");
    yield Buffer.from("three");
  }

  test("or to its end", async () => {
    const { body, isWhole } = await hold(Readable.from(chunks()), 100);
    expect([body.toString(), isWhole]).toEqual(["one two three", true]);
  });

  test("and the rest is still to come", async () => {
    const request = Readable.from(chunks());
    const { body, isWhole } = await hold(request, 5);
    expect([body.toString(), isWhole]).toEqual(["one two ", false]);
    const rest: string[] = [];
    for await (const chunk of request) rest.push(String(chunk));
    expect(rest.join("")).toBe("three");
  });
});
