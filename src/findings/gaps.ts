/** What a log lacks, so that rules cannot judge it. */
interface Gap {
  /** The sentence in reports for programs, which list it with each rule. */
  readonly why: string;
  /** The same for all its rules together: what was not checked, and why. */
  readonly inShort: string;
}

/** The gaps of logs; a rule may have reasons of its own in addition. */
export const gaps = {
  transcript: {
    why: "transcript: requests are not in the log",
    inShort: "what was sent (a transcript has no requests)",
  },
  reported: {
    why: "an SDK, a tracing tool or a data set describes the requests: the log does not show their wire format",
    inShort: "the wire format (the log only describes the requests)",
  },
  cutRequests: {
    why: "parts of requests are missing from the log or unreadable",
    inShort: "the missing or unreadable parts of requests",
  },
  serverHistory: {
    why: "the server stores history that is not in the log (previous_response_id, conversation or thread)",
    inShort: "the history that only the server has",
  },
  noRequests: {
    why: "the log has only replies, no requests",
    inShort: "requests (none in the log)",
  },
  noReplies: {
    why: "the log has only requests, no replies",
    inShort: "replies (none in the log)",
  },
  lostRequests: {
    why: "no request in the log could be read completely",
    inShort: "requests (none could be read completely)",
  },
  lostReplies: {
    why: "no reply in the log could be read",
    inShort: "replies (none could be read)",
  },
  unknownReplies: {
    why: "the responses in the log were not understood",
    inShort: "replies (they were not understood)",
  },
  unreadRequests: {
    why: "requests may be in the parts of the log that could not be read",
    inShort: "requests (they may be in the parts that could not be read)",
  },
  unreadReplies: {
    why: "replies may be in the parts of the log that could not be read",
    inShort: "replies (they may be in the parts that could not be read)",
  },
} as const satisfies Record<string, Gap>;

const byWhy: ReadonlyMap<string, Gap> = new Map(Object.values(gaps).map((gap) => [gap.why, gap]));

/** A gap in few words, for people; `undefined` if the reason is a rule's own. */
export function gapInShort(why: string): string | undefined {
  return byWhy.get(why)?.inShort;
}
