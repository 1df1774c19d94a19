import { afterEach, describe, expect, test } from "vitest";
import { answering, type Behaviour, ok, type RawScene, rawScene, requestTo, wholeRequests } from "./raw.ts";

const scenes: RawScene[] = [];
afterEach(async () => {
  for (const one of scenes.splice(0)) await one.close();
});

async function scene(behaviour: Behaviour): Promise<RawScene> {
  const one = await rawScene(behaviour);
  scenes.push(one);
  return one;
}

const asksForWebSocket = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const switching =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

describe("where the client can ask over HTTP instead", () => {
  test.each(["/openai/v1/responses", "/v1/responses", "/openai/v1/responses?model=gpt-5.5"])(
    "%s: it is told so at once (426), and nothing goes to the server",
    async (target) => {
      const { came, recorded, webSockets, send } = await scene(() => {});
      const { text, end } = await send(requestTo("GET", asksForWebSocket, "", target), () => false);
      expect(text).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
      expect(text).toContain("\r\nConnection: close\r\n");
      expect(JSON.parse(text.split("\r\n\r\n")[1] ?? "").error.message).toBe(
        "toollint record does not accept WebSockets: use HTTP instead, which is recorded (Codex does so by itself)",
      );
      expect(end).toBe("closed");
      expect(came).toEqual([]);
      expect(webSockets).toEqual(["the client asked for a WebSocket to HOST; toollint told it to use HTTP"]);
      expect(recorded[0]?.failure).toBe("the client asked for a WebSocket; toollint told it to use HTTP");
      expect(recorded[0]?.response?.status).toBe(426);
    },
  );
});

describe("where it cannot (realtime APIs)", () => {
  const target = "/openai/v1/realtime?model=gpt-realtime";

  test("bytes go both ways, also those that come early, and the recording says so", async () => {
    const { came, recorded, webSockets, send } = await scene((socket, bytes) => {
      socket.write(bytes.endsWith("\r\n\r\n") ? switching : "answer");
    });
    const { text } = await send(`${requestTo("GET", asksForWebSocket, "", target)}early`, (got) =>
      got.endsWith("answer"),
    );
    expect(text.startsWith("HTTP/1.1 101 Switching Protocols\r\n")).toBe(true);
    expect(text).toContain("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
    expect(came[0]?.endsWith("\r\n\r\nearly")).toBe(true);
    expect(came[0]).toMatch(/^GET \/v1\/realtime\?model=gpt-realtime HTTP\/1\.1\r\n/);
    expect(came[0]).toContain("Connection: Upgrade\r\nUpgrade: websocket\r\n");
    expect(came[0]).toContain("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    expect(webSockets).toEqual(["a WebSocket to HOST is forwarded but not recorded"]);
    expect(recorded[0]?.response?.status).toBe(101);
    expect(recorded[0]?.failure).toBe("a WebSocket: its messages are forwarded but not recorded");
  });

  test.each([
    ["GET with a length", "GET", ["Content-Length: 5"], "hello"],
    ["GET with chunks", "GET", ["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"],
    ["POST", "POST", ["Content-Length: 5"], "hello"],
  ])("%s opens none: it is a request like any other", async (_, method, head, body) => {
    const { came, webSockets, send } = await scene(answering(ok));
    await send(requestTo(method, [...asksForWebSocket, ...head], body, target), (got) => got.endsWith("ok"));
    const [request] = wholeRequests(came[0] ?? "");
    expect(request?.body).toBe(body);
    expect(request?.head).not.toMatch(/^upgrade:/im);
    expect(webSockets).toEqual([]);
  });

  test("a server that refuses it is heard, and recorded like any reply", async () => {
    const { recorded, send } = await scene((socket) => {
      socket.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno");
    });
    const { text, end } = await send(requestTo("GET", asksForWebSocket, "", target), () => false);
    expect(text).toBe("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    expect(end).toBe("closed");
    expect(recorded[0]?.response?.body.toString()).toBe("no");
  });

  test("a server that is not there is an error, not a silence", async () => {
    const { send } = await scene((socket) => socket.destroy());
    const { text, end } = await send(requestTo("GET", asksForWebSocket, "", target), () => false);
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(end).toBe("closed");
  });

  test("the end of one side is the end of the other, and of the recorder's wait", async () => {
    const { send, serverIdle, leave } = await scene((socket) => void socket.write(switching));
    await send(requestTo("GET", asksForWebSocket, "", target), (got) => got.endsWith("\r\n\r\n"));
    leave();
    await serverIdle();
    const { proxy, send: again } = await scene((socket) => void socket.write(switching));
    await again(requestTo("GET", asksForWebSocket, "", target), (got) => got.endsWith("\r\n\r\n"));
    await proxy.close();
  });
});
