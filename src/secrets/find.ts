import { addressSecrets, bearerSecrets } from "./addresses.ts";
import { isExample, isPlaceholder, longestWord, looksDrawn } from "./drawn.ts";
import { unescaped } from "./encoded.ts";
import { type IssuedKind, issuedKinds, longestLoose } from "./issued.ts";
import { namedSecrets } from "./named.ts";
import { charactersOf, runAt } from "./runs.ts";
import { isAfterEscape, isOpening, type Secret } from "./secret.ts";
import { specialSecrets } from "./special.ts";

/** The kinds by the last three characters of their beginnings, as a number: looked up at every separator. */
const kindsByTail = new Map<number, IssuedKind[]>();
for (const each of issuedKinds) {
  const tail = tailAt(each.start, each.start.length);
  kindsByTail.set(tail, [...(kindsByTail.get(tail) ?? []), each]);
}

function tailAt(text: string, end: number): number {
  return (
    (text.charCodeAt(end - 3) & 0xff) |
    ((text.charCodeAt(end - 2) & 0xff) << 8) |
    (text.charCodeAt(end - 1) << 16)
  );
}

const longerBeginnings = new Map<string, readonly string[]>();

/** The longer beginnings that begin with this one, made when one is met: `sk-`, `sk-proj-`. */
function longerThan(start: string): readonly string[] {
  let longer = longerBeginnings.get(start);
  if (!longer) {
    longer = issuedKinds
      .map((other) => other.start)
      .filter((other) => other !== start && other.startsWith(start));
    longerBeginnings.set(start, longer);
  }
  return longer;
}

/** Beginnings that end with no separator. */
const others = [...new Set(issuedKinds.map(({ start }) => start).filter((start) => !/[-_./]$/.test(start)))]
  .map((start) => start.replace(/[.~/]/g, "\\$&"))
  .join("|");

/**
 * Ends of beginnings with what has to follow: the more characters, the faster prose is skipped. A text that
 * was cut (`…`) may hold only the first characters.
 */
const anyMarks = [new RegExp(`(?:[-_./]|${others})(?=[\\w/+=.~%-]{8}|[\\w-]{3,16}…)`, "g")];
const longMarks = [/[-_./](?=[\w-]{16})/g, new RegExp(`(?:${others})(?=[\\w-]{16})`, "g")];

/** Words that precede a credential; most texts contain none of them and skip the slower patterns. */
const contextWords =
  /bearer|basic|auth|cookie|key|token|secret|passw|passphrase|passcode|pass\b|pwd|\bpat\b|creds|credential|sig|:\/\/|curl|login/i;

/** All credentials in a text as it stands: proven, likely and named ones, in order and apart. */
export function plainSecrets(text: string): Secret[] {
  const found = [...issuedSecrets(text, anyMarks), ...specialSecrets(text, false)];
  if (contextWords.test(text))
    for (const find of [bearerSecrets, addressSecrets, namedSecrets])
      for (const secret of find(text)) found.push(secret);
  return apart(found);
}

