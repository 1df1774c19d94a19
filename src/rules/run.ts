import { activeBranch, stepOfItem } from "../conversation/active-branch.ts";
import { type Conversation, type Placed, pointerOf, type Step } from "../conversation/conversation.ts";
import type { Exchange, History } from "../conversation/exchange.ts";
import { contentOf } from "../conversation/identity.ts";
import type { Finding, Fix, Locus, Severity } from "../findings/finding.ts";
import { followsFrom, linkCauses } from "./causes.ts";
import { type Needs, type OptionValues, type Report, type ReportTarget, type Rule, ranks } from "./rule.ts";
import { boundedSentence } from "./words.ts";

export interface RuleRunOptions {
  /** Levels that replace the rules' own; `off` disables a rule, so its consequences become roots. */
  readonly levels: Readonly<Record<string, Severity | "off">>;
  /** Non-default option values, by rule. */
  readonly ruleOptions?: Readonly<Record<string, Partial<OptionValues>>> | undefined;
}

/** Loads what the rules need for these conversations. */
export async function loadRules(
  conversations: readonly Conversation[],
  rules: readonly Rule[],
  { levels }: RuleRunOptions,
): Promise<void> {
  for (const rule of rules) if (levels[rule.name] !== "off") await rule.load?.(conversations);
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
  for (const conversation of conversations) {
    const carriers = carriersIn(conversation);
    for (const rule of rules) {
      const level = options.levels[rule.name];
      if (level === "off" || !shows(conversation, rule.needs)) continue;
      const reports = [...rule.check(conversation, options.ruleOptions?.[rule.name])];
      for (const finding of merged(conversation, rule, reports, level, carriers, calls))
        findings.push(finding);
    }
  }
  const reported = [...withoutExplained(findings, rules)].sort(inOrder);
  return linkCauses(
    reported,
    rules,
    (finding) => calls.get(finding) ?? [],
    (finding) => options.levels[finding.rule] !== undefined,
  );
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
      !others(finding).some(
        (other) => !followsFrom(other.rule, finding.rule, rules) && isInOneRequest(other, finding),
      ),
  );
}

/** Returns the findings at, in or around the place of another finding. */
function byPlace(findings: readonly Finding[]): (finding: Finding) => readonly Finding[] {
  /** Findings at each place, and findings below each place. */
  const at = new Map<string, Finding[]>();
  const below = new Map<string, Finding[]>();
  const put = (lists: Map<string, Finding[]>, key: string, finding: Finding): void => {
    const list = lists.get(key);
    if (list) list.push(finding);
    else lists.set(key, [finding]);
  };
  for (const finding of findings) {
    const [own, ...above] = placesAround(finding);
    if (own === undefined) continue;
    put(at, own, finding);
    for (const place of above) put(below, place, finding);
  }
  return (finding) => {
    const places = placesAround(finding);
    return [...places.flatMap((place) => at.get(place) ?? []), ...(below.get(places[0] ?? "") ?? [])];
  };
}

/** The place of a finding and all enclosing places, innermost first; empty for a whole body. */
function placesAround({ locus: { part, pointer } }: Finding): string[] {
  const places: string[] = [];
  for (let rest = pointer; rest !== ""; rest = rest.slice(0, rest.lastIndexOf("/")))
    places.push(`${part} ${rest}`);
  return places;
}

function shownFix(fix: Fix): Fix {
  return { ...fix, title: boundedSentence(fix.title) };
}

function isInOneRequest(a: Finding, b: Finding): boolean {
  if (a.locus.exchange === b.locus.exchange) return true;
  const own = new Set([a.locus.exchange, ...a.alsoIn]);
  return [b.locus.exchange, ...b.alsoIn].some((exchange) => own.has(exchange));
}

