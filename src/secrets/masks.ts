import { base64Texts, type DecodedText, unescaped } from "./encoded.ts";
import { apart, plainSecrets } from "./find.ts";
import { type JoinedText, joinedTexts, rangesOf } from "./fragments.ts";
import { isSecretHeader } from "./names.ts";
import type { Secret } from "./secret.ts";

/** Encodings within encodings are followed so far. */
const maxDepth = 3;

/** All credentials in a text: as they stand, escaped, in base64 and in fragments. In order and apart. */
export function secretsIn(text: string): Secret[] {
  return secretsAt(text, maxDepth);
}

/** Signs of the events of a stream; they begin with a fixed character, by which they are searched fast. */
const events = /"delta|data: ?\{|"(?:candidates|eval_count|done)\\{0,15}"/;

function secretsAt(text: string, depth: number): Secret[] {
  const found: Secret[] = plainSecrets(text);
  if (depth > 0) {
    const plain = unescaped(text);
    if (plain) for (const secret of secretsFrom(plain, depth)) found.push(secret);
    for (const encoded of base64Texts(text))
      for (const secret of secretsFrom(encoded, depth)) found.push(secret);
    if (events.test(text)) for (const secret of secretsInFragments(text, depth)) found.push(secret);
  }
  return found.length > 1 ? apart(found) : found;
}

function* secretsFrom(decoded: DecodedText, depth: number): Generator<Secret> {
  for (const secret of secretsAt(decoded.text, depth - 1)) {
    const { start, end } = secret;
    const blot = decoded.masked?.(start, end);
    yield { ...secret, ...decoded.rangeOf(start, end), shown: 0, ...(blot !== undefined && { blot }) };
  }
}

/** Fragments are shorter; a longer text next to another is a text of its own. */
const longestFragment = 400;

/** Credentials that reach over several fragments; those within one stand in the text as they are. */
function* secretsInFragments(text: string, depth: number): Generator<Secret> {
  for (const joined of joinedTexts(text)) {
    for (const secret of secretsAt(joined.text, Math.min(1, depth - 1))) {
      const ranges = rangesOf(joined, secret.start, secret.end);
      if (!isOfFragments(joined, secret, ranges)) continue;
      for (const [index, range] of ranges.entries())
        yield {
          ...secret,
          ...range,
          shown: index === 0 ? Math.min(secret.shown, range.end - range.start) : 0,
        };
    }
  }
}

/** A named value may seem to go on in the next text; only in a stream are all fragments short. */
function isOfFragments(
  { fragments }: JoinedText,
  { start, shown }: Secret,
  ranges: readonly { readonly start: number; readonly end: number }[],
): boolean {
  if (shown > 0) return ranges.length > 1;
  const isNamedBefore = fragments.some(({ at }) => at > 0 && at <= start && at > start - longestName);
  return (
    (ranges.length > 1 || isNamedBefore) &&
    fragments.every((each) => each.end - each.start <= longestFragment)
  );
}

/** A name and what stands between it and its value. */
const longestName = 64;

/** The parts of credentials that a stream holds in fragments, without those of few characters. */
export function credentialFragments(text: string): Set<string> {
  if (!events.test(text)) return new Set();
  const parts = [...secretsInFragments(text, 1)].map(({ start, end, shown }) =>
    text.slice(start + shown, end),
  );
  return new Set(parts.filter((part) => part.length >= 8));
}

/** Text with credentials masked: their surroundings and their kind stay recognisable. */
export function maskSecrets(text: string): string {
  return replaced(text, secretsIn(text));
}

/**
 * The first `size` characters of a text with credentials masked. A credential that would be cut is masked
 * whole, although its beginning alone would not look like one.
 */
export function maskedStart(text: string, size: number): string {
  if (text.length <= size) return maskSecrets(text);
  const seen = text.slice(0, size + reach);
  const found = secretsIn(seen).filter(({ start }) => start < size);
  const end = Math.max(size, found.at(-1)?.end ?? 0);
  return replaced(seen.slice(0, end), found);
}

/**
 * A slice of a text for a message. Credentials stay for the printer to mask, except one that a cut would
 * halve: what is left of it would no longer be told, so it is masked. It is looked for up to `around`
 * characters away.
 */
export function uncutSlice(text: string, start: number, end: number, around = 300): string {
  const from = Math.max(0, start - around);
  const seen = text.slice(from, end + around);
  const [low, high] = [start - from, Math.min(end, text.length) - from];
  const cut = secretsIn(seen).filter((each) => [low, high].some((at) => each.start < at && at < each.end));
  const [first] = cut;
  if (!first) return text.slice(start, end);
  const last = cut.at(-1) ?? first;
  const begin = Math.min(first.start, low);
  const masks = cut.map((each) => ({ ...each, start: each.start - begin, end: each.end - begin }));
  return replaced(seen.slice(begin, Math.max(high, last.end)), masks);
}

/** Credentials that begin before a cut are looked for up to here behind it. */
const reach = 4096;

function replaced(text: string, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, shown } of secrets) {
    parts.push(text.slice(copied, start), `${text.slice(start, start + shown)}***`);
    copied = end;
  }
  return `${parts.join("")}${text.slice(copied)}`;
}

/** Headers with their secrets masked; names and all other values stay. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? "***" : maskSecrets(value)]),
  );
}
