import type { Exchange } from "../conversation/exchange.ts";
import { plainSpan } from "../reading/place.ts";
import { allCredentials, blotted, keptCredentials } from "../reading/secrets.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";
import type { PayloadPlace } from "../traffic/place.ts";

/** So much is looked at in one go, and so much of it again with the next, so that no credential is cut. */
const stretch = 4 << 20;
const overlap = 64 << 10;

/**
 * The auth headers, cookies and keys in URLs that a log holds beside its bodies, masked in their place.
 * Bodies keep what they hold. Every mask is as long as what it hides: all that the log states about lengths
 * stays true.
 */
export function headerMasks(source: ByteSource, exchanges: readonly Exchange[]): Patch[] {
  const bodies = bodiesOf(exchanges)
    .map(({ origin: { start, end } }) => ({ start, end }))
    .sort((a, b) => a.start - b.start);
  return apart(masksOf(source, keptCredentials), bodies);
}

/**
 * All credentials of a log, masked in their place, those in bodies, too; or the bodies whose credentials
 * stand there in another encoding.
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
  for (let from = 0; from < source.size; from += stretch) {
    // One character a byte: what is searched is ASCII.
    const text = source.read(from, Math.min(source.size, from + stretch + overlap)).toString("latin1");
    for (const { start, end } of credentials(text)) {
      const secret = text.slice(start, end);
      if (start < stretch && !isMask(secret))
        patches.push({ start: from + start, end: from + end, bytes: Buffer.from(blotted(secret), "latin1") });
    }
  }
  return patches;
}

/** The patches in order, without those that touch a body or one before. */
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
