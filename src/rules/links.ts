/**
 * Which finding follows from which. A consequence carries its root as `cause` and is folded under it; roots are what a person has to mend.
 * `calls`: both concern the same call. `exchange`: both are in one exchange. `before`: the root stands at or before the consequence,
 * in the same conversation. `client`: the root stands before, in an earlier conversation of the same log: the client's habit.
 */
export interface Link {
  readonly rules: readonly string[];
  readonly by: "calls" | "exchange" | "before" | "client";
  /** Only a root that is more severe explains it. */
  readonly isStronger?: boolean;
  /** With `before`: the root may stand so many steps later, since it takes these to be seen. */
  readonly delay?: number;
}

/** Rules whose findings mean that the model did not see what had happened. */
const blinding = [
  "dropped-turns",
  "dropped-tool-call",
  "missing-output-type",
  "lost-fragments",
  "call-id-mismatch",
  "orphaned-tool-result",
  "unanswered-tool-call",
  "malformed-tool-result",
  "misplaced-tool-result",
  "placeholder-tool-result",
  "forced-tool-loop",
  "rewritten-history",
];

/** Rules that name what a provider refuses about one call or its result. */
const refusedCalls = [
  "orphaned-tool-result",
  "unanswered-tool-call",
  "misplaced-tool-result",
  "duplicate-tool-result",
  "call-id-mismatch",
  "duplicate-call-id",
  "invalid-call-id",
  "result-kind-mismatch",
  "dropped-tool-call",
  "missing-output-type",
  "malformed-tool-result",
  "incomplete-arguments",
  "misencoded-arguments",
  "lost-fragments",
];

/** Two rounds have to be forced before the third is told: what is repeated meanwhile stands before it. */
const forced: Link = { rules: ["forced-tool-loop"], by: "before", delay: 2 };

export const links: Readonly<Record<string, readonly Link[]>> = {
  "dropped-turns": [{ rules: ["dropped-tool-call", "lost-fragments"], by: "exchange", isStronger: true }],
  "orphaned-tool-result": [
    { rules: ["lost-fragments", "call-id-mismatch", "dropped-tool-call", "invalid-request"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    { rules: ["unresolvable-reference"], by: "exchange" },
  ],
  "unanswered-tool-call": [
    {
      rules: [
        "call-id-mismatch",
        "truncated-stream",
        "stream-error",
        "malformed-tool-result",
        "duplicate-call-id",
        "resent-items",
        "unresolvable-reference",
        "invalid-request",
      ],
      by: "calls",
    },
    { rules: ["dropped-turns"], by: "exchange" },
  ],
  "call-id-mismatch": [{ rules: ["invalid-call-id", "invalid-request"], by: "calls" }],
  "misplaced-tool-result": [{ rules: ["merged-or-split-turns"], by: "calls" }],
  "invalid-request": [{ rules: ["mixed-protocols"], by: "exchange" }],
  "empty-content": [{ rules: ["mixed-protocols"], by: "exchange" }],
  "provider-rejected": [
    { rules: refusedCalls, by: "calls" },
    {
      rules: [
        "dropped-turns",
        ...refusedCalls,
        "dropped-reasoning",
        "refused-reasoning",
        "rewritten-history",
        "merged-or-split-turns",
        "empty-content",
        "bad-turn-order",
        "mixed-protocols",
        "resent-items",
        "unresolvable-reference",
        "dropped-tools",
      ],
      by: "exchange",
    },
    { rules: ["invalid-request"], by: "exchange" },
  ],
  "failed-reply-used": [
    {
      rules: ["undefined-tool", "leaked-control-tokens", "truncated-reply", "malformed-stream"],
      by: "exchange",
    },
  ],
  "empty-reply": [
    {
      rules: [
        "text-tool-call",
        "malformed-stream",
        "truncated-stream",
        "stream-error",
        "leaked-control-tokens",
      ],
      by: "exchange",
    },
  ],
  "invalid-arguments": [
    {
      rules: [
        "lost-fragments",
        "malformed-stream",
        "truncated-reply",
        "truncated-stream",
        "incomplete-arguments",
        "misencoded-arguments",
      ],
      by: "calls",
    },
  ],
  "stream-error": [{ rules: ["context-overflow", "provider-rejected"], by: "exchange" }],
  "dropped-tool-call": [
    { rules: ["truncated-stream", "stream-error", "lost-fragments", "invalid-request"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    // A client that sends the newest prompt and the newest result and nothing else loses each call the same way.
    { rules: ["dropped-turns"], by: "client" },
  ],
  "dropped-assistant-text": [
    { rules: ["dropped-turns", "dropped-tool-call"], by: "exchange" },
    { rules: ["abandoned-pause"], by: "before" },
  ],
  "dropped-reasoning": [
    { rules: ["dropped-turns", "dropped-tool-call", "merged-or-split-turns"], by: "exchange" },
  ],
  "rewritten-history": [
    { rules: ["lost-fragments", "reordered-blocks"], by: "exchange" },
    { rules: ["misencoded-arguments", "malformed-tool-result"], by: "calls" },
  ],
  "reordered-blocks": [
    { rules: ["dropped-turns", "dropped-tool-call", "misplaced-tool-result"], by: "exchange" },
  ],
  "duplicate-tool-result": [{ rules: ["duplicate-call-id"], by: "calls" }],
  "incomplete-arguments": [
    {
      rules: ["truncated-reply", "truncated-stream", "stream-error", "lost-fragments", "malformed-stream"],
      by: "calls",
    },
    { rules: ["leaked-control-tokens", "rewritten-history"], by: "calls" },
    { rules: ["truncated-reply", "truncated-stream", "stream-error"], by: "exchange" },
  ],
  "truncated-stream": [{ rules: ["stream-error"], by: "exchange" }],
  "malformed-stream": [{ rules: ["truncated-stream", "stream-error"], by: "exchange" }],
  "finish-reason-mismatch": [
    { rules: ["truncated-stream", "stream-error", "text-tool-call", "truncated-reply"], by: "exchange" },
  ],
  "unclosed-loop": [
    {
      rules: [
        "finish-reason-mismatch",
        "truncated-stream",
        "stream-error",
        "truncated-reply",
        "text-tool-call",
        "malformed-stream",
        "leaked-control-tokens",
        "failed-reply-used",
        "provider-rejected",
        "context-overflow",
        "invalid-arguments",
      ],
      by: "exchange",
    },
    { rules: ["runaway-loop", "forced-tool-loop", "repeated-call", "cyclic-calls"], by: "calls" },
  ],
  "forced-tool-loop": [],
  "repeated-call": [{ rules: blinding, by: "before" }, forced],
  "cyclic-calls": [{ rules: blinding, by: "before" }, forced],
  "runaway-loop": [{ rules: [...blinding, "repeated-call", "cyclic-calls"], by: "before" }],
  "undefined-tool": [
    { rules: ["leaked-control-tokens", "dropped-tools", "malformed-stream"], by: "exchange" },
  ],
};
