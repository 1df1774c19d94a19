import type { Finding, Severity } from "../findings/finding.ts";
import { ranks } from "./rule.ts";

/**
 * Which finding follows from which. A consequence carries its root as `cause` and is folded under it; roots are what a person has to mend.
 * `calls`: both concern the same call. `exchange`: both are in one exchange. `before`: the root stands at or before the consequence,
 * in the same conversation. `client`: the root stands before, in an earlier conversation of the same log: the client's habit.
 */
interface Link {
  readonly rules: readonly string[];
  readonly by: "calls" | "exchange" | "before" | "client";
  /** Only a root that is more severe explains it. */
  readonly isStronger?: boolean;
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

const links: Readonly<Record<string, readonly Link[]>> = {
  "dropped-turns": [{ rules: ["dropped-tool-call", "lost-fragments"], by: "exchange", isStronger: true }],
  "orphaned-tool-result": [
    { rules: ["lost-fragments", "call-id-mismatch", "dropped-tool-call"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    { rules: ["unresolvable-reference"], by: "exchange" },
  ],
  "unanswered-tool-call": [
    { rules: ["call-id-mismatch", "truncated-stream", "stream-error", "malformed-tool-result"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
  ],
  "dropped-tool-call": [
    { rules: ["truncated-stream", "stream-error"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    // A client that sends the newest prompt and the newest result and nothing else loses each call the same way.
    { rules: ["dropped-turns"], by: "client" },
  ],
  "dropped-assistant-text": [{ rules: ["dropped-turns", "dropped-tool-call"], by: "exchange" }],
  "dropped-reasoning": [{ rules: ["dropped-turns", "dropped-tool-call"], by: "exchange" }],
  "rewritten-history": [{ rules: ["lost-fragments", "reordered-blocks"], by: "exchange" }],
  "reordered-blocks": [
    { rules: ["dropped-turns", "dropped-tool-call", "misplaced-tool-result"], by: "exchange" },
  ],
  "duplicate-tool-result": [{ rules: ["duplicate-call-id"], by: "calls" }],
  "incomplete-arguments": [
    {
      rules: ["truncated-reply", "truncated-stream", "stream-error", "lost-fragments", "malformed-stream"],
      by: "calls",
    },
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
      ],
      by: "exchange",
    },
    { rules: ["runaway-loop", "forced-tool-loop", "repeated-call", "cyclic-calls"], by: "calls" },
  ],
  "forced-tool-loop": [],
  "repeated-call": [{ rules: blinding, by: "before" }],
  "cyclic-calls": [{ rules: blinding, by: "before" }],
  "runaway-loop": [{ rules: [...blinding, "repeated-call", "cyclic-calls"], by: "before" }],
  "undefined-tool": [
    { rules: ["leaked-control-tokens", "dropped-tools", "malformed-stream"], by: "exchange" },
  ],
};

/**
 * Gives every finding that follows from another its cause. `callsOf` tells which calls a finding concerns. A root is at least as severe
 * as what follows from it, unless somebody set its level: folding must not hide an error from the gates.
 */
export function linkCauses(
  findings: readonly Finding[],
  callsOf: (finding: Finding) => readonly string[],
  hasOwnLevel: (finding: Finding) => boolean,
): Finding[] {
  const causes = new Map<Finding, Finding>();
  for (const finding of findings) {
    const cause = causeOf(finding, findings, callsOf, causes);
    if (cause) causes.set(finding, cause);
  }
  const raised = new Map<Finding, Severity>();
  for (const finding of findings) {
    for (let root = causes.get(finding); root; root = causes.get(root)) {
      const known = raised.get(root) ?? root.severity;
      if (ranks[finding.severity] > ranks[known] && !hasOwnLevel(root)) raised.set(root, finding.severity);
    }
  }
  const linked = new Map<Finding, Finding>();
  const link = (finding: Finding): Finding => {
    const known = linked.get(finding);
    if (known) return known;
    const cause = causes.get(finding);
    const severity = raised.get(finding) ?? finding.severity;
    const made = cause ? { ...finding, severity, cause: link(cause) } : { ...finding, severity };
    linked.set(finding, made);
    return made;
  };
  return findings.map(link);
}

function causeOf(
  finding: Finding,
  findings: readonly Finding[],
  callsOf: (finding: Finding) => readonly string[],
  causes: ReadonlyMap<Finding, Finding>,
): Finding | undefined {
  const { locus } = finding;
  for (const { rules, by, isStronger } of links[finding.rule] ?? []) {
    for (const root of findings) {
      if (root === finding || !rules.includes(root.rule)) continue;
      if ((root.locus.conversation === locus.conversation) === (by === "client")) continue;
      if (
        by === "client"
          ? !isHabitOf(root, finding)
          : by === "before"
            ? !standsBefore(root, finding)
            : by === "exchange"
              ? !meetsExchange(root, finding)
              : !sharesCall(callsOf(root), callsOf(finding))
      )
        continue;
      // What only follows itself is still a step of the chain, but never in a circle.
      if (leadsTo(root, finding, causes)) continue;
      if (root.severity === "info" && finding.severity !== "info") continue;
      if (isStronger && ranks[root.severity] <= ranks[finding.severity]) continue;
      return root;
    }
  }
  return undefined;
}

function isHabitOf(root: Finding, finding: Finding): boolean {
  return (
    root.severity === "error" &&
    root.locus.exchange.position < finding.locus.exchange.position &&
    root.locus.exchange.protocol === finding.locus.exchange.protocol
  );
}

function standsBefore(root: Finding, finding: Finding): boolean {
  return (root.locus.step ?? 0) <= (finding.locus.step ?? 0);
}

function meetsExchange(root: Finding, finding: Finding): boolean {
  const { exchange } = finding.locus;
  return root.locus.exchange === exchange || root.alsoIn.includes(exchange);
}

function sharesCall(a: readonly string[], b: readonly string[]): boolean {
  return a.some((id) => b.includes(id));
}

function leadsTo(from: Finding, to: Finding, causes: ReadonlyMap<Finding, Finding>): boolean {
  for (let current: Finding | undefined = from; current; current = causes.get(current))
    if (current === to) return true;
  return false;
}
