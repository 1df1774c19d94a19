/** A provider that can receive a replay. */
export interface Provider {
  /** As users type it. */
  readonly name: string;
  /** The base URL of its clients, by protocol. */
  readonly bases: Readonly<Record<string, string>>;
  /** The address that users give its clients, if shorter than the base URL; the clients add the rest. */
  readonly address?: string;
  /** Environment variables for the key; the first one set counts. Empty if no key is needed. */
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
  {
    name: "groq",
    bases: { "openai-chat": "https://api.groq.com/openai/v1" },
    address: "https://api.groq.com",
    keys: ["GROQ_API_KEY"],
  },
  {
    name: "deepseek",
    bases: { "openai-chat": "https://api.deepseek.com/v1", anthropic: "https://api.deepseek.com/anthropic" },
    address: "https://api.deepseek.com",
    keys: ["DEEPSEEK_API_KEY"],
  },
  {
    name: "mistral",
    bases: { "openai-chat": "https://api.mistral.ai/v1" },
    address: "https://api.mistral.ai",
    keys: ["MISTRAL_API_KEY"],
  },
  {
    name: "xai",
    bases: { "openai-chat": "https://api.x.ai/v1", "openai-responses": "https://api.x.ai/v1" },
    keys: ["XAI_API_KEY"],
  },
];

/** The address that users give a provider's clients; `undefined` if it has no common one. */
export function addressOf(name: string): string | undefined {
  const provider = providers.find((each) => each.name === name);
  return provider && (provider.address ?? Object.values(provider.bases)[0]);
}

/** The environment variables for a provider's key. */
export function keysOf(name: string): readonly string[] {
  return providers.find((each) => each.name === name)?.keys ?? [];
}

/** The provider that owns this host; `undefined` for all other hosts, which never get a key automatically. */
export function providerAt(url: URL): Provider | undefined {
  return providers.find(
    ({ bases, keys }) =>
      keys.length > 0 && Object.values(bases).some((base) => new URL(base).host === url.host),
  );
}
