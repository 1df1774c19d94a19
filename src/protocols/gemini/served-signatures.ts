import { createHash } from "node:crypto";
import type { ProviderError } from "../refusals.ts";
import { type Fields, fields, list, string } from "../wire.ts";
import { member } from "./names.ts";

/** Signatures are base64 of what only the provider can read; those of a model server begin with this. */
const mark = "CtoollintX1v";

const digest = (text: string): string => createHash("sha384").update(text).digest("base64");

const sealed = (sum: string): string => mark + sum + digest(mark + sum).slice(0, 12);

/**
 * The signature of a part that a model server writes. Clients send it back as it is.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function signatureOf(part: unknown): string {
  return sealed(digest(JSON.stringify(part) ?? ""));
}

/**
 * The error for a signature of a model server that did not come back as it was sent. What it signs may
 * change; other signatures nobody else can judge. Both alphabets of base64 do, as for bytes in any protocol
 * buffer: google-genai for Python sends the one for URLs.
 * @see https://github.com/earendil-works/pi/issues/471
 * @see https://protobuf.dev/programming-guides/json/
 */
export function corrupted(request: Fields): ProviderError | undefined {
  const isBroken = list(request["contents"])
    .flatMap((content) => list(fields(content)["parts"]))
    .map((part) => string(member(fields(part), "thoughtSignature")) ?? "")
    .map((seal) => seal.replaceAll("-", "+").replaceAll("_", "/"))
    .some((seal) => seal.startsWith(mark) && seal !== sealed(seal.slice(mark.length, mark.length + 64)));
  return isBroken ? { status: 400, message: "Corrupted thought signature." } : undefined;
}
