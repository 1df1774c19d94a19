import { addressSecrets } from "./addresses.ts";
import { secretsIn } from "./masks.ts";
import { quotedLength } from "./named.ts";
import type { Secret } from "./secret.ts";

const quote = String.raw`\\{0,8}["']`;

/** Headers that carry a credential, wherever logs keep headers. */
const headerName = `(?<![A-Za-z0-9-])(?:(?:proxy-|cf-aig-|helicone-)?(?:authorization|auth)|(?:set-)?cookie|openai-(?:organization|project)|private-token|(?:x-[a-z-]{0,30}|xi-|dd-|ocp-apim-)?(?:api-key|application-key|subscription-key|token|secret)|x-[a-z-]{0,30}key)`;

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
export function* keptCredentials(text: string): Generator<Secret> {
  for (const found of [...headerValues(text), ...addressSecrets(text)])
    if (!placeholder.test(text.slice(found.start, found.end))) yield found;
}

/** All credentials in a log's text: {@link keptCredentials}, and what {@link secretsIn} finds. */
export function* allCredentials(text: string): Generator<Secret> {
  yield* keptCredentials(text);
  yield* secretsIn(text);
}

function* headerValues(text: string): Generator<Secret> {
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
    if (length !== undefined && length > scheme)
      yield { start: start + scheme, end: start + length, kind: "a header", isProven: false, shown: 0 };
  }
}

/**
 * Masks a credential in a log's text. Its length, its quotes and its lines stay, so neither a stated length
 * nor the form of the log becomes wrong.
 */
export function blotted(text: string, { start, end, blot }: Secret): string {
  if (blot !== undefined) return blot;
  const mask = text
    .slice(start, end)
    .replace(/(?<!\\)\\+["']|["']|[\r\n]+[ \t]*|[^"'\r\n]/g, (part) =>
      /^[\\"']+["']$|^["'\r\n]/.test(part) ? part : "*".repeat(part.length),
    );
  // An asterisk would begin an alias in YAML.
  return isPlainScalar(text, start) ? mask.replace(/^\*/, "x") : mask;
}

/** Whether a value without quotes begins a line or follows its key. */
function isPlainScalar(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]{0,80}(?:- |["']?[\w.-]{1,60}["']?:[ \t]{1,8})$/.test(
    text.slice(Math.max(0, at - 160), at),
  );
}
