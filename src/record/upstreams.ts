import { addressOf, keysOf } from "../protocols/providers.ts";

/** A model API that can be recorded, and how its clients are directed to the proxy. */
export interface Upstream {
  readonly name: string;
  /** Where requests are forwarded; its path is prepended to the path of the request. */
  readonly url: URL;
  /** Environment variables from which the usual clients read the address; empty where it is hard-coded. */
  readonly variables: readonly string[];
  /** The path that clients expect behind the address (`/v1`). */
  readonly path: string;
}

/** How the usual clients of a provider are led to an address. */
export interface KnownClients extends Omit<Upstream, "url"> {
  /** Environment variables for the key. The clients do not start without one of them; empty if they do. */
  readonly keys: readonly string[];
}

/**
 * The environment variables from which a provider's SDK, or the clients named below, read its address. APIs
 * that sign requests with the host name (Bedrock, Vertex with service accounts) cannot be served by another
 * host.
 */
export const knownClients: readonly KnownClients[] = [
  // openai-python, openai-node; LiteLLM and LangChain read OPENAI_API_BASE.
  clientsOf("openai", ["OPENAI_BASE_URL", "OPENAI_API_BASE"]),
  // anthropic-sdk-python and -typescript, Claude Code; they add /v1/messages.
  clientsOf("anthropic", ["ANTHROPIC_BASE_URL"]),
  // @google/genai, google-genai and Gemini CLI; they add /v1beta.
  clientsOf("gemini", ["GOOGLE_GEMINI_BASE_URL"]),
  // ollama-python; OpenAI-compatible clients of Ollama need `<address>/v1`.
  clientsOf("ollama", ["OLLAMA_HOST"]),
  // openai-python and openai-node; they add /openai/deployments/<name>.
  clientsOf("azure-openai", ["AZURE_OPENAI_ENDPOINT"], ["AZURE_OPENAI_API_KEY"]),
  // groq-python and groq-typescript; they add /openai/v1.
  clientsOf("groq", ["GROQ_BASE_URL"]),
  // Their clients read no variable: the address is hard-coded.
  clientsOf("openrouter"),
  clientsOf("deepseek"),
  clientsOf("mistral"),
  clientsOf("xai"),
];

function clientsOf(name: string, variables: readonly string[] = [], keys = keysOf(name)): KnownClients {
  return { name, variables, keys, path: pathOf(addressOf(name)) };
}

export const upstreamNames: readonly string[] = knownClients.map(({ name }) => name);

/**
 * The upstreams of a run. An address that the user names comes first, then the value of a variable (a gateway
 * stays in use), then the provider's own.
 * @param env the environment of the recorded command
 * @param named addresses by name; `""` names the one for all upstreams
 */
export function upstreamsOf(
  env: Readonly<Record<string, string | undefined>>,
  named: ReadonlyMap<string, URL>,
): Upstream[] {
  const upstreams: Upstream[] = [];
  for (const { name, variables, path } of knownClients) {
    const url = addressOf(name);
    const set = variables.map((variable) => urlFrom(env[variable])).find((address) => address !== undefined);
    const address = named.get(name) ?? named.get("") ?? set ?? (url === undefined ? undefined : new URL(url));
    if (address) upstreams.push({ name, url: address, variables, path });
  }
  return upstreams;
}

function urlFrom(value: string | undefined): URL | undefined {
  if (!value) return undefined;
  // OLLAMA_HOST is often only a host and a port.
  const text = value.includes("://") ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function pathOf(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).pathname.replace(/\/$/, "");
}

/** The variables that direct the clients of the command to the server at `address`. */
export function clientVariables(
  clients: readonly Omit<Upstream, "url">[],
  address: string,
): Record<string, string> {
  return Object.fromEntries(
    clients.flatMap(({ name, variables, path }) =>
      variables.map((variable) => [variable, `${address}/${name}${path}`] as const),
    ),
  );
}

/**
 * Keys for the clients of a server that needs none: they do not start without. Only for those that are led to
 * the server; a client with a hard-coded address must not take such a key to its provider.
 * @param env the environment of the command; a key that it has stays
 */
export function placeholderKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    knownClients.flatMap(({ variables, keys: [first, ...others] }) =>
      variables.length === 0 || first === undefined || [first, ...others].some((name) => env[name])
        ? []
        : [[first, "toollint"] as const],
    ),
  );
}

/** Where a request to the proxy is forwarded to. */
export interface ForwardRoute {
  readonly upstream: Upstream;
  readonly url: URL;
}

/**
 * The upstream of a request to the proxy. The first segment of its path names it; without one, the API is
 * recognized by the path. `undefined` when it is unknown.
 */
export function routeOf(target: string, upstreams: readonly Upstream[]): ForwardRoute | undefined {
  const [, first = "", rest = ""] = /^\/([^/?]*)(.*)/s.exec(target) ?? [];
  const called = upstreams.find(({ name }) => name === first);
  if (called) return routeTo(called, rest);
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
  return guessed && routeTo(guessed, target);
}

/** No path leads out of the upstream's own (`/v1/../admin`). */
function routeTo(upstream: Upstream, target: string): ForwardRoute | undefined {
  const url = joined(upstream, target);
  const base = upstream.url.pathname.replace(/\/$/, "");
  return url.pathname === base || url.pathname.startsWith(`${base}/`) ? { upstream, url } : undefined;
}

/**
 * Where a client has to follow a redirect of an upstream: one within the upstream leads through the proxy, or
 * the client would leave it, and drop its key on the way. Others stay.
 */
export function sameWay(location: string, { upstream: { name, url: own, path }, url }: ForwardRoute): string {
  if (!URL.canParse(location, url.href) || own.search !== "") return location;
  const to = new URL(location, url.href);
  const base = own.pathname.replace(/\/$/, "");
  if (to.origin !== own.origin || !to.pathname.startsWith(`${base}/`)) return location;
  return `/${name}${path}${to.pathname.slice(base.length)}${to.search}${to.hash}`;
}

/**
 * Whether a client that asks for a WebSocket at this address can say the same over HTTP, as Codex does when
 * its WebSocket is refused. Realtime APIs have no such form.
 */
export function hasHttpForm(target: string): boolean {
  return /\/responses\/?(?:\?|$)/.test(target);
}

/** Joins the paths without repeating the one that clients add themselves. */
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
