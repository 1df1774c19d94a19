import { type HeaderList, isFieldValue } from "../http/client.ts";
import type { HttpRequest } from "../http/send.ts";
import type { Endpoint } from "../protocols/endpoint.ts";
import { type Provider, providerAt } from "../protocols/providers.ts";
import { endpointOf, type RequestDraft } from "./history.ts";

/** The destination of a replay, as the user specified it. */
export interface ReplayTarget {
  readonly base: URL;
  /** The key; absent where none is sent. */
  readonly key?: string | undefined;
  /** The user's headers; they override all others. */
  readonly headers: HeaderList;
  readonly model?: string | undefined;
  readonly isStreaming?: boolean | undefined;
  proxyFor(url: URL): string | undefined;
}

/** The base URL at which a provider offers a protocol; `undefined` when it does not. */
export function baseUrlOf({ bases }: Provider, protocol: string): URL | undefined {
  const base = Object.hasOwn(bases, protocol) ? bases[protocol] : undefined;
  return base === undefined ? undefined : new URL(base);
}

/** The variables for a host's key. A provider's key goes only to its own hosts, unless the user names it. */
export function keyVariables(base: URL, named: string | undefined): readonly string[] {
  return named !== undefined ? [named] : (providerAt(base)?.keys ?? []);
}

/** A draft as an HTTP request. */
export function httpRequestOf(
  draft: RequestDraft,
  target: ReplayTarget,
  recorded: Readonly<Record<string, string>>,
): HttpRequest {
  const endpoint = endpointOf(draft.protocol);
  const model = target.model ?? draft.model;
  const isStreaming = target.isStreaming ?? draft.isStreaming;
  const url = urlOf(target.base, endpoint, model, isStreaming);
  const kept = endpoint.kept.flatMap((name): HeaderList => {
    const value = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
    return value === undefined || value.includes("***") || !isFieldValue(value) ? [] : [[name, value]];
  });
  const headers = merged([
    [
      ["Content-Type", "application/json"],
      ["Accept", isStreaming ? "text/event-stream" : "application/json"],
    ],
    endpoint.headers,
    kept,
    target.key === undefined ? [] : endpoint.auth(target.key),
    target.headers,
  ]);
  return {
    url,
    headers,
    body: JSON.stringify(bodyOf(draft, endpoint, model, isStreaming)),
    proxy: target.proxyFor(url),
  };
}

/** The URL of a request below a base URL as clients know it. A base without a path gets the usual one. */
function urlOf(base: URL, endpoint: Endpoint, model: string | undefined, isStreaming: boolean): URL {
  const url = new URL(base);
  const given = base.pathname.replace(/(?<!\/)\/+$/, "");
  const path = endpoint.path(model, isStreaming);
  // Base URLs are common with the version and without it.
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

function bodyOf(
  draft: RequestDraft,
  endpoint: Endpoint,
  model: string | undefined,
  isStreaming: boolean,
): unknown {
  if (endpoint.streamsBy === "path") {
    // The path names the model.
    const { model: _, ...body } = draft.body;
    return body;
  }
  const { stream, stream_options: options, ...rest } = draft.body;
  const statesStream = stream !== undefined || isStreaming || endpoint.streamsByDefault === true;
  return {
    ...(model !== undefined && { model }),
    ...rest,
    ...(model !== undefined && { model }),
    ...(statesStream && { stream: isStreaming }),
    ...(isStreaming && options !== undefined && { stream_options: options }),
  };
}

/** Later lists override earlier ones. */
function merged(lists: readonly HeaderList[]): HeaderList {
  const fields = new Map<string, readonly [string, string]>();
  for (const [name, value] of lists.flat()) fields.set(name.toLowerCase(), [name, value]);
  return [...fields.values()];
}
