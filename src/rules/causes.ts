import type { Finding, Severity } from "../findings/finding.ts";
import { type CauseLink, type RuleInfo, ranks } from "./rule.ts";

/** The possible causes of each rule's findings, with traits resolved to rules. */
type Links = ReadonlyMap<string, readonly ResolvedLink[]>;

interface ResolvedLink extends Pick<CauseLink, "by" | "isStronger" | "kinds" | "except" | "delay"> {
  readonly roots: ReadonlySet<string>;
}

const resolved = new WeakMap<readonly RuleInfo[], Links>();

function linksOf(rules: readonly RuleInfo[]): Links {
  const known = resolved.get(rules);
  if (known) return known;
  const links = new Map(
    rules.map(({ name, follows = [] }) => [
      name,
      follows.map(({ rules: named = [], trait, ...link }) => {
        const alike = rules.filter(({ traits }) => trait !== undefined && traits?.includes(trait));
        return { ...link, roots: new Set([...named, ...alike.map((rule) => rule.name)]) };
      }),
    ]),
  );
  resolved.set(rules, links);
  return links;
}

/**
 * Sets the cause of every finding that follows from another one. `callsOf` returns the ids of the calls that
 * a finding concerns. A root gets at least the severity of its consequences, unless the user set its level,
 * so that folding cannot hide an error from CI.
 */
export function linkCauses(
  findings: readonly Finding[],
  rules: readonly RuleInfo[],
  callsOf: (finding: Finding) => readonly string[],
  hasOwnLevel: (finding: Finding) => boolean,
): Finding[] {
  const causes = new Map<Finding, Finding>();
  const links = linksOf(rules);
  const rootsFor = rootFinder(findings, callsOf);
  for (const finding of findings) {
    const cause = causeOf(finding, links.get(finding.rule) ?? [], rootsFor, causes);
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
export function followsFrom(rule: string, root: string, rules: readonly RuleInfo[]): boolean {
  return (linksOf(rules).get(rule) ?? []).some(({ roots }) => roots.has(root));
}

function causeOf(
  finding: Finding,
  links: readonly ResolvedLink[],
  rootsFor: (finding: Finding, link: ResolvedLink) => Iterable<Finding>,
  causes: ReadonlyMap<Finding, Finding>,
): Finding | undefined {
  const { locus } = finding;
  for (const link of links) {
    const { by, isStronger } = link;
    if (link.except?.includes(finding.kind)) continue;
    for (const root of rootsFor(finding, link)) {
      if (root === finding || link.kinds?.includes(root.kind) === false) continue;
      if ((root.locus.conversation === locus.conversation) === (by === "client")) continue;
      if (by === "client" && !isHabitOf(root, finding)) continue;
      if (by === "before" && !standsBefore(root, finding, link.delay)) continue;
      // A consequence may be the cause of another finding, but never of its own cause.
      if (leadsTo(root, finding, causes)) continue;
      if (root.severity === "info" && finding.severity !== "info") continue;
      if (isStronger && ranks[root.severity] <= ranks[finding.severity]) continue;
      return root;
    }
  }
  return undefined;
}

/** Finds the possible roots for a link, in the order of the log. Indexed, because a log may be all wrong. */
function rootFinder(
  findings: readonly Finding[],
  callsOf: (finding: Finding) => readonly string[],
): (finding: Finding, link: ResolvedLink) => Iterable<Finding> {
  const indexes = new Map<ResolvedLink, Map<unknown, Finding[]>>();
  const order = new Map(findings.map((finding, index) => [finding, index]));
  const indexOf = (link: ResolvedLink): Map<unknown, Finding[]> => {
    const known = indexes.get(link);
    if (known) return known;
    const index = new Map<unknown, Finding[]>();
    for (const root of findings) {
      if (!link.roots.has(root.rule)) continue;
      for (const key of new Set(keysOf(root, link))) {
        const list = index.get(key);
        if (list) list.push(root);
        else index.set(key, [root]);
      }
    }
    indexes.set(link, index);
    return index;
  };
  const keysOf = (root: Finding, { by }: ResolvedLink): readonly unknown[] => {
    if (by === "calls") return callsOf(root);
    if (by === "exchange") return [root.locus.exchange, ...root.alsoIn];
    return by === "before" ? [root.locus.conversation] : [undefined];
  };
  return (finding, link) => {
    const { conversation, exchange } = finding.locus;
    const index = indexOf(link);
    if (link.by !== "calls") {
      const key = link.by === "exchange" ? exchange : link.by === "before" ? conversation : undefined;
      return index.get(key) ?? [];
    }
    const roots = new Set(callsOf(finding).flatMap((call) => index.get(call) ?? []));
    return [...roots].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  };
}

function isHabitOf(root: Finding, finding: Finding): boolean {
  return (
    root.severity === "error" &&
    root.locus.exchange.position < finding.locus.exchange.position &&
    root.locus.exchange.protocol === finding.locus.exchange.protocol
  );
}

function standsBefore(root: Finding, finding: Finding, delay = 0): boolean {
  // What is only long was long before, unless it begins with its cause.
  if (finding.severity === "info" && beganBefore(finding, root)) return false;
  return (root.locus.step ?? 0) <= (finding.locus.step ?? 0) + delay;
}

/** The rounds of a loop began before the reply in front of a cause. */
function beganBefore({ data }: Finding, { locus }: Finding): boolean {
  const { exchanges } = data;
  const [first] = Array.isArray(exchanges) ? (exchanges as readonly unknown[]) : [];
  return typeof first === "number" && first + 1 < locus.exchange.number;
}

function leadsTo(from: Finding, to: Finding, causes: ReadonlyMap<Finding, Finding>): boolean {
  for (let current: Finding | undefined = from; current; current = causes.get(current))
    if (current === to) return true;
  return false;
}
