import { plainFailures } from "../failures.ts";
import { protocolNamed } from "../index.ts";
import { supported } from "../protocol.ts";
import { providers } from "../providers.ts";
import type { Refusals } from "../refusals.ts";
import { profiles } from "./index.ts";
import type { Profile } from "./profile.ts";

const known = new WeakMap<Profile, Map<string, Refusals | undefined>>();

/** How a profile refuses requests of a protocol; `undefined` if nobody is known to serve the protocol. */
export function refusalsOf(profile: Profile, protocol: string): Refusals | undefined {
  const ofProfile = known.get(profile) ?? new Map<string, Refusals | undefined>();
  known.set(profile, ofProfile);
  if (!ofProfile.has(protocol)) ofProfile.set(protocol, merged(profile, protocol));
  return ofProfile.get(protocol);
}

function merged(profile: Profile, protocol: string): Refusals | undefined {
  const own = supported(protocolNamed(protocol)?.refusals);
  if (!own) return undefined;
  const { texts = [], accepts = [], ...changes } = profile.refusals?.[protocol] ?? {};
  const failures =
    changes.failures ?? (profile === ownProfile(protocol) ? own.failures : plainFailures(own.failures));
  const common = own.texts.filter(({ rule }) => !accepts.includes(rule));
  return { ...own, ...changes, texts: [...texts, ...common], ...(failures && { failures }) };
}

/** The profile of the provider whose own protocol this is. */
export function ownProfile(protocol: string): Profile | undefined {
  const owner = providers.find(({ bases }) => Object.hasOwn(bases, protocol));
  return profiles.find(({ name }) => name === owner?.name);
}

export function speaks(profile: Profile, protocol: string): boolean {
  return Object.hasOwn(profile.protocols, protocol);
}
