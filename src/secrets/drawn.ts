/** Words in one case are not as long as this. */
export const longestWord = 24;

/**
 * Whether a text looks drawn by lot, as credentials are and words, names and numbers are not: a run with
 * letters and figures, a run that mixes cases as no name does, or a run longer than words.
 */
export function looksDrawn(text: string): boolean {
  for (const [run] of text.matchAll(/[A-Za-z0-9]{12,}/g)) {
    if (run.length >= longestWord) return true;
    const figures = run.replace(/\D/g, "").length;
    if (figures > 0 && figures < run.length && !isCounted(run)) return true;
    if (run.length >= 20 && figures === 0 && hasMixedCase(run)) return true;
  }
  return false;
}

/** Names with a number at their end: `sklearnpipeline2`, `transformers2026`. */
function isCounted(run: string): boolean {
  return run.length < 20 && /^[A-Za-z]+\d{1,4}$/.test(run) && !hasMixedCase(run.replace(/\d+/, ""));
}

/** Names in camel case have a capital every four letters or so. */
function hasMixedCase(run: string): boolean {
  const capitals = run.replace(/[^A-Z]/g, "").length;
  return capitals > run.length / 4 && capitals < run.length;
}

/** How many different characters a text has, up to `enough`. */
export function variety(text: string, enough: number): number {
  const seen = new Set<string>();
  for (const character of text) {
    seen.add(character);
    if (seen.size >= enough) break;
  }
  return seen.size;
}

/** Words that people write in place of a credential. */
const placeholderWords =
  /(?:^|[^A-Za-z0-9])(?:your|example|sample|placeholder|redacted|masked|filtered|removed|omitted|change[-_ ]?me|insert|replace|dummy|not[-_ ]?needed)(?![A-Za-z0-9])/i;

/** Values that say that there is none, and types of values. */
const noValue =
  /^(?:none|null|nil|undefined|unused|unset|empty|todo|tbd|n\/a|true|false|required|optional|string|str|text|number|int|bool|boolean|any|object|bytes)$/i;

/** References to a value that stands elsewhere: variables, settings, calls, templates. */
const references =
  /^(?:<|\$|%\(|%[A-Za-z_]{1,60}%|\{|\[|#\{)|process\.env|import\.meta|os\.environ|getenv|secrets?\.[A-Za-z_]|\benv[.[(]|^(?:env|vault|ssm|arn|file):|^op:\/\//i;

/** Whether a text stands in for a credential: `sk-...`, `YOUR_API_KEY`, `<key>`, `${KEY}`, `xxxx`. */
export function isPlaceholder(text: string): boolean {
  if (noValue.test(text) || references.test(text)) return true;
  // What is masked already, or has nothing but fillers.
  if (/\*{3}|\.{3}|^[•·…]|^[xX*•.0_#-]*$|[xX]{8}/.test(text)) return true;
  // Upper-case words: `OPENAI_API_KEY`, `SET-COOKIE-XXX`.
  if (/^[A-Z]+(?:[-_][A-Z]+)+$/.test(text)) return true;
  return placeholderWords.test(text) && !looksDrawn(text);
}

/**
 * Whether a credential is one of documentation and tests. Stricter than {@link isPlaceholder}: a finding
 * about it would be a false alarm, a mask only hides an example.
 */
export function isExample(secret: string): boolean {
  return (
    isPlaceholder(secret) ||
    /example|your|redacted|placeholder|dummy|fake|sample|secret|test[-_]?key|x{6}|0{8}|1234567|abcdefg|\*{3}/i.test(
      secret,
    ) ||
    variety(secret, 12) < 12
  );
}
