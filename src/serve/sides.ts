import { protocols } from "../protocols/index.ts";
import { type Protocol, supported } from "../protocols/protocol.ts";
import type { ServerSide } from "../protocols/server-side.ts";

/** A protocol and its provider's server. */
export interface Side {
  readonly protocol: Protocol;
  readonly server: ServerSide;
}

/** Loads the protocols that can be served. */
export async function loadSides(): Promise<readonly Side[]> {
  const sides: Side[] = [];
  for (const protocol of protocols) {
    const createServerSide = await supported(protocol.loadServerSide)?.();
    if (createServerSide) sides.push({ protocol, server: createServerSide() });
  }
  return sides;
}
