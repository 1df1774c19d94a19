/**
 * A name of 16 hex digits for a text, the same on every machine. It tells findings apart in a baseline and keeps no secret,
 * so a small mixing hash does: loading the crypto library would cost a tenth of a cold start.
 */
export function fingerprintOf(text: string): string {
  return half(text, 0x9e3779b9) + half(text, 0x85ebca6b);
}

/** FNV-1a over UTF-16 units with a final mix, 32 bits. */
function half(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
