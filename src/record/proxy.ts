import http from "node:http";
import type net from "node:net";
import { Connections, maxHeadBytes } from "../http/client.ts";
import { strangerOf, strangerRefusal } from "../http/strangers.ts";
import { type Incoming, Passage, type PassageOptions, refuse } from "./passage.ts";
import { hasHttpForm, routeOf, type Upstream } from "./upstreams.ts";

export interface ProxyOptions extends PassageOptions {
  readonly upstreams: readonly Upstream[];
  /** The port on loopback; 0 for any free port. */
  readonly port: number;
  /** Origins of web pages that may ask, in addition to those of this machine. */
  readonly allowedOrigins?: readonly string[];
  /** Called with the sentence that a web page got in place of an answer. */
  onStranger?(sentence: string): void;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** Stops listening and aborts open exchanges, which are recorded as aborted. */
  close(): Promise<void>;
}

/**
 * A client's connection, with its open exchanges. Its requests go on over connections of its own: what goes
 * wrong with where one of them ends meets no request of another client, whose key may be another one.
 */
interface Client {
  readonly passages: Set<Passage>;
  readonly connections: Connections;
}

const command = "toollint record";

/** How long clients may take to read what has come for them when the proxy ends, in milliseconds. */
const lastWrites = 100;

/** Starts a reverse proxy on loopback that forwards bytes as they come. Rejects when it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  let count = 0;
  const open = new Map<net.Socket, Client>();
  const server = http.createServer({
    keepAliveTimeout: 30_000,
    // A lenient parser takes other bytes for the end of a request than the upstream does.
    insecureHTTPParser: false,
    maxHeaderSize: maxHeadBytes,
  });
  // Node leaves fields out beyond a number, also those that say where the body ends; the bytes are limited.
  server.maxHeadersCount = 0;
  // A model may think for longer than Node's default timeouts allow.
  server.requestTimeout = 0;
  server.timeout = 0;

  function take(taken: Pick<Incoming, "request" | "response" | "isExpecting" | "socket">): void {
    const { request, response } = taken;
    const client = open.get(request.socket);
    const target = admitted(request, response, options);
    if (target === undefined || !client) return;
    const route = routeOf(target, options.upstreams);
    if (!route) {
      const names = options.upstreams.map(({ name }) => `/${name}`).join(", ");
      const what = `${request.method} ${target.slice(0, 500)}`;
      refuse(
        response,
        404,
        `${command} does not know where to send ${what}: begin the path with one of ${names}`,
      );
      return;
    }
    const { passages, connections } = client;
    const passage = new Passage({ ...taken, number: ++count, target, route, connections }, options);
    passages.add(passage);
    response.on("close", () => passages.delete(passage));
    if (taken.socket && hasHttpForm(target)) passage.declineWebSocket();
    else void passage.pass();
  }

  server.on("connection", (socket: net.Socket) => {
    if (open.has(socket)) return;
    const client: Client = { passages: new Set(), connections: new Connections() };
    open.set(socket, client);
    // Node takes its own listener away when a request offers another protocol.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      open.delete(socket);
      // Node tells the response in turn only, not those that wait behind it.
      for (const passage of client.passages) passage.clientLeft();
      client.connections.close();
    });
  });
  server.on("request", (request, response) => take({ request, response }));
  server.on("checkContinue", (request, response) => take({ request, response, isExpecting: true }));
  server.on("upgrade", (request, stream, head) => {
    const client = stream as net.Socket;
    if (!isHandshake(request)) {
      const again = () => {
        client.unshift(withoutUpgrade(request, head));
        server.emit("connection", client);
      };
      // Answers keep the order of their requests.
      const before = [...(open.get(client)?.passages ?? [])].at(-1);
      if (before) before.response.once("close", again);
      else again();
      return;
    }
    const response = new http.ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(client);
    response.on("finish", () => client.destroySoon());
    take({ request, response, socket: { client, head } });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as net.AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of open.keys()) socket.destroy();
        }, lastWrites);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        for (const { passages } of open.values()) for (const passage of passages) passage.stop();
        for (const [socket, { passages }] of open) if (passages.size === 0) socket.destroySoon();
      }),
  };
}

/** The path and query of a request that may be answered; all others are refused here. */
function admitted(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { allowedOrigins = [], onStranger }: ProxyOptions,
): string | undefined {
  const stranger = strangerOf(request, allowedOrigins);
  if (stranger) {
    const sentence = strangerRefusal(stranger, command);
    onStranger?.(sentence);
    refuse(response, 403, sentence);
    return undefined;
  }
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) {
    refuse(response, 400, "a request must have exactly one Host header (RFC 9112, section 3.2)");
    return undefined;
  }
  const target = request.url ?? "/";
  // The absolute form of a request for this server, or of one that this server is to fetch from elsewhere.
  const [, host, path] = /^https?:\/\/([^/?#]*)(.*)/is.exec(target) ?? [];
  if (host === undefined) return target;
  if (!strangerOf({ headers: { host } }, []) && host !== "") return path?.startsWith("/") ? path : `/${path}`;
  const advice = "do not use it as HTTP_PROXY: set the client's base URL instead";
  refuse(response, 421, `${command} does not forward to ${host.slice(0, 200)}; ${advice}`);
  return undefined;
}

/** Whether a request opens a WebSocket (RFC 6455, section 4.1); one with a body is like any other. */
function isHandshake({ method, headers }: http.IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && !hasBody;
}

/**
 * The head of a request whose offer to go on in another protocol (`h2c`, which Java's client makes in every
 * request) is not taken, and what came behind it: for the server to read again.
 */
function withoutUpgrade(request: http.IncomingMessage, head: Buffer): Buffer {
  const first = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  const fields: string[] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2);
    if (!/^(?:connection|upgrade|http2-settings)$/i.test(name)) fields.push(`${name}: ${value}\r\n`);
  }
  const named = (request.headers.connection ?? "").split(",").map((field) => field.trim());
  const others = named.filter((field) => field !== "" && !/^(?:upgrade|http2-settings)$/i.test(field));
  if (others.length > 0) fields.push(`Connection: ${others.join(", ")}\r\n`);
  return Buffer.concat([Buffer.from(`${first}${fields.join("")}\r\n`, "latin1"), head]);
}
