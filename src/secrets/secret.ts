/** A credential in a text, from `start` up to but not including `end`. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  /** What it is called in a finding: `a GitHub token`. */
  readonly kind: string;
  /** It has the form that its issuer documents. Others look like a credential, or are named one. */
  readonly isProven: boolean;
  /** How many characters at its start tell its kind and no secret; masks show them. */
  readonly shown: number;
  /** What masks it where it stands in base64: as long as it is, and base64 of asterisks. */
  readonly blot?: string;
}

/** Longer credentials are masked up to here and further on in the same run of characters. */
export const longestSecret = 16 << 10;

/** Whether a credential may begin here: not within a word, unless an escape (`\n`, `%3D`) ends here. */
export function isOpening(text: string, at: number): boolean {
  return at === 0 || !/[A-Za-z0-9]/.test(text.charAt(at - 1)) || isAfterEscape(text, at);
}

/** Whether an escape that stands for one character ends at a place. */
export function isAfterEscape(text: string, at: number): boolean {
  return /(?:\\[bfnrtv]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|%[\da-fA-F]{2})$/.test(
    text.slice(Math.max(0, at - 6), at),
  );
}
