import http from "node:http";
import net from "node:net";
import { gzipSync } from "node:zlib";
import validate from "schema:recording";
import { afterEach, describe, expect, test } from "vitest";
import { type Recorded, recordingLine } from "../../src/record/line.ts";
import { type RecordingProxy, startProxy } from "../../src/record/proxy.ts";
import { upstreamsOf } from "../../src/record/upstreams.ts";
import { type Answer, answeringReply, type ModelServer, modelServer } from "./model-server.ts";

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

interface Scene {
  readonly server: ModelServer;
  readonly proxy: RecordingProxy;
  /** The exchange that comes next, as it is recorded. */
  next(): Promise<Recorded>;
  readonly webSockets: string[];
}

async function scene(answer: Answer, upstream?: string): Promise<Scene> {
  const server = await modelServer(answer);
  const waiting: ((recorded: Recorded) => void)[] = [];
  const recorded: Recorded[] = [];
  const webSockets: string[] = [];
  const proxy = await startProxy({
    upstreams: upstreamsOf({}, new Map([["", new URL(upstream ?? server.url)]])),
    port: 0,
    proxyFor: () => undefined,
    onExchange: (one) => {
      const wanted = waiting.shift();
      if (wanted) wanted(one);
      else recorded.push(one);
    },
    onWebSocket: (what) => webSockets.push(what),
  });
  running.push(server, proxy);
  const next = () =>
    new Promise<Recorded>((resolve) => {
      const one = recorded.shift();
      if (one) resolve(one);
      else waiting.push(resolve);
    });
  return { server, proxy, next, webSockets };
}

const question = JSON.stringify({
  model: "gpt-4o",
  messages: [{ role: "user", content: "Weather in Oslo?" }],
});

