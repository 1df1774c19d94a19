import http from "node:http";
import https from "node:https";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";

/** Header fields in the order and spelling of the wire; a name may come several times. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A header can carry the text: no line feeds, no controls, nothing beyond Latin-1 (RFC 9110, section 5.5). */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** One request as it goes over the wire; nothing is added but `Host` and what frames the body. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  /** The proxy to go through, as an absolute URL; directly when absent. */
  readonly proxy?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a request; the caller writes the body and ends it. The reply comes as raw chunks: nothing is unpacked, no redirect is followed, nothing is
 * sent twice. Node's own fetch would undo compression and hide the chunks.
 */
export function openRequest({ method, url, headers, proxy, signal }: Outgoing): http.ClientRequest {
  const isSecure = url.protocol === "https:";
  const options = {
    method,
    headers: fieldsByName(headers),
    ...(signal && { signal }),
    ...(proxy !== undefined && {
      agent: isSecure ? new HttpsProxyAgent(proxy) : new HttpProxyAgent(proxy),
    }),
  };
  return isSecure ? https.request(url, options) : http.request(url, options);
}

/** As Node's client wants them: the values of a field that comes several times in a list, under its first spelling. */
function fieldsByName(headers: HeaderList): Record<string, string | string[]> {
  const fields = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of headers) {
    const field = fields.get(name.toLowerCase());
    if (field) field.values.push(value);
    else fields.set(name.toLowerCase(), { name, values: [value] });
  }
  return Object.fromEntries(
    [...fields.values()].map(({ name, values: [first = "", ...more] }) => [
      name,
      more.length > 0 ? [first, ...more] : first,
    ]),
  );
}

/** Fields that speak of one connection, and not of the message on it (RFC 9110, section 7.6.1). */
const connectionFields = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Node's flat list of raw headers as pairs, without the fields of the connection and those that `Connection` names. */
export function messageHeaders(raw: readonly string[], except: readonly string[] = []): HeaderList {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((field) => field.trim().toLowerCase()));
  return pairs.filter(([name]) => {
    const field = name.toLowerCase();
    return !connectionFields.has(field) && !named.includes(field) && !except.includes(field);
  });
}
