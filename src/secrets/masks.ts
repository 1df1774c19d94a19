const secretHeaders =
  /^(authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie|set-cookie|x-amz-security-token|openai-organization)$|token|secret|api[-_]?key/i;

/** Rate limits are no secret, although they count tokens (`anthropic-ratelimit-tokens-remaining`). */
const countHeaders = /rate-?limit|max-tokens/i;

/** Headers with their secrets masked; names and all other values stay. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.test(name) && !countHeaders.test(name) ? "***" : maskSecrets(value),
    ]),
  );
}

/** Where a credential may begin: not after a letter or digit, except that of an escape (`\n`, `\u0009`). */
const opening = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))`;

/** Credentials as their issuers document them: prefix, allowed characters, minimum length of the rest. */
const issued: readonly (readonly [start: string, rest: string, least: number])[] = [
  ["AIza", "[0-9A-Za-z_-]", 30],
  ["(?:AKIA|ASIA)", "[0-9A-Z]", 16],
  ["gh[pousr]_", "[A-Za-z0-9]", 30],
  ["github_pat_", "[A-Za-z0-9_]", 30],
  ["glpat-", "[A-Za-z0-9_-]", 20],
  ["xox[abprs]-", "[A-Za-z0-9-]", 10],
  ["[sr]k_live_", "[A-Za-z0-9]", 20],
  ["gsk_", "[A-Za-z0-9]", 20],
  ["xai-", "[A-Za-z0-9]", 40],
  ["hf_", "[A-Za-z0-9]", 30],
  ["npm_", "[A-Za-z0-9]", 30],
];

/**
 * `sk-`: OpenAI and those who copied it. The rest has to look drawn by lot, because `sk-` also begins words
 * (`sk-learn-pipeline`): an issuer's own prefix, letters and figures in one run, or a run longer than words.
 */
const drawnByLot =
  "(?:ant-(?:api|admin|sid|oat)\\d|(?:proj|svcacct|admin)-[\\w-]{0,120}?[A-Za-z0-9_]{16}|or-v1-|lf-[0-9a-f]{8}-|[\\w-]{0,120}?(?<![A-Za-z0-9])(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{12}|[\\w-]{0,120}?[A-Za-z0-9]{20})";
const cutKey = "(?=(?:proj|svcacct|admin|ant|or|lf)-|[A-Za-z_-]{0,16}\\d)";

/** URL parameters that hold a credential. */
const parameters =
  "key|api[-_]?key|(?:access_|auth_|id_|refresh_)?token|sig|signature|client_secret|password|x-amz-(?:signature|security-token|credential)";

const addressKeys = new RegExp(String.raw`(?<=[?&](?:${parameters})=)[^&\s"'\\\x60<>]+`, "gi");

/**
 * Shapes of credentials. Each is a fixed prefix and one run of characters, or is bounded, so matching is
 * linear in the text. A cut text (`…`) may hold only the start of a credential.
 */
const secretShapes: readonly RegExp[] = [
  new RegExp(
    `sk-(?<=${opening}sk-)(?:(?=${drawnByLot})[A-Za-z0-9_-]{16,}|${cutKey}[A-Za-z0-9_-]{3,16}(?=…))`,
    "g",
  ),
  ...issued.map(
    ([start, rest, least]) =>
      // The fixed prefix comes first because the regex engine finds it fast.
      new RegExp(`${start}(?<=${opening}${start})(?:${rest}{${least},}|${rest}{3,${least}}(?=…))`, "g"),
  ),
  new RegExp(
    String.raw`eyJ(?<=${opening}eyJ)[A-Za-z0-9_-]{10,1000}\.eyJ(?:[A-Za-z0-9_.-]{10,}|[A-Za-z0-9_.-]{3,10}(?=…))`,
    "g",
  ),
];

/** Words that precede a credential; most texts contain none of them and skip the slower patterns. */
const contextWords = /bearer|basic|auth|cookie|key|token|secret|passw|organization|sig|credential|:\/\//i;
const namedShapes: readonly RegExp[] = [
  /(?<=\bbearer )(?:[A-Za-z0-9._~+/=-]{12,}|[A-Za-z0-9._~+/=-]{3,12}(?=…))/gi,
  /(?<=\b[Bb]asic )(?:[A-Za-z0-9+/]{20,}={0,2}|[A-Za-z0-9+/]{6,20}(?:={1,2}|(?=…)))/g,
  addressKeys,
];

/** The name and password, or the token, before the host of a URL. */
const userInfo = /(?<=:\/\/)(?:([^\s/:@"'\\]{0,64}:)[^\s/@"'\\]{1,256}|[^\s/:@"'\\]{16,256})(?=[@…])/g;

/** Members whose text is a credential, whatever its shape. */
const secretName =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|openai-organization|x-(?:api-key|auth-token|goog-api-key|amz-security-token)|api[-_]?key|(?:access|refresh|auth|session)[-_]?token|client[-_]?secret|secret[-_]?(?:access[-_]?)?key|password|passwd)$/i;

/** What separates such a name from its value in JSON (a member or a pair), in a script or in a header. */
const quote = String.raw`\\{0,8}["']`;
const assigned = String.raw`(?:${quote})?\s{0,4}[:=]\s{0,4}\[?\s{0,4}${quote}|${quote},\s{0,40}${quote}value${quote}\s{0,4}:\s{0,4}${quote}`;
const namedSecret = new RegExp(
  String.raw`(?<![A-Za-z0-9])(${secretName.source.slice(1, -1)})((?:${assigned})(?:(?:bearer|basic|token) )?)[^"'\\\r\n…]{4,}`,
  "gi",
);
const headerLine =
  /(?<![A-Za-z0-9])((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-auth-token|x-goog-api-key|x-amz-security-token)(:[ \t]{0,4}(?:(?:bearer|basic|token) )?)[^\s"'\\`…]{6,}(?:;[^"'\\\r\n…]*)?/gi;

/** Whether the text of a member with this name is a credential. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Text with credentials masked: the context stays recognisable, the secret part does not. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const shape of secretShapes) masked = masked.replace(shape, (secret) => `${secret.slice(0, 4)}***`);
  if (!contextWords.test(text)) return masked;
  for (const shape of namedShapes) masked = masked.replace(shape, (secret) => `${secret.slice(0, 4)}***`);
  return masked
    .replace(userInfo, (_, name: string | undefined) => `${name ?? ""}***`)
    .replace(namedSecret, "$1$2***")
    .replace(headerLine, "$1$2***");
}

/** A slice of a text, from `start` up to but not including `end`. */
interface TextSlice {
  readonly start: number;
  readonly end: number;
}

/** Headers that carry a credential, wherever logs keep headers. */
const headerName = `(?<![A-Za-z0-9-])(?:(?:proxy-)?authorization|(?:set-)?cookie|openai-organization|(?:x-[a-z-]{0,30})?(?:api-key|token|secret)|x-[a-z-]{0,30}key)`;

/** Such a name up to its quoted or bare value: a member, a pair, a `{name, value}`, YAML, a header line. */
const keptHeaders = new RegExp(
  String.raw`${headerName}(?:(?:${quote})\s{0,40}[:,]\s{0,40}(?:${quote}value${quote}\s{0,40}:\s{0,40})?[\[(]?\s{0,40}b?(?<quote>${quote})|(?<line>:[ \t]{0,4})(?:(?:\r?\n[ \t]{0,80})?-[ \t]{1,4})?["']?)`,
  "gi",
);

/** What tests and maskers write in place of a credential; it hides nothing. */
const placeholder =
  /^.{0,7}$|dummy|example|placeholder|redacted|masked|filtered|fake|your[-_]|not[-_]needed|^test[-_]|-xxx$|\*{3}/i;

/** Longer values are not followed to their end. */
const longestValue = 16 << 10;

/** The values of auth headers, cookies and keys in URLs in a log's text, without placeholders. */
export function* keptCredentials(text: string): Generator<TextSlice> {
  for (const found of credentialValues(text))
    if (!placeholder.test(text.slice(found.start, found.end))) yield found;
}

/**
 * All credentials in a log's text: those of {@link keptCredentials} and those that {@link maskSecrets} masks.
 */
export function* allCredentials(text: string): Generator<TextSlice> {
  yield* keptCredentials(text);
  const hasContext = contextWords.test(text);
  for (const shape of hasContext ? [...secretShapes, ...namedShapes] : secretShapes)
    for (const { 0: found, index } of text.matchAll(shape)) yield { start: index, end: index + found.length };
  if (!hasContext) return;
  for (const shape of [namedSecret, headerLine]) {
    for (const { 0: found, 1: name = "", 2: between = "", index } of text.matchAll(shape))
      yield { start: index + name.length + between.length, end: index + found.length };
  }
}

function* credentialValues(text: string): Generator<TextSlice> {
  let seen = 0;
  for (const { 0: found, index, groups } of text.matchAll(keptHeaders)) {
    const start = index + found.length;
    if (index < seen) continue;
    const rest = text.slice(start, start + longestValue);
    const scheme = /^(?:bearer|basic|token) +/i.exec(rest)?.[0].length ?? 0;
    const length =
      groups?.["quote"] === undefined
        ? /^[^\r\n"'\\]*/.exec(rest)?.[0].length
        : quotedLength(rest, groups["quote"]);
    seen = start + (length ?? longestValue);
    if (length !== undefined && length > scheme) yield { start: start + scheme, end: start + length };
  }
  for (const pattern of [addressKeys, userInfo]) {
    for (const { 0: found, 1: name, index } of text.matchAll(pattern))
      yield { start: index + (name?.length ?? 0), end: index + found.length };
  }
}

/** The length of a text up to its closing quote, past deeper escaped quotes; `undefined` when it is open. */
function quotedLength(text: string, opened: string): number | undefined {
  for (const { 0: quoted, index } of text.matchAll(/\\*["']/g))
    if (quoted.at(-1) === opened.at(-1) && quoted.length <= opened.length) return index;
  return undefined;
}

/** Masks every character except escapes and quotes. The length stays, so no stated length becomes wrong. */
export function blotted(secret: string): string {
  return secret.replace(/\\+["']|["']|[^"']/gs, (part) =>
    /["']$/.test(part) ? part : "*".repeat(part.length),
  );
}
