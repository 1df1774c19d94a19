import { profiles } from "../protocols/profiles/index.ts";
import { type NamedProfile, profileAtHost } from "../protocols/profiles/judge.ts";
import type { Profile } from "../protocols/profiles/profile.ts";
import { refusalsOf, speaks } from "../protocols/profiles/refusals.ts";
import type { Route } from "../protocols/server-side.ts";
import type { HeldRequest, OwnAnswer } from "../record/passage.ts";
import { unpacked } from "./http-server.ts";
import { idSource } from "./ids.ts";
import { judgeRequest } from "./judge.ts";
import type { RefusedRequest } from "./outcomes.ts";
import { parseBody, withModel } from "./request-body.ts";
import { loadServedProtocols, type ServedProtocol } from "./served-protocols.ts";

/** The header of an answer that toollint gave in place of a provider. */
const markHeader = ["x-toollint", "refused"] as const;

/**
 * Stands before a provider: refuses what the provider would refuse, and lets pass what it does not
 * understand. What a server has stored is not known here, so a request that continues it is judged by what it
 * holds itself.
 */
export class ProviderGate {
  readonly refused: RefusedRequest[] = [];
  private readonly served: readonly ServedProtocol[];
  private readonly named: NamedProfile | undefined;
  private readonly idsFor = idSource();

  private constructor(served: readonly ServedProtocol[], named: NamedProfile | undefined) {
    this.served = served;
    this.named = named;
  }

  /** @param named judges the protocols that it speaks; default: by the upstream's host, else by its name */
  static async create(named?: NamedProfile): Promise<ProviderGate> {
    return new ProviderGate(await loadServedProtocols(), named);
  }

  /** The provider's refusal; `undefined` for a request that is to pass. */
  async judge(request: HeldRequest): Promise<OwnAnswer | undefined> {
    const { number, method, target, url, upstream, headers } = request;
    const found = this.servedAt(method, url, headers);
    if (!found) return undefined;
    const { protocol, server, route } = found;
    const { model } = route;
    const profile = this.profileFor(url, upstream, protocol.name);
    const refusals = profile && refusalsOf(profile, protocol.name);
    const { inner, members } = parseBody(unpacked(request.body, headers["content-encoding"]), found);
    if (!refusals || !inner) return undefined;
    const { refusal, ground } = await judgeRequest({
      protocol,
      profile,
      model: profile === this.named?.profile ? this.named.model : undefined,
      purpose: "turn",
      body: withModel(inner.fields, model),
      ...(inner.base !== "" && { envelope: { body: members, base: inner.base } }),
      url: url.href,
      headers,
    });
    if (!refusal) return undefined;
    const requestId = this.idsFor(request.body)("req_", 24);
    const error = { ...refusal, requestId };
    this.refused.push({
      request: number,
      method,
      target,
      profile: profile.name,
      error,
      ...(ground && { rule: ground.rule, pointer: ground.locus.pointer }),
    });
    return {
      status: error.status,
      headers: [
        ["content-type", "application/json"],
        ...Object.entries(server.headers(requestId)),
        markHeader,
      ],
      body: `${JSON.stringify(route.listsErrors ? [refusals.errorBody(error)] : refusals.errorBody(error))}\n`,
    };
  }

  private servedAt(
    method: string,
    url: URL,
    headers: HeldRequest["headers"],
  ): (ServedProtocol & { readonly route: Extract<Route, { does: "turn" }> }) | undefined {
    for (const side of this.served) {
      const route = side.server.route(method, url, headers);
      if (route?.does === "turn") return { ...side, route };
    }
    return undefined;
  }

  private profileFor({ hostname }: URL, upstream: string, protocol: string): Profile | undefined {
    if (this.named && speaks(this.named.profile, protocol)) return this.named.profile;
    const profile = profileAtHost(hostname) ?? profiles.find(({ name }) => name === upstream);
    return profile && speaks(profile, protocol) ? profile : undefined;
  }
}
