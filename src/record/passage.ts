import type http from "node:http";
import type net from "node:net";
import {
  type Connections,
  type HeaderList,
  isFieldValue,
  messageHeaders,
  openRequest,
} from "../http/client.ts";
import { failureOf } from "../http/failures.ts";
import { framingOf, isDecoded } from "../http/framing.ts";
import { type HeldBody, hold } from "./hold.ts";
import type { Recorded } from "./line.ts";
import { KeptBytes, Tap } from "./tap.ts";
import { type ForwardRoute, sameWay } from "./upstreams.ts";

/** A request that is judged before it is forwarded. */
export interface HeldRequest {
  /** Its number in the recording. */
  readonly number: number;
  readonly method: string;
  /** The path and query by which it was sent to the proxy. */
  readonly target: string;
  /** Where it would be forwarded to. */
  readonly url: URL;
  /** The upstream's name. */
  readonly upstream: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the wire. */
  readonly body: Buffer;
}

/** An answer that the proxy gives itself. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

export interface PassageOptions {
  /** The outgoing proxy for an upstream, if any. */
  proxyFor(url: URL): string | undefined;
  /** Called when an exchange has ended, successfully or not. */
  onExchange(recorded: Recorded): void;
  /** Called for each WebSocket, with what became of it. */
  onWebSocket(what: string): void;
  /**
   * Judges requests before they are forwarded. What it answers is sent in place of the upstream's answer.
   * Must not reject.
   */
  judge?(request: HeldRequest): Promise<OwnAnswer | undefined>;
}

/** A request on its way, as the server has parsed it. */
export interface Incoming {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  /** Its number in the recording. */
  readonly number: number;
  readonly target: string;
  readonly route: ForwardRoute;
  /** The connections to upstreams of the client's connection. */
  readonly connections: Connections;
  /** The client sends the body when it is told to (`Expect: 100-continue`). */
  readonly isExpecting?: boolean;
  /** The connection of a client that asks for a WebSocket, and what it has sent behind its request. */
  readonly socket?: { readonly client: net.Socket; readonly head: Buffer };
}

/** Bytes that all open exchanges together may keep for the recording. */
const kept = new KeptBytes(512 << 20);

/** The way of one request through the proxy, and of its answer back. */
export class Passage {
  readonly #incoming: Incoming;
  readonly #options: PassageOptions;
  readonly #time = Date.now();
  readonly #began = performance.now();
  readonly #headers: HeaderList;
  readonly #sent = new Tap(kept);
  readonly #received = new Tap(kept);
  #upstream: http.ClientRequest | undefined;
  #coming: http.IncomingMessage | undefined;
  #answer: { status: number; headers: HeaderList; firstByteMs?: number } | undefined;
  #isRecorded = false;

