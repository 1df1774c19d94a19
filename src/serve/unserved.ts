import { protocols } from "../protocols/index.ts";
import { isServicePath, purposeOf } from "../protocols/paths.ts";
import { profiles } from "../protocols/profiles/index.ts";
import { type Protocol, supported } from "../protocols/protocol.ts";

/** What to make of a request for an address that no API served here has. */
export interface Unserved {
  /** The status to answer with. */
  readonly status: number;
  /** Why the request is a miss; absent if it asks no model, so nothing was to be planned for it. */
  readonly why?: string;
}

/**
 * Judges a request for an address that no API served here has. Clients look whether a server is there
 * (`HEAD /`) and send telemetry; neither is a miss. What is posted elsewhere is: it may be meant for a model.
 * @param path without its query
 */
export function unserved(method: string, path: string): Unserved {
  if (isServicePath(path) || (isRoot(path) && isReading(method))) return { status: 200 };
  if (isReading(method)) return { status: 404 };
  const why = `no API is served at ${method} ${path}`;
  const meant = protocols.find((protocol) => purposeOf(protocol, path) === "turn");
  return { status: 404, why: meant ? `${why}; it looks like ${placeOf(meant)}` : why };
}

/** `/`, or the root of the clients of a profile: `/anthropic`. */
function isRoot(path: string): boolean {
  if (path === "/") return true;
  const name = /^\/([\w.-]+)\/?$/.exec(path)?.[1];
  return profiles.some((profile) => profile.name === name);
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

function placeOf({ name, endpoint, loadServerSide }: Protocol): string {
  const at = supported(endpoint);
  if (!supported(loadServerSide) || !at) return `\`${name}\`, which toollint does not serve`;
  return `\`${name}\`, which is asked at ${at.basePath}${at.path("MODEL", false)}`;
}
