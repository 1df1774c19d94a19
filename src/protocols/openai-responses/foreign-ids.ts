import { profiles } from "../profiles/index.ts";

/** What a provider makes of an id that this server never issued. */
export interface IdPolicy {
  /** The provider stores replies at all. */
  readonly keepsReplies: boolean;
  /** Whether the id begins as the provider's ids of this kind do. */
  hasPrefix(id: string, prefix: string): boolean;
  /** Whether the real provider may have issued it, so that only that one knows. */
  mayBeForeign(id: string): boolean;
}

/**
 * The policy of a profile. OpenAI's ids have a prefix and at least 32 letters and digits, nearly always
 * hexadecimal ones; those of clones have other forms.
 */
export function idPolicyOf(profile: string): IdPolicy {
  const demands = profiles.find(({ name }) => name === profile)?.protocols["openai-responses"];
  const isOwn = demands?.looksIdsUp !== false;
  return {
    keepsReplies: demands?.hasServerHistory !== false,
    hasPrefix: (id, prefix) => !isOwn || id.startsWith(prefix),
    mayBeForeign: (id) => (isOwn ? /^[a-z]+_[0-9a-z]{32,}$/i : /^[\w.:-]{16,}$/).test(id),
  };
}
