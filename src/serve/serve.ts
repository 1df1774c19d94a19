import type { AnswerSource } from "./answers/answer-source.ts";
import { shortAnswers } from "./answers/answer-source.ts";
import {
  type HttpAnswer,
  type HttpServer,
  maxBody,
  type ServedRequest,
  startHttpServer,
} from "./http-server.ts";
import { ModelServer, type ModelServerOptions } from "./model-server.ts";

export interface ServeOptions extends Omit<ModelServerOptions, "answers"> {
  readonly answers?: AnswerSource;
  /** 0 for any free port. */
  readonly port: number;
  /** Where to listen; default: 127.0.0.1, where only requests of this machine are answered. */
  readonly host?: string | undefined;
  /** Origins of web pages that may ask, in addition to those of this machine. */
  readonly allowedOrigins?: readonly string[];
  /** Called with the sentence that a web page got in place of an answer. */
  onStranger?(sentence: string): void;
  /** Called when an exchange has ended. */
  onServed?(exchange: ServedExchange): void;
}

/** A request and what was sent in answer. */
export interface ServedExchange {
  /** The number of the request, from 1, in order of arrival. */
  readonly number: number;
  /** When the request was whole, in milliseconds since the epoch. */
  readonly time: number;
  readonly durationMs: number;
  readonly request: ServedRequest;
  readonly answer: HttpAnswer;
  /** The bytes of the body that were sent. */
  readonly sent: Buffer;
  /** The answer was sent to its end. */
  readonly isWhole: boolean;
}

export interface RunningServer extends HttpServer {
  readonly model: ModelServer;
  /** Stops listening and breaks open exchanges off; resolves when all have ended. */
  close(): Promise<void>;
}

/** Starts a model server. Rejects when it cannot listen. */
export async function startModelServer({
  answers = shortAnswers,
  port,
  host,
  allowedOrigins = [],
  onStranger,
  onServed,
  ...options
}: ServeOptions): Promise<RunningServer> {
  const model = await ModelServer.create({ answers, ...options });
  const open = new Set<Promise<void>>();
  const handle = async (request: ServedRequest): Promise<HttpAnswer> => {
    const time = Date.now();
    const began = performance.now();
    const answering = request.tooLong === undefined ? model.handle(request) : tooLong(model, request);
    const number = model.requests;
    const answer = await answering.catch((error) => failed(model, number, request, error));
    const { promise, resolve } = settled();
    open.add(promise);
    return {
      ...answer,
      ended(sent, isWhole) {
        answer.ended?.(sent, isWhole);
        const durationMs = Math.round(performance.now() - began);
        onServed?.({ number, time, durationMs, request, answer, sent, isWhole });
        open.delete(promise);
        resolve();
      },
    };
  };
  const server = await startHttpServer({
    port,
    host: host ?? "127.0.0.1",
    isLocalOnly: host === undefined,
    allowedOrigins,
    onStranger: onStranger ?? (() => {}),
    handle,
  });
  return {
    url: server.url,
    model,
    async close() {
      await server.close();
      await Promise.all(open);
    },
  };
}

async function tooLong(model: ModelServer, request: ServedRequest): Promise<HttpAnswer> {
  const why = `the body has ${request.tooLong} bytes, more than the limit of ${maxBody}`;
  return lost(model, ++model.requests, request, { status: 413, why });
}

/** A mistake of the server itself is not an answer, and must not end the process, which has other clients. */
function failed(model: ModelServer, number: number, request: ServedRequest, error: unknown): HttpAnswer {
  const why = `internal error: ${error instanceof Error ? error.message : error}; please report it`;
  return lost(model, number, request, { status: 500, why });
}

/** An answer in place of one that the server cannot give, which fails the run. */
function lost(
  { misses }: ModelServer,
  request: number,
  { method, target }: ServedRequest,
  { status, why }: { readonly status: number; readonly why: string },
): HttpAnswer {
  misses.push({ request, method, target, why });
  return {
    status,
    headers: { "content-type": "application/json" },
    body: `${JSON.stringify({ error: { message: `toollint serve: ${why}`, type: "toollint_serve" } })}\n`,
  };
}

function settled(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
