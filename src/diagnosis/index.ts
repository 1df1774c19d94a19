import { exchangesOf } from "../findings/occurrences.ts";
import type { DiagnosisReport, FindingReport } from "../findings/report.ts";
import { unlistedBy } from "../findings/unlisted.ts";
import type { ClientIdiom } from "../protocols/protocol.ts";
import { errorMeaning } from "../rules/error-meaning.ts";
import type { Effect, Habit, HabitFacts, Sentence, WindowFacts } from "../rules/habit.ts";
import { ruleTable } from "../rules/index.ts";
import { shownFacts } from "../rules/words.ts";
import { inWords } from "./idiom.ts";

/** The findings of one habit in one file. */
interface Group {
  readonly file: string;
  readonly rule: string;
  /** The habit's name in the table: the rule or `rule/kind`. */
  readonly habit: string;
  readonly findings: FindingReport[];
}

/** More exchanges than this are counted in a sentence, not listed. */
const listed = 5;

/** The number of adjacent exchanges from which on a mistake is a habit. */
const habitual = 3;

/** The maximum number of follow-ups named in a sentence; the report lists them all. */
const namedEffects = 2;

/** Habits by rule, or by `rule/kind` if the kinds of a rule stand for different habits. */
const habits: ReadonlyMap<string, Habit | undefined> = new Map(
  ruleTable.flatMap(({ name, habit, kindHabits = {} }) => [
    [name, habit] as const,
    ...Object.entries(kindHabits).map(([kind, own]) => [`${name}/${kind}`, own] as const),
  ]),
);

const advices = new Map(ruleTable.map(({ name, advice }) => [name, advice]));

/** More advice about single findings than this is a list, and the habit says what they have in common. */
const namedAdvices = 3;

/** Pairs of habits that are explained together. */
const pairs = ruleTable.flatMap(({ name, sharedHabit }) =>
  sharedHabit ? [{ ...sharedHabit, rules: [name, sharedHabit.with] }] : [],
);

/** Effects, the most informative first. */
const effects = ruleTable
  .flatMap(({ name, effect }): (Effect & { readonly rule: string })[] =>
    effect ? [{ ...effect, rule: name }] : [],
  )
  .sort((a, b) => a.rank - b.rank);

const asides = new Set(
  ruleTable.flatMap(({ name, traits }) => (traits?.includes("about-log") ? [name] : [])),
);

/**
 * Finds what clients do wrong: the errors and warnings that have no cause, grouped by habit and file, with
 * all exchanges concerned. In the order of the findings' files; within a file errors first, then by exchange.
 * @param idiomOf the code of clients of the API concerned; `undefined` if unknown
 * @param rejectionOf who rejects a finding's request, as a clause; `undefined` if unknown
 */
export function diagnose(
  findings: readonly FindingReport[],
  idiomOf: (finding: FindingReport) => ClientIdiom | undefined,
  rejectionOf: (finding: FindingReport) => string | undefined = () => undefined,
): DiagnosisReport[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const { rule, kind, severity, location } = finding;
    if (severity === "info" || asides.has(rule) || hasCause(finding, byId)) continue;
    const habit = habits.has(`${rule}/${kind}`) ? `${rule}/${kind}` : rule;
    // Refusals that mean different things need different changes.
    const { defect, advice } = finding.data;
    const key = JSON.stringify([location.file, habit, defect, defect === undefined ? advice : undefined]);
    const group = groups.get(key);
    if (group) group.findings.push(finding);
    else groups.set(key, { file: location.file, rule, habit, findings: [finding] });
  }
  const files = [...new Set(findings.map(({ location }) => location.file))];
  return files.flatMap((file) => {
    const own = [...groups.values()].filter((group) => group.file === file).sort(gravestFirst);
    return own.map((group) => diagnosis(group, own, findings, idiomOf, rejectionOf));
  });
}

function diagnosis(
  group: Group,
  others: readonly Group[],
  all: readonly FindingReport[],
  idiomOf: (finding: FindingReport) => ClientIdiom | undefined,
  rejectionOf: (finding: FindingReport) => string | undefined,
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
    isTrim: findings.every(({ data }) => data["trim"] !== undefined),
    isTextKept: findings.some(({ data }) => data["textKept"] !== undefined),
    isAskGone: findings.some(({ data }) => data["isAskGone"] === true),
    ...(first?.data["window"] !== undefined && { window: first.data["window"] as WindowFacts }),
    idiom,
    rejection: first && (rejectionOf(first) ?? rejectionIn(followUps(findings, all))),
  };
  const said = (text: Sentence): string => (typeof text === "string" ? text : text(facts));
  const meant = pair ? undefined : habitMeant(first);
  const stated = first?.data["changeIn"] === "server" ? "server" : undefined;
  const changeIn = pair ? undefined : (stated ?? (meant ?? habit)?.changeIn);
  const consequence = pair?.consequence ?? (habit ? said(habit.consequence) : "");
  return {
    file,
    title: habit ? said(habit.title) : capital(first?.message ?? rule),
    rule,
    findings: findings.map(({ id }) => id),
    exchanges,
    consequence: withFollowUps(
      consequence,
      story.flatMap((each) => each.findings),
      all,
    ),
    change: pair
      ? pair.change(idiom)
      : (meaningOf(first, said) ?? adviceOn(findings) ?? (habit ? said(habit.change) : "")),
    ...(changeIn && { changeIn }),
  };
}

