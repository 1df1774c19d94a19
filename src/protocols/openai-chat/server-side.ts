import type { BesideRequest, CreateServerSide, Route, WholeAnswer } from "../server-side.ts";
import { eventsOf } from "./served-events.ts";
import { whole } from "./served-reply.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route,
  isStreaming: (body) => body["stream"] === true,
  whole,
  events: eventsOf,
  errorEvent: ({ message, type = "server_error", code }) => ({
    value: { error: { message, type, param: null, code: code ?? null } },
  }),
  count: (tokens) => ({ count: tokens }),
  beside: models,
  headers: (requestId) => ({ "x-request-id": requestId }),
});

/** Azure names the model in the address: `/openai/deployments/<model>/chat/completions`. */
function route(method: string, { pathname }: URL): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  if (method === "POST" && path.endsWith("/chat/completions")) {
    const deployment = /\/deployments\/([^/]+)\/chat\/completions$/.exec(path)?.[1];
    return { does: "turn", ...(deployment !== undefined && { model: decodeURIComponent(deployment) }) };
  }
  return method === "GET" && /\/models(?:\/[^/]+)?$/.test(path) ? { does: "beside" } : undefined;
}

/** @see https://platform.openai.com/docs/api-reference/models */
function models({ url, context }: BesideRequest): WholeAnswer {
  const name = /\/models\/(.+?)\/?$/.exec(url.pathname)?.[1];
  const model = (id: string) => ({ id, object: "model", created: context.created, owned_by: "toollint" });
  return {
    status: 200,
    body:
      name === undefined ? { object: "list", data: [model(context.model)] } : model(decodeURIComponent(name)),
  };
}
