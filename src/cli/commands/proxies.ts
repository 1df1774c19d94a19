import { getProxyForUrl } from "proxy-from-env";

/** The proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY name for a URL; `undefined` for none. */
export function proxyFor(url: URL): string | undefined {
  return getProxyForUrl(url.href) || undefined;
}
