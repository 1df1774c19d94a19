import type http from "node:http";
import { isLocalName } from "./local-name.ts";

/** A request that a server for programs on this machine must not answer. */
export type Stranger =
  /** It came by a name that a stranger may own (DNS rebinding). */
  | { readonly kind: "name" }
  /** A web page sent it; `origin` is absent where the browser only says that the page is of another site. */
  | { readonly kind: "page"; readonly origin?: string };

/** An allowed origin as users write it: `https://app.example`, `vscode-webview://*` for a whole scheme, `null`. */
export function isOriginPattern(text: string): boolean {
  return text === "null" || /^[a-z][a-z0-9+.-]*:\/\/(?:\*|[^\s/?#*]+)$/i.test(text);
}

/**
 * Who sent this request, if it is a stranger. Browsers let any page post to 127.0.0.1; such a request would
 * spend the user's credentials and budget. They name the page's origin, or say that it is another site's.
 * Pages of this machine (`http://localhost:3000`) and of the `allowed` origins are not strangers, and no more
 * are programs, which send neither header.
 * @param names check the name by which the server was called, too
 */
export function strangerOf(
  { headers }: Pick<http.IncomingMessage, "headers">,
  allowed: readonly string[],
  names = true,
): Stranger | undefined {
  if (names && !isLocalName(headers.host)) return { kind: "name" };
  const { origin } = headers;
  if (origin === undefined) return headers["sec-fetch-site"] === "cross-site" ? { kind: "page" } : undefined;
  return isKnownOrigin(origin, allowed) ? undefined : { kind: "page", origin: origin.slice(0, 200) };
}

/** Whether pages of this origin may ask: it is on this machine, or the user allowed it. */
function isKnownOrigin(origin: string, allowed: readonly string[]): boolean {
  const text = origin.toLowerCase();
  return (
    /^https?:\/\/(?:(?:[^\s/:@?#]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/.test(text) ||
    allowed.some((one) => {
      const known = one.toLowerCase();
      return known.endsWith("://*") ? text.startsWith(known.slice(0, -1)) : text === known;
    })
  );
}

/** Why a stranger is not answered, in a sentence for whoever wrote the client. */
export function strangerRefusal(stranger: Stranger, command: string): string {
  if (stranger.kind === "name")
    return `${command} serves programs on this machine only: use 127.0.0.1 or localhost`;
  const { origin } = stranger;
  return origin === undefined
    ? `${command} does not serve web pages of other sites`
    : `${command} answers no web page of ${origin}: if the page is yours, start it with \`--allow-origin ${origin}\``;
}
