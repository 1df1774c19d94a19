import { bearer, type Endpoint } from "../endpoint.ts";
import type { ProviderPath } from "../paths.ts";

export const paths: readonly ProviderPath[] = [
  // `/api/chat/completions` is Open WebUI's chat format.
  { pattern: /\/api\/chat(?:[?#]|\/?$)/, purpose: "turn" },
  { pattern: /\/api\/chat\b/, purpose: "turn", speaks: "against" },
];

export const endpoint: Endpoint = {
  path: () => "/api/chat",
  auth: bearer,
  headers: [],
  kept: [],
  basePath: "",
  streamsBy: "body",
  streamsByDefault: true,
};
