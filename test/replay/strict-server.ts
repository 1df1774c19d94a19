import type http from "node:http";
import { gzipSync } from "node:zlib";
import { modelServer } from "../record/model-server.ts";
import { type Body, type Call, type Said, wires } from "./wires.ts";

/** What happens to one request in place of a reply, or to its reply. */
export interface Mishap {
  /** This status, with these headers and this body. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The connection ends in the middle of the reply. */
  readonly isCut?: boolean;
  /** The stream ends well, but before the event that says why the reply ends. */
  readonly isShort?: boolean;
  /** Nothing comes at all. */
  readonly isSilent?: boolean;
  /** After the beginning of a reply this comes for ever, every 50 ms. */
  readonly drips?: string;
  /** The reply never ends. */
  readonly isEndless?: boolean;
}

export interface StrictServerOptions {
  /** The rounds of the model: it makes the calls of the first round whose results it has not all been sent, and else answers. */
  readonly rounds: readonly (readonly Call[])[];
  readonly answer: string;
  /** What happens to the first requests, one each. */
  readonly mishaps?: readonly Mishap[];
  /** Bodies go out in pieces of so many bytes. */
  readonly pieceSize?: number;
  readonly isGzipped?: boolean;
}

export interface StrictServer {
  readonly url: string;
  /** The requests that came, in order. */
  readonly asked: readonly {
    readonly path: string;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: Body;
  }[];
  close(): Promise<void>;
}

/**
 * A model server on loopback that refuses what the providers refuse, in their words, and otherwise does what a scripted model does: it repeats a call whose
 * result it was not sent, and gets on when it was.
 */
export async function strictServer(options: StrictServerOptions): Promise<StrictServer> {
  const asked: { path: string; headers: http.IncomingHttpHeaders; body: Body }[] = [];
  const mishaps = [...(options.mishaps ?? [])];
  const { url, close } = await modelServer((request, response) => {
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    const body = JSON.parse(request.body || "{}");
    asked.push({ path: request.url, headers: request.headers, body });
    const mishap = mishaps.shift() ?? {};
    return answerOne(decodeURIComponent(pathname), body, response, mishap, asked.length, options);
  });
  return { url, asked, close };
}

async function answerOne(
  path: string,
  body: Body,
  response: http.ServerResponse,
  mishap: Mishap,
  number: number,
  options: StrictServerOptions,
): Promise<void> {
  if (mishap.isSilent) return;
  const json = { "Content-Type": "application/json" };
  if (mishap.isEndless) {
    const block = Buffer.alloc(1 << 20, " ");
    response.writeHead(200, json);
    while (!response.destroyed) await new Promise((resolve) => response.write(block, resolve));
    return;
  }
  if (mishap.drips !== undefined) {
    response.writeHead(200, { "Content-Type": "text/event-stream", ...mishap.headers });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Ra"}}]}\n\n');
    const timer = setInterval(() => response.write(mishap.drips), 50);
    response.on("close", () => clearInterval(timer));
    return;
  }
  if (mishap.status !== undefined) {
    response.writeHead(mishap.status, { ...json, ...mishap.headers });
    response.end(mishap.body ?? '{"error":{"message":"try later","type":"overloaded_error"}}');
    return;
  }
  const wire = Object.values(wires).find((one) => one.owns(path));
  if (!wire) {
    response.writeHead(404, json).end('{"error":{"message":"no such path"}}');
    return;
  }
  const said = wire.read(body);
  const refusal = wire.refuses(body, said);
  if (refusal !== undefined) {
    response.writeHead(400, json).end(JSON.stringify(wire.error(refusal)));
    return;
  }
  const calls = nextCalls(said, options.rounds).map((call, index) => ({
    ...call,
    id: `call_s${number}_${index}`,
  }));
  const text = calls.length > 0 ? "" : options.answer;
  const isStreaming = wire.isStreaming(path, body);
  const pieces = isStreaming ? wire.stream(calls, text) : [JSON.stringify(wire.reply(calls, text))];
  const plain = Buffer.from((mishap.isShort ? pieces.slice(0, -2) : pieces).join(""));
  const bytes = options.isGzipped ? gzipSync(plain) : plain;
  response.writeHead(200, {
    ...(isStreaming
      ? { "Content-Type": path.endsWith("/api/chat") ? "application/x-ndjson" : "text/event-stream" }
      : json),
    ...(options.isGzipped && { "Content-Encoding": "gzip" }),
  });
  const end = mishap.isCut ? bytes.length >> 1 : bytes.length;
  const size = options.pieceSize ?? bytes.length;
  for (let at = 0; at < end; at += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, Math.min(end, at + size)), () => resolve());
    });
  }
  if (mishap.isCut) response.destroy();
  else response.end();
}

function nextCalls(said: readonly Said[], rounds: StrictServerOptions["rounds"]): readonly Call[] {
  const answered: string[] = [];
  const open: (Said & { kind: "call" })[] = [];
  for (const one of said) {
    if (one.kind === "call") open.push(one);
    if (one.kind !== "result") continue;
    // Results without a name answer the calls in their order.
    const at = one.id === "" ? 0 : open.findIndex(({ id }) => id === one.id);
    const [call] = at < 0 ? [] : open.splice(at, 1);
    if (call) answered.push(keyOf(call));
  }
  return rounds.find((calls) => calls.some((call) => !answered.includes(keyOf(call)))) ?? [];
}

function keyOf({ name, args }: Call): string {
  return `${name} ${JSON.stringify(Object.entries(args).sort())}`;
}
