import { activeBranch } from "../conversation/active-branch.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Finding, Severity } from "../findings/finding.ts";
import { append, emptyList } from "../reading/lists.ts";
import { carriersIn } from "./carriers.ts";
import { followsFrom, linkCauses } from "./causes.ts";
import { type Collected, Collector, type FindingLimits } from "./collect.ts";
import { contentsEnd, contentsOf, looksAt } from "./contents.ts";
import type { Needs, OptionValues, ReportTarget, Rule } from "./rule.ts";

export interface RuleRunOptions {
  /** Levels that replace the rules' own; `off` disables a rule, so its consequences become roots. */
  readonly levels: Readonly<Record<string, Severity | "off">>;
  /** Non-default option values, by rule. */
  readonly ruleOptions?: Readonly<Record<string, Partial<OptionValues>>> | undefined;
  /** How many findings are listed one by one. */
  readonly limits?: FindingLimits | undefined;
}

/** Loads what the rules need for these conversations. */
export async function loadRules(
  conversations: readonly Conversation[],
  rules: readonly Rule[],
  { levels }: RuleRunOptions,
): Promise<void> {
  for (const rule of rules) {
    // Few rules have something to load, and each promise costs a turn of the event loop's queue.
    const loading = levels[rule.name] === "off" ? undefined : rule.load?.(conversations);
    if (loading) await loading;
  }
}

/**
 * Checks the conversations of one log; call {@link loadRules} first. Returns findings in the order of the
 * log, one per mistake, with their causes.
 */
export function runRules(
  conversations: readonly Conversation[],
  rules: readonly Rule[],
  options: RuleRunOptions,
): Finding[] {
  const calls = new Map<Finding, readonly string[]>();
  const findings: Finding[] = [];
  const add = ({ finding, callIds }: Collected): void => {
    findings.push(finding);
    calls.set(finding, callIds);
  };
  const enabled = rules.flatMap((rule) => {
    const level = options.levels[rule.name];
    if (level === "off") return [];
    const values = options.ruleOptions?.[rule.name];
    return { rule, values, collector: new Collector(rule, level, options.limits) };
  });
  const concerned = rulesByContent(enabled);
  for (const conversation of conversations) {
    let carriers: ReturnType<typeof carriersIn> | undefined;
    const carriersOf = (target: ReportTarget): readonly Exchange[] => {
      carriers ??= carriersIn(conversation);
      return carriers(target);
    };
    for (const { rule, values, collector } of concerned(conversation)) {
      const reports = rule.check(conversation, values);
      for (const collected of collector.collect(conversation, reports, carriersOf)) add(collected);
    }
  }
  for (const { collector } of enabled) for (const collected of collector.rest()) add(collected);
  const reported = [...withoutExplained(findings, rules)].sort(inOrder);
  return linkCauses(
    reported,
    rules,
    (finding) => calls.get(finding) ?? [],
    (finding) => options.levels[finding.rule] !== undefined,
  );
}

/**
 * The rules that can report anything in a conversation. A log may have tens of thousands of conversations,
 * and most rules look at what few of them contain.
 */
function rulesByContent<R extends { readonly rule: Rule }>(
  rules: readonly R[],
): (conversation: Conversation) => readonly R[] {
  const known = new Map<number, readonly R[]>();
  const needs = [...new Set(rules.map(({ rule }) => rule.needs))];
  return (conversation) => {
    const contents = contentsOf(conversation);
    let key: number = contents;
    for (const [index, need] of needs.entries()) if (shows(conversation, need)) key += contentsEnd << index;
    let concerned = known.get(key);
    if (!concerned) {
      const shown = new Set(needs.filter((need) => shows(conversation, need)));
      concerned = rules.filter(({ rule }) => shown.has(rule.needs) && looksAt(rule, contents));
      known.set(key, concerned);
    }
    return concerned;
  };
}

/** Whether a conversation shows what a rule needs. */
export function shows(conversation: Conversation, needs: Needs): boolean {
  const { kind, steps } = conversation;
  if (needs === "anything") return true;
  if (kind === "transcript") return needs === "history" && activeBranch(conversation) !== undefined;
  return needs === "requests" || !steps.some(({ exchange }) => exchange.fidelity === "reported");
}

