import type { CreateServerSide } from "../server-side.ts";
import { bodyIn, eventsOf } from "./served-events.ts";
import { whole } from "./served-reply.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route: (method, { pathname }) =>
    method === "POST" && /\/responses\/?$/.test(pathname) ? { does: "turn" } : undefined,
  isStreaming: (body) => body["stream"] === true,
  whole,
  events: (_, context, body) => eventsOf(body, context),
  bodyIn,
  errorEvent: ({ message, code, param }) => ({
    name: "error",
    value: { type: "error", code: code ?? null, message, param: param ?? null, sequence_number: 0 },
  }),
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  beside: ({ method, url }) => ({
    status: 404,
    message: `Invalid URL (${method} ${url.pathname})`,
    type: "invalid_request_error",
  }),
  headers: (requestId) => ({ "x-request-id": requestId }),
});
