/** How sure a name is that its value is a credential: by itself, or where the value looks drawn by lot. */
type NameForce = "strong" | "weak";

/** The last word of names whose value is a credential. */
const secretWords = new Set(
  "password passwd passphrase passcode pwd secret apikey apitoken secretkey accesskey privatekey authkey authtoken accesstoken refreshtoken sessiontoken clientsecret authorization cookie cookies auth".split(
    " ",
  ),
);

/** Words before `key` that make it a credential; those that make it none. */
const secretKeys = new Set(
  "api access secret private auth account encryption signing master license licence subscription admin service shared webhook ingest integration restricted project app application".split(
    " ",
  ),
);
const otherKeys = new Set(
  "public primary foreign cache sort partition idempotency hash routing object row lookup i18n translation dedup dedupe group map hot shortcut composite natural candidate index unique registry storage query state react answer item entry field column doc document message thread session conversation test pagination page next".split(
    " ",
  ),
);

/** Words before `token` that make it a credential; those that make it a number, a mark or a place. */
const secretTokens = new Set(
  "access refresh auth session bearer api bot security personal oauth oauth2 deploy service jwt vault github gitlab slack npm private csrf xsrf registration pat hf".split(
    " ",
  ),
);
const otherTokens = new Set(
  "page next previous continuation continue resume sync cursor eos bos pad unk sep cls mask max min num total prompt completion input output cached reasoning stop special first last start end current per new text image audio top each single word next control delimiter".split(
    " ",
  ),
);

/** Names of organisations that providers send along; they identify a customer. */
const customers = /^openai-(?:organization|project)$/i;

/** The words of a name in any spelling: `AZURE_OPENAI_API_KEY`, `dbPassword`, `x-goog-api-key`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");
}

/** How sure a name is that its value is a credential; `undefined` for names of other things. */
export function nameForce(name: string): NameForce | undefined {
  if (customers.test(name)) return "strong";
  const words = wordsOf(name);
  // `client-key-data` of a kubeconfig, `password_b64`, `api_key_value`.
  while (words.length > 1 && /^(?:data|value|b64|base64|raw|plaintext|\d{1,2})$/.test(words.at(-1) ?? ""))
    words.pop();
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (last === "key") {
    if (secretKeys.has(before) || /^client$/.test(before)) return "strong";
    return otherKeys.has(before) || before === "" ? undefined : "weak";
  }
  if (last === "token") {
    if (secretTokens.has(before)) return "strong";
    return otherTokens.has(before) ? undefined : "weak";
  }
  // The working directory of shells, and what passes a test.
  if (last === "pwd" || last === "pass") return before === "" || before === "old" ? undefined : "strong";
  if (last === "auth" || last === "cookie" || last === "cookies") return before === "" ? "weak" : "strong";
  if (secretWords.has(last)) return "strong";
  if (/^(?:credential|credentials|pat|creds)$/.test(last)) return "weak";
  return /(?:password|passwd|apikey|secretkey|accesstoken|authtoken|clientsecret)$/.test(last)
    ? "strong"
    : undefined;
}

/** Rate limits are no secret, although they count tokens (`anthropic-ratelimit-tokens-remaining`). */
const counts = /rate-?limit|max-tokens/i;

/** Whether the value of an HTTP header is a credential. */
export function isSecretHeader(name: string): boolean {
  if (counts.test(name)) return false;
  return (
    /token|secret|api[-_]?key|^(?:set-)?cookie2?$|authorization|-auth$/i.test(name) ||
    nameForce(name) === "strong"
  );
}

/** Whether the text of a member with this name is a credential, whatever it looks like. */
export function isSecretName(name: string): boolean {
  return /^(?:set-)?cookie$/i.test(name) || nameForce(name) === "strong";
}
