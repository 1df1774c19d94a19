import { bearer, type Endpoint } from "../endpoint.ts";
import type { ProviderPath } from "../paths.ts";
import { storedItems } from "./stored.ts";

export const paths: readonly ProviderPath[] = [
  { pattern: /\/responses\/compact\b/, purpose: "compaction" },
  { pattern: /\/responses\/input_tokens\b/, purpose: "count" },
  { pattern: /\/responses\/[^/?#]/, purpose: "stored" },
  { pattern: /\/responses\b/, purpose: "turn" },
  { pattern: /\/v1\/conversations(?:[/?#]|$)/, purpose: "stored" },
  // Their `input` may be text, too.
  { pattern: /\/(?:embeddings|moderations|edits)\b|\/audio\/\w+/, purpose: "other" },
];

export const endpoint: Endpoint = {
  path: () => "/responses",
  auth: bearer,
  headers: [],
  kept: ["openai-beta"],
  basePath: "/v1",
  streamsBy: "body",
  stored: storedItems,
};
