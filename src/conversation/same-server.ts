import type { Exchange } from "./exchange.ts";

/** Both exchanges went to the same model and host, so either may send back what the other received. */
export function isSameServer(a: Exchange, b: Exchange): boolean {
  return hostOf(a) === hostOf(b) && a.request?.model === b.request?.model;
}

function hostOf({ url }: Exchange): string | undefined {
  return url === undefined ? undefined : /^\w+:\/\/([^/?#]+)/.exec(url)?.[1];
}
