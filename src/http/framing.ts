import type http from "node:http";
import type { HeaderList } from "./client.ts";

/**
 * The header that frames a parsed request's body when it is sent on: the length it came with, or chunks;
 * none without a body. Node's client frames no body of GET, HEAD, DELETE and OPTIONS by itself: the next
 * request on the connection would begin with it. `undefined` for a coding other than chunks, which Node does
 * not decode.
 */
export function framingOf({ headers }: http.IncomingMessage): HeaderList | undefined {
  if (headers["transfer-encoding"] !== undefined)
    return isChunked(headers) ? [["Transfer-Encoding", "chunked"]] : undefined;
  const length = headers["content-length"];
  return length === undefined ? [] : [["Content-Length", length]];
}

/** Whether a message's transfer coding, if any, is the one that Node decodes. */
export function isDecoded(headers: http.IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] === undefined || isChunked(headers);
}

function isChunked(headers: http.IncomingHttpHeaders): boolean {
  return /^\s*chunked\s*$/i.test(headers["transfer-encoding"] ?? "");
}
