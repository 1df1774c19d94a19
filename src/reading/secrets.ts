const secretHeaders =
  /^(authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie|set-cookie|x-amz-security-token|openai-organization)$|token|secret|api[-_]?key/i;

/** How much of a limit is left is no secret, although it is counted in tokens (`anthropic-ratelimit-tokens-remaining`). */
const countHeaders = /rate-?limit|max-tokens/i;

/** Headers whose secrets are replaced by a mask; names and everything else stay. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.test(name) && !countHeaders.test(name) ? "***" : maskSecrets(value),
    ]),
  );
}

/**
 * Shapes of credentials, each after its issuer's documentation. Word boundaries and fixed prefixes keep them linear.
 */
const secretShapes = [
  /\bsk-(?:ant-|proj-|or-v1-|svcacct-)?[A-Za-z0-9_-]{16,}/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bgsk_[A-Za-z0-9]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/g,
  /(?<=\b[Bb]earer )[A-Za-z0-9._~+/=-]{12,}/g,
  /(?<=[?&](?:key|api_key|access_token|token)=)[^&\s"']+/g,
];

/** Text with credentials masked: what stands before them stays recognisable, the secret part does not. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const shape of secretShapes) masked = masked.replace(shape, (secret) => `${secret.slice(0, 4)}***`);
  return masked;
}
