import type http from "node:http";
import { type HeaderList, messageHeaders, openRequest } from "../http/client.ts";
import { type HeldBody, hold } from "./hold.ts";
import type { Recorded } from "./line.ts";
import type { ForwardRoute } from "./upstreams.ts";

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
  /**
   * Judges requests before they are forwarded. What it answers is sent in place of the upstream's answer.
   * Must not reject.
   */
  judge?(request: HeldRequest): Promise<OwnAnswer | undefined>;
}

/** Bytes recorded per body; the rest of a longer body is forwarded only. */
const maxKept = 64 << 20;

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

/** The way of one request through the proxy, and of its answer back. */
export class Passage {
  readonly #request: http.IncomingMessage;
  readonly #response: http.ServerResponse;
  readonly #number: number;
  readonly #route: ForwardRoute;
  readonly #options: PassageOptions;
  readonly #time = Date.now();
  readonly #began = performance.now();
  readonly #headers: HeaderList;
  readonly #sent = new Tap();
  readonly #received = new Tap();
  #upstream: http.ClientRequest | undefined;
  #answer: { status: number; headers: HeaderList; firstByteMs?: number } | undefined;
  #isRecorded = false;

  constructor(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    number: number,
    route: ForwardRoute,
    options: PassageOptions,
  ) {
    this.#request = request;
    this.#response = response;
    this.#number = number;
    this.#route = route;
    this.#options = options;
    this.#headers = messageHeaders(request.rawHeaders, ["host"]);
    response.on("close", () => {
      if (response.writableFinished) return;
      this.#record({ aborted: "client" });
      this.#upstream?.destroy();
    });
  }

  /** Forwards the request at once, or judges it first. */
  async pass(): Promise<void> {
    const { judge } = this.#options;
    if (!judge) {
      this.#forward();
      return;
    }
    const held = await hold(this.#request, maxKept);
    this.#sent.add(held.body);
    if (this.#response.destroyed) return;
    const own = held.isWhole ? await judge(this.#judged(held)) : undefined;
    if (own) this.#reply(own);
    else this.#forward(held);
  }

  #judged({ body }: HeldBody): HeldRequest {
    const { upstream, url } = this.#route;
    return {
      number: this.#number,
      method: this.#request.method ?? "GET",
      target: this.#request.url ?? "/",
      url,
      upstream: upstream.name,
      headers: Object.fromEntries(
        Object.entries(this.#request.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
      ),
      body,
    };
  }

  #reply({ status, headers, body }: OwnAnswer): void {
    this.#answer = { status, headers, firstByteMs: this.#since() };
    this.#received.add(Buffer.from(body));
    this.#response.writeHead(status, headers.flat());
    this.#response.end(body);
    this.#record({});
  }

  #forward(held?: HeldBody): void {
    const { url } = this.#route;
    const upstream = openRequest({
      method: this.#request.method ?? "GET",
      url,
      headers: [["Host", url.host], ...this.#headers],
      proxy: this.#options.proxyFor(url),
    });
    this.#upstream = upstream;
    upstream.on("response", (reply) => this.#passBack(reply));
    upstream.on("error", (error) => {
      if (this.#answer || this.#isRecorded) return;
      const failure = `${url.host} cannot be reached: ${codeOf(error)}`;
      this.#record({ failure });
      refuse(this.#response, 502, `toollint record: ${failure}`);
    });
    if (held && held.body.length > 0) upstream.write(held.body);
    if (held?.isWhole) upstream.end();
    else {
      this.#request.on("data", (chunk: Buffer) => this.#sent.add(chunk));
      this.#request.pipe(upstream);
    }
  }

  #passBack(reply: http.IncomingMessage): void {
    const response = this.#response;
    const status = reply.statusCode ?? 0;
    const headers = messageHeaders(reply.rawHeaders);
    this.#answer = { status, headers };
    response.writeHead(status, reply.statusMessage, headers.flat());
    // Clients wait for the headers of a stream before its first event comes.
    response.flushHeaders();
    reply.once("data", () => {
      this.#answer = { status, headers, firstByteMs: this.#since() };
    });
    reply.on("data", (chunk: Buffer) => this.#received.add(chunk));
    reply.pipe(response);
    reply.on("end", () => this.#record({}));
    reply.on("close", () => {
      if (reply.complete) return;
      this.#record({ aborted: "server" });
      response.destroy();
    });
    reply.on("error", () => {});
  }

  #since(): number {
    return Math.round(performance.now() - this.#began);
  }

  #record(end: Pick<Recorded, "aborted" | "failure">): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    this.#options.onExchange({
      number: this.#number,
      time: this.#time,
      durationMs: this.#since(),
      request: {
        method: this.#request.method ?? "GET",
        url: this.#route.url.href,
        headers: this.#headers,
        ...this.#sent.seen,
      },
      ...(this.#answer && { response: { ...this.#answer, ...this.#received.seen } }),
      ...end,
    });
  }
}

/** Sends an error in the form that most clients of model APIs show to their users. */
export function refuse(response: http.ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(`${JSON.stringify({ error: { message, type: "toollint_record" } })}\n`);
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
