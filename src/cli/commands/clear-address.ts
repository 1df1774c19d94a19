import { isProvidersHost } from "../../protocols/profiles/judge.ts";

/** Whether a URL names a provider's own host without TLS, so that everybody on the way could read the key. */
export function isClear({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && isProvidersHost(hostname);
}
