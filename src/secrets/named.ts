import { isExample, isPlaceholder, looksDrawn } from "./drawn.ts";
import { nameForce } from "./names.ts";
import { longestSecret, type Secret } from "./secret.ts";

/** What ends the names of credentials, and what separates them from their values. */
const nameEnds =
  /(?:key|token|secret|passw(?:or)?d|passphrase|passcode|passwd|pass|pwd|auth|authorization|cookies?|credentials?|creds|pat|organization|project)(?:[-_]?(?:data|value|b64|base64|raw|\d{1,2}))?(?=(?:\\{0,8}["'`])?\]?\s{0,4}(?::=|=>|[:=,]|is\b))/gi;

/** Names whose values follow without a sign of assignment: in flags, commands, lists of settings and XML. */
const announced: readonly RegExp[] = [
  /--([a-z-]{0,40}(?:key|token|secret|password|passwd|pass|auth|pat))(?:[ \t]{1,4}|=)(?!-)/gi,
  /\b(?:setx|ENV|set -[gUxL]{1,4})[ \t]{1,4}([A-Z][A-Z0-9_]{2,60})[ \t]{1,4}/g,
  /\bname:[ \t]{0,4}["']?([\w.-]{2,60})["']?(?:\s|\\{1,8}[nr]){1,60}value:[ \t]{0,4}/g,
  /<([\w:.-]{2,60})>(?=[^<>\s]{3,400}<\/)/g,
  /\bkey="([\w:.-]{2,60})"\s{1,8}value=/g,
];

const quote = String.raw`\\{0,8}["'\x60]`;
/** From a name to its quoted value: a member, a pair, a `{name, value}`, an assignment, YAML. */
const quotedValue = new RegExp(
  String.raw`(?:${quote},\s{0,40}${quote}value${quote}\s{0,40}:\s{0,40}|(?:${quote})?\]?\s{0,40}(?::=|=>|[:=])\s{0,40}|${quote}\s{0,40},\s{0,40})[\[(]?\s{0,40}[bfru@$]?(${quote})`,
  "y",
);
/** From a name to its bare value: a variable, a header, YAML. */
const bareValue = /(?:\\{0,8}["'`])?\]?(\s{0,4})(?::=|=>|[:=])([ \t]{0,4})(?:\r?\n[ \t]{0,80}-[ \t]{1,4})?/y;
const proseValue = /["'`]? is:?\s{1,4}["'`]?/y;

const schemes = /^(?:bearer|basic|token|bot|apikey|sswss?|digest|negotiate)(?:\s+|%20|$)/i;

/** Where a value stands that a name announces. */
interface NamedValue {
  readonly start: number;
  readonly end: number;
  readonly style: "quoted" | "variable" | "field" | "bare" | "prose";
}

/** Values that their names call credentials: in JSON, in variables, in headers, in settings, in prose. */
export function* namedSecrets(text: string): Generator<Secret> {
  let seen = 0;
  for (const { 0: found, index } of text.matchAll(nameEnds)) {
    const at = index + found.length;
    if (at <= seen) continue;
    const name = nameBefore(text, at);
    const force = nameForce(name);
    if (force === undefined) continue;
    const value = valueAfter(text, at, name);
    if (!value || !isCredential(seenOf(text, value), value.style, name, force === "strong")) continue;
    seen = value.end;
    yield named(text, value, name, force === "strong");
  }
  for (const lead of announced) {
    for (const { 0: found, 1: name = "", index } of text.matchAll(lead)) {
      const force = nameForce(name);
      const value = force && bareAt(text, index + found.length, "variable");
      if (value && isCredential(seenOf(text, value), "variable", name, force === "strong"))
        yield named(text, value, name, force === "strong");
    }
  }
  yield* logins(text);
}

/** As much of a value as it takes to judge it. */
function seenOf(text: string, { start, end }: NamedValue): string {
  return text.slice(start, Math.min(end, start + 512));
}

function named(text: string, { start, end }: NamedValue, name: string, isStrong: boolean): Secret {
  const value = text.slice(start, end);
  const isProven =
    isStrong &&
    value.length >= 20 &&
    value.length <= 200 &&
    /^[\w+/=.~-]+$/.test(value) &&
    /\d/.test(value) &&
    looksDrawn(value) &&
    !isExample(value);
  return { start, end, kind: `the value of \`${name}\``, isProven, shown: 0 };
}

/** The name that ends at a place; the letter of an escape before it is no part of it. */
function nameBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - 64), end);
  const name = /[A-Za-z0-9_.-]+$/.exec(before)?.[0] ?? "";
  const isAfterEscape = before.charAt(before.length - name.length - 1) === "\\" && /^[nrt]/.test(name);
  return isAfterEscape ? name.slice(1) : name;
}

function valueAfter(text: string, at: number, name: string): NamedValue | undefined {
  quotedValue.lastIndex = at;
  const opened = quotedValue.exec(text);
  if (opened) {
    const start = at + opened[0].length;
    const rest = text.slice(start, start + longestSecret);
    const closed = quotedLength(rest, opened[1] ?? '"');
    // A quote that is not closed was cut off.
    const length = closed ?? /^[^\s"'\\…]*/.exec(rest)?.[0].length ?? 0;
    return withoutScheme(text, { start, end: start + length, style: "quoted" });
  }
  bareValue.lastIndex = at;
  const bare = bareValue.exec(text);
  if (bare) {
    const isTight = bare[1] === "" && bare[2] === "";
    const before = text.charAt(at - name.length - 1);
    const start = at + bare[0].length;
    if (/authorization|cookie/i.test(name)) return headerAt(text, start);
    const style =
      isTight && /^[A-Z][A-Z0-9_]*$/.test(name)
        ? "variable"
        : isTight && /[;?&]/.test(before)
          ? "field"
          : "bare";
    return bareAt(text, start, style);
  }
  proseValue.lastIndex = at;
  const prose = proseValue.exec(text);
  return prose ? bareAt(text, at + prose[0].length, "prose") : undefined;
}

/** Longer values without quotes are not followed to their end. */
const longestBare = 4096;

/** A value without quotes, up to what ends values in shells, code and connection strings. */
function bareAt(text: string, from: number, style: NamedValue["style"]): NamedValue | undefined {
  const opened = /^\\{0,8}["']/.exec(text.slice(from, from + 9))?.[0];
  const start = from + (opened?.length ?? 0);
  const rest = text.slice(start, start + longestBare);
  const length =
    (opened === undefined ? undefined : quotedLength(rest, opened)) ??
    /^[^\s"'`,;&|<>()[\]{}\\…]*/.exec(rest)?.[0].length ??
    0;
  // What is called or looked up is code.
  if (opened === undefined && /^[([{]/.test(rest.slice(length))) return undefined;
  return withoutScheme(text, { start, end: start + length, style });
}

/** The value of a header on a line of its own. */
function headerAt(text: string, start: number): NamedValue | undefined {
  const length = /^[^\r\n"'`\\…]*/.exec(text.slice(start, start + longestBare))?.[0].length ?? 0;
  return withoutScheme(text, { start, end: start + length, style: "field" });
}

function withoutScheme(text: string, value: NamedValue): NamedValue {
  const scheme =
    schemes.exec(text.slice(value.start, Math.min(value.end, value.start + 20)))?.[0].length ?? 0;
  return { ...value, start: value.start + scheme };
}

/**
 * The length of a text up to its closing quote, past quotes that are escaped deeper; `undefined` when it is
 * open. Backslashes at its end belong to it; each takes as many as its depth of escapes asks for.
 */
export function quotedLength(text: string, opened: string): number | undefined {
  const own = opened.length - 1;
  for (const { 0: quoted, index } of text.matchAll(/(?<!\\)\\*["'`]/g)) {
    if (quoted.at(-1) !== opened.at(-1)) continue;
    const more = quoted.length - 1 - own;
    if (more <= 0) return index;
    if (more % (2 * (own + 1)) === 0) return index + more;
  }
  return undefined;
}

function isCredential(value: string, style: NamedValue["style"], name: string, isStrong: boolean): boolean {
  if (value.length < 3 || isPlaceholder(value) || isOwnName(value, name)) return false;
  if (!isStrong) return value.length >= 16 && looksDrawn(value) && !isOtherId(value, name);
  const isPassword = /pass|pwd/i.test(name);
  switch (style) {
    case "quoted":
      return value.length >= 4 && !isSentence(value);
    case "variable":
      return value.length >= 4 && !isPath(value) && !isLookup(value);
    case "field":
      return value.length >= (isPassword ? 3 : 6) && !isLookup(value) && !isSentence(value);
    case "bare":
      return (
        value.length >= 6 && /\d|[a-z][A-Z]|[!#$%^*+=?~]/.test(value) && !isLookup(value) && !isPath(value)
      );
    default:
      return (
        (isPassword && value.length >= 6 && /\d/.test(value)) || (value.length >= 16 && looksDrawn(value))
      );
  }
}

/** `password: "password"`, `openaiApiKey: "api_key"`. */
function isOwnName(value: string, name: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return letters(name).endsWith(letters(value));
}

/** UUIDs, except in variables and headers for tokens, and the hashes that keys of caches are. */
function isOtherId(value: string, name: string): boolean {
  const isKey = /key$/i.test(name);
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value))
    return isKey || !(/^[A-Z\d]+_[A-Z\d_]+$/.test(name) || /^x-/i.test(name));
  return isKey && /^[0-9a-f]{32,128}$/i.test(value);
}

/** A description of a value (`The password of the user`), not a passphrase. */
function isSentence(value: string): boolean {
  return (
    /^[A-Za-z][A-Za-z'’-]*[,.:;?!]?(?: [A-Za-z(][A-Za-z'’-]*[,.:;?!)]*)+$/.test(value) &&
    /\b(?:the|an?|is|of|to|for|your|must|be|in|with|not|and|or|please|enter|password|token|key|secret|auth\w*|credentials?|cookies?)\b/i.test(
      value,
    )
  );
}

function isPath(value: string): boolean {
  return /^(?:\/(?!\/)[\w.-]*[/.]|\/[a-z]+$|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(value);
}

/** `options.apiKey`, `config.get`: names of values, without a figure. */
function isLookup(value: string): boolean {
  return /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$]{1,60})+[.:]?$/.test(value);
}

/** Passwords of `.netrc` and of `curl -u`. */
function* logins(text: string): Generator<Secret> {
  for (const { 0: found, 1: password = "", index } of text.matchAll(
    /\blogin\s{1,8}[^\s"'\\]{1,100}\s{1,8}password\s{1,8}([^\s"'\\]{3,200})/g,
  )) {
    const end = index + found.length;
    if (!isPlaceholder(password))
      yield { start: end - password.length, end, kind: "a password", isProven: false, shown: 0 };
  }
  if (!text.includes("curl")) return;
  for (const { 0: found, 1: password = "", index } of text.matchAll(
    /\s(?:-u|--user|--proxy-user)[ =]{0,2}\\{0,4}["']?[^\s:"'\\]{0,100}:([^\s"'\\]{3,200})/g,
  )) {
    const end = index + found.length;
    if (!isPlaceholder(password))
      yield { start: end - password.length, end, kind: "a password", isProven: false, shown: 0 };
  }
}
