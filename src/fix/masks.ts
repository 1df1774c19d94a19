import { inOrder, PatchMap } from "../containers/write/patch-map.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { pushAll } from "../reading/lists.ts";
import { plainSpan } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Patch } from "../reading/view.ts";
import { allCredentials, blotted, keptCredentials } from "../secrets/kept.ts";
import type { Secret } from "../secrets/secret.ts";
import type { PayloadPlace } from "../traffic/place.ts";

/** Bytes searched at once, and the overlap with the next slice, so that no credential is cut in two. */
const sliceSize = 4 << 20;
const overlap = 512 << 10;

/** A range of the file. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Masks the auth headers, cookies and keys in URLs that a log contains outside its bodies; bodies stay
 * unchanged. Each mask is as long as the secret, so every length stated in the log stays true.
 */
export function headerMasks(source: ByteSource, exchanges: readonly Exchange[]): Patch[] {
  return apart(masksOf(source, keptCredentials), bodiesOf(exchanges).map(rangeOf));
}

/**
 * Masks all credentials of a log in place, including those in bodies, in fragments of streams and in other
 * encodings. Returns the bodies with credentials that cannot be masked there, if there are any.
 */
export function allMasks(
  source: ByteSource,
  exchanges: readonly Exchange[],
): { readonly masks: readonly Patch[] } | { readonly encoded: readonly PayloadPlace[] } {
  const plain = apart(masksOf(source, allCredentials), []);
  const rewritten: Range[] = [];
  const masks: Patch[] = [];
  const encoded: PayloadPlace[] = [];
  for (const place of bodiesOf(exchanges)) {
    const body = maskedBody(place, plain);
    if (body === "unmaskable") encoded.push(place);
    else if (body.length > 0) {
      rewritten.push(rangeOf(place));
      pushAll(masks, body);
    }
  }
  if (encoded.length > 0) return { encoded };
  // Within a body that is written anew, what was found in its decoded text counts.
  return { masks: apart([...masks, ...apart(plain, rewritten)], []) };
}

/**
 * The masks of a body whose text does not stand in the file as it is; none where those found in the file hide
 * all that its text holds.
 */
function maskedBody(place: PayloadPlace, masks: readonly Patch[]): readonly Patch[] | "unmaskable" {
  const { view, start, end } = plainSpan(place.span);
  if (view.isFile) return [];
  const text = view.read(start, end).toString("latin1");
  const secrets = [...allCredentials(text)].filter((secret) => !isMasked(text, secret));
  const isOpen = secrets.some((secret) => {
    const origin = view.origin(start + secret.start, start + secret.end);
    return !masks.some((mask) => mask.start <= origin.start && origin.end <= mask.end);
  });
  if (!isOpen) return [];
  const patches = secrets.map((secret) => patchOf(text, secret, start));
  const map = new PatchMap<PayloadPlace>();
  map.add(view, apart(patches, []), new Set([place]));
  const mapped = map.toFile();
  if (map.failures.size === 0 && mapped.every(isAsLong)) return mapped;
  const { origin } = place;
  return masks.some((mask) => mask.start < origin.end && origin.start < mask.end) ? [] : "unmaskable";
}

function isAsLong({ start, end, bytes }: Patch): boolean {
  return bytes.length === end - start;
}

function isMasked(text: string, secret: Secret): boolean {
  return blotted(text, secret) === text.slice(secret.start, secret.end);
}

function patchOf(text: string, secret: Secret, from: number): Patch {
  return {
    start: from + secret.start,
    end: from + secret.end,
    bytes: Buffer.from(blotted(text, secret), "latin1"),
  };
}

function bodiesOf(exchanges: readonly Exchange[]): PayloadPlace[] {
  return exchanges.flatMap(({ request, reply }) => [
    ...(request ? [request.place, ...(request.copies ?? []).map(({ place }) => place)] : []),
    ...(reply ? [reply.place] : []),
  ]);
}

function rangeOf({ origin: { start, end } }: PayloadPlace): Range {
  return { start, end };
}

function masksOf(source: ByteSource, credentials: (text: string) => Iterable<Secret>): Patch[] {
  const patches: Patch[] = [];
  for (let from = 0; from < source.size; from += sliceSize) {
    // One character per byte: the searched patterns are ASCII.
    const text = source.read(from, Math.min(source.size, from + sliceSize + overlap)).toString("latin1");
    for (const secret of credentials(text))
      if (secret.start < sliceSize && !isMasked(text, secret)) patches.push(patchOf(text, secret, from));
  }
  return patches;
}

/** The patches in order, without those that overlap a body. Those that overlap each other become one. */
function apart(patches: readonly Patch[], bodies: readonly Range[]): Patch[] {
  const kept: Patch[] = [];
  const ranges = [...bodies].sort((a, b) => a.start - b.start);
  let next = 0;
  let reach = 0;
  for (const patch of [...patches].sort(inOrder)) {
    for (; next < ranges.length && (ranges[next]?.start ?? 0) < patch.end; next++)
      reach = Math.max(reach, ranges[next]?.end ?? 0);
    if (patch.start < reach) continue;
    const last = kept.at(-1);
    if (!last || patch.start >= last.end) kept.push(patch);
    else if (patch.end > last.end) kept[kept.length - 1] = joined(last, patch);
  }
  return kept;
}

/** Two masks that overlap as one; each byte of a mask stands for one of the file. */
function joined(first: Patch, second: Patch): Patch {
  const bytes = Buffer.concat([first.bytes, second.bytes.subarray(first.end - second.start)]);
  return { start: first.start, end: second.end, bytes };
}
