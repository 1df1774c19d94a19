import { createHash } from "node:crypto";

/**
 * The signature of a part that a model server writes. Clients send it back as it is: base64 of what only the
 * provider can read.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function signatureOf(part: unknown): string {
  const digest = createHash("sha384")
    .update(JSON.stringify(part) ?? "")
    .digest("base64");
  return `CtoollintA${digest}==`.slice(0, 72);
}