  constructor(incoming: Incoming, options: PassageOptions) {
    this.#incoming = incoming;
    this.#options = options;
    const { request, response } = incoming;
    this.#headers = messageHeaders(request.rawHeaders, ["host"]);
    request.on("error", () => {});
    response.on("error", () => {});
    response.on("close", () => this.#closed());
  }

  get response(): http.ServerResponse {
    return this.#incoming.response;
  }

  /** Tells a client that asks for a WebSocket to ask over HTTP; Codex then does so at once. */
  declineWebSocket(): void {
    const advice = "use HTTP instead, which is recorded (Codex does so by itself)";
    const { headers, body } = refusal(`toollint record does not accept WebSockets: ${advice}`);
    this.#answer = { status: 426, headers };
    this.#record({ failure: "the client asked for a WebSocket; toollint told it to use HTTP" });
    this.#incoming.response.writeHead(426, headers.flat());
    this.#incoming.response.end(body);
    const { host } = this.#incoming.route.url;
    this.#options.onWebSocket(`the client asked for a WebSocket to ${host}; toollint told it to use HTTP`);
  }

  /** Forwards the request at once, or judges it first. Never rejects. */
  async pass(): Promise<void> {
    try {
      await this.#pass();
    } catch (error) {
      this.#fail(`internal error: ${error instanceof Error ? error.message : error}; please report it`, 500);
    }
  }

  /** The client's connection has ended. Nobody waits for the upstream's reply any more. */
  clientLeft(): void {
    if (this.#incoming.response.writableFinished) return;
    this.#record({ aborted: "client" });
    this.#upstream?.destroy();
  }

  #closed(): void {
    this.clientLeft();
    // The upstream replied before it had the whole request, and may never read the rest.
    if (this.#upstream?.writableFinished === false) this.#upstream.destroy();
  }

  /** Ends an open exchange because the recorder stops. */
  stop(): void {
    this.#record({ aborted: "recorder" });
    this.#upstream?.destroy();
    this.#breakOff();
  }

  async #pass(): Promise<void> {
    const { request, response, isExpecting, socket } = this.#incoming;
    const { judge } = this.#options;
    if (!isDecoded(request.headers)) {
      this.#fail("the body has a transfer coding other than `chunked`", 501);
      return;
    }
    if (!judge || socket) {
      this.#forward();
      return;
    }
    if (isExpecting) response.writeContinue();
    const held = await hold(request, Tap.limit);
    this.#sent.add(held.body);
    if (response.destroyed) return;
    const own = held.isWhole ? await judge(this.#judged(held)) : undefined;
    if (response.destroyed) return;
    if (own) this.#reply(own);
    else this.#forward(held);
  }

  #judged({ body }: HeldBody): HeldRequest {
    const { request, number, target, route } = this.#incoming;
    return {
      number,
      method: request.method ?? "GET",
      target,
      url: route.url,
      upstream: route.upstream.name,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
      ),
      body,
    };
  }

