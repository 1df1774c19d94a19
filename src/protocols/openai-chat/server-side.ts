import { decodedSegment } from "../paths.ts";
import type { CreateServerSide, ResourceRequest, Route, WholeAnswer } from "../server-side.ts";
import { eventsOf } from "./served-events.ts";
import { whole } from "./served-reply.ts";
import { CompletionStore } from "./stored-completions.ts";

export const createServerSide: CreateServerSide = () => {
  const store = new CompletionStore();
  return {
    framing: "sse",
    route,
    isStreaming: (body) => body["stream"] === true,
    whole,
    events: eventsOf,
    errorEvent: ({ message, type = "server_error", code }) => ({
      value: { error: { message, type, param: null, code: code ?? null } },
    }),
    count: (tokens) => ({ count: tokens }),
    resource: (request) =>
      /\/models(?:\/|$)/.test(request.url.pathname) ? models(request) : store.answer(request),
    headers: (requestId) => ({ "x-request-id": requestId }),
    store: (sent, context) => store.store(sent, context),
  };
};

/** Azure names the model in the address: `/openai/deployments/<model>/chat/completions`. */
function route(method: string, { pathname }: URL): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  if (method === "POST" && path.endsWith("/chat/completions")) {
    const deployment = /\/deployments\/([^/]+)\/chat\/completions$/.exec(path)?.[1];
    return { does: "turn", ...(deployment !== undefined && { model: decodedSegment(deployment) }) };
  }
  const isModel = method === "GET" && /\/models(?:\/[^/]+)?$/.test(path);
  return isModel || CompletionStore.knows(method, path) ? { does: "resource" } : undefined;
}

/** @see https://platform.openai.com/docs/api-reference/models */
function models({ url, context }: ResourceRequest): WholeAnswer {
  const name = /\/models\/(.+?)\/?$/.exec(url.pathname)?.[1];
  const model = (id: string) => ({ id, object: "model", created: context.created, owned_by: "toollint" });
  return {
    status: 200,
    body: name === undefined ? { object: "list", data: [model(context.model)] } : model(decodedSegment(name)),
  };
}
