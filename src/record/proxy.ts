import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { type HeaderList, messageHeaders, openRequest } from "../http/client.ts";
import { isLocalName } from "../http/local-name.ts";
import type { Recorded } from "./line.ts";
import { routeOf, type Upstream } from "./upstreams.ts";

export interface ProxyOptions {
  readonly upstreams: readonly Upstream[];
  /** The port on loopback; 0 for any free port. */
  readonly port: number;
  /** The outgoing proxy for an upstream, if any. */
  proxyFor(url: URL): string | undefined;
  /** Called when an exchange has ended, successfully or not. */
  onExchange(recorded: Recorded): void;
  /** Called for traffic that is forwarded but not recorded. */
  onUnrecorded(what: string): void;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** Stops listening and aborts open exchanges, which are recorded as aborted. */
  close(): Promise<void>;
}

/** Bytes recorded per body; the rest of a longer body is forwarded only. */
const maxKept = 64 << 20;

/** Starts a reverse proxy on loopback that forwards bytes as they come. Rejects when it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  let count = 0;
  const server = http.createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    if (!isLocalName(request.headers.host)) {
      refuse(
        response,
        403,
        "toollint record answers programs on this machine: ask it at 127.0.0.1 or localhost",
      );
      return;
    }
    pass(request, response, ++count, options);
  });
  // A model may think for longer than Node's default timeouts allow.
  server.requestTimeout = 0;
  server.timeout = 0;
  server.on("upgrade", (request, socket, head) => {
    if (isLocalName(request.headers.host)) passSocket(request, socket as net.Socket, head, options);
    else socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
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
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Stores the bytes that pass, up to a limit. */
class Tap {
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #omitted = 0;

  add(chunk: Buffer): void {
    const room = Math.min(chunk.length, maxKept - this.#kept);
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#kept += room;
    this.#omitted += chunk.length - room;
  }

  get seen(): { readonly body: Buffer; readonly omitted?: number } {
    return { body: Buffer.concat(this.#chunks), ...(this.#omitted > 0 && { omitted: this.#omitted }) };
  }
}

function pass(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  number: number,
  options: ProxyOptions,
): void {
  const time = Date.now();
  const began = performance.now();
  const since = () => Math.round(performance.now() - began);
  const target = request.url ?? "/";
  const url = routeOf(target, options.upstreams);
  if (!url) {
    refuse(
      response,
      404,
      `toollint record does not know where ${request.method} ${target} belongs: begin the path with one of ${options.upstreams.map(({ name }) => `/${name}`).join(", ")}`,
    );
    return;
  }
  const headers = messageHeaders(request.rawHeaders, ["host"]);
  const sent = new Tap();
  const received = new Tap();
  let answer: { status: number; headers: HeaderList; firstByteMs?: number } | undefined;
  let isRecorded = false;
  const record = (end: Pick<Recorded, "aborted" | "failure">) => {
    if (isRecorded) return;
    isRecorded = true;
    options.onExchange({
      number,
      time,
      durationMs: since(),
      request: { method: request.method ?? "GET", url: url.href, headers, ...sent.seen },
      ...(answer && { response: { ...answer, ...received.seen } }),
      ...end,
    });
  };

  const upstream = openRequest({
    method: request.method ?? "GET",
    url,
    headers: [["Host", url.host], ...headers],
    proxy: options.proxyFor(url),
  });
  request.on("data", (chunk: Buffer) => sent.add(chunk));
  request.pipe(upstream);

  upstream.on("response", (reply) => {
    answer = { status: reply.statusCode ?? 0, headers: messageHeaders(reply.rawHeaders) };
    response.writeHead(answer.status, reply.statusMessage, answer.headers.flat());
    // Clients wait for the headers of a stream before its first event comes.
    response.flushHeaders();
    reply.on("data", (chunk: Buffer) => {
      if (answer && answer.firstByteMs === undefined) answer.firstByteMs = since();
      received.add(chunk);
    });
    reply.pipe(response);
    reply.on("end", () => record({}));
    reply.on("close", () => {
      if (reply.complete) return;
      record({ aborted: "server" });
      response.destroy();
    });
    reply.on("error", () => {});
  });
  upstream.on("error", (error) => {
    if (answer || isRecorded) return;
    const failure = `${url.host} cannot be reached: ${codeOf(error)}`;
    record({ failure });
    refuse(response, 502, `toollint record: ${failure}`);
  });
  response.on("close", () => {
    if (response.writableFinished) return;
    record({ aborted: "client" });
    upstream.destroy();
  });
}

/** Sends an error in the form that most clients of model APIs show to their users. */
function refuse(response: http.ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(`${JSON.stringify({ error: { message, type: "toollint_record" } })}\n`);
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Forwards WebSockets (realtime APIs) unchanged. */
function passSocket(
  request: http.IncomingMessage,
  socket: net.Socket,
  head: Buffer,
  { upstreams, onUnrecorded }: ProxyOptions,
): void {
  const url = routeOf(request.url ?? "/", upstreams);
  socket.on("error", () => socket.destroy());
  if (!url) {
    socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    return;
  }
  onUnrecorded(`a WebSocket to ${url.host} is passed on and not recorded`);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const upstream = isSecure
    ? tls.connect({ host: url.hostname, port, servername: url.hostname })
    : net.connect({ host: url.hostname, port });
  upstream.on("error", () => socket.destroy());
  upstream.once(isSecure ? "secureConnect" : "connect", () => {
    const fields: string[] = [];
    for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
      const name = request.rawHeaders[at] as string;
      if (name.toLowerCase() !== "host") fields.push(`${name}: ${request.rawHeaders[at + 1]}`);
    }
    upstream.write(
      `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${fields.join("\r\n")}\r\n\r\n`,
    );
    upstream.write(head);
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  socket.on("close", () => upstream.destroy());
}
