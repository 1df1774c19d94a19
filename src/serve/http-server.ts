import http from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { type HeaderList, messageHeaders } from "../http/client.ts";
import { strangerOf, strangerRefusal } from "../http/strangers.ts";
import { unzstd } from "../reading/zstd.ts";

/** A request as it arrived, unpacked. */
export interface ServedRequest {
  readonly method: string;
  /** The path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headerList: HeaderList;
  readonly body: Buffer;
  /** The length of a body that is too long to be read, in bytes; `body` is empty. */
  readonly tooLong?: number;
}

/** What is sent in answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, or its chunks as they are to be written. If they throw, the connection is reset. */
  readonly body: string | Buffer | AsyncIterable<string | Buffer>;
  /** How many milliseconds pass before the first byte. */
  readonly delayMs?: number;
  /** How many milliseconds pass between two chunks, which are then written one by one. */
  readonly pauseMs?: number;
  /**
   * How the answer fails. `reset`: the connection is reset without an answer; `hang`: no answer comes until
   * the client goes away; `cut`: the connection breaks after the body.
   */
  readonly fails?: "reset" | "hang" | "cut";
  /** Called with all that was sent; `isWhole` unless the connection broke. */
  ended?(sent: Buffer, isWhole: boolean): void;
}

export interface HttpServerOptions {
  readonly port: number;
  readonly host: string;
  /** Requests that come with a name that a stranger may own are not answered. */
  readonly isLocalOnly: boolean;
  /** Origins of web pages that may ask, in addition to those of this machine. */
  readonly allowedOrigins: readonly string[];
  /** Called with the sentence that a stranger got in place of an answer. */
  onStranger(sentence: string): void;
  handle(request: ServedRequest): Promise<HttpAnswer>;
}

export interface HttpServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The longest body, in bytes; as Anthropic's API, the strictest but for Bedrock. */
export const maxBody = 32 << 20;

/** Starts a server. Rejects when it cannot listen. */
export async function startHttpServer({
  port,
  host,
  isLocalOnly,
  allowedOrigins,
  onStranger,
  handle,
}: HttpServerOptions): Promise<HttpServer> {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    const stranger = strangerOf(request, allowedOrigins, isLocalOnly);
    if (stranger) {
      const sentence = strangerRefusal(stranger, "toollint serve");
      onStranger(sentence);
      refuse(response, 403, sentence);
      return;
    }
    letPageRead(request, response);
    if (isPreflight(request)) response.writeHead(204).end();
    else if (isWebSocket(request)) refuse(response, 426, "toollint serve supports HTTP only, not WebSockets");
    else serve(request, response, handle).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name === "0.0.0.0" || name === "[::]" ? "127.0.0.1" : name}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  // A body may still come that nobody reads.
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(`${JSON.stringify({ error: { message, type: "toollint_serve" } })}\n`);
}

/** Codex asks for a WebSocket first, and asks over HTTP at once when it is told to (426). */
function isWebSocket({ method, headers }: http.IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

function isPreflight({ method, headers }: http.IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Lets a page that may ask read the answer: SDKs run in browsers, too. No other page may (`*`). */
function letPageRead({ headers }: http.IncomingMessage, response: http.ServerResponse): void {
  const { origin } = headers;
  if (origin === undefined) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-expose-headers", "*");
  const asked = headers["access-control-request-headers"];
  if (asked !== undefined) response.setHeader("access-control-allow-headers", asked);
  if (headers["access-control-request-method"] !== undefined)
    response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  handle: HttpServerOptions["handle"],
): Promise<void> {
  response.on("error", () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
    }
  } catch {
    // The client went away before its request was whole.
    return;
  }
  const answer = await handle({
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
    ),
    headerList: messageHeaders(request.rawHeaders, []),
    ...(size > maxBody
      ? { body: Buffer.alloc(0), tooLong: size }
      : { body: unpacked(Buffer.concat(chunks), request.headers["content-encoding"]) }),
  });
  await send(response, answer);
}

async function send(response: http.ServerResponse, answer: HttpAnswer): Promise<void> {
  const { status, headers, body, delayMs, fails } = answer;
  // A client may go away while its answer is made.
  const closed = response.destroyed ? Promise.resolve() : once(response, "close");
  if (delayMs !== undefined) await pause(delayMs, closed);
  if (fails === "hang") await closed;
  if (fails === "reset") response.socket?.resetAndDestroy();
  if (fails === "hang" || fails === "reset" || response.destroyed) {
    answer.ended?.(Buffer.alloc(0), false);
    return;
  }
  response.writeHead(status, headers);
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    response.end(body);
    answer.ended?.(Buffer.from(body), true);
    return;
  }
  const sent: Buffer[] = [];
  let isWhole = fails !== "cut";
  try {
    isWhole = (await write(response, answer, body, sent, closed)) && isWhole;
    if (fails === "cut") {
      await flushed(response, closed);
      response.destroy();
    } else response.end();
  } catch {
    isWhole = false;
    response.destroy();
  }
  answer.ended?.(Buffer.concat(sent), isWhole);
}

/** Writes the chunks of a body; says whether all of them were written. */
async function write(
  response: http.ServerResponse,
  { pauseMs }: HttpAnswer,
  body: AsyncIterable<string | Buffer>,
  sent: Buffer[],
  closed: Promise<void>,
): Promise<boolean> {
  for await (const chunk of body) {
    if (pauseMs !== undefined && sent.length > 0) {
      await flushed(response, closed);
      await pause(pauseMs, closed);
    }
    if (response.destroyed) return false;
    sent.push(Buffer.from(chunk));
    if (!response.write(chunk)) await Promise.race([once(response, "drain"), closed]);
  }
  return true;
}

/** Waits until what was written, at least the headers, has left. */
async function flushed(response: http.ServerResponse, closed: Promise<void>): Promise<void> {
  response.flushHeaders();
  const { socket } = response;
  if (!socket || response.destroyed) return;
  await Promise.race([new Promise<void>((resolve) => socket.write("", () => resolve())), closed]);
}

/** Waits, but not for a client that has gone away. */
async function pause(time: number, closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, time);
  });
  await Promise.race([over, closed]);
  clearTimeout(timer);
}

const once = (response: http.ServerResponse, event: string): Promise<void> =>
  new Promise((resolve) => {
    response.once(event, () => resolve());
  });

/** The body without its encoding; as it came where it is not what the header says. */
export function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: maxBody };
  try {
    switch (encoding?.trim().toLowerCase()) {
      case "gzip":
        return gunzipSync(body, limit);
      case "deflate":
        return inflateSync(body, limit);
      case "br":
        return brotliDecompressSync(body, limit);
      case "zstd":
        return unzstd(body, maxBody) ?? body;
      default:
        return body;
    }
  } catch {
    return body;
  }
}
