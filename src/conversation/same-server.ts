import type { Exchange } from "./exchange.ts";

/** Two exchanges went to one model at one host: what one of them received, the other may send back. */
export function isSameServer(a: Exchange, b: Exchange): boolean {
  return hostOf(a) === hostOf(b) && a.request?.model === b.request?.model;
}

function hostOf({ url }: Exchange): string | undefined {
  return url === undefined ? undefined : /^\w+:\/\/([^/?#]+)/.exec(url)?.[1];
}
