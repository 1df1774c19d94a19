import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from "node:zlib";
import type { HeaderList } from "../http/client.ts";
import { parseJson } from "../reading/parse.ts";
import { unzstd } from "../reading/zstd.ts";
import { maskedHeaders, maskSecrets } from "../secrets/masks.ts";

/** The version of a recording's lines (`schemas/recording.schema.json`). */
const recordingVersion = 1;

/** One exchange that went through the proxy. */
export interface Recorded {
  /** The number of the request in the recording, from 1, in order of arrival. */
  readonly number: number;
  /** When the request began, in milliseconds since the epoch. */
  readonly time: number;
  readonly durationMs: number;
  readonly request: RecordedMessage & { readonly method: string; readonly url: string };
  readonly response?: RecordedMessage & {
    readonly status: number;
    /** From the start of the request to the first byte of the body. */
    readonly firstByteMs?: number;
  };
  /** The side that aborted the exchange; `recorder` when the recording ended first. */
  readonly aborted?: "client" | "server" | "recorder";
  /** Why there is no response, or why its messages are not recorded. */
  readonly failure?: string;
}

export interface RecordedMessage {
  readonly headers: HeaderList;
  /** The bytes of the wire. */
  readonly body: Buffer;
  /** How many bytes at its end were not stored. */
  readonly omitted?: number;
}

/** An exchange as a recording line with its line feed. Masks credentials; those in bodies with `redacts`. */
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

/** Joins repeated fields as RFC 9110 allows. No prototype, since names come from outside. */
function headersByName(headers: HeaderList): Record<string, string> {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const field = name.toLowerCase();
    byName[field] = byName[field] === undefined ? value : `${byName[field]}, ${value}`;
  }
  return byName;
}

/** JSON on one line is stored verbatim; everything else as a string. */
function embedded(text: string): string {
  return /^\s*[{[]/.test(text) && !/[\r\n]/.test(text) && parseJson(text) !== undefined
    ? text
    : JSON.stringify(text);
}

/** A body that unpacks to more bytes than this is stored packed. */
const maxUnpacked = 64 << 20;

/** The unpacked text of a body; `undefined` when it is not text. A cut body is unpacked up to the cut. */
function bodyText(body: Buffer, headers: HeaderList): string | undefined {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === "content-encoding")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((coding) => coding.trim());
  let bytes: Buffer | undefined = body;
  // The last one was applied last. Nobody applies many.
  for (const coding of codings.slice(-3).reverse()) bytes = bytes && unpacked(bytes, coding);
  if (!bytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function unpacked(body: Buffer, coding: string): Buffer | undefined {
  if (coding === "" || coding === "identity" || body.length === 0) return body;
  try {
    const zlib = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxUnpacked };
    if (coding === "gzip" || coding === "x-gzip") return gunzipSync(body, zlib);
    if (coding === "deflate") return inflated(body, zlib);
    if (coding === "zstd") return unzstd(body, maxUnpacked);
    if (coding === "br") {
      return brotliDecompressSync(body, {
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
        maxOutputLength: maxUnpacked,
      });
    }
  } catch {
    // Not what the header says: stored unchanged, in base64.
  }
  return undefined;
}

/** RFC 9110 means zlib's format; some servers send the bare one. */
function inflated(body: Buffer, zlib: ZlibOptions): Buffer {
  try {
    return inflateSync(body, zlib);
  } catch {
    return inflateRawSync(body, zlib);
  }
}
