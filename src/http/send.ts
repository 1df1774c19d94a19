import { type HeaderList, messageHeaders, openRequest } from "./client.ts";
import { failureOf } from "./failures.ts";
import { KeepAliveFilter } from "./keep-alive.ts";

/** A complete request, ready to send. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: string;
  readonly proxy?: string | undefined;
}

/** A reply as received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** When the request began, in milliseconds since the epoch. */
  readonly time: number;
  readonly durationMs: number;
  /** The connection ended before the body did. */
  readonly isCut: boolean;
}

export interface SendOptions {
  /**
   * The longest wait for the headers, or for the next bytes of the body that say something, in milliseconds.
   * Pings do not count.
   */
  readonly patienceMs: number;
  /** How long one reply may take in all, in milliseconds. */
  readonly maxMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Attempts after the first. */
  readonly retries: number;
  /** Waits `ms` milliseconds; injected, so that tests need not wait. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Called before another attempt, with the reason and the pause in milliseconds. */
  onRetry(why: string, ms: number): void;
}

/** The request could not be sent, or no usable reply came; the message is a sentence. */
export class Unreachable extends Error {}

/** Statuses that a retry may change. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

/** Longer pauses are not worth the wait; the caller gets the reply as it is. */
const maxWaitMs = 60_000;

/**
 * Sends a request and retries passing failures after growing pauses, or after the pause that the server asks
 * for. A reply that breaks off is retried once.
 * @throws {@link Unreachable} when no server answers, or its reply does not end.
 */
export async function send(request: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  let hasBrokenOff = false;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= options.retries;
    let response: HttpResponse;
    try {
      response = await sendOnce(request, options);
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      const reason = failureOf(error, request.url);
      if (isLast || !isPassing(error)) throw new Unreachable(reason);
      await pause(reason, backoff(attempt), options);
      continue;
    }
    if (response.isCut) {
      if (hasBrokenOff || isLast) return response;
      hasBrokenOff = true;
      await pause("the reply broke off", backoff(0), options);
      continue;
    }
    if (!passing.has(response.status) || isLast) return response;
    const asked = askedPause(response.headers);
    if (asked !== undefined && asked > maxWaitMs) return response;
    await pause(`status ${response.status}`, asked ?? backoff(attempt), options);
  }
}

async function pause(why: string, ms: number, { wait, onRetry, signal }: SendOptions): Promise<void> {
  onRetry(why, ms);
  await wait(ms, signal);
}

/** Half a second, doubled each time, plus up to the same at random, so that clients do not retry in step. */
function backoff(attempt: number): number {
  return Math.min(30_000, 500 * 2 ** attempt * (1 + Math.random()));
}

/**
 * The pause the server asks for, in ms: `retry-after-ms`, or RFC 9110's `Retry-After`, seconds or a date.
 * Anything else asks for nothing; lenient readers of dates take `-5` and `1, 2` for some.
 */
function askedPause(headers: HeaderList): number | undefined {
  const value = (name: string) => headers.find(([field]) => field.toLowerCase() === name)?.[1].trim() ?? "";
  const exact = value("retry-after-ms");
  if (isDecimal(exact)) return Number(exact);
  const after = value("retry-after");
  if (isDecimal(after)) return Number(after) * 1000;
  const date = /^[A-Z][a-z]+,? /.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function isDecimal(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

function sendOnce({ url, headers, body, proxy }: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  const time = Date.now();
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const request = openRequest({
      method: "POST",
      url,
      headers: [["Host", url.host], ...headers, ["Content-Length", String(bytes.length)]],
      proxy,
      signal: options.signal,
    });
    const giveUp = (why: string): void => {
      reject(new Unreachable(`${url.host} ${why}`));
      request.destroy();
    };
    const patience = seconds(options.patienceMs);
    const silence = timer(options.patienceMs, () => {
      reject(Object.assign(new Error(), { code: "ETIMEDOUT" }));
      request.destroy();
    });
    const whole = timer(options.maxMs, () =>
      giveUp(`did not finish its reply within ${seconds(options.maxMs)} (\`--max-time\`)`),
    );
    request.on("close", () => {
      silence.stop();
      whole.stop();
    });
    request.on("error", reject);
    request.on("response", (reply) => {
      const filter = new KeepAliveFilter(reply.headers["content-encoding"]);
      const says = (): void =>
        silence.start(() => giveUp(`stopped within its reply: for ${patience} came nothing, or only pings`));
      says();
      const chunks: Buffer[] = [];
      const finish = (isCut: boolean) =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: messageHeaders(reply.rawHeaders),
          body: Buffer.concat(chunks),
          time,
          durationMs: Math.round(performance.now() - began),
          isCut,
        });
      let size = 0;
      reply.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (filter.says(chunk)) says();
        if (size > maxReply) giveUp(`sent more than ${maxReply >> 20} MB: too much for a model's reply`);
      });
      reply.on("end", () => finish(!reply.complete));
      reply.on("error", (error) => (options.signal?.aborted ? reject(error) : finish(true)));
    });
    request.end(bytes);
  });
}

/** A timer that can be set anew. */
function timer(ms: number, first: () => void): { start(late: () => void): void; stop(): void } {
  // Node takes a longer wait for none.
  const wait = Math.min(ms, 2 ** 31 - 1);
  let running = setTimeout(first, wait);
  return {
    start(late) {
      clearTimeout(running);
      running = setTimeout(late, wait);
    },
    stop: () => clearTimeout(running),
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** No model replies with more bytes; a longer reply may never end. */
const maxReply = 64 << 20;

function isPassing(error: unknown): boolean {
  // A timeout is not retried: the wait was long enough.
  return ["ECONNRESET", "EAI_AGAIN", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
}
