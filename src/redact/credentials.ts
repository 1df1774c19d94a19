import { allMasks } from "../fix/masks.ts";
import type { LogFile } from "../log/read.ts";
import { patched } from "../reading/view.ts";
import { allCredentials, blotted } from "../secrets/kept.ts";

/** The bytes of a log with credentials masked, each by as many characters as it has. */
export function withoutCredentials({ source, exchanges }: Pick<LogFile, "source" | "exchanges">): Buffer {
  const bytes = source.read(0, source.size);
  const found = allMasks(source, exchanges);
  // What is encoded is masked where it is decoded.
  const masks = "masks" in found ? found : allMasks(source, []);
  return "masks" in masks ? patched(bytes, masks.masks) : bytes;
}

/** A text with credentials masked, as long as before. */
export function withoutCredentialsIn(text: string): string {
  let masked = text;
  for (const secret of allCredentials(text))
    masked = masked.slice(0, secret.start) + blotted(text, secret) + masked.slice(secret.end);
  return masked;
}