  #reply({ status, headers, body }: OwnAnswer): void {
    const { response } = this.#incoming;
    this.#answer = { status, headers, firstByteMs: this.#since() };
    this.#received.add(Buffer.from(body));
    response.writeHead(status, headers.flat());
    response.end(body);
    this.#record({});
  }

  #forward(held?: HeldBody): void {
    const { request, response, route, connections, isExpecting, socket } = this.#incoming;
    const { url } = route;
    const waits = isExpecting === true && !held;
    const upstream = openRequest({
      method: request.method ?? "GET",
      url,
      headers: [
        ["Host", url.host],
        ...this.#headers.filter(([name]) => !/^(?:content-length|expect)$/i.test(name)),
        ...(framingOf(request) ?? []),
        ...(waits ? [["Expect", "100-continue"] as const] : []),
        ...(socket ? upgradeFields : []),
      ],
      proxy: this.#options.proxyFor(url),
      connections,
    });
    this.#upstream = upstream;
    upstream.on("response", (reply) => this.#guarded(() => this.#passBack(reply)));
    upstream.on("upgrade", (reply, server, head) =>
      this.#guarded(() => this.#switchOver(reply, server as net.Socket, head)),
    );
    upstream.on("error", (error) => {
      if (!this.#answer) this.#fail(failureOf(error, url));
      // Without a length and chunks the end of the connection is the reply's; an error is not.
      else if (this.#coming?.complete === false) this.#cut();
    });
    upstream.on("close", () => {
      if (!this.#answer) this.#fail(`${url.host} closed the connection without a reply`);
    });
    if (waits) {
      upstream.on("continue", () => response.writeContinue());
      upstream.flushHeaders();
    }
    if (held && held.body.length > 0) upstream.write(held.body);
    if (held?.isWhole || socket) upstream.end();
    else {
      request.on("data", (chunk: Buffer) => this.#sent.add(chunk));
      request.pipe(upstream);
    }
  }

  #passBack(reply: http.IncomingMessage): void {
    const { request, response, route } = this.#incoming;
    const status = reply.statusCode ?? 0;
    this.#coming = reply;
    reply.on("error", () => {});
    // Such a reply would be taken for another one, or could not be written at all.
    if (status < 200 || !isDecoded(reply.headers)) {
      this.#fail(
        status < 200
          ? `${route.url.host} replied with status ${status}, which does not exist in HTTP`
          : `${route.url.host} replied in a transfer coding other than \`chunked\``,
      );
      return;
    }
    const headers = messageHeaders(reply.rawHeaders, status === 204 ? ["content-length"] : []);
    this.#answer = { status, headers };
    response.sendDate = false;
    // What comes after a body that was not awaited may be a body, or the next request.
    if (!request.complete) response.shouldKeepAlive = false;
    const { statusMessage = "" } = reply;
    const fields = headers.map(([name, value]) => [
      name,
      isRedirect(status, name) ? sameWay(value, route) : value,
    ]);
    if (isFieldValue(statusMessage)) response.writeHead(status, statusMessage, fields.flat());
    else response.writeHead(status, fields.flat());
    // Clients wait for the headers of a stream before its first event comes. `flushHeaders()` would write
    // Latin-1 as UTF-8.
    response.write(nothing);
    reply.once("data", () => {
      this.#answer = { status, headers, firstByteMs: this.#since() };
    });
    reply.on("data", (chunk: Buffer) => this.#received.add(chunk));
    reply.pipe(response);
    reply.on("end", () => this.#record({}));
    reply.on("close", () => {
      if (!reply.complete) this.#cut();
    });
  }

  /** The upstream's connection has ended before its reply. */
  #cut(): void {
    this.#record({ aborted: "server" });
    this.#breakOff();
  }

  /** Joins the two connections of a WebSocket, whose messages are not recorded. */
  #switchOver(reply: http.IncomingMessage, server: net.Socket, head: Buffer): void {
    const { request, response, route, socket } = this.#incoming;
    if (!socket) {
      server.destroy();
      this.#fail(`${route.url.host} switched to a protocol that the client did not ask for`);
      return;
    }
    const { client } = socket;
    const headers = messageHeaders(reply.rawHeaders, ["content-length"]);
    this.#answer = { status: 101, headers };
    this.#record({ failure: "a WebSocket: its messages are forwarded but not recorded" });
    this.#options.onWebSocket(`a WebSocket to ${route.url.host} is forwarded but not recorded`);
    response.detachSocket(client);
    const fields = [...upgradeFields, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join("")}\r\n`, "latin1");
    client.write(head);
    server.write(socket.head);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
    request.socket.setTimeout(0);
  }

  /** Answers in place of the upstream, or breaks the connection if the answer has begun. */
  #fail(failure: string, status = 502): void {
    if (this.#isRecorded) return;
    this.#record({ failure });
    this.#upstream?.destroy();
    const { response } = this.#incoming;
    if (response.headersSent) this.#breakOff();
    else refuse(response, status, `toollint record: ${failure}`);
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(`internal error: ${error instanceof Error ? error.message : error}; please report it`);
    }
  }

  /** Lets the client see that the reply is not whole, after what has come of it. */
  #breakOff(): void {
    const { request, response } = this.#incoming;
    const { socket } = response;
    if (!socket) response.destroy();
    // Without chunks and a length only a reset tells a break from the end.
    else if (request.httpVersion === "1.0" && !response.hasHeader("content-length")) socket.resetAndDestroy();
    else socket.destroySoon();
  }

  #since(): number {
    return Math.round(performance.now() - this.#began);
  }

  #record(end: Pick<Recorded, "aborted" | "failure">): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const { request, number, route } = this.#incoming;
    this.#options.onExchange({
      number,
      time: this.#time,
      durationMs: this.#since(),
      request: {
        method: request.method ?? "GET",
        url: route.url.href,
        headers: this.#headers,
        ...this.#sent.take(),
      },
      ...(this.#answer && { response: { ...this.#answer, ...this.#received.take() } }),
      ...end,
    });
  }
}

const nothing = Buffer.alloc(0);

function isRedirect(status: number, name: string): boolean {
  return status >= 300 && status < 400 && name.toLowerCase() === "location";
}

const upgradeFields: HeaderList = [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
];

/** Sends an error in the form that most clients of model APIs show to their users. */
export function refuse(response: http.ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  const { headers, body } = refusal(message);
  response.writeHead(status, headers.flat());
  response.end(body);
}

function refusal(message: string): Omit<OwnAnswer, "status"> {
  const body = `${JSON.stringify({ error: { message, type: "toollint_record" } })}\n`;
  const headers: HeaderList = [
    ["Content-Type", "application/json"],
    ["Content-Length", `${Buffer.byteLength(body)}`],
  ];
  return { headers, body };
}