/** Merges reports of the same mistake into one finding at its first place. */
function merged(
  conversation: Conversation,
  rule: Rule,
  reports: readonly Report[],
  level: Severity | undefined,
  carriers: (target: ReportTarget) => readonly Exchange[],
  calls: Map<Finding, readonly string[]>,
): Finding[] {
  const groups = new Map<string, Report[]>();
  for (const report of reports) {
    const identity = `${report.kind} ${report.options.identity ?? identityOf(report.target)}`;
    const group = groups.get(identity);
    if (group) group.push(report);
    else groups.set(identity, [report]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const report = first as Report;
    const also = new Set<Exchange>();
    for (const { target } of group) also.add(stepOf(target).exchange);
    for (const exchange of carriers(report.target)) also.add(exchange);
    const own = stepOf(report.target).exchange;
    const finding: Finding = {
      rule: rule.name,
      kind: report.kind,
      severity:
        level ??
        severityIn(
          conversation,
          group.map((other) => other.options.severity ?? rule.severity),
        ),
      message: report.message,
      locus: locusOf(report.target, report.options.below, report.options.extent),
      notes: (report.options.notes ?? []).map(({ message, at }) => ({
        message: boundedSentence(message),
        locus: locusOf(at),
      })),
      data: report.data,
      ...(report.options.fix && { fix: shownFix(report.options.fix) }),
      alsoIn: [...also].filter((exchange) => exchange !== own).sort((a, b) => a.position - b.position),
    };
    calls.set(finding, [...new Set(group.flatMap((other) => other.options.callIds ?? []))]);
    return finding;
  });
}

function isPlaced(target: ReportTarget): target is Placed {
  return "item" in target;
}

function stepOf(target: ReportTarget): Step {
  return target.step;
}

function identityOf(target: ReportTarget): string {
  if (!isPlaced(target)) return `${target.step.number} ${target.part} ${target.pointer}`;
  const { item } = target;
  const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
  return id !== undefined
    ? `${item.kind} ${id}`
    : `${target.step.number} ${target.part} ${target.element} ${item.pointer}`;
}

/**
 * The later requests with the same element as a finding. Looks at each history index once, not once per
 * finding: a client that breaks an element in every request has as many findings as requests.
 */
function carriersIn(conversation: Conversation): (target: ReportTarget) => readonly Exchange[] {
  const { steps, kind } = conversation;
  const byElement = new Map<number, Map<string, Step[]>>();
  // Requests share element objects.
  const contents = new Map<unknown, string>();
  const contentIn = (history: History, index: number): string => {
    const shared = history.element(index);
    const content = contents.get(shared) ?? contentAt(history, index);
    contents.set(shared, content);
    return content;
  };
  const requestsWith = (element: number): Map<string, Step[]> => {
    const known = byElement.get(element);
    if (known) return known;
    const alike = new Map<string, Step[]>();
    for (const step of steps) {
      const history = step.request?.history;
      if (!history || element >= history.length) continue;
      const content = contentIn(history, element);
      const list = alike.get(content);
      if (list) list.push(step);
      else alike.set(content, [step]);
    }
    byElement.set(element, alike);
    return alike;
  };
  return (target) => {
    const own = target.step.request?.history;
    if (!isPlaced(target) || target.part !== "request" || kind === "transcript" || !own) return [];
    const alike = requestsWith(target.element).get(contentIn(own, target.element)) ?? [];
    return alike.filter(({ number }) => number > target.step.number).map(({ exchange }) => exchange);
  };
}

/** A key, equal for elements with the same content. */
function contentAt(history: History, element: number): string {
  const items = history.items(element);
  const [only] = items;
  const content =
    items.length === 1 && only ? contentOf(only) : JSON.stringify(items.map((item) => contentOf(item)));
  return `${history.role(element)} ${content}`;
}

function locusOf(target: ReportTarget, below?: string, extent?: Report["options"]["extent"]): Locus {
  const { part } = target;
  const step = isPlaced(target) ? stepOfItem(target) : target.step;
  const base = {
    exchange: step.exchange,
    part: step.conversation.kind === "transcript" ? ("transcript" as const) : part,
    conversation: step.conversation.name,
    step: step.number,
  };
  if (!isPlaced(target))
    return {
      ...base,
      pointer: target.pointer,
      ...((extent ?? target.extent) && { extent: (extent ?? target.extent) as NonNullable<typeof extent> }),
    };
  const fragment = extent ?? (part === "response" ? target.item.fragments?.first : undefined);
  return { ...base, pointer: pointerOf(target, below), ...(fragment && { extent: fragment }) };
}

/**
 * A transcript does not show what was sent, and clients may fix it before sending, so its findings are at
 * most warnings unless the run is known to be complete.
 */
function severityIn({ kind, log }: Conversation, severities: readonly Severity[]): Severity {
  const severity = highest(severities);
  return kind === "transcript" && severity === "error" && !log.isComplete ? "warning" : severity;
}

function highest(severities: readonly Severity[]): Severity {
  return severities.reduce((a, b) => (ranks[b] > ranks[a] ? b : a));
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
