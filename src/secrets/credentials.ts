/** Credentials in the form that their issuers document; only those that a secret scanner would report. */
interface Credential {
  readonly kind: string;
  readonly pattern: RegExp;
}

const credentials: readonly Credential[] = [
  { kind: "an Anthropic API key", pattern: /\bsk-ant-[a-z]{3,6}\d{2}-[\w-]{60,160}/ },
  { kind: "an OpenRouter API key", pattern: /\bsk-or-v1-[0-9a-f]{64}\b/ },
  { kind: "an OpenAI API key", pattern: /\bsk-(?:proj|svcacct|admin)-[\w-]{40,200}|\bsk-[A-Za-z0-9]{48}\b/ },
  { kind: "a Google API key", pattern: /\bAIza[\w-]{35}(?![\w-])/ },
  { kind: "an AWS access key", pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  {
    kind: "a GitHub token",
    pattern: /\bgh[pousr]_[A-Za-z0-9]{36,251}\b|\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b/,
  },
  { kind: "a GitLab token", pattern: /\bglpat-[\w-]{20,64}/ },
  { kind: "a Slack token", pattern: /\bxox[abprs]-\d{8,14}-[\w-]{16,200}/ },
  { kind: "a Stripe key", pattern: /\b[sr]k_live_[A-Za-z0-9]{24,100}\b/ },
  { kind: "a Groq API key", pattern: /\bgsk_[A-Za-z0-9]{52}\b/ },
  { kind: "an xAI API key", pattern: /\bxai-[A-Za-z0-9]{80}\b/ },
  { kind: "a Hugging Face token", pattern: /\bhf_[A-Za-z]{34}\b/ },
  { kind: "an npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  {
    kind: "a private key",
    pattern: /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----(?:\\n|\s){1,4}[A-Za-z0-9+/]{40}/,
  },
];

/** Every credential contains one of these marks, which are rare in prose and code. A cheap first filter. */
const marks = [/[-_][A-Za-z0-9]{8}/, /AIza|AKIA|ASIA|PRIVATE KEY/];
const openings =
  /sk-|AIza|A[KS]IA|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|k_live_|gsk_|xai-|hf_|npm_|PRIVATE KEY/;

/** The kind of credential in a text (`an OpenAI API key`), if any; placeholders do not count. Linear time. */
export function credentialIn(text: string): string | undefined {
  if (!marks.some((mark) => mark.test(text)) || !openings.test(text)) return undefined;
  for (const { kind, pattern } of credentials)
    for (const [found] of text.matchAll(new RegExp(pattern, "g"))) if (isReal(found)) return kind;
  return undefined;
}

/** Excludes the dummy keys of documentation and tests. */
function isReal(secret: string): boolean {
  const body = secret.replace(/^-----BEGIN[^\n]{0,40}-----/, "");
  if (
    /example|your|redacted|placeholder|dummy|fake|sample|secret|x{6}|0{8}|1234567|abcdefg|\*{3}/i.test(body)
  )
    return false;
  return new Set(body).size >= 12;
}