/** What to change by the facts of the findings; `undefined` if they say nothing, or too many things. */
function adviceOn(findings: readonly FindingReport[]): string | undefined {
  const said = new Set(
    // One that stands for findings beyond the limit has none of their facts.
    findings
      .filter((finding) => unlistedBy(finding) === 0)
      .map(({ rule, kind, data }) => {
        const advice = advices.get(rule) ?? {};
        return Object.hasOwn(advice, kind) ? advice[kind]?.(shownFacts(data) as never) : undefined;
      }),
  );
  return said.size > 0 && said.size <= namedAdvices && !said.has(undefined)
    ? [...said].join("; ")
    : undefined;
}

/** That a provider rejected the request, where only a finding that follows shows it, as in a session. */
function rejectionIn(following: readonly FindingReport[]): string | undefined {
  const shown = effects.find(
    (effect) => effect.saidIn !== undefined && following.some((finding) => shows(finding, effect)),
  );
  return shown?.words(undefined);
}

/** The habit of the rule whose defect a provider's error names. */
function habitMeant(finding: FindingReport | undefined): Habit | undefined {
  const { defect, complaint } = finding?.data ?? {};
  return typeof defect === "string"
    ? (habits.get(`${defect}/${String(complaint)}`) ?? habits.get(defect))
    : undefined;
}

/** What to change where a provider's words name another rule's defect, which nothing in the log shows. */
function meaningOf(finding: FindingReport | undefined, said: (text: Sentence) => string): string | undefined {
  const { defect, callIds, advice } = finding?.data ?? {};
  const habit = habitMeant(finding);
  if (!habit) return typeof advice === "string" ? `this error means: ${advice}` : undefined;
  const named = Array.isArray(callIds) ? (callIds as readonly unknown[]) : [];
  const ids = alike(named.filter((id): id is string => typeof id === "string"));
  return errorMeaning(String(defect), ids, typeof advice === "string" ? advice : said(habit.change));
}

/** The ids of the first's kind: behind it there may be other names of the same item, `fc_1` of `call_1`. */
function alike(ids: readonly string[]): readonly string[] {
  const kinds = ids.map((id) => /^[a-z]{2,12}_/.exec(id)?.[0]);
  return ids.filter((_, at) => at === 0 || (kinds[at] !== undefined && kinds[at] === kinds[0]));
}

/**
 * A consequence and the most informative ones that follow: `So …; it made the same call again (replies 3–7)`.
 */
function withFollowUps(
  consequence: string,
  roots: readonly FindingReport[],
  all: readonly FindingReport[],
): string {
  const following = followUps(roots, all);
  // A loop may have begun before: what came first is not a consequence.
  const begin = exchangesIn(roots)[0] ?? 0;
  const found = effects
    .map((effect) => ({ ...effect, found: following.filter((finding) => shows(finding, effect)) }))
    .filter(({ found }) => found.length > 0);
  const said = found.find(({ saidIn }) => saidIn?.test(consequence));
  const more = found
    .filter((effect) => effect !== said)
    .slice(0, namedEffects)
    .map(({ words, found }) => `${words(toolOf(found))}${whereIn(found, begin)}`)
    .join(", and ");
  const first = said ? `${consequence}${whereIn(said.found, begin)}` : consequence;
  return [first, more].filter((part) => part !== "").join("; ");
}

function shows(finding: FindingReport, { rule, kinds }: (typeof effects)[number]): boolean {
  return finding.rule === rule && (kinds === undefined || kinds.includes(finding.kind));
}

/** The findings that follow from others, directly or not. */
function followUps(roots: readonly FindingReport[], all: readonly FindingReport[]): FindingReport[] {
  const caused = new Set(roots.map(({ id }) => id));
  const following: FindingReport[] = [];
  // A cause may come after its consequence in the list.
  for (let before = -1; before !== following.length; ) {
    before = following.length;
    for (const finding of all) {
      if (finding.cause === null || caused.has(finding.id) || !caused.has(finding.cause)) continue;
      caused.add(finding.id);
      following.push(finding);
    }
  }
  return following;
}

/** The tool that all findings concern; `undefined` if there are several. */
function toolOf(findings: readonly FindingReport[]): string | undefined {
  const tools = findings.flatMap(({ data }) => {
    const named = data["tools"] ?? data["tool"];
    return Array.isArray(named) ? (named as readonly unknown[]) : [named];
  });
  const [first, ...others] = new Set(tools);
  return typeof first === "string" && others.length === 0 ? first : undefined;
}

function whereIn(findings: readonly FindingReport[], begin: number): string {
  const all = exchangesIn(findings);
  const later = all.filter((number) => number >= begin);
  const numbers = later.length > 0 ? later : all;
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return "";
  const isReply = findings.every(({ location }) => location.part === "response");
  if (first === last) return ` (${isReply ? "reply" : "request"} ${first})`;
  const many = isReply ? "replies" : "requests";
  if (numbers.length === last - first + 1) return ` (${many} ${first}–${last})`;
  return numbers.length <= listed
    ? ` (${many} ${numbers.join(", ")})`
    : ` (${numbers.length} ${many}, the first is ${first})`;
}

/** The numbers of the exchanges with these findings, ascending. */
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
  return findings.reduce((first, { location }) => Math.min(first, location.line), Number.POSITIVE_INFINITY);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
