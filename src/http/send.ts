import { type HeaderList, messageHeaders, openRequest } from "./client.ts";

/** A request that is ready to go. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: string;
  readonly proxy?: string | undefined;
}

/** What came back, as it came. */
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
  /** Milliseconds in which something must come: the headers, or the next bytes of the body. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Attempts after the first. */
  readonly retries: number;
  /** Waits so many milliseconds; tests do not. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Called before another attempt, with the reason and the milliseconds until then. */
  onRetry(why: string, ms: number): void;
}

/** The request could not be made, or no reply of a model came; the message is a sentence. */
export class Unreachable extends Error {}

/** Statuses that may well be different the next time. */
const passing = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

/** Above this nobody waits: the sentence says how long it would be. */
const maxWaitMs = 60_000;

/**
 * Sends a request until a reply comes that is worth keeping: passing failures are tried again with growing pauses, or after the time that the server asks
 * for, and a reply that breaks off once.
 *
 * @throws {@link Unreachable} when no server answers, or its reply does not end.
 */
export async function send(shot: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  let hasBrokenOff = false;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= options.retries;
    let landed: HttpResponse;
    try {
      landed = await sendOnce(shot, options);
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      const reason = reasonOf(error, shot.url);
      if (isLast || !isPassing(error)) throw new Unreachable(reason);
      await pause(reason, backoff(attempt), options);
      continue;
    }
    if (landed.isCut) {
      if (hasBrokenOff || isLast) return landed;
      hasBrokenOff = true;
      await pause("the reply broke off", backoff(0), options);
      continue;
    }
    if (!passing.has(landed.status) || isLast) return landed;
    const asked = askedPause(landed.headers);
    if (asked !== undefined && asked > maxWaitMs) return landed;
    await pause(`status ${landed.status}`, asked ?? backoff(attempt), options);
  }
}

async function pause(why: string, ms: number, { wait, onRetry, signal }: SendOptions): Promise<void> {
  onRetry(why, ms);
  await wait(ms, signal);
}

/** Half a second, doubled each time, and up to as much again by chance: clients that failed together do not come back together. */
function backoff(attempt: number): number {
  return Math.min(30_000, 500 * 2 ** attempt * (1 + Math.random()));
}

/** The pause that the server asks for, in milliseconds (`retry-after-ms`, or RFC 9110's `Retry-After` as seconds or a date). */
function askedPause(headers: HeaderList): number | undefined {
  const value = (name: string) => headers.find(([field]) => field.toLowerCase() === name)?.[1].trim();
  const exact = Number(value("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return exact;
  const after = value("retry-after");
  if (after === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
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
    request.setTimeout(options.patienceMs, () =>
      request.destroy(Object.assign(new Error(), { code: "ETIMEDOUT" })),
    );
    request.on("error", reject);
    request.on("response", (reply) => {
      const chunks: Buffer[] = [];
      const landed = (isCut: boolean) =>
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
        if (size > maxReply) {
          reject(
            new Unreachable(`${url.host} sent more than ${maxReply >> 20} MB: that is no reply of a model`),
          );
          request.destroy();
        }
      });
      reply.on("end", () => landed(!reply.complete));
      reply.on("error", (error) => (options.signal?.aborted ? reject(error) : landed(true)));
    });
    request.end(bytes);
  });
}

/** No model says more; who sends more goes on for ever. */
const maxReply = 64 << 20;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name cannot be looked up now",
  ETIMEDOUT: "it does not answer in time",
  ECONNRESET: "it closed the connection",
  EPROTO: "it does not speak TLS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it signed its certificate itself",
};

function reasonOf(error: unknown, url: URL): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return `${url.host} cannot be reached: ${Object.hasOwn(reasons, code) ? reasons[code] : code || message}`;
}

function isPassing(error: unknown): boolean {
  // Who waited in vain has waited long enough.
  return ["ECONNRESET", "EAI_AGAIN", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
}
