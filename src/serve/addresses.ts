import { profiles } from "../protocols/profiles/index.ts";
import type { Profile } from "../protocols/profiles/profile.ts";
import { ownProfile, speaks } from "../protocols/profiles/refusals.ts";
import type { Route } from "../protocols/server-side.ts";
import { misspelt } from "../rules/requests/nearest.ts";
import type { ServedRequest } from "./http-server.ts";
import type { ServedProtocol } from "./served-protocols.ts";

/** An address of an API, and who answers there. */
export interface Address extends ServedProtocol {
  readonly route: Route;
  readonly profile: Profile;
  /** The address behind the profile's name. */
  readonly url: URL;
}

interface Candidate extends Address {
  /** The user or the address names the profile. */
  readonly isAsked: boolean;
}

/** Targets of requests are paths; the host says nothing. */
const base = "http://127.0.0.1";

/**
 * Finds the server, address and profile of a request; `undefined` if no server has such an address. A path
 * may begin with the name of a profile, which is then no part of the provider's address.
 * @param wanted the profile that the user names
 */
export function findAddress(
  { method, target, headers }: Pick<ServedRequest, "method" | "target" | "headers">,
  served: readonly ServedProtocol[],
  wanted: Profile | undefined,
): Address | undefined {
  if (!URL.canParse(target, base)) return undefined;
  const url = new URL(target, base);
  const owner = profiles.find(({ paths }) => paths?.test(url.pathname));
  const named = owner ? undefined : namedIn(url);
  const places = [
    ...(named ? [{ url: named.url, profile: named.profile }] : []),
    { url, profile: undefined },
  ];
  for (const place of places) {
    const askedFor = [wanted, owner, place.profile];
    const found = served.flatMap((side): Candidate[] => {
      const route = side.server.route(method, place.url, headers);
      if (!route) return [];
      const { name } = side.protocol;
      const asked = askedFor.find((profile) => profile && speaks(profile, name));
      const profile = asked ?? ownProfile(name);
      return profile ? [{ ...side, route, profile, isAsked: asked !== undefined, url: place.url }] : [];
    });
    const best = bestOf(found);
    if (best) return best;
  }
  return undefined;
}

/** The profile that the path begins with, and the address behind its name. */
function namedIn(url: URL): { readonly profile: Profile; readonly url: URL } | undefined {
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)/s.exec(url.pathname) ?? [];
  const profile = profiles.find(({ name }) => name === first);
  if (!profile) return undefined;
  const inner = new URL(url);
  inner.pathname = rest;
  return { profile, url: inner };
}

/** What to say of a path that begins with a name that is nearly a profile's; `undefined` for other paths. */
export function misspeltProfile(target: string, { profile }: Address): string | undefined {
  const [, first = ""] = /^\/([^/?#]*)\//.exec(target) ?? [];
  const names = profiles.map(({ name }) => name);
  const meant = names.includes(first) ? undefined : misspelt(first, names);
  return meant === undefined
    ? undefined
    : `no profile is called \`${first}\`, so \`/${first}/…\` was judged as ${profile.name}; did you mean \`/${meant}/…\`?`;
}

/** Of the servers that have an address: the one that the request's headers name, then that of the profile. */
function bestOf(found: readonly Candidate[]): Candidate | undefined {
  return (
    found.find(({ route }) => route.does === "resource" && route.isCertain) ??
    found.find(({ isAsked }) => isAsked) ??
    found[0]
  );
}