function ask(proxy: RecordingProxy, init: RequestInit = {}): Promise<Response> {
  return fetch(`${proxy.address}/openai/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-0123456789abcdefghij", "content-type": "application/json" },
    body: question,
    ...init,
  });
}

describe("traffic goes through untouched", () => {
  test("the server gets what the client sent, and the client what the server said", async () => {
    const { proxy, server } = await scene((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Set-Cookie": ["a=1", "b=2"] });
      response.end(answeringReply("Rain."));
    });
    const reply = await ask(proxy);
    expect(await reply.text()).toBe(answeringReply("Rain."));
    expect(reply.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    const [asked] = server.asked;
    expect(asked?.url).toBe("/chat/completions");
    expect(asked?.body).toBe(question);
    expect(asked?.headers.authorization).toBe("Bearer sk-0123456789abcdefghij");
    expect(asked?.headers.host).toBe(new URL(server.url).host);
  });

  test("a stream arrives chunk for chunk, while the server is still speaking", async () => {
    let finish = () => {};
    const { proxy } = await scene(async (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write('data: {"n":1}\n\n');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      response.end("data: [DONE]\n\n");
    });
    const reader = (await ask(proxy)).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe('data: {"n":1}\n\n');
    finish();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: [DONE]\n\n");
  });

  test("compressed bodies stay compressed for the client and are readable in the recording", async () => {
    const packed = gzipSync(answeringReply("Snow."));
    const { proxy, next } = await scene((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      response.end(packed);
    });
    const got = await new Promise<Buffer>((resolve) => {
      const request = http.request(
        `${proxy.address}/openai/chat/completions`,
        { method: "POST" },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on("data", (chunk) => chunks.push(chunk));
          reply.on("end", () => resolve(Buffer.concat(chunks)));
        },
      );
      request.end(question);
    });
    expect(got.equals(packed)).toBe(true);
    expect(recordingLine(await next(), false)).toContain(answeringReply("Snow."));
  });

  test("an error of the provider is passed on and recorded like any reply", async () => {
    const { proxy, next } = await scene((_, response) => {
      response.writeHead(429, { "Retry-After": "7" });
      response.end('{"error":{"message":"slow down"}}');
    });
    const reply = await ask(proxy);
    expect(reply.status).toBe(429);
    expect(reply.headers.get("retry-after")).toBe("7");
    expect((await next()).response?.status).toBe(429);
  });
});

describe("what does not end well is recorded as far as it went", () => {
  test("a client that goes away", async () => {
    const { proxy, next } = await scene((_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write('data: {"n":1}\n\n');
    });
    const stop = new AbortController();
    const reply = await ask(proxy, { signal: stop.signal });
    await reply.body?.getReader().read();
    stop.abort();
    const recorded = await next();
    expect(recorded.aborted).toBe("client");
    expect(recorded.response?.body.toString()).toBe('data: {"n":1}\n\n');
  });

  test("a server that breaks off", async () => {
    const { proxy, next } = await scene((_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Content-Length": "1000" });
      response.write('data: {"n":1}\n\n', () => response.destroy());
    });
    await expect(ask(proxy).then((reply) => reply.text())).rejects.toThrow();
    const recorded = await next();
    expect(recorded.aborted).toBe("server");
    expect(recorded.response?.body.toString()).toBe('data: {"n":1}\n\n');
  });

  test("a server that is not there: the client is told so in the form of an error reply", async () => {
    const { proxy, next, server } = await scene(() => {});
    await server.close();
    const reply = await ask(proxy);
    expect(reply.status).toBe(502);
    const { host } = new URL(server.url);
    expect(await reply.json()).toEqual({
      error: {
        message: `toollint record: ${host} cannot be reached: nothing listens there`,
        type: "toollint_record",
      },
    });
    const recorded = await next();
    expect(recorded.response).toBeUndefined();
    expect(recorded.failure).toBe(`${host} cannot be reached: nothing listens there`);
  });

  test("a path that belongs to nobody goes nowhere", async () => {
    const { proxy, server } = await scene(() => {});
    const reply = await fetch(`${proxy.address}/favicon.ico`);
    expect(reply.status).toBe(404);
    expect(server.asked).toEqual([]);
  });
});

test("WebSockets are led through, and the user is told that they are not recorded", async () => {
  const { proxy, server, webSockets } = await scene(() => {});
  // The scripted server knows no upgrades: a bare socket plays the realtime API.
  await server.close();
  const realtime = net.createServer((socket) => {
    socket.once("data", (head) => {
      expect(head.toString()).toContain("GET /realtime?model=x HTTP/1.1\r\n");
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      socket.on("data", (data) => socket.end(data.toString().toUpperCase()));
    });
  });
  await new Promise<void>((resolve) =>
    realtime.listen(Number(new URL(server.url).port), "127.0.0.1", resolve),
  );
  const said = await new Promise<string>((resolve, reject) => {
    const request = http.request(`${proxy.address}/openai/realtime?model=x`, {
      headers: { Connection: "Upgrade", Upgrade: "websocket" },
    });
    request.on("upgrade", (_, socket) => {
      socket.on("data", (data: Buffer) => resolve(data.toString()));
      socket.write("hello");
    });
    request.on("error", reject);
    request.end();
  });
  realtime.close();
  expect(said).toBe("HELLO");
  expect(webSockets).toEqual([`a WebSocket to ${new URL(server.url).host} is forwarded but not recorded`]);
});

describe("a line of a recording", () => {
  const recorded: Recorded = {
    number: 1,
    time: Date.UTC(2026, 0, 5, 12),
    durationMs: 812,
    request: {
      method: "POST",
      url: "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=AIzaSyA-0123456789-0123456789-01234567",
      headers: [
        ["Authorization", "Bearer sk-0123456789abcdefghij"],
        ["X-Goog-Api-Key", "AIzaSyA"],
        ["Accept", "application/json"],
      ],
      body: Buffer.from(
        '{"max_tokens": 1.0, "messages":[{"role":"user","content":"key sk-0123456789abcdefghij"}]}',
      ),
    },
    response: {
      status: 200,
      firstByteMs: 210,
      headers: [
        ["Set-Cookie", "session=1"],
        ["X-RateLimit-Remaining-Tokens", "4200"],
      ],
      body: Buffer.from("data: {}\n\n"),
    },
  };

  test("keeps bodies to the letter, and no credential of headers and URLs", () => {
    expect(recordingLine(recorded, false)).toBe(
      `{"toollintRecording":1,"number":1,"time":"2026-01-05T12:00:00.000Z","durationMs":812,"request":{"method":"POST","url":"https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=AIza***","headers":{"authorization":"***","x-goog-api-key":"***","accept":"application/json"},"body":{"max_tokens": 1.0, "messages":[{"role":"user","content":"key sk-0123456789abcdefghij"}]}},"response":{"status":200,"firstByteMs":210,"headers":{"set-cookie":"***","x-ratelimit-remaining-tokens":"4200"},"body":"data: {}\\n\\n"}}\n`,
    );
  });

  test("with redaction no credential of bodies either", () => {
    expect(recordingLine(recorded, true)).toContain('"content":"key sk-0***"');
  });

  test.each([
    ["a reply", recorded],
    ["no reply", { ...recorded, response: undefined, failure: "api.example cannot be reached: ECONNRESET" }],
    [
      "bytes that are no text",
      { ...recorded, request: { ...recorded.request, body: Buffer.from([0xff, 0xfe, 0]) } },
    ],
    [
      "a body over several lines",
      { ...recorded, request: { ...recorded.request, body: Buffer.from('{\n  "a": 1\n}') } },
    ],
    ["a body that was too long", { ...recorded, request: { ...recorded.request, omitted: 12 } }],
    ["a reply that broke off", { ...recorded, aborted: "server" as const }],
  ])("is one line of valid JSON that fits its schema: %s", (_, { response, ...rest }) => {
    const line = recordingLine({ ...rest, ...(response && { response }) }, false);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    validate(JSON.parse(line));
    expect(validate.errors).toBeNull();
  });
});

test.each([
  ["evil.example", 403],
  ["localhost.evil.example:8787", 403],
  ["127.0.0.1.evil.example", 403],
  ["localhost:8787", 404],
  ["[::1]:8787", 404],
  ["host.docker.internal:8787", 404],
])(
  "a request that calls the recorder %s gets %i: web pages cannot point their name at it",
  async (host, status) => {
    const { proxy } = await scene((_, response) => void response.end());
    const reply = await new Promise<http.IncomingMessage>((resolve) => {
      http.get(`${proxy.address}/nowhere`, { headers: { host } }, resolve);
    });
    reply.resume();
    expect(reply.statusCode).toBe(status);
  },
);
