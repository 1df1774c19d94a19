import { getProxyForUrl } from "proxy-from-env";

/** The proxy for a URL by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; `undefined` for none. */
export function proxyFor(url: URL): string | undefined {
  return getProxyForUrl(url.href) || undefined;
}
