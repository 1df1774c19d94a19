import { decodedSegment } from "../paths.ts";
import type { CreateServerSide, InnerRequest, Route } from "../server-side.ts";
import { type Fields, isFields } from "../wire.ts";
import { errorBody } from "./served-errors.ts";
import { serveModels } from "./served-models.ts";
import { events, whole } from "./served-reply.ts";
import { corrupted } from "./served-signatures.ts";

export const createServerSide: CreateServerSide = () => ({
  framing: "sse",
  route,
  requestIn,
  // The address says it.
  isStreaming: () => false,
  whole,
  events,
  cutCall: () => "lost",
  signatureError: corrupted,
  errorEvent: (error) => ({ value: errorBody(error) }),
  count: (tokens) => ({
    totalTokens: tokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }],
  }),
  resource: serveModels,
  headers: () => ({ "server-timing": "gfet4t7; dur=1", vary: "Origin, X-Origin, Referer" }),
});

/** `models/…` and `tunedModels/…` of AI Studio, `publishers/google/models/…` and `endpoints/…` of Vertex. */
const modelAction = /\/(?:models|tunedModels|endpoints)\/([^/:]+):(\w+)$/;

/** Cloud Code Assist names the model in the body. */
const assistAction = /\/v1internal:(\w+)$/;

function route(method: string, url: URL, headers: Readonly<Record<string, string>>): Route | undefined {
  const path = url.pathname.replace(/\/$/, "");
  if (method === "GET") return routeOfModels(path, url, headers);
  if (method !== "POST") return undefined;
  const assist = assistAction.exec(path)?.[1];
  const [, name, action = assist] = modelAction.exec(path) ?? [];
  const at = { ...(name !== undefined && { model: decodedSegment(name) }) };
  switch (action) {
    case "generateContent":
      return { does: "turn", isStreaming: false, ...at };
    case "streamGenerateContent": {
      const isSse = ["alt", "$alt"].some((key) => url.searchParams.get(key) === "sse");
      const framing = isSse ? "sse" : "array";
      return {
        does: "turn",
        isStreaming: true,
        framing,
        // @see https://github.com/google-gemini/gemini-cli/issues/17208
        listsErrors: !isSse || assist !== undefined,
        ...at,
      };
    }
    case "countTokens":
      return { does: "count", ...at };
    default:
      return undefined;
  }
}

function routeOfModels(
  path: string,
  { searchParams }: URL,
  headers: Readonly<Record<string, string>>,
): Route | undefined {
  if (!/\/v1(?:alpha|beta\d?)?\/models(?:\/[^/:]+)?$/.test(path)) return undefined;
  const isGoogles = /\/v1(?:alpha|beta\d?)\//.test(path);
  return {
    does: "resource",
    isCertain: isGoogles || headers["x-goog-api-key"] !== undefined || searchParams.has("key"),
  };
}

/**
 * Cloud Code Assist takes the request under `request`, beside the model; a request to count tokens may hold a
 * whole one.
 */
function requestIn(fields: Fields): InnerRequest {
  const name = ["request", "generateContentRequest", "generate_content_request"].find((key) =>
    isFields(fields[key]),
  );
  if (name === undefined) return { fields, base: "" };
  const { model } = fields;
  const inner = fields[name];
  return {
    fields: { ...(model !== undefined && { model }), ...(isFields(inner) && inner) },
    base: `/${name}`,
  };
}