/** Drops findings of rules that speak last if another rule finds fault with the same place. */
function withoutExplained(findings: readonly Finding[], rules: readonly Rule[]): readonly Finding[] {
  const last = new Set(rules.filter(({ speaksLast }) => speaksLast).map(({ name }) => name));
  // A defect that only misleads the model explains no rejection.
  const grounds = new Set(rules.filter(({ ground }) => ground !== "misleads").map(({ name }) => name));
  if (!findings.some(({ rule }) => last.has(rule))) return findings;
  const others = byPlace(findings.filter(({ rule }) => grounds.has(rule) && !last.has(rule)));
  return findings.filter(
    (finding) =>
      !last.has(finding.rule) ||
      !others(finding).some((other) => !followsFrom(other.rule, finding.rule, rules)),
  );
}

/** Returns the findings at, in or around the place of another finding, in a request of it. */
function byPlace(findings: readonly Finding[]): (finding: Finding) => readonly Finding[] {
  /** Findings at each place, and findings below each place. */
  const at = new Map<string, FindingsAtPlace>();
  const below = new Map<string, FindingsAtPlace>();
  const put = (lists: Map<string, FindingsAtPlace>, key: string, finding: Finding): void => {
    const list = lists.get(key) ?? new FindingsAtPlace();
    lists.set(key, list);
    list.add(finding);
  };
  for (const finding of findings) {
    const [own, ...above] = placesAround(finding);
    if (own === undefined) continue;
    put(at, own, finding);
    for (const place of above) put(below, place, finding);
  }
  return (finding) => {
    const places = placesAround(finding);
    const lists = [...places.map((place) => at.get(place)), below.get(places[0] ?? "")];
    return lists.flatMap((list) => list?.inRequestsOf(finding) ?? []);
  };
}

/** Up to this many findings are looked through one by one. */
const few = 8;

/** The findings at one place of requests: tens of thousands of requests may have one at the same place. */
class FindingsAtPlace {
  readonly #all: Finding[] = [];
  #byExchange: Map<Exchange, Finding[]> | undefined;

  add(finding: Finding): void {
    this.#all.push(finding);
  }

  /** Those that share a request with another finding. */
  inRequestsOf(other: Finding): readonly Finding[] {
    if (this.#all.length <= few) return this.#all.filter((finding) => isInOneRequest(finding, other));
    this.#byExchange ??= this.#sorted();
    const found = new Set<Finding>();
    for (const exchange of requestsOf(other))
      for (const finding of this.#byExchange.get(exchange) ?? emptyList) found.add(finding);
    return [...found];
  }

  #sorted(): Map<Exchange, Finding[]> {
    const sorted = new Map<Exchange, Finding[]>();
    for (const finding of this.#all)
      for (const exchange of requestsOf(finding))
        sorted.set(exchange, append(sorted.get(exchange) ?? emptyList, finding));
    return sorted;
  }
}

function requestsOf({ locus, alsoIn }: Finding): readonly Exchange[] {
  return [locus.exchange, ...alsoIn];
}

/** The place of a finding and all enclosing places, innermost first; empty for a whole body. */
function placesAround({ locus: { part, pointer } }: Finding): string[] {
  const places: string[] = [];
  for (let rest = pointer; rest !== ""; rest = rest.slice(0, rest.lastIndexOf("/")))
    places.push(`${part} ${rest}`);
  return places;
}

function isInOneRequest(a: Finding, b: Finding): boolean {
  if (a.locus.exchange === b.locus.exchange) return true;
  const own = new Set(requestsOf(a));
  return requestsOf(b).some((exchange) => own.has(exchange));
}

function inOrder(a: Finding, b: Finding): number {
  return (
    a.locus.exchange.position - b.locus.exchange.position ||
    (a.locus.part === b.locus.part ? 0 : a.locus.part === "request" ? -1 : 1) ||
    naturally(a.locus.pointer, b.locus.pointer) ||
    naturally(a.rule, b.rule) ||
    naturally(a.message, b.message)
  );
}

/** Compares numbers in pointers by value: `/input/9` comes before `/input/10`. */
function naturally(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [x, y] = [left[index] ?? "", right[index] ?? ""];
    if (x === y) continue;
    return index % 2 === 1 ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left.length - right.length;
}
