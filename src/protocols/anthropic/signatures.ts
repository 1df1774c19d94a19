import { createHash } from "node:crypto";

/** Signatures are base64 of a protocol buffer and begin with `E`; a model server's own begin with this. */
const mark = "EtoollintX1v";

const digest = (text: string): string => createHash("sha384").update(text).digest("base64");

const sealed = (sum: string): string => mark + sum + digest(mark + sum).slice(0, 12);

/** The signature of a `thinking` block that a model server writes: it holds the hash of the text. */
export function signatureOf(thinking: string): string {
  return sealed(digest(thinking));
}

/**
 * What a client changed of a `thinking` block with such a signature. `undefined` if it changed nothing, or if
 * another server signed the block, which nobody else can judge.
 */
export function changeIn(thinking: string, signature: string): "text" | "signature" | undefined {
  if (!signature.startsWith(mark)) return undefined;
  const sum = signature.slice(mark.length, mark.length + 64);
  if (signature !== sealed(sum)) return "signature";
  return sum === digest(thinking) ? undefined : "text";
}
