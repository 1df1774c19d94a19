import type { Finding, Severity } from "../findings/finding.ts";
import { links } from "./links.ts";
import { ranks } from "./rule.ts";

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

/** Whether findings of one rule may follow from findings of another. */
export function followsFrom(rule: string, root: string): boolean {
  return (links[rule] ?? []).some(({ rules }) => rules.includes(root));
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