/** Names of credentials before values long enough to be drawn. */
const namedValues =
  /(?:key|token|secret|password)["'\\]{0,9} {0,4}[:=] {0,4}\\{0,8}["']?(?=[A-Za-z0-9+/_=.-]{20})/gi;
/** Around such a name, this much is looked at. */
const [beforeName, afterName] = [64, 300];

/**
 * The kind of the first credential in a text (`an OpenAI API key`), if any: one that its issuer would
 * recognise, or whose name and value leave no doubt. Placeholders and examples do not count. Linear time.
 */
export function credentialIn(text: string): string | undefined {
  for (const { kind } of provenSecrets(text)) return kind;
  return undefined;
}

/** The credentials in a text by the same measure as {@link credentialIn}, in no order. */
export function* credentialsIn(text: string): Generator<string> {
  for (const { secret } of provenSecrets(text)) yield secret;
}

function* provenSecrets(text: string): Generator<{ readonly kind: string; readonly secret: string }> {
  if (!mayHoldProven(text)) return;
  for (const each of [text, unescaped(text)?.text]) {
    if (each === undefined) continue;
    for (const found of provenIn(each))
      yield { kind: found.kind, secret: each.slice(found.start, found.end) };
  }
}

function* provenIn(text: string): Generator<Secret> {
  for (const secret of issuedSecrets(text, longMarks)) if (isReal(text, secret)) yield secret;
  for (const secret of specialSecrets(text, true)) if (isReal(text, secret)) yield secret;
  for (const { start, end } of namedRanges(text)) {
    for (const secret of namedSecrets(text.slice(start, end)))
      if (secret.isProven) yield { ...secret, start: start + secret.start, end: start + secret.end };
  }
}

/** The surroundings of names of credentials; those that overlap are one. */
function* namedRanges(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let range: { start: number; end: number } | undefined;
  for (const { index } of text.matchAll(namedValues)) {
    const start = Math.max(0, index - beforeName);
    const end = index + afterName;
    if (range && start <= range.end) range.end = end;
    else {
      if (range) yield range;
      range = { start, end };
    }
  }
  if (range) yield range;
}

function isReal(text: string, { start, end, isProven, shown }: Secret): boolean {
  return isProven && !isExample(text.slice(shown === 0 ? start : start + 3, end));
}

/** Characters of credentials, of their names and of the escapes that {@link unescaped} reads. */
const isOfRun = charactersOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~\\%&#;");

/** Every proven credential has so many of these characters in a row; a private key at least has dashes. */
const shortestRun = 16;

/** Whether a text may hold a proven credential: prose has no run of characters that long. */
export function mayHoldProven(text: string): boolean {
  return runAt(text, isOfRun, shortestRun) !== undefined || text.includes("-----");
}

/** Credentials known by how they begin. */
function issuedSecrets(text: string, marks: readonly RegExp[]): Secret[] {
  const found: Secret[] = [];
  for (const mark of marks) {
    const words: Words = { end: 0 };
    // No list of matches: most marks are none, and there are many.
    mark.lastIndex = 0;
    while (mark.test(text)) {
      const kinds = kindsByTail.get(tailAt(text, mark.lastIndex));
      const secret = kinds && issuedAt(text, mark.lastIndex, kinds, words);
      if (!secret) continue;
      found.push(secret);
      mark.lastIndex = secret.end;
    }
  }
  return found;
}

/** How far a run of characters was seen to be made of words; beginnings within it are not looked at again. */
interface Words {
  end: number;
}

/** The credential whose beginning ends at a place. */
function issuedAt(text: string, at: number, kinds: readonly IssuedKind[], words: Words): Secret | undefined {
  for (const issued of kinds) {
    const { kind, start: beginning } = issued;
    const start = at - beginning.length;
    if (!text.startsWith(beginning, start) || !isOpening(text, start)) continue;
    if (longerThan(beginning).some((other) => text.startsWith(other, start))) continue;
    if (beginning.length < longBeginning && isInBlob(text, start)) continue;
    const isBare = /[a-z\d]$/i.test(beginning);
    const { exact, loose } = issued.forms();
    exact.lastIndex = at;
    const proven = exact.exec(text)?.[0];
    if (proven !== undefined && !isPlaceholder(proven) && !(isBare && /[+/]/.test(text.charAt(start - 1))))
      return { start, end: at + proven.length, kind, isProven: true, shown: 4 };
    if (at < words.end) continue;
    loose.lastIndex = at;
    const likely = loose.exec(text)?.[0];
    if (likely === undefined) continue;
    const end = at + likely.length;
    const isCut = text.charAt(end) === "…";
    if (!isCut && !looksDrawn(likely)) words.end = likely.length < longestLoose ? end : end - longestWord;
    if (isPlaceholder(likely) || !isLikely(text, start, at, end)) continue;
    const isWhole = likely.length < longestLoose;
    return { start, end: isWhole ? end : endOfRun(text, end), kind, isProven: false, shown: 4 };
  }
  return undefined;
}

/** In what is encoded, shorter beginnings come about by chance. */
const longBeginning = 7;

/** Whether a run of base64 stands directly before a place: a signature, a sealed text, an image. */
function isInBlob(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 24), at);
  return /^[A-Za-z0-9+/_-]{23}[-_+/]$/.test(before) && looksDrawn(before);
}

/** Whether a text of no documented form is a credential, and no word or part of a name, path or address. */
function isLikely(text: string, start: number, at: number, end: number): boolean {
  const rest = text.slice(at, end);
  const size = at - start;
  // Long enough behind a beginning that is not a word.
  if (size >= 4 && rest.length >= 30 && /\d/.test(rest)) return true;
  if (text.charAt(end) === "…" ? !/\d|[a-z][A-Z]/.test(rest) : !looksDrawn(rest)) return false;
  if (rest.length >= 40) return true;
  const before = start === 0 || isAfterEscape(text, start) ? "" : text.charAt(start - 1);
  if ((/[-_]/.test(before) && size < longBeginning) || (/[./\\+]/.test(before) && size < 5)) return false;
  // The name of a file.
  return size >= longBeginning || !/^\.[a-z]{1,5}\b/.test(text.slice(end, end + 7));
}

/** Where the run of characters ends that a credential of more than the searched length goes on with. */
function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && /[\w-]/.test(text.charAt(end))) end++;
  return end;
}

/** Credentials in order; those that overlap become one. */
export function apart(found: readonly Secret[]): Secret[] {
  const kept: Secret[] = [];
  for (const secret of [...found].sort((a, b) => a.start - b.start || b.shown - a.shown)) {
    const last = kept.at(-1);
    if (!last || secret.start >= last.end) kept.push(secret);
    else if (secret.end > last.end) kept[kept.length - 1] = joined(last, secret);
  }
  return kept;
}

function joined({ start, kind, isProven, shown }: Secret, { end }: Secret): Secret {
  return { start, end, kind, isProven, shown };
}
