import type { HeaderList } from "../http/client.ts";
import { storedItems } from "./openai-responses/stored.ts";

/**
 * Where requests of a protocol go, as its provider's own clients send them. What is known of an address is data; the key and the address
 * themselves come from the user.
 */
export interface Endpoint {
  /** The path below the base URL. */
  path(model: string | undefined, isStreaming: boolean): string;
  /** Headers that carry the key. */
  auth(key: string): HeaderList;
  /** Headers that every request needs, beside the type of its body. */
  readonly headers: HeaderList;
  /** Request headers that a replay takes over from the log: they change what the provider does. */
  readonly kept: readonly string[];
  /** The path that the base URL of the provider's clients ends with. */
  readonly basePath: string;
  /** Whether the body says that a stream is wanted (`stream`), or the path. */
  readonly streamsBy: "body" | "path";
  /** The body says `stream: false` where none is wanted: the server streams unless it is told not to. */
  readonly streamsUnlessTold?: boolean;
  /** The member of a body that holds its history. */
  readonly historyKey: string;
  /** What the server may hold of a history; absent where it holds nothing. */
  readonly stored?: StoredItems;
}

/** How the elements of a history lean on items that the server keeps. */
export interface StoredItems {
  /** The id of the item that an element stands for; `undefined` when it is an item itself. */
  referenceOf(element: unknown): string | undefined;
  /** The id of an item. */
  idOf(element: unknown): string | undefined;
  /** An item as a server takes it that has never seen it; nothing where it cannot be taken. */
  portable(element: unknown): readonly unknown[];
  /** The member of a body that names the reply that it goes on from. */
  readonly linkKey: string;
}

/** Half a surrogate pair, which a log may hold, has no place in a URL. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, "\ufffd");

const bearer = (key: string): HeaderList => [["Authorization", `Bearer ${key}`]];

/** By protocol. Those that are missing cannot be replayed: their requests are signed, or they are no provider's. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  "openai-chat": {
    path: () => "/chat/completions",
    auth: bearer,
    headers: [],
    kept: ["openai-beta"],
    basePath: "/v1",
    streamsBy: "body",
    historyKey: "messages",
  },
  "openai-responses": {
    path: () => "/responses",
    auth: bearer,
    headers: [],
    kept: ["openai-beta"],
    basePath: "/v1",
    streamsBy: "body",
    historyKey: "input",
    stored: storedItems,
  },
  anthropic: {
    path: () => "/v1/messages",
    auth: (key) => [["x-api-key", key]],
    headers: [["anthropic-version", "2023-06-01"]],
    kept: ["anthropic-version", "anthropic-beta"],
    basePath: "",
    streamsBy: "body",
    historyKey: "messages",
  },
  gemini: {
    path: (model, isStreaming) =>
      `/v1beta/models/${encodeURIComponent(wellFormed(model ?? "").replace(/^models\//, ""))}:${
        isStreaming ? "streamGenerateContent?alt=sse" : "generateContent"
      }`,
    auth: (key) => [["x-goog-api-key", key]],
    headers: [],
    kept: [],
    basePath: "",
    streamsBy: "path",
    historyKey: "contents",
  },
  ollama: {
    path: () => "/api/chat",
    auth: bearer,
    headers: [],
    kept: [],
    basePath: "",
    streamsBy: "body",
    historyKey: "messages",
    streamsUnlessTold: true,
  },
};

/** A provider that a replay can be sent to. */
export interface Provider {
  /** As users type it. */
  readonly name: string;
  /** The base URL of its clients, by the protocols that it speaks. */
  readonly bases: Readonly<Record<string, string>>;
  /** The variables that hold the key, the first that is set counts; none where no key is needed. */
  readonly keys: readonly string[];
}

export const providers: readonly Provider[] = [
  {
    name: "openai",
    bases: {
      "openai-chat": "https://api.openai.com/v1",
      "openai-responses": "https://api.openai.com/v1",
    },
    keys: ["OPENAI_API_KEY"],
  },
  {
    name: "anthropic",
    bases: { anthropic: "https://api.anthropic.com" },
    keys: ["ANTHROPIC_API_KEY"],
  },
  {
    name: "gemini",
    bases: {
      gemini: "https://generativelanguage.googleapis.com",
      "openai-chat": "https://generativelanguage.googleapis.com/v1beta/openai",
    },
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
  {
    name: "openrouter",
    bases: {
      "openai-chat": "https://openrouter.ai/api/v1",
      "openai-responses": "https://openrouter.ai/api/v1",
      anthropic: "https://openrouter.ai/api",
    },
    keys: ["OPENROUTER_API_KEY"],
  },
  {
    name: "ollama",
    bases: {
      ollama: "http://127.0.0.1:11434",
      "openai-chat": "http://127.0.0.1:11434/v1",
      "openai-responses": "http://127.0.0.1:11434/v1",
      anthropic: "http://127.0.0.1:11434",
    },
    keys: [],
  },
  { name: "groq", bases: { "openai-chat": "https://api.groq.com/openai/v1" }, keys: ["GROQ_API_KEY"] },
  {
    name: "deepseek",
    bases: { "openai-chat": "https://api.deepseek.com/v1", anthropic: "https://api.deepseek.com/anthropic" },
    keys: ["DEEPSEEK_API_KEY"],
  },
  { name: "mistral", bases: { "openai-chat": "https://api.mistral.ai/v1" }, keys: ["MISTRAL_API_KEY"] },
  {
    name: "xai",
    bases: { "openai-chat": "https://api.x.ai/v1", "openai-responses": "https://api.x.ai/v1" },
    keys: ["XAI_API_KEY"],
  },
];

/** The provider whose own host this is; `undefined` for all others, which are never given a key on their own. */
export function providerAt(url: URL): Provider | undefined {
  return providers.find(
    ({ bases, keys }) =>
      keys.length > 0 && Object.values(bases).some((base) => new URL(base).host === url.host),
  );
}

/** The URL of a request, below a base URL as clients of the protocol are told it. A base without a path is given the usual one. */
export function urlOf(base: URL, endpoint: Endpoint, model: string | undefined, isStreaming: boolean): URL {
  const url = new URL(base);
  const given = base.pathname.replace(/\/+$/, "");
  const path = endpoint.path(model, isStreaming);
  // Both writings of an address are common: with the version and without it.
  const version = /^\/v\d[^/]*/.exec(path)?.[0];
  const below = version !== undefined && given.endsWith(version) ? path.slice(version.length) : path;
  const root =
    given === ""
      ? endpoint.basePath
      : endpoint.streamsBy === "body" && path.startsWith("/api/")
        ? given.replace(/\/v1$/, "")
        : given;
  const [pathname = "", query = ""] = below.split("?");
  url.pathname = `${root}${pathname}`;
  url.search = [base.search.slice(1), query].filter(Boolean).join("&");
  return url;
}
