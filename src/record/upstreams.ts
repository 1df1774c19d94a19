import { addressOf } from "../protocols/providers.ts";

/** A model API that can be recorded, and how its clients are led through the proxy. */
export interface Upstream {
  readonly name: string;
  /** Where requests go on to; a path in it comes before the path of the request. */
  readonly url: URL;
  /** The variables by which the usual clients learn the address; none where it stands in their code. */
  readonly variables: readonly string[];
  /** The path that clients expect behind the address (`/v1`). */
  readonly path: string;
}

/**
 * The variables by which clients of a provider learn its address: each is read by the provider's SDK, or by the clients that are named.
 * What signs its requests with the name of the host (Bedrock, Vertex with service accounts) cannot be led through another host.
 */
const known: readonly (readonly [provider: string, ...variables: string[]])[] = [
  // openai-python, openai-node; LiteLLM and LangChain read OPENAI_API_BASE.
  ["openai", "OPENAI_BASE_URL", "OPENAI_API_BASE"],
  // anthropic-sdk-python and -typescript, Claude Code; they add /v1/messages.
  ["anthropic", "ANTHROPIC_BASE_URL"],
  // @google/genai, google-genai and Gemini CLI; they add /v1beta.
  ["gemini", "GOOGLE_GEMINI_BASE_URL"],
  // ollama-python; OpenAI-compatible clients of Ollama have to be told `<address>/v1`.
  ["ollama", "OLLAMA_HOST"],
  ["azure-openai", "AZURE_OPENAI_ENDPOINT"],
  // groq-python and groq-typescript; they add /openai/v1.
  ["groq", "GROQ_BASE_URL"],
  // Their clients read no variable of their own: the address stands in the code.
  ["openrouter"],
  ["deepseek"],
  ["mistral"],
  ["xai"],
];

export const upstreamNames: readonly string[] = known.map(([name]) => name);

/**
 * The upstreams of a run: an address that the user names comes first, then one that a variable already holds (a gateway stays where it is),
 * then the provider's own.
 *
 * @param env the variables of the command that is recorded
 * @param named addresses by name; under `""` the one for everything
 */
export function upstreamsOf(
  env: Readonly<Record<string, string | undefined>>,
  named: ReadonlyMap<string, URL>,
): Upstream[] {
  const upstreams: Upstream[] = [];
  for (const [name, ...variables] of known) {
    const url = addressOf(name);
    const set = variables.map((variable) => urlFrom(env[variable])).find((address) => address !== undefined);
    const address = named.get(name) ?? named.get("") ?? set ?? (url === undefined ? undefined : new URL(url));
    if (address) upstreams.push({ name, url: address, variables, path: pathOf(url) });
  }
  return upstreams;
}

function urlFrom(value: string | undefined): URL | undefined {
  if (!value) return undefined;
  // OLLAMA_HOST is often no more than a host and a port.
  const text = value.includes("://") ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function pathOf(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).pathname.replace(/\/$/, "");
}

/** The variables that lead the clients of the command to the proxy at `address`. */
export function clientVariables(upstreams: readonly Upstream[], address: string): Record<string, string> {
  return Object.fromEntries(
    upstreams.flatMap(({ name, variables, path }) =>
      variables.map((variable) => [variable, `${address}/${name}${path}`] as const),
    ),
  );
}

/**
 * Where a request to the proxy goes on to. The first part of its path names the upstream; without one, the path itself tells whose it is.
 * `undefined` when neither does.
 */
export function routeOf(target: string, upstreams: readonly Upstream[]): URL | undefined {
  const [, first = "", rest = ""] = /^\/([^/?]*)(.*)$/s.exec(target) ?? [];
  const called = upstreams.find(({ name }) => name === first);
  if (called) return joined(called, rest);
  const name = /^\/api\/(?:chat|generate|tags|show|version|embed|embeddings|ps)\b/.test(target)
    ? "ollama"
    : /^\/v1\/(?:messages|complete)\b/.test(target)
      ? "anthropic"
      : /^\/v1(?:beta|alpha)[^/]*\//.test(target)
        ? "gemini"
        : /^\/(?:v1\/)?(?:chat\/completions|completions|responses|models|embeddings)\b/.test(target)
          ? "openai"
          : undefined;
  const guessed = upstreams.find((upstream) => upstream.name === name);
  return guessed && joined(guessed, target);
}

/** The path that clients add on their own is not added a second time. */
function joined({ url, path }: Upstream, target: string): URL {
  const base = url.pathname.replace(/\/$/, "");
  const hasPath =
    path !== "" && (target === path || target.startsWith(`${path}/`) || target.startsWith(`${path}?`));
  const rest = hasPath ? target.slice(path.length) : target;
  const joinedUrl = new URL(url);
  const [pathname = "", ...query] = rest.split("?");
  joinedUrl.pathname = `${base}${pathname}`;
  joinedUrl.search = [url.search.slice(1), query.join("?")].filter(Boolean).join("&");
  return joinedUrl;
}
