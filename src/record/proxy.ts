import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { isLocalName } from "../http/local-name.ts";
import { Passage, type PassageOptions, refuse } from "./passage.ts";
import { routeOf, type Upstream } from "./upstreams.ts";

export interface ProxyOptions extends PassageOptions {
  readonly upstreams: readonly Upstream[];
  /** The port on loopback; 0 for any free port. */
  readonly port: number;
  /** Called for traffic that is forwarded but not recorded. */
  onUnrecorded(what: string): void;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** Stops listening and aborts open exchanges, which are recorded as aborted. */
  close(): Promise<void>;
}

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

function pass(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  number: number,
  options: ProxyOptions,
): void {
  const target = request.url ?? "/";
  const route = routeOf(target, options.upstreams);
  if (route) void new Passage(request, response, number, route, options).pass();
  else
    refuse(
      response,
      404,
      `toollint record does not know where ${request.method} ${target} belongs: begin the path with one of ${options.upstreams.map(({ name }) => `/${name}`).join(", ")}`,
    );
}

/** Forwards WebSockets (realtime APIs) unchanged. */
function passSocket(
  request: http.IncomingMessage,
  socket: net.Socket,
  head: Buffer,
  { upstreams, onUnrecorded }: ProxyOptions,
): void {
  const url = routeOf(request.url ?? "/", upstreams)?.url;
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
