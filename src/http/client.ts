import http from "node:http";
import https from "node:https";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";

/** Header fields in the order and spelling of the wire; a name may occur several times. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Whether a header can carry the text: no line feeds or controls, only Latin-1 (RFC 9110, section 5.5). */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** The longest head of a message that is read, in bytes; servers behind a proxy take no longer ones. */
export const maxHeadBytes = 64 << 10;

/** One request to send, with all its headers: also `Host`, and the framing of its body if it has one. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  /** The proxy's absolute URL; a direct connection when absent. */
  readonly proxy?: string | undefined;
  /** Direct connections that may be used again; those of the whole process when absent. */
  readonly connections?: Connections | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How long a connection to a server may wait for its next request: many servers close theirs after 5 s. */
const maxIdleMs = 4000;

/** Connections to servers that wait for the next request of one client. */
export class Connections {
  #http: http.Agent | undefined;
  #https: https.Agent | undefined;

  agentFor({ protocol }: URL): http.Agent {
    const options = { keepAlive: true, timeout: maxIdleMs };
    if (protocol === "https:") {
      this.#https ??= new https.Agent(options);
      return this.#https;
    }
    this.#http ??= new http.Agent(options);
    return this.#http;
  }

  /** Closes all of them, also those in use. */
  close(): void {
    this.#http?.destroy();
    this.#https?.destroy();
  }
}

/**
 * Opens a request; the caller writes the body and ends it. The reply comes as raw chunks, without
 * decompression, redirects or retries. Node's own fetch would decompress and hide the chunks.
 */
export function openRequest(outgoing: Outgoing): http.ClientRequest {
  const { method, url, headers, proxy, connections, signal } = outgoing;
  const isSecure = url.protocol === "https:";
  const options = {
    method,
    headers: fieldsByName(headers),
    // Whatever NODE_OPTIONS says: a lenient parser and a strict one disagree about where a message ends.
    insecureHTTPParser: false,
    maxHeaderSize: maxHeadBytes,
    ...(signal && { signal }),
    ...(proxy !== undefined
      ? { agent: isSecure ? new HttpsProxyAgent(proxy) : new HttpProxyAgent(proxy) }
      : connections && { agent: connections.agentFor(url) }),
  };
  const request = isSecure ? https.request(url, options) : http.request(url, options);
  // Node leaves fields out beyond a number, also those that say where the body ends; the bytes are limited.
  request.maxHeadersCount = 0;
  return request;
}

/** The form that Node's client takes: repeated fields become a list of values under the first spelling. */
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

/** Fields that concern one connection, not the message on it (RFC 9110, section 7.6.1). */
const connectionFields = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Node's flat list of raw headers as pairs, without connection fields and those that `Connection` names. */
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
