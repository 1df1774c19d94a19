import type { Exchange } from "../conversation/exchange.ts";
import { plainSpan } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";
import { allCredentials, blotted, keptCredentials } from "../secrets/masks.ts";
import type { PayloadPlace } from "../traffic/place.ts";

/** Bytes searched at once, and the overlap with the next slice, so that no credential is cut in two. */
const sliceSize = 4 << 20;
const overlap = 64 << 10;

/**
 * Masks the auth headers, cookies and keys in URLs that a log contains outside its bodies; bodies stay
 * unchanged. Each mask is as long as the secret, so every length stated in the log stays true.
 */
export function headerMasks(source: ByteSource, exchanges: readonly Exchange[]): Patch[] {
  const bodies = bodiesOf(exchanges)
    .map(({ origin: { start, end } }) => ({ start, end }))
    .sort((a, b) => a.start - b.start);
  return apart(masksOf(source, keptCredentials), bodies);
}

/**
 * Masks all credentials of a log in place, including those in bodies. If bodies contain credentials in
 * another encoding, returns these bodies instead.
 */
export function allMasks(
  source: ByteSource,
  exchanges: readonly Exchange[],
): { readonly masks: readonly Patch[] } | { readonly encoded: readonly PayloadPlace[] } {
  const masks = apart(masksOf(source, allCredentials), []);
  const encoded = bodiesOf(exchanges).filter((place) => {
    const { view, start, end } = plainSpan(place.span);
    if (isWithoutCredentials(view.read(start, end))) return false;
    const { origin } = place;
    return !masks.some((mask) => mask.start < origin.end && origin.start < mask.end);
  });
  return encoded.length > 0 ? { encoded } : { masks };
}

function isWithoutCredentials(bytes: Buffer): boolean {
  for (const { start, end } of allCredentials(bytes.toString("latin1")))
    if (!isMask(bytes.toString("latin1", start, end))) return false;
  return true;
}

function isMask(secret: string): boolean {
  return blotted(secret) === secret;
}

function bodiesOf(exchanges: readonly Exchange[]): PayloadPlace[] {
  return exchanges.flatMap(({ request, reply }) => [
    ...(request ? [request.place, ...(request.copies ?? []).map(({ place }) => place)] : []),
    ...(reply ? [reply.place] : []),
  ]);
}

function masksOf(
  source: ByteSource,
  credentials: (text: string) => Iterable<{ readonly start: number; readonly end: number }>,
): Patch[] {
  const patches: Patch[] = [];
  for (let from = 0; from < source.size; from += sliceSize) {
    // One character per byte: the searched patterns are ASCII.
    const text = source.read(from, Math.min(source.size, from + sliceSize + overlap)).toString("latin1");
    for (const { start, end } of credentials(text)) {
      const secret = text.slice(start, end);
      if (start < sliceSize && !isMask(secret))
        patches.push({ start: from + start, end: from + end, bytes: Buffer.from(blotted(secret), "latin1") });
    }
  }
  return patches;
}

/** The patches in order, without those that overlap a body or an earlier patch. */
function apart(
  patches: readonly Patch[],
  bodies: readonly { readonly start: number; readonly end: number }[],
): Patch[] {
  const kept: Patch[] = [];
  let next = 0;
  let reach = 0;
  for (const patch of [...patches].sort((a, b) => a.start - b.start)) {
    for (; next < bodies.length && (bodies[next]?.start ?? 0) < patch.end; next++)
      reach = Math.max(reach, bodies[next]?.end ?? 0);
    if (patch.start >= reach && patch.start >= (kept.at(-1)?.end ?? 0)) kept.push(patch);
  }
  return kept;
}
