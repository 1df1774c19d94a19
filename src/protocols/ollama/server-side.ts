import type { CreateServerSide } from "../server-side.ts";
import { serveBeside } from "./served-models.ts";
import { events, whole } from "./served-reply.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "lines",
  route: (method, { pathname }) => {
    const path = pathname.replace(/\/$/, "");
    if (method === "POST" && /\/api\/chat$/.test(path)) return { does: "turn" };
    const isBeside = method === "POST" ? /\/api\/show$/.test(path) : /\/api\/(?:tags|ps|version)$/.test(path);
    return isBeside ? { does: "beside", isCertain: true } : undefined;
  },
  // Absent means a stream.
  isStreaming: (body) => body["stream"] !== false,
  whole,
  events,
  cutCall: () => "lost",
  errorEvent: ({ message }) => ({ value: { error: message } }),
  // Ollama counts no tokens in advance.
  count: (tokens) => ({ prompt_eval_count: tokens }),
  beside: serveBeside,
  headers: () => ({}),
});
