import { exchangesOf } from "../findings/occurrences.ts";
import type { DiagnosisReport, FindingReport } from "../findings/report.ts";
import type { ClientIdiom } from "../protocols/protocol.ts";
import type { Effect, Habit, HabitFacts, Sentence } from "../rules/habit.ts";
import { ruleTable } from "../rules/index.ts";
import { inWords } from "./idiom.ts";

/** Findings of one habit in one file. */
interface Group {
  readonly file: string;
  readonly rule: string;
  /** The habit's name in the table: the rule, or the rule and its kind. */
  readonly habit: string;
  readonly findings: FindingReport[];
}

/** In so many exchanges in a row something is a habit and no accident. */
const habitual = 3;

/** Follow-ups that a sentence names; the report lists them all. */
const namedEffects = 2;

/**
 * What is said when a rule speaks: by rule, or by rule and kind (`rule/kind`) where one rule names different
 * habits.
 */
const habits: ReadonlyMap<string, Habit | undefined> = new Map(
  ruleTable.flatMap(({ name, habit, kindHabits = {} }) => [
    [name, habit] as const,
    ...Object.entries(kindHabits).map(([kind, own]) => [`${name}/${kind}`, own] as const),
  ]),
);

/** Habits that make one story. */
const pairs = ruleTable.flatMap(({ name, sharedHabit }) =>
  sharedHabit ? [{ ...sharedHabit, rules: [name, sharedHabit.with] }] : [],
);

/** Those that say most about a run first. */
const effects = ruleTable
  .flatMap(({ name, effect }): (Effect & { readonly rule: string })[] =>
    effect ? [{ ...effect, rule: name }] : [],
  )
  .sort((a, b) => a.rank - b.rank);

const asides = new Set(
  ruleTable.flatMap(({ name, traits }) => (traits?.includes("about-log") ? [name] : [])),
);

/**
 * What the clients do wrong: the errors and warnings that follow from nothing else, each habit once for each
 * file, with all exchanges that show it. Files in the order of the findings, within a file errors first, then
 * by the first exchange.
 *
 * @param idiomOf how clients of the API that a finding is about write their code; `undefined` where that is not
 * known
 */
export function diagnose(
  findings: readonly FindingReport[],
  idiomOf: (finding: FindingReport) => ClientIdiom | undefined,
): DiagnosisReport[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const { rule, kind, severity, location } = finding;
    if (severity === "info" || asides.has(rule) || hasCause(finding, byId)) continue;
    const habit = habits.has(`${rule}/${kind}`) ? `${rule}/${kind}` : rule;
    const key = JSON.stringify([location.file, habit]);
    const group = groups.get(key);
    if (group) group.findings.push(finding);
    else groups.set(key, { file: location.file, rule, habit, findings: [finding] });
  }
  const files = [...new Set(findings.map(({ location }) => location.file))];
  return files.flatMap((file) => {
    const own = [...groups.values()].filter((group) => group.file === file).sort(gravestFirst);
    return own.map((group) => diagnosis(group, own, findings, idiomOf));
  });
}

function diagnosis(
  group: Group,
  others: readonly Group[],
  all: readonly FindingReport[],
  idiomOf: (finding: FindingReport) => ClientIdiom | undefined,
): DiagnosisReport {
  const { file, rule, findings } = group;
  const exchanges = exchangesIn(findings);
  const habit = habits.get(group.habit);
  const pair = pairs.find(
    ({ rules }) =>
      rules.includes(group.habit) && rules.every((name) => others.some((other) => other.habit === name)),
  );
  const story = pair ? others.filter((other) => pair.rules.includes(other.habit)) : [group];
  const [first] = findings;
  // An agent's session does not show the code that sends requests.
  const isSent = first !== undefined && first.location.part !== "transcript";
  const idiom = inWords(isSent ? idiomOf(first) : undefined);
  const facts: HabitFacts = {
    isHabit: isRun(exchanges),
    isFromStart: findings.some(isAboutFirstReply),
    idiom,
  };
  const said = (text: Sentence): string => (typeof text === "string" ? text : text(facts));
  const consequence = pair?.consequence ?? (habit ? said(habit.consequence) : "");
  return {
    file,
    title: habit ? said(habit.title) : capital(first?.message ?? rule),
    rule,
    findings: findings.map(({ id }) => id),
    exchanges,
    consequence: [
      consequence,
      followUps(
        story.flatMap((each) => each.findings),
        all,
      ),
    ]
      .filter((part) => part !== "")
      .join("; "),
    change: pair ? pair.change(idiom) : habit ? said(habit.change) : "",
  };
}

/**
 * The most telling things that follow from some findings: `it made the same call to … again (repeated-call in
 * replies 3–7)`.
 */
function followUps(roots: readonly FindingReport[], all: readonly FindingReport[]): string {
  const caused = new Set(roots.map(({ id }) => id));
  const following: FindingReport[] = [];
  // A cause may stand behind what it causes.
  for (let before = -1; before !== following.length; ) {
    before = following.length;
    for (const finding of all) {
      if (finding.cause === null || caused.has(finding.id) || !caused.has(finding.cause)) continue;
      caused.add(finding.id);
      following.push(finding);
    }
  }
  return effects
    .map(({ rule, words }) => ({ rule, words, found: following.filter((finding) => finding.rule === rule) }))
    .filter(({ found }) => found.length > 0)
    .slice(0, namedEffects)
    .map(({ rule, words, found }) => `${words(toolOf(found))} (${rule}${whereIn(found)})`)
    .join(", and ");
}

/** The tool that findings are about, when it is one and the same. */
function toolOf(findings: readonly FindingReport[]): string | undefined {
  const tools = findings.flatMap(({ data }) => {
    const named = data["tools"] ?? data["tool"];
    return Array.isArray(named) ? (named as readonly unknown[]) : [named];
  });
  const [first, ...others] = new Set(tools);
  return typeof first === "string" && others.length === 0 ? first : undefined;
}

function whereIn(findings: readonly FindingReport[]): string {
  const numbers = exchangesIn(findings);
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return "";
  const isReply = findings.every(({ location }) => location.part === "response");
  if (first === last) return ` in ${isReply ? "reply" : "request"} ${first}`;
  const many = isReply ? "replies" : "requests";
  return numbers.length === last - first + 1
    ? ` in ${many} ${first}–${last}`
    : ` in ${numbers.length} ${many} from ${first} on`;
}

/** The exchanges that findings show in, in order. */
function exchangesIn(findings: readonly FindingReport[]): number[] {
  return [...new Set(findings.flatMap(exchangesOf))].sort((a, b) => a - b);
}

function isAboutFirstReply({ location, related }: FindingReport): boolean {
  return [location, ...related.map((note) => note.location)].some(
    ({ part, step }) => part === "response" && step === 1,
  );
}

function isRun(exchanges: readonly number[]): boolean {
  const [first = 0] = exchanges;
  return exchanges.length >= habitual && exchanges.at(-1) === first + exchanges.length - 1;
}

function hasCause({ cause }: FindingReport, byId: ReadonlyMap<string, FindingReport>): boolean {
  return cause !== null && byId.has(cause);
}

function gravestFirst(a: Group, b: Group): number {
  return rank(a) - rank(b) || firstExchange(a) - firstExchange(b) || firstLine(a) - firstLine(b);
}

function rank({ findings }: Group): number {
  return findings.some(({ severity }) => severity === "error") ? 0 : 1;
}

function firstExchange({ findings }: Group): number {
  return exchangesIn(findings)[0] ?? 0;
}

function firstLine({ findings }: Group): number {
  return Math.min(...findings.map(({ location }) => location.line));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
