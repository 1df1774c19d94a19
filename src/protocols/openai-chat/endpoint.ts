import { bearer, type Endpoint } from "../endpoint.ts";
import type { ProviderPath } from "../paths.ts";

export const paths: readonly ProviderPath[] = [
  { pattern: /\/chat\/completions\/[^/?#]/, purpose: "stored" },
  { pattern: /\/chat\/completions\b/, purpose: "turn" },
];

export const endpoint: Endpoint = {
  path: () => "/chat/completions",
  auth: bearer,
  headers: [],
  kept: ["openai-beta"],
  basePath: "/v1",
  streamsBy: "body",
};
