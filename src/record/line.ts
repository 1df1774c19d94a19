import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";
import type { HeaderList } from "../http/client.ts";
import { isJson } from "../reading/parse.ts";
import { maskedHeaders, maskSecrets } from "../reading/secrets.ts";

/** The version of a recording's lines (`schemas/recording.schema.json`). */
const recordingVersion = 1;

/** One exchange as it went through the proxy. */
export interface Recorded {
  /** Counts the requests of the recording from 1, in the order in which they came. */
  readonly number: number;
  /** When the request began, in milliseconds since the epoch. */
  readonly time: number;
  readonly durationMs: number;
  readonly request: RecordedMessage & { readonly method: string; readonly url: string };
  readonly response?: RecordedMessage & {
    readonly status: number;
    /** From the request's beginning to the first byte of the body. */
    readonly firstByteMs?: number;
  };
  /** Who ended it before its end. */
  readonly aborted?: "client" | "server";
  /** Why there is no response. */
  readonly failure?: string;
}

export interface RecordedMessage {
  readonly headers: HeaderList;
  /** As it went over the wire. */
  readonly body: Buffer;
  /** So many bytes at its end were not kept. */
  readonly omitted?: number;
}

/** An exchange as a line of a recording, with its line feed. Credentials in headers and URLs are masked; with `redacts` those in bodies, too. */
export function recordingLine(recorded: Recorded, redacts: boolean): string {
  const { number, time, durationMs, request, response, aborted, failure } = recorded;
  const members = [
    `"toollintRecording":${recordingVersion}`,
    `"number":${number}`,
    `"time":${JSON.stringify(new Date(time).toISOString())}`,
    `"durationMs":${durationMs}`,
    `"request":{${[
      `"method":${JSON.stringify(request.method)}`,
      `"url":${JSON.stringify(maskSecrets(request.url))}`,
      ...messageMembers(request, redacts),
    ]}}`,
  ];
  if (response) {
    members.push(
      `"response":{${[
        `"status":${response.status}`,
        ...(response.firstByteMs === undefined ? [] : [`"firstByteMs":${response.firstByteMs}`]),
        ...messageMembers(response, redacts),
      ]}}`,
    );
  }
  if (aborted) members.push(`"aborted":${JSON.stringify(aborted)}`);
  if (failure !== undefined) members.push(`"failure":${JSON.stringify(failure)}`);
  return `{${members}}\n`;
}

function messageMembers({ headers, body, omitted }: RecordedMessage, redacts: boolean): string[] {
  const text = bodyText(body, headers);
  const kept = text === undefined || !redacts ? text : maskSecrets(text);
  return [
    `"headers":${JSON.stringify(maskedHeaders(headersByName(headers)))}`,
    ...(body.length === 0
      ? []
      : [`"body":${kept === undefined ? JSON.stringify(body.toString("base64")) : embedded(kept)}`]),
    ...(omitted === undefined ? [] : [`"omittedBytes":${omitted}`]),
  ];
}

/** Values of a field that comes several times are joined as RFC 9110 allows; no prototype, since names come from outside. */
function headersByName(headers: HeaderList): Record<string, string> {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const field = name.toLowerCase();
    byName[field] = byName[field] === undefined ? value : `${byName[field]}, ${value}`;
  }
  return byName;
}

/** JSON on one line stands in the recording to the letter; everything else as a string. */
function embedded(text: string): string {
  return /^\s*[{[]/.test(text) && !/[\r\n]/.test(text) && isJson(text) ? text : JSON.stringify(text);
}

/** A body that claims to unpack to more than this is kept packed. */
const maxUnpacked = 256 << 20;

/** The text of a body, unpacked; `undefined` when it is none. A body that was cut is unpacked as far as it goes. */
function bodyText(body: Buffer, headers: HeaderList): string | undefined {
  const encoding = headers
    .find(([name]) => name.toLowerCase() === "content-encoding")?.[1]
    .trim()
    .toLowerCase();
  const bytes = unpacked(body, encoding);
  if (!bytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function unpacked(body: Buffer, encoding: string | undefined): Buffer | undefined {
  if (encoding === undefined || encoding === "identity" || body.length === 0) return body;
  try {
    const zlib = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxUnpacked };
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(body, zlib);
    if (encoding === "deflate") return inflateSync(body, zlib);
    if (encoding === "br") {
      return brotliDecompressSync(body, {
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
        maxOutputLength: maxUnpacked,
      });
    }
  } catch {
    // Not what the header says: kept as it is, in base64.
  }
  return undefined;
}
