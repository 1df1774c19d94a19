import type { Purpose } from "../conversation/exchange.ts";

/** A URL path that belongs to a protocol's provider. */
export interface ProviderPath {
  readonly pattern: RegExp;
  readonly purpose: Purpose;
  /**
   * Absent: evidence for this protocol and against all others. `for`: servers of other protocols have such a
   * path, too, so they stay possible. `against`: too vague as evidence for this protocol, but no other has
   * such a path.
   */
  readonly speaks?: "for" | "against";
}

/** The part of a protocol that knows its paths; `unsupported` if no provider serves it. */
export interface PathOwner {
  readonly paths: readonly ProviderPath[] | "unsupported";
}

/** Whether a URL is a server's health check, or a client's telemetry, whatever provider it speaks to. */
export function isServicePath(url: string): boolean {
  return /\/(?:health|healthz|healthcheck|livez?|readyz?|ping|version|telemetry|event_logging|v1\/(?:traces|logs|metrics))(?:[/?#]|$)/i.test(
    url,
  );
}

/** What a request to this URL is for, if the protocol knows the path. The first matching pattern decides. */
export function purposeOf(protocol: PathOwner, url: string): Purpose | undefined {
  const path = pathOf(protocol, url);
  return path?.speaks === "against" ? undefined : path?.purpose;
}

/**
 * What a request to this URL is for if it is no turn of the model: by its own protocol, else by the protocols
 * that know the path, because services of one provider share bodies (`input` of moderations and embeddings).
 */
export function purposeBesideTurns(
  all: Iterable<PathOwner>,
  url: string | undefined,
  own?: PathOwner,
): Exclude<Purpose, "turn"> | undefined {
  if (url === undefined) return undefined;
  const stated = own && purposeOf(own, url);
  if (stated !== undefined) return stated === "turn" ? undefined : stated;
  let found: Exclude<Purpose, "turn"> | undefined;
  for (const protocol of all) {
    const purpose = purposeOf(protocol, url);
    if (purpose === "turn") return undefined;
    found ??= purpose;
  }
  return found;
}

/**
 * Returns a function that rates how well a URL fits a protocol: 1 for a path of its own; -1 for a path that
 * only another protocol has, or whose bodies it does not cover; 0 if the URL says nothing. A log asks for the
 * same URL many times in a row, so the last URL's ratings are cached.
 */
export function urlFits(all: readonly PathOwner[]): (protocol: PathOwner, url: string) => -1 | 0 | 1 {
  const known = new Map<PathOwner, -1 | 0 | 1>();
  let last: string | undefined;
  return (protocol, url) => {
    if (url !== last) known.clear();
    last = url;
    const fit = known.get(protocol) ?? fitOf(protocol, url, all);
    known.set(protocol, fit);
    return fit;
  };
}

function fitOf(protocol: PathOwner, url: string, all: readonly PathOwner[]): -1 | 0 | 1 {
  if (protocol.paths === "unsupported") return 0;
  const own = pathOf(protocol, url);
  if (own?.purpose === "other") return -1;
  if (own && own.speaks !== "against") return 1;
  return all.some((other) => other !== protocol && isContested(pathOf(other, url))) ? -1 : 0;
}

function isContested(path: ProviderPath | undefined): boolean {
  return path !== undefined && path.purpose !== "other" && path.speaks !== "for";
}

function pathOf({ paths }: PathOwner, url: string): ProviderPath | undefined {
  return paths === "unsupported" ? undefined : paths.find(({ pattern }) => pattern.test(url));
}

/** A segment of a path without its escapes; as it stands where they are malformed. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
