import type { CreateServerSide, InnerRequest, Route } from "../server-side.ts";
import { type Fields, filled, list } from "../wire.ts";
import { serveResources } from "./served-models.ts";
import { events, isPlainPrompt, whole } from "./served-reply.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "lines",
  route,
  requestIn,
  // Absent means a stream.
  isStreaming: (body) => body["stream"] !== false,
  whole,
  events,
  cutCall: () => "lost",
  errorEvent: ({ message }) => ({ value: { error: message } }),
  // Ollama counts no tokens in advance.
  count: (tokens) => ({ prompt_eval_count: tokens }),
  resource: serveResources,
  headers: () => ({}),
});

function route(method: string, { pathname }: URL): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  if (method === "GET" || method === "HEAD")
    return /\/api\/(?:tags|ps|version)$/.test(path) ? { does: "resource", isCertain: true } : undefined;
  if (method !== "POST") return undefined;
  if (/\/api\/(?:chat|generate)$/.test(path)) return { does: "turn" };
  return /\/api\/show$/.test(path) ? { does: "resource", isCertain: true } : undefined;
}

/** `/api/generate` takes a prompt in place of messages. A request without either loads the model. */
function requestIn(body: Fields): InnerRequest | undefined {
  if (filled(body["model"]) === undefined) return undefined;
  const { prompt, system, images, suffix: _, raw: __, template: ___, context: ____, ...others } = body;
  if (!isPlainPrompt(body)) {
    const { messages } = body;
    return Array.isArray(messages) && messages.length === 0 ? undefined : { fields: body, base: "" };
  }
  if (filled(prompt) === undefined) return undefined;
  const messages = [
    ...(filled(system) === undefined ? [] : [{ role: "system", content: system }]),
    { role: "user", content: prompt, ...(list(images).length > 0 && { images }) },
  ];
  return { fields: { ...others, messages }, base: "" };
}
