/**
 * Whether the `Host` of a request is a name that no stranger can own: an address, a name without a dot, below
 * `localhost`, or below `internal`, which containers use for their host machine. Otherwise a web page whose
 * name resolves to 127.0.0.1 (DNS rebinding) could read what a server on this machine says.
 */
export function isLocalName(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d*$/, "").replace(/\.$/, "");
  return /^(?:\[[\da-f:.]+\]|[\d.]+|[^.]*|.+\.(?:localhost|internal))$/i.test(name);
}
