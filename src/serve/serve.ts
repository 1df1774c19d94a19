import type { AnswerSource } from "./answers/answer-source.ts";
import { shortAnswers } from "./answers/answer-source.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { ModelServer, type ModelServerOptions } from "./model-server.ts";

export interface ServeOptions extends Omit<ModelServerOptions, "answers"> {
  readonly answers?: AnswerSource;
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
}

export interface RunningServer extends HttpServer {
  readonly model: ModelServer;
}

/** Starts a model server. Rejects when it cannot listen. */
export async function startModelServer({
  answers = shortAnswers,
  port,
  host,
  ...options
}: ServeOptions): Promise<RunningServer> {
  const model = await ModelServer.create({ answers, ...options });
  const server = await startHttpServer({ port, host, handle: (request) => model.handle(request) });
  return { ...server, model };
}
