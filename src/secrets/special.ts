import { looksDrawn, variety } from "./drawn.ts";
import { isOpening, longestSecret, type Secret } from "./secret.ts";

/** A credential that no beginning tells: its whole form does. */
interface Form {
  readonly kind: string;
  /** A part of fixed characters, by which it is found fast. */
  readonly mark: RegExp;
  /** The whole, in the text around the mark. */
  readonly whole: RegExp;
  /** How far before the mark it may begin. */
  readonly before: number;
  /** It is also something other than a credential, or known by its name: masked, not reported. */
  readonly isVague?: true;
}

/**
 * Credentials known by their whole form, as their issuers document it.
 *
 * @see https://core.telegram.org/bots/api#authorizing-your-bot
 * @see https://docs.discord.com/developers/reference#authentication
 * @see https://learn.microsoft.com/en-us/purview/sit-defn-azure-ad-client-secret
 */
const forms: readonly Form[] = [
  {
    kind: "a Telegram bot token",
    mark: /:AA(?=[\w-]{32})/g,
    whole: /\d{6,12}:AA[\w-]{32,34}(?![\w-])/g,
    before: 12,
  },
  {
    kind: "a Microsoft Entra client secret",
    mark: /Q~(?=[\w~.-]{31})/g,
    whole: /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g,
    before: 4,
  },
  {
    kind: "an Azure key",
    mark: /JQQJ99(?=[A-Za-z0-9]{26})/g,
    whole: /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9])/g,
    before: 52,
  },
  {
    kind: "a Terraform token",
    mark: /\.atlasv1\./g,
    whole: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g,
    before: 14,
    isVague: true,
  },
  {
    kind: "a Discord bot token",
    mark: /\.[\w-]{6}\.(?=[\w-]{27})/g,
    whole: /[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g,
    before: 28,
  },
  {
    kind: "an Airtable token",
    mark: /\.(?=[0-9a-f]{64}(?![A-Za-z0-9]))/g,
    whole: /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])/g,
    before: 17,
  },
  {
    kind: "a Zoho token",
    mark: /1000\.(?=[0-9a-f]{32}\.[0-9a-f]{32}(?![A-Za-z0-9]))/g,
    whole: /1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?![A-Za-z0-9])/g,
    before: 0,
  },
  {
    kind: "a Firecrawl API key",
    mark: /fc-(?=[0-9a-f]{32}(?![A-Za-z0-9]))/g,
    whole: /fc-[0-9a-f]{32}(?![A-Za-z0-9])/g,
    before: 0,
    isVague: true,
  },
  {
    kind: "a New Relic key",
    mark: /NRAL(?![A-Za-z0-9])/g,
    whole: /[0-9a-f]{36}NRAL/g,
    before: 36,
    isVague: true,
  },
  {
    kind: "a Mailchimp key",
    mark: /-us\d{1,2}(?!\w)/g,
    whole: /[0-9a-f]{32}-us\d{1,2}/g,
    before: 32,
    isVague: true,
  },
  {
    kind: "a Twilio API key",
    mark: /SK(?=[0-9a-f]{32})/g,
    whole: /SK[0-9a-f]{32}(?![A-Za-z0-9])/g,
    before: 0,
    isVague: true,
  },
  {
    kind: "an API key",
    mark: /\.(?=[A-Za-z0-9]{16}(?![\w.]))/g,
    whole: /[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w.])/g,
    before: 32,
    isVague: true,
  },
];

/** All marks at once: few texts have one, and one search costs less than one for each. */
const anyMark = new RegExp(forms.map(({ mark }) => mark.source).join("|"));

/** Around a mark, this much is looked at. */
const reach = 120;

/** Credentials known by their whole form; only those that leave no doubt if `isSure`. */
export function* specialSecrets(text: string, isSure: boolean): Generator<Secret> {
  yield* privateKeys(text);
  yield* webTokens(text);
  if (!anyMark.test(text)) return;
  for (const { kind, mark, whole, before, isVague } of forms) {
    if (isSure && isVague) continue;
    for (const { index } of text.matchAll(mark)) {
      const from = Math.max(0, index - before);
      for (const { 0: secret, index: offset } of text.slice(from, index + reach).matchAll(whole)) {
        const start = from + offset;
        const isDrawn = looksDrawn(secret) && variety(secret, 10) === 10;
        if (start > index || !isOpening(text, start) || !isDrawn) continue;
        yield { start, end: start + secret.length, kind, isProven: !isVague, shown: 4 };
      }
    }
  }
}

/**
 * Private keys in PEM and PGP armour, also with their line breaks escaped, in lines of a prefix, and cut:
 * what follows the head is masked as far as it looks like the key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7468
 */
function* privateKeys(text: string): Generator<Secret> {
  let seen = 0;
  for (const { 0: head, index } of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    if (index < seen) continue;
    const start = index + head.length;
    const next = text.indexOf("-----BEGIN", start);
    const rest = text.slice(start, Math.min(next < 0 ? text.length : next, start + longestSecret));
    const foot = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/.exec(rest)?.index;
    const length = foot ?? keyLength(rest);
    seen = start + length;
    const body = rest.slice(0, length).replace(/(?<!\\)\\+[nrt]|[^A-Za-z0-9+/]/g, "");
    if (body.length < 16 || variety(body, 8) < 8) continue;
    yield { start, end: seen, kind: "a private key", isProven: body.length >= 40, shown: 0 };
  }
}

/** How far a private key without its foot reaches: lines of base64, its armour's headers, and escapes. */
function keyLength(rest: string): number {
  return (
    /^(?:[A-Za-z0-9+/=\s]|\\+[nrt]|(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n\\"]{0,80})*/.exec(rest)?.[0]
      .length ?? 0
  );
}

/** JSON Web Tokens: parts between points, of which header and payload begin like `{"` in base64. */
function* webTokens(text: string): Generator<Secret> {
  let seen = 0;
  for (const { index } of text.matchAll(/\.eyJ(?=[\w-]{7}|[\w-]{0,7}…)/g)) {
    if (index < seen) continue;
    const start = runBefore(text, index, "eyJ");
    if (start === undefined || !isOpening(text, start)) continue;
    const end = endOfRun(text, index + 1, /[\w.-]{1,4000}/y);
    seen = end;
    const isProven = /\.[\w-]{20,}$/.test(text.slice(index + 1, end));
    yield { start, end, kind: "a JSON Web Token", isProven, shown: 4 };
  }
}

/** The start of the run of base64 characters before a place, if the run begins so. */
function runBefore(text: string, at: number, beginning: string): number | undefined {
  let start = at;
  while (start > 0 && at - start < longestSecret && /[\w-]/.test(text.charAt(start - 1))) start--;
  const found = text.indexOf(beginning, start);
  return found >= 0 && found < at - 8 ? found : undefined;
}

/** Where a run of characters ends that begins at a place. */
function endOfRun(text: string, at: number, run: RegExp): number {
  let end = at;
  for (;;) {
    run.lastIndex = end;
    const found = run.exec(text)?.[0].length ?? 0;
    if (found === 0) return end;
    end += found;
  }
}
