import { protocols } from "../protocols/index.ts";
import { type Protocol, supported } from "../protocols/protocol.ts";
import type { ServerSide } from "../protocols/server-side.ts";

/** A protocol and its provider's server. */
export interface ServedProtocol {
  readonly protocol: Protocol;
  readonly server: ServerSide;
}

/** Loads the protocols that can be served. */
export async function loadServedProtocols(): Promise<readonly ServedProtocol[]> {
  const served: ServedProtocol[] = [];
  for (const protocol of protocols) {
    const createServerSide = await supported(protocol.loadServerSide)?.();
    if (createServerSide) served.push({ protocol, server: createServerSide() });
  }
  return served;
}
