import type { CreateServerSide, Route } from "../server-side.ts";
import { errorBody } from "./served-errors.ts";
import { serveModels } from "./served-models.ts";
import { events, whole } from "./served-reply.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route,
  // The address says it.
  isStreaming: () => false,
  whole,
  events,
  cutCall: () => "lost",
  errorEvent: (error) => ({ value: errorBody(error) }),
  count: (tokens) => ({
    totalTokens: tokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }],
  }),
  beside: serveModels,
  headers: () => ({ "server-timing": "gfet4t7; dur=1", vary: "Origin, X-Origin, Referer" }),
});

/** `models/…` and `tunedModels/…` of AI Studio, `publishers/google/models/…` and `endpoints/…` of Vertex. */
const method = /\/(?:models|tunedModels|endpoints)\/([^/:]+):(\w+)$/;

function route(verb: string, url: URL, headers: Readonly<Record<string, string>>): Route | undefined {
  const { pathname, searchParams } = url;
  const path = pathname.replace(/\/$/, "");
  if (verb === "GET" && /\/v1(?:alpha|beta\d?)?\/models(?:\/[^/:]+)?$/.test(path))
    return {
      does: "beside",
      isCertain:
        /\/v1(?:alpha|beta\d?)\//.test(path) ||
        headers["x-goog-api-key"] !== undefined ||
        searchParams.has("key"),
    };
  const [, name = "", action] = method.exec(path) ?? [];
  if (verb !== "POST" || action === undefined) return undefined;
  const model = decodeURIComponent(name);
  switch (action) {
    case "generateContent":
      return { does: "turn", model, isStreaming: false };
    case "streamGenerateContent": {
      const isSse = searchParams.get("alt") === "sse" || searchParams.get("$alt") === "sse";
      return { does: "turn", model, isStreaming: true, framing: isSse ? "sse" : "array" };
    }
    case "countTokens":
      return { does: "count", model };
    default:
      return undefined;
  }
}
