import net from "node:net";
import type { Recorded } from "../../src/record/line.ts";
import { type ProxyOptions, type RecordingProxy, startProxy } from "../../src/record/proxy.ts";
import { upstreamsOf } from "../../src/record/upstreams.ts";

/** What a bare server does with the bytes that have come on a connection so far. */
export type Behaviour = (socket: net.Socket, came: string) => void;

/** A recorder between bare sockets: what goes over the wire, byte for byte. */
export interface RawScene {
  readonly proxy: RecordingProxy;
  /** What came to the server, a text for each connection. */
  readonly came: string[];
  /** Resolves when the server has no open connection. */
  serverIdle(): Promise<void>;
  readonly recorded: Recorded[];
  readonly webSockets: string[];
  readonly strangers: string[];
  /** Sends bytes and returns what comes back until `isDone` holds, or the connection ends. */
  send(bytes: string, isDone: (answer: string) => boolean): Promise<Answer>;
  /** Ends the connections of all clients. */
  leave(): void;
  close(): Promise<void>;
}

export interface Answer {
  readonly text: string;
  /** How the connection ended; absent while it is open. */
  readonly end?: "closed" | "reset";
}

export async function rawScene(behaviour: Behaviour, options: Partial<ProxyOptions> = {}): Promise<RawScene> {
  const came: string[] = [];
  const recorded: Recorded[] = [];
  const webSockets: string[] = [];
  const strangers: string[] = [];
  const open = new Set<net.Socket>();
  const clients = new Set<net.Socket>();
  let idle: (() => void)[] = [];
  const server = net.createServer((socket) => {
    const index = came.push("") - 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      open.delete(socket);
      if (open.size > 0) return;
      for (const resolve of idle) resolve();
      idle = [];
    });
    socket.on("data", (data) => {
      came[index] += data.toString("latin1");
      behaviour(socket, came[index] as string);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const proxy = await startProxy({
    upstreams: upstreamsOf({}, new Map([["", new URL(`http://127.0.0.1:${port}/v1`)]])),
    port: 0,
    proxyFor: () => undefined,
    onExchange: (one) => recorded.push(one),
    onWebSocket: (what) => webSockets.push(what.replace(/127\.0\.0\.1:\d+/, "HOST")),
    onStranger: (sentence) => strangers.push(sentence),
    ...options,
  });
  const leave = (): void => {
    for (const socket of clients) socket.destroy();
  };
  return {
    proxy,
    came,
    recorded,
    webSockets,
    strangers,
    serverIdle: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve();
        else idle.push(resolve);
      }),
    send: (bytes, isDone) =>
      new Promise((resolve) => {
        const socket = net.connect(Number(new URL(proxy.address).port), "127.0.0.1");
        clients.add(socket);
        let text = "";
        socket.on("data", (data) => {
          text += data.toString("latin1");
          if (isDone(text)) resolve({ text });
        });
        socket.on("error", () => resolve({ text, end: "reset" }));
        socket.on("close", () => resolve({ text, end: "closed" }));
        socket.write(bytes, "latin1");
      }),
    leave,
    async close() {
      leave();
      await proxy.close();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A request to the recorder with this head behind its first line. */
export function requestTo(
  method: string,
  head: readonly string[] = [],
  body = "",
  target = "/openai/v1/x",
): string {
  return `${[`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1", ...head].join("\r\n")}\r\n\r\n${body}`;
}

/** A behaviour that answers each whole request, with or without a body, by these bytes. */
export function answering(bytes: string): Behaviour {
  const answered = new WeakMap<net.Socket, number>();
  return (socket, came) => {
    const whole = wholeRequests(came).length;
    for (let at = answered.get(socket) ?? 0; at < whole; at++) socket.write(bytes, "latin1");
    answered.set(socket, whole);
  };
}

export const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** The requests in these bytes as a server of RFC 9112 takes them apart; what is not whole is left out. */
export function wholeRequests(bytes: string): { readonly head: string; readonly body: string }[] {
  const requests: { head: string; body: string }[] = [];
  for (let rest = bytes; ; ) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return requests;
    const head = rest.slice(0, end);
    rest = rest.slice(end + 4);
    if (/^transfer-encoding: chunked$/im.test(head)) {
      const body = /^(?:[0-9a-f]+\r\n[\s\S]*?\r\n)*?0\r\n\r\n/i.exec(rest)?.[0];
      if (body === undefined) return requests;
      requests.push({ head, body });
      rest = rest.slice(body.length);
    } else {
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (rest.length < length) return requests;
      requests.push({ head, body: rest.slice(0, length) });
      rest = rest.slice(length);
    }
  }
}
